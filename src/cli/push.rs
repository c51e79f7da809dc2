//! `toolcrib push`: sends the workspace's tools to a running system, after showing what changes
//! there.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::{Value, json};

use super::{
    deployed::{self, SystemWord},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
};
use crate::{
    model::{
        connection::Connection,
        connections::Listeners,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::push::{self, AbsentEntries},
        findings,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Push {
    /// The system to push to
    #[arg(value_parser = SystemWord::value_parser())]
    system: SystemWord,

    /// Show what would change, and check that all of it loads, without writing it
    #[arg(long)]
    dry_run: bool,

    /// Delete entries that aren't in the workspace
    #[arg(long)]
    delete: bool,

    /// Write one tool and one tool service again unchanged, so that TrustGraph's agent reloads its
    /// tools
    #[arg(long)]
    reload: bool,

    /// Write without asking
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

impl Push {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        if let Some(broken) = opened.files.iter().find(|file| file.source.is_err()) {
            let cause = format!(
                "can't read {}, so its entries would count as deleted",
                opened.display_path(&broken.file)
            );
            return Err(Problem::new(ProblemKind::Input, "pushing", cause)
                .with_remedy("correct it first (`toolcrib check`)")
                .into());
        }
        let connection = self.system.claim_connection(opened.settings.connections.current());
        let deployment = self.system.deployment_for(&connection)?;
        let items = deployed::read_items(&connection)?;
        let absent = if self.delete { AbsentEntries::Delete } else { AbsentEntries::Keep };
        let mut push = deployment.plan_push(&opened.catalog, &items, absent)?;
        if self.reload {
            deployment.check_reload()?;
            push.reload = !push.after.is_empty();
        }
        if !global.json {
            print_changes(out, &push, deployment.secret())?;
        }
        push.notes.iter().for_each(|note| out.warn(note));
        if !push.changes.is_empty() {
            warn_of_listeners(&opened, &connection, out);
        }
        let loads = push.loads.as_ref().map_err(|cause| {
            Problem::new(
                ProblemKind::Service,
                format!("checking whether {} could load it", self.system.title()),
                cause,
            )
            .with_remedy(
                "correct that entry here, or delete it there (--delete); nothing was written",
            )
        });
        let wanted = !push.changes.is_empty() || push.reload;
        let write = loads.is_ok()
            && wanted
            && !self.dry_run
            && self.ask_confirmation(out, &connection, &push)?;
        let there = match write {
            true => {
                deployed::write_push(&connection, &push, out)?;
                Some(deployed::read_items(&connection)?)
            }
            // Where nothing is to be written, the ids of what is there already may still be missing.
            false => (!self.dry_run && !wanted).then_some(items),
        };
        for file in deployed::keep_given_ids(&opened, &there.unwrap_or_default())? {
            out.print_status(format_args!("saved the id assigned there in {file}"));
        }
        if global.json {
            out.print_json(&push_json(&push, write))?;
        }
        let loaded = |count| deployment.loaded_message(count);
        let count = *loads?;
        out.print_status(match (write, self.dry_run, push.changes.is_empty()) {
            (true, _, true) => {
                format!("written again unchanged, so that the agent reloads it; {}", loaded(count))
            }
            (true, ..) => format!("written and verified: {}; {}", push.summary(), loaded(count)),
            (false, false, true) if push.reload => "nothing was written".to_owned(),
            (false, _, true) => {
                format!("nothing to write: everything is already there; {}", loaded(count))
            }
            (false, true, _) => format!(
                "nothing was written (--dry-run): {}; with it, {}",
                push.summary(),
                loaded(count)
            ),
            (false, ..) => "nothing was written".to_owned(),
        });
        Ok(Ending::Done)
    }

    /// Whether the user wants it written.
    fn ask_confirmation(
        &self,
        out: &mut CommandOutput,
        connection: &Connection,
        push: &push::Push,
    ) -> Result<bool, Problem> {
        if self.yes {
            return Ok(true);
        }
        let refused = |cause: &str| {
            Problem::new(ProblemKind::Input, "pushing", cause)
                .with_remedy("add --yes to write without being asked")
        };
        if !std::io::stdin().is_terminal() {
            return Err(refused("there is no terminal to ask on"));
        }
        let failed = |error: std::io::Error| refused(&error.to_string());
        out.flush().map_err(failed)?;
        let place = connection.addresses().first().map_or("", String::as_str);
        let mut asking = std::io::stderr().lock();
        let what = if push.changes.is_empty() {
            "nothing changes, the agent loads again".to_owned()
        } else {
            push.summary()
        };
        let question = format!("write this to {} ({place})? {what} [y/N] ", connection.name);
        asking
            .write_all(crate::model::shown::visible_text(&question).as_bytes())
            .and_then(|()| asking.flush())
            .map_err(failed)?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}

/// Whose calls nobody would get. It is pushed all the same: services may be started later.
fn warn_of_listeners(opened: &OpenWorkspace, connection: &Connection, out: &CommandOutput) {
    let Ok(Some(listeners)) = deployed::read_listeners(connection) else { return };
    let listeners = Listeners::from([(connection.name.clone(), listeners.into())]);
    for finding in findings::connection_findings(
        &opened.catalog,
        &opened.settings.connections,
        &listeners,
        |file| opened.source(file),
    ) {
        out.warn(format_args!(
            "{}:{}: {}",
            opened.display_path(&finding.site.file),
            finding.site.line,
            finding.message
        ));
    }
}

fn print_changes(
    out: &mut CommandOutput,
    push: &push::Push,
    secret: Option<&str>,
) -> std::io::Result<()> {
    for change in &push.changes {
        out.print_line(out.tint(Tint::Bold, &format!("{} {}", change.sign(), change.name())))?;
        let [before, after] = change.redacted_texts(secret);
        deployed::print_diff(out, &before, &after)?;
    }
    Ok(())
}

fn push_json(push: &push::Push, written: bool) -> Value {
    let changes: Vec<Value> = push
        .changes
        .iter()
        .map(|change| json!({"change": change.action_name(), "type": change.section, "key": change.key}))
        .collect();
    let (loads, error) = match &push.loads {
        Ok(count) => (json!(count), Value::Null),
        Err(cause) => (Value::Null, json!(cause)),
    };
    json!({"changes": changes, "loads": loads, "load_error": error, "notes": push.notes, "written": written})
}

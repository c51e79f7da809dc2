//! `toolcrib allow`: what the user agrees to before a connection does it.

use clap::Args;
use serde_json::{Value, json};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
};
use crate::{
    engine::{settings::table, workflow::similar},
    model::{
        connection::{Connection, RequestVariable, SecretAt},
        problem::{Problem, ProblemKind},
    },
    store::consents::Consents,
    systems::{permission::Permission, sending::Sending},
    wire::registry::permissions_of,
};

#[derive(Args, Debug)]
pub(crate) struct Allow {
    /// The connection, by its name in toolcrib.toml; without it, what every connection needs is
    /// listed and nothing is allowed
    name: Option<String>,

    /// Allow that requests send this variable there: one of toolcrib.toml, which cases name as
    /// {{var.NAME}}, or else an environment variable, {{env.NAME}}
    #[arg(long, value_name = "NAME", requires = "name")]
    variable: Vec<String>,

    /// Revoke the permission
    #[arg(long, requires = "name")]
    forget: bool,
}

impl Allow {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let consents = Consents::of_user()?;
        let known = &opened.settings.connections;
        let Some(name) = &self.name else {
            return list_permissions(&known.known, &consents, global, out);
        };
        let Some(connection) = known.find_by_name(name) else {
            let problem = Problem::new(
                ProblemKind::Missing,
                format!("looking for the connection \"{name}\""),
                "toolcrib.toml has no such connection",
            );
            let names = known.known.iter().map(|connection| &*connection.name);
            return Err(match similar::nearest_name(name, names) {
                Some(near) => problem.with_remedy(format!("did you mean {near}?")),
                None => problem.with_remedy("`toolcrib allow` lists those that need something"),
            }
            .into());
        };
        let permissions = self.permissions(connection)?;
        for permission in &permissions {
            match self.forget {
                true => drop(consents.take_back(permission)?),
                false => consents.give(permission)?,
            }
        }
        print_permissions(&[(connection, permissions)], &|_| !self.forget, global, out)?;
        Ok(Ending::Done)
    }

    /// What is allowed or revoked: what the connection needs, or that requests send the variables.
    fn permissions(&self, connection: &Connection) -> Result<Vec<Permission>, Problem> {
        if self.variable.is_empty() {
            return Ok(permissions_of(connection));
        }
        let secret_of = |name: &String| match connection.variables.get(name) {
            Some(RequestVariable::Secret(at)) => Some(at.clone()),
            _ => table::is_variable_name(name).then(|| SecretAt::Variable(name.clone())),
        };
        let wrong = self.variable.iter().find(|name| secret_of(name).is_none());
        if let Some(name) = wrong {
            let cause = format!("\"{}\" can't be the name of a variable", name.escape_debug());
            let problem = Problem::new(ProblemKind::Input, "reading --variable", cause);
            return Err(problem.with_remedy("write the name alone: --variable API_KEY"));
        }
        let secrets = self.variable.iter().filter_map(secret_of);
        let sendings = secrets.filter_map(|at| Sending::of_named(connection, &at));
        Ok(sendings.map(Permission::Send).collect())
    }
}

/// What each connection needs, and whether it may.
fn list_permissions(
    known: &[Connection],
    consents: &Consents,
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let of_each: Vec<_> =
        known.iter().map(|connection| (connection, permissions_of(connection))).collect();
    print_permissions(&of_each, &|permission| consents.has(permission), global, out)?;
    Ok(Ending::Done)
}

fn print_permissions(
    of_each: &[(&Connection, Vec<Permission>)],
    is_allowed: &dyn Fn(&Permission) -> bool,
    global: &Global,
    out: &mut CommandOutput,
) -> std::io::Result<()> {
    let all = of_each
        .iter()
        .flat_map(|(connection, permissions)| permissions.iter().map(|one| (*connection, one)));
    if global.json {
        let rows = all.map(|(connection, permission)| {
            permission_json(connection, permission, is_allowed(permission))
        });
        return out.print_json(&rows.collect());
    }
    let mut count = 0;
    for (connection, permission) in all {
        let state = if is_allowed(permission) { "allowed" } else { "not allowed" };
        out.print_line(format_args!(
            "{} {}: {state}",
            out.safe_text(&connection.name),
            permission.words()
        ))?;
        permission
            .lines()
            .into_iter()
            .try_for_each(|line| out.print_line(format_args!("  {line}")))?;
        count += 1;
    }
    match (count, of_each) {
        (0, [(one, _)]) => out.print_status(format_args!(
            "{} starts no command and sends no secret to another machine: it needs no permission",
            out.safe_text(&one.name)
        )),
        (0, _) => out.print_status("no connection needs a permission"),
        _ => out.print_status("any change to what is allowed asks again"),
    }
    Ok(())
}

fn permission_json(connection: &Connection, permission: &Permission, is_allowed: bool) -> Value {
    let mut row = match permission {
        Permission::Start(start) => json!({
            "what": "start",
            "program": start.program,
            "args": start.args,
            "dir": start.dir,
            "env": start.env.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        }),
        Permission::Send(sending) => {
            let secrets = sending.secrets.iter();
            let secrets = secrets.map(|(at, sent_as)| json!({"from": at, "as": sent_as}));
            json!({"what": "send", "to": sending.to, "secrets": secrets.collect::<Vec<_>>()})
        }
    };
    row["connection"] = json!(connection.name);
    row["allowed"] = json!(is_allowed);
    row
}

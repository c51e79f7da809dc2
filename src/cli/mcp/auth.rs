//! `toolcrib mcp auth`: who may use a server, and a token for it.

use clap::Args;
use serde_json::{Value, json};

use super::target::InspectedServer;
use crate::{
    cli::{
        ending::{CommandResult, Ending},
        global::Global,
        opened::OpenWorkspace,
        out::{CommandOutput, Tint, print_stderr},
        signals::{interrupted, wait_for},
    },
    model::{
        authorization::AuthorizationReport,
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    runtime::{browser, registry},
    wire::systems::{facets::authorizer::Authorizer, table},
};

#[derive(Args, Debug)]
pub(super) struct Auth {
    /// The connection, by its name in toolcrib.toml, or the address of a server
    name: String,

    /// Sign in: print the URL of the sign-in page, and wait for the token
    #[arg(long, conflicts_with = "sign_out")]
    sign_in: bool,

    /// Also open the page in the browser
    #[arg(long, requires = "sign_in")]
    browser: bool,

    /// Print the token alone, for a script; without a key store it is kept nowhere else
    #[arg(long, requires = "sign_in")]
    print_token: bool,

    /// An additional scope to request; can be repeated
    #[arg(long, value_name = "SCOPE", requires = "sign_in")]
    scope: Vec<String>,

    /// Delete the token
    #[arg(long)]
    sign_out: bool,
}

impl Auth {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let connection = InspectedServer::named(&self.name, &opened)?.connection;
        let authorizer = table::authorizers().find(|authorizer| authorizer.is_at(&connection));
        let authorizer = authorizer.ok_or_else(|| {
            let cause = format!("connection \"{}\" leads to no MCP server over HTTP", self.name);
            Problem::new(ProblemKind::Input, "authorizing a connection", cause)
                .with_remedy("only servers over HTTP use tokens; name one of those")
        })?;
        let work = async {
            tokio::select! {
                ended = self.work(authorizer, &opened, &connection, global, out) => ended,
                () = interrupted() => Ok(Ending::Interrupted),
            }
        };
        wait_for("authorization", work)
    }

    async fn work(
        &self,
        authorizer: &dyn Authorizer,
        opened: &OpenWorkspace,
        connection: &Connection,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let registry = match self.print_token {
            true => registry::of_session(&opened.workspace.root),
            false => registry::of_system(),
        };
        let secrets = registry.secrets();
        let told = |problem: CallError| {
            let is_unkept = self.sign_in && problem.kind == ErrorKind::NoKeyStore;
            let problem = problem.while_doing(format!("authorizing \"{}\"", connection.name));
            let way = "; --print-token prints the token instead, for token-variable";
            match is_unkept {
                true => Problem { remedy: problem.remedy.clone() + way, ..problem },
                false => problem,
            }
        };
        if self.sign_out {
            authorizer.sign_out(connection, secrets).await.map_err(told)?;
            out.print_status("deleted the token");
            return Ok(Ending::Done);
        }
        if !self.sign_in {
            let report = authorizer.look(connection, secrets).await.map_err(told)?;
            return write_report(&report, global, out);
        }
        let scope = self.scope.join(" ");
        let scope = (!scope.is_empty()).then_some(scope.as_str());
        // The page is reported while the answer is waited for.
        let (tell, mut told_pages) = tokio::sync::mpsc::unbounded_channel();
        let show = move |url: &str| drop(tell.send(url.to_owned()));
        let mut signing = authorizer.sign_in(connection, secrets, scope, &show);
        let scope = loop {
            tokio::select! {
                biased;
                Some(url) = told_pages.recv() => self.show_page(&url, out)?,
                signed = &mut signing => break signed.map_err(told)?,
            }
        };
        let scope = scope.map(|scope| format!(" for {}", out.safe_text(&scope)));
        let words = format!("signed in{}", scope.unwrap_or_default());
        out.print_status(out.tint(Tint::Good, &words));
        if self.print_token
            && let Some(token) = authorizer.kept_token(connection, secrets).await.map_err(told)?
        {
            out.print_line(token)?;
        }
        Ok(Ending::Done)
    }

    fn show_page(&self, url: &str, out: &mut CommandOutput) -> std::io::Result<()> {
        out.print_status("allow it on this page:");
        let shown = out.safe_text(url).into_owned();
        if self.print_token {
            print_stderr(&shown);
        } else {
            out.print_line(shown)?;
            out.flush()?;
        }
        if self.browser
            && let Err(problem) = browser::open_page(url)
        {
            out.warn(format_args!("couldn't open a browser: {problem}"));
        }
        Ok(())
    }
}

fn write_report(
    report: &AuthorizationReport,
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let ending = if report.is_open { Ending::Done } else { Ending::Found };
    if global.json {
        out.print_json(&to_json(report))?;
        return Ok(ending);
    }
    for step in &report.steps {
        out.print_line(format!("{}: {}", step.request, step.outcome))?;
        for (name, value) in &step.facts {
            out.print_line(format!("  {name}: {value}"))?;
        }
        for fault in &step.faults {
            out.print_line(format!("  {}", fault.line()))?;
        }
    }
    out.print_line(&report.verdict)?;
    Ok(ending)
}

fn to_json(report: &AuthorizationReport) -> Value {
    let steps = report.steps.iter().map(|step| {
        let faults = step.faults.iter().map(|fault| {
            json!({"id": fault.id, "at": fault.at, "message": fault.words, "stops": fault.is_stopping})
        });
        let facts = step.facts.iter().map(|(name, value)| json!({"name": name, "value": value}));
        json!({
            "request": step.request,
            "outcome": step.outcome,
            "facts": facts.collect::<Vec<_>>(),
            "faults": faults.collect::<Vec<_>>(),
        })
    });
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "verdict": report.verdict,
        "open": report.is_open,
    })
}

//! `toolcrib mcp call`: calls a tool of a server that no workspace has to know.

use clap::Args;

use super::target::{InspectedServer, Target, nobody};
use crate::{
    cli::{
        call::Call, deployed::callable_catalog_within, ending::CommandResult, global::Global,
        opened::OpenWorkspace, out::CommandOutput,
    },
    engine::workflow::similar,
    model::problem::{Problem, ProblemKind},
};

#[derive(Args, Debug)]
#[command(override_usage = "toolcrib mcp call [OPTIONS] TOOL [KEY=VALUE]... [NAME|URL]\n       \
    toolcrib mcp call [OPTIONS] TOOL [KEY=VALUE]... -- COMMAND [ARGUMENT]...")]
pub(super) struct CallOnServer {
    #[command(flatten)]
    call: Call,

    /// A header of each request to the address: 'NAME: text', or 'NAME: $VARIABLE' for an
    /// environment variable of yours
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "command")]
    header: Vec<String>,

    /// A command that starts a server, for this command only
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl CallOnServer {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let refused = |cause: &str, remedy: &str| {
            Problem::new(ProblemKind::Input, "choosing the server", cause).with_remedy(remedy)
        };
        let (pairs, servers): (Vec<_>, Vec<_>) =
            self.call.pairs.iter().cloned().partition(|word| is_argument(word));
        if servers.len() + usize::from(!self.command.is_empty()) > 1 {
            let cause = format!("more than one server is named: {}", servers.join(", "));
            return Err(refused(&cause, "arguments are written KEY=VALUE").into());
        }
        let target = Target {
            name: servers.into_iter().next(),
            header: self.header.clone(),
            command: self.command.clone(),
        };
        let connection = InspectedServer::of(&target, global, out)?.connection;
        let mut opened = OpenWorkspace::read_workspace(global, None)?;
        opened.settings.connections.choose(connection.clone());
        let Some(catalog) = callable_catalog_within(&connection, self.call.timeout)? else {
            return Err(nobody(&connection.name).into());
        };
        let Some(tool) = catalog.tool_called(&self.call.tool) else {
            let names = catalog.tools.iter().map(|tool| tool.name.as_str());
            let remedy = match similar::nearest_name(&self.call.tool, names.clone()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if catalog.tools.is_empty() => "it has no tools".to_owned(),
                None => format!("it has: {}", names.collect::<Vec<_>>().join(", ")),
            };
            let doing = format!("calling {}", self.call.tool);
            let cause = format!("the server has no tool \"{}\"", self.call.tool);
            return Err(Problem::new(ProblemKind::Missing, doing, cause)
                .with_remedy(remedy)
                .into());
        };
        let mut call = self.call.clone();
        call.pairs = pairs;
        call.run_tool(&opened, (&catalog, tool), global, out)
    }
}

/// Whether a word is an argument of the tool, and no name or address of a server: an address may
/// have `=` only behind `://`.
fn is_argument(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| !key.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_from_arguments() {
        for word in ["message=hi", "limit:=5", "url=https://a/mcp?x=1", "empty="] {
            assert!(is_argument(word), "{word}");
        }
        for word in ["everything", "http://127.0.0.1:8000/mcp", "https://a/mcp?key=x"] {
            assert!(!is_argument(word), "{word}");
        }
    }
}

//! Examples in the help of every command: one table, so that a test can hold each to the command
//! line as it is.

use clap::Command;

/// `(command, example, what it does)`, in the order in which help lists them.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("", "demo", "try it on the sample workspace"),
    ("", "my-tools", "open a folder of descriptors"),
    ("", "check --format github", "list what is wrong, in CI"),
    ("", "call joke topic=cats", "call a tool and stream its answer"),
    ("", "help connections", "read a topic; `toolcrib help` lists them"),
    ("demo", "demo", "the sample with your changes"),
    ("demo", "demo --fresh", "a new copy"),
    ("demo", "demo --sample opensearch", "another sample"),
    ("check", "check", "the workspace of this folder"),
    ("check", "check tools/joke.yaml", "one file"),
    ("check", "check --health", "and what makes it harder for a model to choose tools"),
    ("check", "check --fix", "make the fixes that keep what is meant"),
    ("check", "check --tokens", "what each tool and each state costs"),
    ("check", "check --format sarif > findings.sarif", "for a code scanning service"),
    ("tools", "tools --groups read-only,knowledge", "what a request with these groups gets"),
    ("tools", "tools --state analysis --why reset-workflow", "why a tool is hidden"),
    ("tools", "tools --model joke", "the tool as a model sees it"),
    ("tools", "tools --deployed --connection lab", "what runs on the system behind a connection"),
    ("groups", "groups", "every group with its tools"),
    ("groups", "groups --groups read-only --json", "the groups that a request gets"),
    ("states", "states --groups '*'", "every state, and how to get there"),
    ("states", "states --about analysis", "how runs enter and leave one state"),
    ("states", "states --groups read-only --never", "tools that a request can never use"),
    ("simulate", "simulate", "all scenarios of the workspace"),
    ("simulate", "simulate scenarios/late.yaml --coverage", "one scenario, with coverage"),
    ("simulate", "simulate --format junit > report.xml", "for CI"),
    ("graph", "graph", "as text"),
    ("graph", "graph --format svg > workflow.svg", "as a picture"),
    ("graph", "graph --format mermaid --groups read-only", "the arrows of a request"),
    ("call", "call joke topic=cats", "one argument as text"),
    ("call", "call search query=llamas limit:=5", "`:=` takes JSON"),
    ("call", "call search --args query.json --json", "arguments from a file, events as JSON"),
    ("call", "call joke topic=cats --dry-run", "show the request, send nothing"),
    ("call", "call joke topic=cats --mock", "answer without the service"),
    ("call", "call joke topic='{{var.topic}}' --var topic=cats", "a variable of toolcrib.toml"),
    ("call", "call search query=llamas --query '/rows/*/title'", "a part of a JSON answer"),
    ("merge", "merge lamp_switch room=hall", "what the tool receives"),
    ("merge", "merge lamp_switch room=hall --with project_id=demo", "with a value for a variable"),
    ("test", "test", "all cases of the workspace"),
    ("test", "test cases/joke.yaml --connection lab", "one case, on a connection"),
    ("test", "test --var topic=cats", "with another value of a variable"),
    ("test", "test --mock", "without the services: each tool answers as its mock would"),
    ("test", "test --filter joke --filter sum", "those with that in their names"),
    ("test", "test --failed", "those that failed last"),
    ("test", "test --retries 2 --format junit -o report.xml", "for CI"),
    ("test", "test --model gpt --record", "`ask:` cases with a model, and keep what it says"),
    ("test", "test --model gpt --against ../before", "two versions of tools, side by side"),
    ("history", "history", "the newest calls"),
    ("history", "history --find 'tool:joke outcome:failed since:2h'", "failed calls of one tool"),
    ("history", "history show last", "the newest call"),
    ("history list", "history list", "the newest calls, as without `list`"),
    ("history list", "history list --number 5", "five of them"),
    ("history show", "history show last", "the newest call"),
    ("history show", "history show 7f1c --json", "by the start of its id"),
    ("history show", "history show last --query '/rows/*/name'", "the name of each row"),
    ("history compare", "history compare 7f1c 8a20", "what changed between two calls"),
    ("history compare", "history compare 7f1c last --json", "with the newest call"),
    ("history replay", "history replay last", "at the original speed"),
    ("history replay", "history replay 7f1c --speed 4", "four times as fast"),
    ("history resend", "history resend last", "the same request once more"),
    ("history resend", "history resend 7f1c --json --timeout 5s", "its events, for scripts"),
    ("history export", "history export -o calls.jsonl", "all calls"),
    ("history export", "history export --find tool:joke --stub -o joke.yaml", "as a stub"),
    ("history remove", "history remove 7f1c", "one call"),
    ("history remove", "history remove --all", "all calls of this workspace"),
    ("serve", "serve --connection nats://127.0.0.1:4222", "the sample services, on NATS"),
    ("serve", "serve --stub stubs/bad-days.yaml --connection local", "by rules"),
    ("serve", "serve --mock forecast --connection local", "with made-up answers"),
    ("serve", "serve --announce --connection local", "and announce them to `toolcrib discover`"),
    ("serve", "serve --mcp --groups read-only", "for MCP clients, over stdio"),
    ("serve", "serve --mcp --http", "for MCP clients, over HTTP"),
    ("ask", "ask 'What is 6 times 7?' --model gpt", "decide each call at the terminal"),
    ("ask", "ask 'Who is late?' --model local --groups read-only --mock", "nothing is called"),
    (
        "ask",
        "ask 'Who is late?' --model gpt --yes --break state:findings",
        "decide in one state only",
    ),
    ("ask", "ask 'Who is late?' --model gpt --dry-run", "what the model would get"),
    ("ask", "ask --replay last", "the newest run again, without the model"),
    ("agent", "agent 'What do customers complain about?' --connection trustgraph", "ask it"),
    ("agent", "agent 'Who is late?' --groups read-only --state analysis", "with fewer tools"),
    ("import", "import trustgraph --connection lab --dry-run", "show what would be written"),
    ("import", "import commonground --connection lab", "write new tools to files"),
    ("import", "import mcp --take github", "an MCP server of another program"),
    ("import mcp", "import mcp", "list the servers found on this machine"),
    ("import mcp", "import mcp --take github files", "add two of them to toolcrib.toml"),
    ("import mcp", "import mcp claude_desktop_config.json --all", "all enabled servers of a file"),
    ("convert", "convert joke --to mcp", "a tool of the workspace"),
    ("convert", "convert api.yaml --to trustgraph --out tools.yaml", "an OpenAPI document"),
    ("convert", "convert server.py --to mcp", "Python functions, read without running them"),
    (
        "convert",
        "convert api.yaml --to trustgraph --out tools.yaml --update",
        "a new version into what is there",
    ),
    ("convert", "convert agent.json --to steps", "to tool_steps"),
    ("convert", "convert - --to dynamic", "from standard input"),
    ("push", "push trustgraph --connection lab --dry-run", "show what would change"),
    ("push", "push commonground --connection lab --yes", "without a question"),
    ("push", "push opensearch --delete", "also delete what isn't in the workspace"),
    ("lock", "lock", "every connection that leads to a server or a running system"),
    ("lock", "lock files", "one of them"),
    ("diff", "diff old.yaml api.yaml", "two versions of an OpenAPI document"),
    ("diff", "diff --since main", "what this branch changes in the workspace, for a pull request"),
    ("diff", "diff tools --since v1.2 --format github", "one folder, since a tag, in CI"),
    ("diff", "diff - api.yaml --fail-on breaking", "in CI, after `git show main:api.yaml |`"),
    ("drift", "drift", "what changed since, in CI"),
    ("drift", "drift files --accept read_file", "accept what changed of a tool"),
    ("discover", "discover", "on every connection that can be asked, and in registry files"),
    ("discover", "discover --connection nats://127.0.0.1:4222 --timeout 5s", "on a broker"),
    ("discover", "discover --take joke-service --dry-run", "show what adding it changes"),
    ("discover", "discover registry.json --take io.example/weather", "a server of a registry"),
    ("watch", "watch --connection nats://127.0.0.1:4222", "the workspace's queues"),
    ("watch", "watch 'tg.>' --filter is:failed", "failed conversations only"),
    ("watch", "watch --since 10m --save trace.jsonl", "start with stored messages and save all"),
    ("watch", "watch --alert 'is:open >5s' --for 1m", "exit with 1 if a call takes long"),
    ("mcp", "mcp ping everything", "a server of toolcrib.toml"),
    ("mcp", "mcp list -- npx -y @modelcontextprotocol/server-everything", "any command"),
    ("mcp", "mcp add remote --url http://127.0.0.1:8000/mcp", "add a server"),
    ("mcp ping", "mcp ping everything", "a server of toolcrib.toml"),
    ("mcp ping", "mcp ping -- npx -y @modelcontextprotocol/server-everything", "any command"),
    ("mcp list", "mcp list everything", "tools, resources and prompts"),
    ("mcp list", "mcp list http://127.0.0.1:8000/mcp", "of the server at an address"),
    ("mcp list", "mcp list everything --json", "each entry as the server sent it"),
    ("mcp call", "mcp call echo message=hi everything", "a server of toolcrib.toml"),
    ("mcp call", "mcp call echo message=hi http://127.0.0.1:8000/mcp", "at an address"),
    ("mcp call", "mcp call echo message=hi -- node server.js", "of a server for this call alone"),
    ("mcp frames", "mcp frames everything --once --find tools/list", "frames with this text"),
    ("mcp frames", "mcp frames everything --send @frames.jsonl", "send your own"),
    ("mcp resources", "mcp resources everything", "list them"),
    ("mcp resources", "mcp resources files file:///readme.md --save readme.md", "save one"),
    ("mcp prompts", "mcp prompts everything", "list them"),
    ("mcp prompts", "mcp prompts everything args-prompt -a city=Oslo", "fill one in"),
    ("mcp compare", "mcp compare everything", "the lists of both eras"),
    ("mcp compare", "mcp compare everything --tool echo -a message=hi", "and a call"),
    ("mcp conformance", "mcp conformance everything", "check a server"),
    ("mcp conformance", "mcp conformance everything --format junit > report.xml", "for CI"),
    (
        "mcp add",
        "mcp add everything -- npx -y @modelcontextprotocol/server-everything",
        "a command",
    ),
    ("mcp add", "mcp add github --env GITHUB_TOKEN='$MY_TOKEN' -- github-mcp-server stdio", ""),
    ("mcp add", "mcp add remote --url http://127.0.0.1:8000/mcp", "an address"),
    ("mcp remove", "mcp remove everything", "remove it from toolcrib.toml"),
    ("mcp remove", "mcp remove everything --workspace ../lab", "of another workspace"),
    ("mcp allow", "mcp allow everything", "as `toolcrib allow everything`"),
    ("mcp allow", "mcp allow everything --forget", "revoke that"),
    ("mcp auth", "mcp auth remote", "show each step, change nothing"),
    ("mcp auth", "mcp auth remote --sign-in --browser", "get a token"),
    ("mcp auth", "mcp auth remote --sign-out", "delete the token"),
    ("mcp keep", "mcp keep everything", "write mcp/everything.json"),
    ("mcp keep", "mcp keep everything --accept", "accept what changed"),
    ("mcp adopt", "mcp adopt files --dry-run", "show the entries"),
    ("mcp adopt", "mcp adopt files read list", "two of its tools"),
    ("form", "form schema.json config.yaml -o config.yaml", "edit a file"),
    ("form", "form schema.json > new.json", "a new document"),
    ("form", "form --check schema.json 'config/**/*.yaml' --format github", "check files, in CI"),
    ("schema", "schema", "list the types"),
    ("schema", "schema tool-service", "the schema of a type"),
    ("allow", "allow", "what connections need, and whether they may"),
    ("allow", "allow lab", "show it, and allow it"),
    ("allow", "allow lab --variable API_KEY", "what cases name as {{env.API_KEY}}"),
    ("allow", "allow lab --forget", "revoke that"),
    ("secret", "secret set lab", "asks for the value"),
    ("secret", "secret list", "names only"),
    ("secret set", "secret set lab", "asks for the value without showing it"),
    ("secret set", "secret set lab < token.txt", "from a file"),
    ("secret list", "secret list", "names only"),
    ("secret list", "secret list --json", "for scripts"),
    ("secret forget", "secret forget lab", "one secret"),
    ("secret forget", "secret forget lab broker", "two secrets"),
    ("doctor", "doctor", "check this machine and this workspace"),
    ("doctor", "doctor --connect", "and who answers where connections lead"),
    ("doctor", "doctor --workspace my-tools --json", "for scripts"),
    ("completions", "completions bash > ~/.local/share/bash-completion/completions/toolcrib", ""),
    ("completions", "completions zsh > ~/.zfunc/_toolcrib", ""),
    ("man", "man | man -l -", "read it"),
    ("man", "man call > toolcrib-call.1", "the page of a command"),
];

/// Adds to the help of the command, and of those below it, their examples: before what else is
/// below their options.
#[must_use]
pub(crate) fn with_examples(command: Command) -> Command {
    add_below(command, "")
}

fn add_below(command: Command, path: &str) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let below = format!("{path} {name}");
        command.mut_subcommand(name, |command| add_below(command, below.trim_start()))
    });
    let Some(examples) = examples_of(path) else { return command };
    let after = match command.get_after_help() {
        Some(after) => format!("{examples}\n\n{after}"),
        None => examples,
    };
    command.after_help(after)
}

/// Each with its comment behind it, or above it where lines would be too long for a terminal of 80
/// cells: a comment that is wrapped would no longer be one to a shell.
fn examples_of(path: &str) -> Option<String> {
    const WIDTH: usize = 80;
    let own: Vec<_> = EXAMPLES.iter().filter(|(command, ..)| *command == path).collect();
    let longest = |lengths: &dyn Fn(&str, &str) -> usize| {
        own.iter().map(|(_, example, comment)| lengths(example, comment)).max()
    };
    let column = longest(&|example, _| "toolcrib ".len() + example.chars().count() + 2)?;
    let is_narrow = longest(&|_, comment| comment.chars().count())? + column + 4 < WIDTH;
    let lines = own.iter().map(|(_, example, comment)| {
        let line = format!("toolcrib {example}");
        match is_narrow {
            true => format!("  {line:<column$}# {comment}"),
            false if comment.is_empty() => format!("  {line}"),
            false => format!("  # {comment}\n  {line}"),
        }
    });
    Some(format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line;

    /// The words of an example up to a redirection, as a shell splits them.
    fn words(example: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
        for letter in example.chars() {
            match letter {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(std::mem::take(&mut word)),
                _ => word.push(letter),
            }
        }
        words.push(word);
        words.split(|word| ["|", ">", "<"].contains(&word.as_str())).next().unwrap().to_vec()
    }

    fn paths(command: &Command, path: &str, all: &mut Vec<String>) {
        all.push(path.to_owned());
        for below in command.get_subcommands() {
            paths(below, format!("{path} {}", below.get_name()).trim_start(), all);
        }
    }

    #[test]
    fn every_command_has_examples_that_it_takes() {
        let program = command_line();
        let mut all = Vec::new();
        paths(&program, "", &mut all);
        assert!(all.len() > 40, "{all:?}");
        for path in &all {
            let own = EXAMPLES.iter().filter(|(command, ..)| command == path).count();
            assert!(own >= 2, "toolcrib {path} has {own} examples");
        }
        for (path, example, _) in EXAMPLES {
            assert!(all.iter().any(|known| known == path), "there is no command {path:?}");
            assert!(path.is_empty() || example.starts_with(path), "{example:?} is not of {path:?}");
            if !example.starts_with("help ") {
                let line = [String::from("toolcrib")].into_iter().chain(words(example));
                let taken = program.clone().try_get_matches_from(line);
                assert!(taken.is_ok(), "{example}: {}", taken.unwrap_err());
            }
        }
    }

    #[test]
    fn no_comment_is_wrapped_in_a_terminal_of_80_cells() {
        for (path, ..) in EXAMPLES {
            let examples = examples_of(path).unwrap();
            let mut comments = examples.lines().filter(|line| line.contains("# "));
            assert!(comments.all(|line| line.chars().count() < 80), "{examples}");
        }
    }

    #[test]
    fn help_shows_them() {
        let mut program = command_line();
        program.build();
        let help = program.find_subcommand_mut("check").unwrap().render_help().to_string();
        let shown = "Examples:\n  # the workspace of this folder\n  toolcrib check\n";
        assert!(help.contains(shown), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

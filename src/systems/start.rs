//! What the user agrees to before a connection's server is started: the exact command, and what
//! distinguishes it from every other.

use crate::model::{connection::ServerCommand, digest, shown::visible_text};

/// A command as it would be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The program's file, found on the PATH where the command names none.
    pub program: String,
    pub args: Vec<String>,
    /// The folder that it runs in.
    pub dir: String,
    /// Variables beside the usual ones; of secrets where they lie.
    pub env: Vec<(String, String)>,
}

impl Start {
    /// The start of a command whose program and folder were found.
    #[must_use]
    pub fn of(command: &ServerCommand, program: String, dir: String) -> Self {
        let env = command.env.iter().map(|(name, value)| (name.clone(), value.to_string()));
        Self { program, args: command.args.clone(), dir, env: env.collect() }
    }

    /// The same text for the same start, and for no other.
    #[must_use]
    pub fn digest(&self) -> String {
        let count = self.args.len().to_string();
        let command = [&*self.program, &*self.dir, &*count];
        let args = self.args.iter().map(String::as_str);
        let env = self.env.iter().flat_map(|(name, value)| [&**name, &**value]);
        digest::parts_name(command.into_iter().chain(args).chain(env))
    }

    /// All of it for people, line by line, nothing cut.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("program  {}", self.program)];
        lines.extend(self.args.iter().map(|arg| format!("argument {}", visible_text(arg))));
        lines.push(format!("folder   {}", self.dir));
        let set =
            self.env.iter().map(|(name, value)| format!("sets     {name}={}", visible_text(value)));
        lines.extend(set);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::connection::{SecretAt, SettingValue};

    fn command(args: &[&str], env: &[(&str, SettingValue)]) -> ServerCommand {
        ServerCommand {
            command: "npx".into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            dir: None,
        }
    }

    fn start(command: &ServerCommand) -> Start {
        Start::of(command, "/usr/bin/npx".into(), "/work".into())
    }

    #[test]
    fn every_part_of_a_command_tells_it_from_others() {
        let plain = start(&command(&["a", "b"], &[]));
        let text = |text: &str| SettingValue::Text(text.into());
        let others = [
            start(&command(&["ab"], &[])),
            start(&command(&["a", "b", ""], &[])),
            start(&command(&["a"], &[("b", text(""))])),
            Start { program: "/tmp/npx".into(), ..plain.clone() },
            Start { dir: "/".into(), ..plain.clone() },
        ];
        for other in others {
            assert_ne!(other.digest(), plain.digest(), "{other:?}");
        }
        assert_eq!(start(&command(&["a", "b"], &[])).digest(), plain.digest());
    }

    #[test]
    fn a_command_is_shown_whole_and_without_secrets() {
        let secret = SettingValue::Secret(SecretAt::Variable("MY_TOKEN".into()));
        let shown = start(&command(&["a\u{1b}[2Jb\u{202e}"], &[("TOKEN", secret)])).lines();
        assert_eq!(
            shown,
            [
                "program  /usr/bin/npx",
                "argument a␛[2Jb�",
                "folder   /work",
                "sets     TOKEN=(the environment variable MY_TOKEN)",
            ]
        );
    }
}

//! A terminal that another program is run in, for a program that has none itself.

use std::{env, ffi::OsString, path::PathBuf, process::Command};

/// Terminals that are tried, the first ones first, with what goes before the words to run. Each
/// waits for their end.
const TERMINALS: &[(&str, &[&str])] = &[
    ("kitty", &[]),
    ("alacritty", &["-e"]),
    ("foot", &[]),
    ("ghostty", &["-e"]),
    ("wezterm", &["start", "--always-new-process", "--"]),
    ("gnome-terminal", &["--wait", "--"]),
    ("kgx", &["--wait", "--"]),
    ("ptyxis", &["--standalone", "--"]),
    ("konsole", &["--nofork", "-e"]),
    ("xfce4-terminal", &["--disable-server", "-x"]),
    ("terminator", &["--no-dbus", "-x"]),
    ("tilix", &["--new-process", "-e"]),
    ("urxvt", &["-e"]),
    ("st", &["-e"]),
    ("xterm", &["-e"]),
    // What Debian says is the user's choice: any of them, with the arguments of xterm. Those that
    // leave at once and go on elsewhere are known by their own names above.
    ("x-terminal-emulator", &["-e"]),
];

/// A command that runs these words in a terminal and ends when they end; `None`: there is none.
pub(crate) fn in_terminal(words: Vec<String>) -> Option<Command> {
    if cfg!(windows) {
        // A console program gets a console of its own from the system.
        let mut command = Command::new("cmd");
        command.args(["/C", "start", "", "/WAIT"]).args(words);
        return Some(command);
    }
    let chosen = env::var("TERMINAL").ok().filter(|chosen| !chosen.trim().is_empty());
    terminal_words(chosen.as_deref(), find_program).map(|(program, before)| {
        let mut command = Command::new(program);
        command.args(before).args(words);
        command
    })
}

/// The terminal's program and what goes before the words.
fn terminal_words(
    chosen: Option<&str>,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Option<(PathBuf, Vec<String>)> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if let Some(chosen) = chosen {
        let mut words = chosen.split_whitespace();
        let program = words.next().and_then(&find)?;
        let own: Vec<String> = words.map(str::to_owned).collect();
        let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let known = TERMINALS.iter().find(|(terminal, _)| *terminal == name);
        let before: Vec<String> = known.map_or_else(|| owned(&["-e"]), |(_, words)| owned(words));
        return Some((program, own.into_iter().chain(before).collect()));
    }
    TERMINALS.iter().find_map(|(name, before)| Some((find(name)?, owned(before))))
}

/// Where a program is, by its name or path.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains(std::path::MAIN_SEPARATOR) {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let folders: OsString = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(chosen: Option<&str>, there: &[&str]) -> Option<String> {
        let find = |name: &str| there.contains(&name).then(|| PathBuf::from("/bin").join(name));
        let (program, before) = terminal_words(chosen, find)?;
        let words = [program.display().to_string()].into_iter().chain(before);
        Some(words.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn the_users_choice_comes_first_then_what_is_there() {
        assert_eq!(found(None, &[]), None);
        assert_eq!(found(None, &["xterm", "foot"]).unwrap(), "/bin/foot");
        assert_eq!(
            found(Some("xterm -fa Hack"), &["xterm", "foot"]).unwrap(),
            "/bin/xterm -fa Hack -e"
        );
        assert_eq!(found(Some("mine"), &["mine"]).unwrap(), "/bin/mine -e");
        assert_eq!(found(Some("mine"), &["xterm"]), None, "a choice that is not there is no other");
        assert_eq!(found(None, &["gnome-terminal"]).unwrap(), "/bin/gnome-terminal --wait --");
    }
}

//! Notifications that the terminal shows: the sequence that it knows, or its bell.
//!
//! A terminal that is not known to take one gets the bell alone, which every terminal takes.

use std::env;

use crate::model::notification::{Notification, NotificationWay};

const BELL: &str = "\x07";
/// Ends a sequence, and rings no bell where it isn't known.
const END: &str = "\x1b\\";

/// How a terminal takes notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// `OSC 9`, iTerm2's: one line.
    Line,
    /// `OSC 777`, rxvt-unicode's: a title and a body.
    TitleAndBody,
    /// The same, and the bell: some builds of these terminals show nothing.
    TitleAndBodyWithBell,
    /// `OSC 99`, kitty's: a title and a body, each in a sequence of its own.
    Kitty,
    Bell,
}

/// What is in a terminal's name, and how it takes notifications.
const TERMINALS: &[(&str, Protocol)] = &[
    ("kitty", Protocol::Kitty),
    ("vscode", Protocol::Kitty),
    ("iterm", Protocol::Line),
    ("warp", Protocol::Line),
    ("zed", Protocol::Line),
    ("ghostty", Protocol::TitleAndBody),
    ("wezterm", Protocol::TitleAndBody),
    ("foot", Protocol::TitleAndBody),
    ("rxvt-unicode", Protocol::TitleAndBody),
    ("contour", Protocol::TitleAndBody),
];

/// Where terminals write their names; a shell on another machine has the second alone.
const NAMES: [&str; 3] = ["TERM_PROGRAM", "TERM", "LC_TERMINAL"];

/// Variables of terminals whose names say nothing.
const MARKS: &[(&str, Protocol)] = &[
    ("KITTY_WINDOW_ID", Protocol::Kitty),
    ("WEZTERM_PANE", Protocol::TitleAndBody),
    ("GHOSTTY_RESOURCES_DIR", Protocol::TitleAndBody),
    ("ITERM_SESSION_ID", Protocol::Line),
    ("VTE_VERSION", Protocol::TitleAndBodyWithBell),
    ("KONSOLE_VERSION", Protocol::TitleAndBodyWithBell),
];

/// The terminal that the program runs in, as its environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownTerminal {
    protocol: Protocol,
    /// tmux is between: it passes on what is wrapped, where the user allows that, and marks the
    /// window on a bell.
    in_tmux: bool,
}

impl KnownTerminal {
    pub fn from_env() -> Self {
        Self::detect(|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let in_tmux = variable("TMUX").is_some();
        let names = NAMES.iter().filter_map(|name| variable(name)).map(|name| name.to_lowercase());
        let named = names.into_iter().find_map(|name| {
            let known = TERMINALS.iter().find(|(part, _)| name.contains(part));
            known.map(|(_, protocol)| *protocol)
        });
        let marked = || {
            // A console knows none of them, whatever it was started from.
            let is_console = variable("TERM").is_some_and(|term| term == "linux" || term == "dumb");
            let known = MARKS.iter().find(|(name, _)| !is_console && variable(name).is_some());
            known.map(|(_, protocol)| *protocol)
        };
        Self { protocol: named.or_else(marked).unwrap_or(Protocol::Bell), in_tmux }
    }

    /// What to write to the terminal.
    pub fn sequence(self, notification: &Notification, way: NotificationWay) -> String {
        let protocol = if way == NotificationWay::Bell { Protocol::Bell } else { self.protocol };
        let Notification { title, body } = clean(notification);
        let shown = match protocol {
            Protocol::Bell => String::new(),
            Protocol::Line => format!("\x1b]9;{title}: {body}{END}"),
            Protocol::TitleAndBody | Protocol::TitleAndBodyWithBell => {
                format!("\x1b]777;notify;{};{body}{END}", title.replace(';', ","))
            }
            Protocol::Kitty => {
                let id = "i=toolcrib";
                format!("\x1b]99;{id}:d=0;{title}{END}\x1b]99;{id}:p=body;{body}{END}")
            }
        };
        let rings =
            matches!(protocol, Protocol::Bell | Protocol::TitleAndBodyWithBell) || self.in_tmux;
        let shown = if self.in_tmux && !shown.is_empty() {
            format!("\x1bPtmux;{}{END}", shown.replace('\x1b', "\x1b\x1b"))
        } else {
            shown
        };
        shown + if rings { BELL } else { "" }
    }
}

/// Nothing in a text ends its sequence, whoever made it.
fn clean(notification: &Notification) -> Notification {
    let clean = |text: &str| text.chars().filter(|letter| !letter.is_control()).collect();
    Notification { title: clean(&notification.title), body: clean(&notification.body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(variables: &[(&str, &str)]) -> KnownTerminal {
        KnownTerminal::detect(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn sequence(variables: &[(&str, &str)]) -> String {
        let notification = Notification { title: "toolcrib: a;b".into(), body: "c;d".into() };
        detect(variables).sequence(&notification, NotificationWay::Terminal)
    }

    #[test]
    fn each_terminal_gets_what_it_knows() {
        let both = "\x1b]777;notify;toolcrib: a,b;c;d\x1b\\";
        let line = "\x1b]9;toolcrib: a;b: c;d\x1b\\";
        let kitty = "\x1b]99;i=toolcrib:d=0;toolcrib: a;b\x1b\\\x1b]99;i=toolcrib:p=body;c;d\x1b\\";
        let with_bell = format!("{both}\x07");
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("TERM", "xterm-kitty")], kitty),
            (&[("TERM_PROGRAM", "vscode"), ("TERM", "xterm-256color")], kitty),
            (&[("TERM_PROGRAM", "iTerm.app"), ("TERM", "xterm-256color")], line),
            (&[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")], line),
            (&[("TERM", "xterm-ghostty")], both),
            (&[("TERM", "rxvt-unicode-256color")], both),
            (&[("TERM", "foot")], both),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")], &with_bell),
            // Unknown, known to take none, or started from another terminal on a console.
            (&[("TERM", "xterm-256color")], BELL),
            (&[("TERM_PROGRAM", "Apple_Terminal"), ("TERM", "xterm-256color")], BELL),
            (&[("TERM", "linux"), ("KITTY_WINDOW_ID", "1")], BELL),
            (&[], BELL),
        ];
        for (variables, wanted) in cases {
            assert_eq!(sequence(variables), *wanted, "{variables:?}");
        }
    }

    #[test]
    fn tmux_passes_it_on_or_rings() {
        let tmux = [("TMUX", "/tmp/tmux-0/default,1,0"), ("TERM", "tmux-256color")];
        assert_eq!(sequence(&tmux), BELL);
        let within = [tmux[0], tmux[1], ("GHOSTTY_RESOURCES_DIR", "/usr/share/ghostty")];
        assert_eq!(
            sequence(&within),
            "\x1bPtmux;\x1b\x1b]777;notify;toolcrib: a,b;c;d\x1b\x1b\\\x1b\\\x07"
        );
    }

    #[test]
    fn no_text_ends_its_sequence() {
        let notification =
            Notification { title: "a\x1b\\b\x07".into(), body: "c\u{9c}\n\x1b]0;d\x07".into() };
        let written =
            detect(&[("TERM", "foot")]).sequence(&notification, NotificationWay::Terminal);
        assert_eq!(written, "\x1b]777;notify;a\\b;c]0;d\x1b\\");
        let rung = detect(&[("TERM", "foot")]).sequence(&notification, NotificationWay::Bell);
        assert_eq!(rung, BELL);
    }
}

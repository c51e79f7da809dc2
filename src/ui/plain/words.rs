//! What a screen says with its keys, in the words of plain mode, where nothing is pressed.

/// A text of the screens, and what replaces it.
const TYPED: &[(&str, &str)] = &[
    (" in the actions menu (.)", ""),
    (" in the command palette (Ctrl+P)", ""),
    (
        "The actions menu (.) makes it the default, or uses it for all calls",
        "Type set as default to make it the default, or use for all to use it for all calls",
    ),
    ("t connects and queries the server.", "Type test to connect and query the server."),
    ("t asks you to allow exactly this:", "Type test to allow exactly this:"),
    ("o opens them.", "Type resources to open them."),
    ("; K saves the list", "; keep tools saves the list"),
    (". K saves them", ". keep tools saves them"),
    ("test the connection (t) first", "test the connection first"),
    ("Press n to add it", "Type new to add it"),
    ("; n on Connections (6) adds one", "; new on Connections adds one"),
    ("n on Tools (1)", "new on Tools"),
    (
        "; Enter lists those of the connection's system",
        "; deployed tools lists those of the connection's system",
    ),
    (": go there first (Tab)", ": select one first"),
    ("Connections (6)", "Connections"),
    ("Watch (4)", "Watch"),
    ("; Ctrl+X stops it", "; stop ends it"),
    ("; F6 reads it", "; read reads it"),
    ("Enter or F6 reads it", "read reads it"),
    ("; Enter goes to its field", ""),
    (": Enter takes its step", ": step takes its step"),
    (": W applies it, Esc cancels it", ": accept applies it, cancel discards it"),
    (": apply it with W, or discard it with Esc", ": accept applies it, cancel discards it"),
    (": Esc goes back to the picture", ""),
    (": Esc goes back to the states", ""),
    ("; Esc in the filter shows all", ""),
    (": e edits", ": edit tool edits"),
    ("; E opens the file there", "; type file to see it"),
    ("; Enter edits it, send again", "; set it, or send again"),
    (" Enter edits it, send again", " set it, or send again"),
    (" (also: right mouse button)", ""),
    (" (also: click a column head)", ""),
    (", with keys (also: right mouse button)", ""),
    (
        ": select its target, press Enter, choose the tool; or drag with the mouse",
        ": choose where it leads, then the tool",
    ),
    ("o opens it with the system's program, s saves it.", "Type parts to open or save it."),
    ("K shows what changed since", "Type keep tools to see what changed since"),
    ("No tools yet: n makes a new one", "No tools yet: new makes one"),
    ("nothing is ticked: Space ticks the row, Ctrl+A all", "nothing is ticked: type its number"),
    ("; press again to apply it", "; what if once more applies it"),
    ("; press again to stop", "; replay once more stops it"),
];

/// A title or a notice with words in place of its arrows.
#[must_use]
pub(super) fn without_arrows(words: &str) -> String {
    words.replace(" → ", " to ")
}

/// Why a line that holds control characters is ignored; nothing where it holds none.
#[must_use]
pub(super) fn control_words(line: &str) -> Option<String> {
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\r');
    line.chars().any(is_control).then(|| {
        "Ignored: this line has control characters, such as an arrow key sends. There is no line \
         editing here; rlwrap toolcrib --plain has it."
            .to_owned()
    })
}

/// A line without the keys that it names. What was typed or answered is not changed unless it
/// holds one of these texts.
#[must_use]
pub(super) fn without_keys(line: &str) -> String {
    let mut line = line.to_owned();
    for (drawn, typed) in TYPED {
        if line.contains(drawn) {
            line = line.replace(drawn, typed);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pressed_on_the_screen_is_typed_here() {
        let why = "there is no connection to an MCP server; n on Connections (6) adds one";
        let said = "there is no connection to an MCP server; new on Connections adds one";
        assert_eq!(without_keys(why), said);
        assert_eq!(without_keys("a plain line"), "a plain line");
    }
}

//! What a screen says with its keys, in the words of plain mode, where nothing is pressed.

/// A text of the screens, and what stands in its place.
const TYPED: &[(&str, &str)] = &[
    (" in the actions menu (.)", ""),
    ("The actions menu (.) sets it as the default, or uses it", "Type set as default, or use it"),
    ("t connects and queries the server.", "Type test to connect and query the server."),
    ("a test (t) says", "test says"),
    ("t asks you to allow exactly this:", "Type allow start, to allow exactly this:"),
    ("o shows and reads them.", "Type resources to see and read them."),
    ("K keeps them", "keep tools keeps them"),
    (" (Ctrl+P)", ""),
    ("Watch (4)", "Watch"),
    ("; n on Connections (6) adds one", "; new on Connections adds one"),
    ("a on Connections (6) allows it", "allow start on Connections allows it"),
    ("Connections (6)", "Connections"),
    ("Press n to add it", "Type new to add it"),
    ("; Esc stops it", "; stop ends it"),
    ("; F6 reads", "; read reads it"),
    ("Enter or F6 reads it", "read reads it"),
    ("; Enter goes to its field", ""),
    (": Enter takes it", ": step takes it"),
    (": W applies it, Esc discards it", ": accept applies it, take back discards it"),
    (": Esc goes back to the picture", ""),
    (": Esc shows the states", ""),
    ("; Esc in the filter shows all", ""),
    (": e edits it", ": edit tool edits it"),
    ("F6: the answer comes here", "send: the answer comes here"),
];

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
        let why = "Not now: no connection leads to an MCP server; n on Connections (6) adds one";
        let said = "Not now: no connection leads to an MCP server; new on Connections adds one";
        assert_eq!(without_keys(why), said);
        assert_eq!(without_keys("a plain line"), "a plain line");
    }
}

//! Texts that do not say what they seem to: characters that hide or steer, and instructions that
//! are not for the user.

use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;

use super::fault::Fault;
use crate::schema::pointer::Pointer;

/// A kind of character that a text of a server should not have.
struct Kind {
    id: &'static str,
    words: &'static str,
    has: fn(char) -> bool,
}

const KINDS: [Kind; 5] = [
    Kind {
        id: "text.ansi",
        words: "begins an escape sequence, which steers a terminal",
        has: |letter| matches!(letter, '\u{1b}' | '\u{9b}'),
    },
    Kind {
        id: "text.control",
        words: "has control characters",
        has: |letter| {
            letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{1b}' | '\u{9b}')
        },
    },
    Kind {
        id: "text.tags",
        words: "has tag characters, which nobody sees and a model reads",
        has: |letter| matches!(letter, '\u{e0000}'..='\u{e007f}'),
    },
    Kind {
        id: "text.bidi",
        words: "turns the direction of writing, so that it reads otherwise than it is",
        has: |letter| matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'),
    },
    Kind {
        id: "text.invisible",
        words: "has characters that are not seen",
        has: |letter| {
            matches!(
                letter,
                '\u{ad}'
                    | '\u{34f}'
                    | '\u{115f}'
                    | '\u{1160}'
                    | '\u{180e}'
                    | '\u{200b}'
                    | '\u{2060}'..='\u{2064}'
            ) || matches!(letter, '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
        },
    },
];

/// Looks at one text.
pub(super) fn look_at(text: &str, at: impl Fn() -> Pointer, faults: &mut Vec<Fault>) {
    // Nearly every text is plain, so no byte ends the search: many are looked at with one instruction.
    let is_plain = |byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        return;
    }
    let found = KINDS.iter().filter(|kind| text.chars().any(kind.has));
    faults.extend(found.map(|kind| Fault::new(kind.id, at(), kind.words)));
}

/// Looks at every text of a value, keys included.
pub(super) fn look_at_all(value: &Value, at: &Pointer, faults: &mut Vec<Fault>) {
    match value {
        Value::String(text) => look_at(text, || at.clone(), faults),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| look_at_all(item, &at.item(index), faults));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let at = at.child(name.as_str());
                look_at(name, || at.clone(), faults);
                look_at_all(member, &at, faults);
            }
        }
        _ => {}
    }
}

/// What speaks to the model behind the user's back.
const INJECTIONS: [&str; 6] = [
    r"<\s*/?\s*(important|system|secret|instructions?|hidden|admin)\b[^>]*>",
    r"\b(ignore|disregard|forget|override)\s+(all\s+|any\s+)?(the\s+)?(previous|prior|above|earlier|other|your)\s+(instructions?|rules?|prompts?|tools?|messages?)",
    r"\b(do\s+not|don't|never)\s+(tell|mention|inform|reveal|show|notify|alert)\b[^.]{0,40}\buser",
    r"\b(before|after)\s+(using|calling|invoking|running)\s+(any|every|all|another|other)\b[^.]{0,20}\btools?",
    r"\bmust\s+(always\s+|first\s+)*(read|send|include|pass|upload|post)\b[^.]{0,60}\b(files?|contents?|history|conversation|keys?|tokens?|credentials?|secrets?|environment)\b",
    r"(~|\$HOME|/root|/home/\w+)/\.(ssh|aws|gnupg|config|cursor|claude)\b|\bid_rsa\b|\.cursor/mcp\.json",
];

static INJECTION: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSetBuilder::new(INJECTIONS).case_insensitive(true).build().ok());

/// Looks at a title or a description, which a model reads.
pub(super) fn look_for_injection(text: &str, at: impl Fn() -> Pointer, faults: &mut Vec<Fault>) {
    if INJECTION.as_ref().is_some_and(|injection| injection.is_match(text)) {
        faults.push(Fault::new(
            "text.injection",
            at(),
            "reads like an instruction to the model, hidden from the user",
        ));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    fn found(text: &str) -> Vec<&'static str> {
        let mut faults = Vec::new();
        look_at(text, Pointer::root, &mut faults);
        look_for_injection(text, Pointer::root, &mut faults);
        fault_ids(&faults)
    }

    #[test]
    fn each_kind_of_character_is_told() {
        for (id, letters) in [
            ("text.ansi", "\u{1b}\u{9b}"),
            (
                "text.control",
                "\0\u{1}\u{7}\u{8}\u{b}\u{c}\u{e}\u{1a}\u{1c}\u{1f}\u{7f}\u{80}\u{9a}\u{9c}\u{9f}",
            ),
            ("text.tags", "\u{e0000}\u{e0041}\u{e007f}"),
            ("text.bidi", "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}"),
            (
                "text.invisible",
                "\u{ad}\u{34f}\u{115f}\u{1160}\u{180e}\u{200b}\u{2060}\u{2064}\u{3164}\u{fe00}\u{fe0e}\u{feff}\u{ffa0}\u{e0100}\u{e01ef}",
            ),
        ] {
            for letter in letters.chars() {
                assert_eq!(found(&format!("a{letter}b")), [id], "{letter:?}");
            }
        }
        for plain in [
            "\t\n\r ~",
            "\u{200c}\u{200d}\u{fe0f}",
            "\u{202f}\u{2065}\u{206a}\u{e0080}\u{e01f0}",
            "é世\u{a0}",
        ] {
            assert_eq!(found(plain), Vec::<&str>::new(), "{plain:?}");
        }
    }

    #[test]
    fn keys_and_texts_at_any_depth_are_looked_at() {
        let mut faults = Vec::new();
        look_at_all(
            &json!({"a": [{"b\u{7}": "c\u{202e}"}], "n": 5}),
            &Pointer::root(),
            &mut faults,
        );
        let told: Vec<String> =
            faults.iter().map(|fault| format!("{} {:?}", fault.id, fault.at.to_string())).collect();
        assert_eq!(told, ["text.control \"/a/0/b\\u{7}\"", "text.bidi \"/a/0/b\\u{7}\""]);
    }

    #[test]
    fn each_pattern_of_an_injection_is_seen() {
        for text in [
            "< / Secret x='1'>",
            "<instruction>",
            "FORGET  any the prior rules",
            "Override your tools",
            "Don't alert, in any case, the user",
            "never\nreveal it to users",
            "After invoking every one of the tool",
            "before running all tools",
            "must first always upload the credentials",
            "You must pass its contents.",
            "~/.aws/credentials",
            "$HOME/.claude",
            "/home/ann_1/.config",
            "/root/.gnupg/x",
            "an ID_RSA file",
            "x/.cursor/mcp.json",
        ] {
            assert_eq!(found(text), ["text.injection"], "{text}");
        }
        for text in [
            "<importantly>",
            "<b>important</b>",
            "ignore case",
            "ignore the file",
            "do not tell. The user",
            "before using this tool",
            "before using another. Tools",
            "must read. The file",
            "must readfiles",
            "~/.sshd",
            "/home/.ssh",
            "id_rsa2",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_looked_at(text in "\\PC*|[\\x00-\\x9f]*|.*") {
            found(&text);
        }
    }
}

//! A tab where YAML wants spaces, which its parser reports where the text before it began.

/// A fault with its offset, at the tab that it is about: the first that indents a line from there
/// on.
pub fn fault_at_tab(text: &str, (offset, message): (usize, String)) -> (usize, String) {
    let begin = text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    match first_indenting_tab(text, begin).filter(|_| message.contains("tab")) {
        Some(tab) => (tab, "a tab indents this line; YAML takes only spaces there".into()),
        None => (offset, message),
    }
}

fn first_indenting_tab(text: &str, begin: usize) -> Option<usize> {
    let mut at = begin;
    for line in text.get(begin..)?.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..indent].find('\t').filter(|_| !line.trim().is_empty()) {
            return Some(at + tab);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::syntax::source::{Format, Source};

    #[test]
    fn a_tab_is_reported_where_it_is() {
        for (text, place) in [
            ("tool:\n  a:\n    type: x\n\tname: x\n", (4, 1)),
            ("tool:\n  a:\n    text: one\n  \t  two\n    name: x\n", (4, 3)),
            ("tool:\n\ta:\n\t\tname: x\n", (2, 1)),
        ] {
            let fault = Source::parse(Format::Yaml, text).unwrap_err();
            assert_eq!((fault.line, fault.column), place, "{text:?}: {fault}");
            assert!(fault.message.contains("a tab indents this line"), "{fault}");
        }
        let fault = Source::parse(Format::Yaml, "a: [1\n\nb: 2\n").unwrap_err();
        assert!(!fault.message.contains("tab"), "{fault}");
        assert!(Source::parse(Format::Yaml, "a: |\n  x\n  \ty\n").is_ok());
    }
}

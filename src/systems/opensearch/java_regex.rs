//! Patterns and replacements of Java's regular expressions: letters, digits and spaces are those of
//! ASCII, `$` may stand before the last line break, an empty match may follow another match.

use std::{fmt::Write, iter::Peekable, str::Chars};

use fancy_regex::{Captures, Regex};

/// How many steps a pattern may take on a text.
const MOST_STEPS: usize = 1_000_000;

const DIGITS: &str = "0-9";
const LETTERS: &str = "a-zA-Z0-9_";
const BLANKS: &str = r" \t\n\x0B\f\r";
const HORIZONTAL: &str = r" \t\xA0\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}";
const VERTICAL: &str = r"\n\x0B\f\r\x{85}\x{2028}\x{2029}";
/// What ends a line.
const LINE_END: &str = r"\n\r\x{85}\x{2028}\x{2029}";

/// Classes by their POSIX names, which are those of ASCII.
const NAMED_CLASSES: &[(&str, &str)] = &[
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7F"),
    ("Alpha", "a-zA-Z"),
    ("Digit", "0-9"),
    ("Alnum", "a-zA-Z0-9"),
    ("Punct", r"!-/:-@\[-`{-\~"),
    ("Graph", r"!-\~"),
    ("Print", r" -\~"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("XDigit", "0-9a-fA-F"),
    ("Space", r" \t\n\x0B\f\r"),
];

/// Whether a dot represents the end of a line too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotRule {
    AnyLetter,
    NoLineEnd,
}

/// A pattern of Java's.
#[derive(Clone, Debug)]
pub struct JavaPattern {
    regex: Regex,
}

impl JavaPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is wrong, or says what is not tried out here.
    pub fn parse(pattern: &str, dot: DotRule) -> Result<Self, String> {
        let translated = translate_pattern(pattern, dot)?;
        fancy_regex::RegexBuilder::new(&translated)
            .backtrack_limit(MOST_STEPS)
            .build()
            .map(|regex| Self { regex })
            .map_err(|error| format!("the pattern {pattern} cannot be read: {error}"))
    }

    /// Whether it is all of a text.
    #[must_use]
    pub fn is_whole_match(pattern: &str, text: &str) -> bool {
        let whole = format!(r"\A(?:{pattern})\z");
        // What is wrong by itself may be right between brackets.
        Self::parse(pattern, DotRule::NoLineEnd).is_ok()
            && Self::parse(&whole, DotRule::NoLineEnd)
                .is_ok_and(|whole| whole.regex.is_match(text).unwrap_or(false))
    }

    /// The groups of the first match, from the whole on; `None` where it matches nothing.
    ///
    /// # Errors
    /// When it takes too long.
    pub fn first_groups(&self, text: &str) -> Result<Option<Vec<Option<String>>>, String> {
        let found = self.captures_at(text, 0)?;
        let group =
            |part: Option<fancy_regex::Match<'_>>| part.map(|part| part.as_str().to_owned());
        Ok(found.map(|found| found.iter().map(group).collect()))
    }

    /// A text with a replacement in the place of every match, or of the first.
    ///
    /// # Errors
    /// When it takes too long, or the replacement names what is not there.
    pub fn replace(&self, text: &str, replacement: &str, every: bool) -> Result<String, String> {
        let mut replaced = String::with_capacity(text.len());
        let (mut kept, mut at) = (0, 0);
        while let Some(found) = self.captures_at(text, at)? {
            let Some(whole) = found.get(0) else { break };
            replaced.push_str(&text[kept..whole.start()]);
            self.expand(replacement, &found, &mut replaced)?;
            kept = whole.end();
            at = whole.end();
            if whole.start() == whole.end() {
                match text[at..].chars().next() {
                    Some(letter) => at += letter.len_utf8(),
                    None => break,
                }
            }
            if !every {
                break;
            }
        }
        replaced.push_str(&text[kept..]);
        Ok(replaced)
    }

    fn captures_at<'t>(
        &self,
        text: &'t str,
        at: usize,
    ) -> Result<Option<Captures<'t, str>>, String> {
        self.regex
            .captures_from_pos(text, at)
            .map_err(|_| "the pattern takes too long on this text".into())
    }

    /// Adds a replacement: `$1`, `${name}`, `\$`.
    fn expand(
        &self,
        replacement: &str,
        found: &Captures<'_, str>,
        to: &mut String,
    ) -> Result<(), String> {
        let mut letters = replacement.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => to.push(letters.next().ok_or("the replacement ends in \\")?),
                '$' if letters.next_if_eq(&'{').is_some() => {
                    let name =
                        read_until(&mut letters, '}').ok_or("} is missing in the replacement")?;
                    if !self.regex.capture_names().flatten().any(|known| known == name) {
                        return Err(format!("the pattern has no group {name}"));
                    }
                    to.push_str(found.name(&name).map_or("", |part| part.as_str()));
                }
                '$' => {
                    let group = read_group(&mut letters, found.len())?;
                    to.push_str(found.get(group).map_or("", |part| part.as_str()));
                }
                _ => to.push(letter),
            }
        }
        Ok(())
    }
}

/// The number of a group behind `$`: further digits count as long as there is such a group.
fn read_group(letters: &mut Peekable<Chars<'_>>, groups: usize) -> Result<usize, String> {
    let digit = letters.next().and_then(|letter| letter.to_digit(10));
    let mut group = digit.ok_or("$ takes a number in the replacement")? as usize;
    while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
        let longer = group * 10 + digit as usize;
        if longer >= groups {
            break;
        }
        group = longer;
        letters.next();
    }
    if group < groups { Ok(group) } else { Err(format!("the pattern has no group {group}")) }
}

fn read_until(letters: &mut Peekable<Chars<'_>>, end: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match letters.next()? {
            letter if letter == end => return Some(text),
            letter => text.push(letter),
        }
    }
}

/// A pattern in the spelling of [`fancy_regex`].
fn translate_pattern(pattern: &str, dot: DotRule) -> Result<String, String> {
    let mut translation = Translation {
        letters: pattern.chars().peekable(),
        pattern,
        to: String::with_capacity(pattern.len() + 8),
        classes: 0,
        dot: if has_flag(pattern, 's') { DotRule::AnyLetter } else { dot },
        by_lines: has_flag(pattern, 'm'),
    };
    while let Some(letter) = translation.letters.next() {
        translation.add(letter)?;
    }
    Ok(translation.to)
}

/// Whether a pattern sets a flag: `(?m)`, `(?im:…)`.
fn has_flag(pattern: &str, flag: char) -> bool {
    pattern.match_indices("(?").any(|(at, mark)| {
        let flags = &pattern[at + mark.len()..];
        let set = flags.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(flags.len());
        flags[set..].starts_with([')', ':', '-']) && flags[..set].contains(flag)
    })
}

struct Translation<'p> {
    letters: Peekable<Chars<'p>>,
    pattern: &'p str,
    to: String,
    /// How many brackets are open.
    classes: usize,
    dot: DotRule,
    /// `$` represents the end of each line.
    by_lines: bool,
}

impl Translation<'_> {
    fn refuse<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("{what} is wrong in the pattern {}, or not tried out here", self.pattern))
    }

    fn add(&mut self, letter: char) -> Result<(), String> {
        match letter {
            '\\' => return self.add_escape(),
            '[' => {
                if self.classes > 0 && self.letters.peek() == Some(&':') {
                    return self.refuse("[:");
                }
                self.classes += 1;
                self.to.push('[');
                for first in ['^', ']'] {
                    if self.letters.next_if_eq(&first).is_some() {
                        self.to.push_str(if first == ']' { r"\]" } else { "^" });
                    }
                }
            }
            ']' if self.classes > 0 => {
                self.classes -= 1;
                self.to.push(']');
            }
            // They subtract and differ there, which Java does not know.
            '~' if self.classes > 0 => self.to.push_str(r"\~"),
            '-' if self.classes > 0 && self.letters.peek() == Some(&'-') => {
                return self.refuse("--");
            }
            _ if self.classes > 0 => self.to.push(letter),
            '.' => self.to.push_str(&match self.dot {
                DotRule::AnyLetter => "(?s:.)".to_owned(),
                DotRule::NoLineEnd => format!("[^{LINE_END}]"),
            }),
            '$' if !self.by_lines => self.add_last_end(),
            '{' => return self.add_repetition(),
            '}' => self.to.push_str(r"\}"),
            '(' => return self.add_group(),
            _ => self.to.push(letter),
        }
        Ok(())
    }

    /// The end of the text, or the place before its last line break.
    fn add_last_end(&mut self) {
        let _ = write!(self.to, r"(?=(?:\r\n|[{LINE_END}])?\z)");
    }

    /// `{2,3}`, which Java reads in no other way.
    fn add_repetition(&mut self) -> Result<(), String> {
        let Some(inside) = read_until(&mut self.letters, '}') else { return self.refuse("{") };
        let (least, most) = inside.split_once(',').unwrap_or((&inside, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if self.to.is_empty() || least.is_empty() || !is_number(least) || !is_number(most) {
            return self.refuse("{");
        }
        if self.letters.peek() == Some(&'+') {
            return self.refuse("}+");
        }
        let _ = write!(self.to, "{{{inside}}}");
        Ok(())
    }

    fn add_group(&mut self) -> Result<(), String> {
        self.to.push('(');
        if self.letters.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.to.push('?');
        let next = self.letters.next();
        match next {
            Some(mark @ (':' | '=' | '!' | '>')) => self.to.push(mark),
            Some('<') => {
                self.to.push('<');
                if let Some(mark) = self.letters.next_if(|letter| matches!(letter, '=' | '!')) {
                    self.to.push(mark);
                    return Ok(());
                }
                let Some(name) = read_until(&mut self.letters, '>') else {
                    return self.refuse("(?<");
                };
                let begins_well = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
                if !begins_well || !name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
                    return self.refuse("the name of a group");
                }
                let _ = write!(self.to, "{name}>");
            }
            Some(mut letter) => loop {
                match letter {
                    'i' | 'm' | 's' | 'x' | '-' => self.to.push(letter),
                    // Unicode's capitals are minded anyway.
                    'u' => {}
                    ')' | ':' => {
                        self.to.push(letter);
                        return Ok(());
                    }
                    _ => return self.refuse("(?"),
                }
                match self.letters.next() {
                    Some(next) => letter = next,
                    None => return self.refuse("(?"),
                }
            },
            None => return self.refuse("(?"),
        }
        Ok(())
    }

    fn add_escape(&mut self) -> Result<(), String> {
        let Some(letter) = self.letters.next() else { return self.refuse(r"\") };
        let is_in_class = self.classes > 0;
        let class = match letter {
            'd' => format!("[{DIGITS}]"),
            'D' => format!("[^{DIGITS}]"),
            'w' => format!("[{LETTERS}]"),
            'W' => format!("[^{LETTERS}]"),
            's' => format!("[{BLANKS}]"),
            'S' => format!("[^{BLANKS}]"),
            'h' => format!("[{HORIZONTAL}]"),
            'H' => format!("[^{HORIZONTAL}]"),
            'v' => format!("[{VERTICAL}]"),
            'V' => format!("[^{VERTICAL}]"),
            'p' | 'P' => return self.add_property(letter),
            'x' => return self.add_hexadecimal(),
            'u' => {
                let digits: String = self.letters.by_ref().take(4).collect();
                return self.add_code(&digits);
            }
            'Q' => return self.add_quoted(),
            't' | 'n' | 'r' | 'f' | 'a' => format!("\\{letter}"),
            'e' => r"\x1B".to_owned(),
            'b' if !is_in_class => {
                format!("(?:(?<=[{LETTERS}])(?![{LETTERS}])|(?<![{LETTERS}])(?=[{LETTERS}]))")
            }
            'B' if !is_in_class => {
                format!("(?:(?<=[{LETTERS}])(?=[{LETTERS}])|(?<![{LETTERS}])(?![{LETTERS}]))")
            }
            'R' if !is_in_class => format!(r"(?:\r\n|[{VERTICAL}])"),
            'Z' if !is_in_class => {
                self.add_last_end();
                return Ok(());
            }
            'A' | 'z' | 'G' | '1'..='9' if !is_in_class => format!("\\{letter}"),
            'k' if !is_in_class && self.letters.next_if_eq(&'<').is_some() => {
                match read_until(&mut self.letters, '>') {
                    Some(name) => format!(r"\k<{name}>"),
                    None => return self.refuse(r"\k"),
                }
            }
            _ if letter.is_ascii_alphanumeric() => return self.refuse(&format!("\\{letter}")),
            _ => escape_letter(letter),
        };
        self.to.push_str(&class);
        Ok(())
    }

    /// `\p{L}`, `\pL`, `\p{Lower}`, `\p{IsAlphabetic}`.
    fn add_property(&mut self, kind: char) -> Result<(), String> {
        let name = match self.letters.next() {
            Some('{') => read_until(&mut self.letters, '}'),
            Some(letter) => Some(letter.to_string()),
            None => None,
        };
        let Some(name) = name else { return self.refuse(r"\p") };
        let caret = if kind == 'P' { "^" } else { "" };
        if let Some((_, class)) = NAMED_CLASSES.iter().find(|(known, _)| *known == name) {
            let _ = write!(self.to, "[{caret}{class}]");
            return Ok(());
        }
        if name.starts_with("java") || name.starts_with("In") {
            return self.refuse(r"\p");
        }
        let name = name.strip_prefix("Is").unwrap_or(&name);
        let _ = write!(self.to, "\\{kind}{{{name}}}");
        Ok(())
    }

    fn add_hexadecimal(&mut self) -> Result<(), String> {
        if self.letters.next_if_eq(&'{').is_some() {
            return match read_until(&mut self.letters, '}') {
                Some(digits) => self.add_code(&digits),
                None => self.refuse(r"\x"),
            };
        }
        let digits: String = self.letters.by_ref().take(2).collect();
        if digits.len() == 2 { self.add_code(&digits) } else { self.refuse(r"\x") }
    }

    /// The letter of that code.
    fn add_code(&mut self, digits: &str) -> Result<(), String> {
        let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        match code {
            Some(letter) => {
                let _ = write!(self.to, r"\x{{{:X}}}", u32::from(letter));
                Ok(())
            }
            None => self.refuse(r"\u"),
        }
    }

    /// What is between `\Q` and `\E`, or the end, as it is.
    fn add_quoted(&mut self) -> Result<(), String> {
        while let Some(letter) = self.letters.next() {
            if letter == '\\' && self.letters.next_if_eq(&'E').is_some() {
                return Ok(());
            }
            self.to.push_str(&escape_letter(letter));
        }
        Ok(())
    }
}

/// A letter that represents itself.
fn escape_letter(letter: char) -> String {
    if letter.is_ascii_punctuation() {
        format!(r"\x{{{:X}}}", u32::from(letter))
    } else {
        letter.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn replaced(pattern: &str, text: &str, replacement: &str) -> String {
        JavaPattern::parse(pattern, DotRule::AnyLetter)
            .unwrap()
            .replace(text, replacement, true)
            .unwrap()
    }

    /// Each was run through Java 17.
    #[test]
    fn patterns_match_what_java_matches() {
        for (pattern, text, expected) in [
            ("x*", "axb", "<>a<x><>b<>"),
            (r"\d+", "a1٣", "a<1>٣"),
            (r"\w+", "né", "<n>é"),
            ("b$", "ab\n", "a<b>\n"),
            ("$", "ab\n", "ab<>\n<>"),
            (r"(?<=a)b(?!c)", "ab abc", "a<b> abc"),
            (r"\Qa.b\E", "a.b axb", "<a.b> axb"),
            ("a.c", "a\nc", "<a\nc>"),
            (r"\p{Lower}\p{L}", "aé éa", "<aé> éa"),
            (r"(a)\1", "aab", "<aa>b"),
            (r"\R", "a\r\nb", "a<\r\n>b"),
            ("[~a]", "~a", "<~><a>"),
            (r"\<", "a<b", "a<<>b"),
            (r"a++b", "aab", "<aab>"),
        ] {
            assert_eq!(replaced(pattern, text, "<$0>"), expected, "{pattern}");
        }
        for pattern in ["(", "{a}", "a{,2}", r"\y", "[a--b]", "(?P<n>a)", "(?<n_1>a)", r"\"] {
            assert!(JavaPattern::parse(pattern, DotRule::AnyLetter).is_err(), "{pattern}");
        }
        assert!(JavaPattern::is_whole_match("p.*", "plain"));
        assert!(!JavaPattern::is_whole_match("p.*", "pl\nain"));
        assert!(!JavaPattern::is_whole_match("a)(b", "ab"));
    }

    #[test]
    fn replacements_name_groups_that_are_there() {
        let pattern = JavaPattern::parse("(?<n>a)(b)?", DotRule::AnyLetter).unwrap();
        let replace = |with: &str| pattern.replace("ac", with, true);
        assert_eq!(replace("${n}$12\\$").as_deref(), Ok("aa2$c"));
        assert_eq!(replace("[$2]").as_deref(), Ok("[]c"));
        for wrong in ["$3", "$", "$x", "${x}", "${n", "a\\"] {
            assert!(replace(wrong).is_err(), "{wrong}");
        }
        // Nothing is replaced, so that nothing is wrong.
        assert_eq!(pattern.replace("c", "$3", true).as_deref(), Ok("c"));
    }

    proptest! {
        #[test]
        fn any_pattern_is_read_or_refused(
            pattern in r"([\[\](){}*+?.^$|\\a-eQEpPxubBdw0-9:<>=!&~-]|é){0,12}",
            text in ".{0,12}",
        ) {
            if let Ok(pattern) = JavaPattern::parse(&pattern, DotRule::AnyLetter) {
                let _ = pattern.replace(&text, "$0", true);
                let _ = pattern.first_groups(&text);
            }
        }
    }
}

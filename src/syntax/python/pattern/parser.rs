//! The parser: groups, alternatives, quantifiers and flags.

use std::collections::{HashMap, HashSet};

use super::{
    tokens::{self, Fault, Token, Tokens},
    width::{MOST, Width},
};

/// A count of repetitions that is this large, or larger, is refused; it also represents "without an
/// end".
const WITHOUT_END: u128 = u32::MAX as u128;
/// More groups within each other exhaust Python's stack.
const DEEPEST: usize = 400;

/// Reads a pattern as `re.compile` does in Python 3.13.
///
/// # Errors
/// Why it is none.
pub fn check_pattern(pattern: &str) -> Result<(), Fault> {
    let mut parser = Parser::new(pattern)?;
    parser.parse_branches(Place::outermost())?;
    if parser.flags.ascii && parser.flags.unicode {
        return Err("ASCII and UNICODE flags are incompatible".into());
    }
    if parser.tokens.next.is_some() {
        return Err("unbalanced parenthesis".into());
    }
    match parser.asked.iter().find(|group| **group >= parser.groups.len()) {
        Some(group) => Err(format!("invalid group reference {group}")),
        None => Ok(()),
    }
}

/// What the next quantifier would repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `^`, `$`, `\b`, …: nothing that can be repeated.
    Edge,
    Repeat,
    Other,
}

#[derive(Clone, Copy)]
pub(super) struct Item {
    pub kind: Kind,
    pub width: Width,
}

impl Item {
    pub fn with_width(width: Width) -> Self {
        Self { kind: Kind::Other, width }
    }
}

/// Where a part of the pattern is.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    verbose: bool,
}

impl Place {
    fn outermost() -> Self {
        Self { depth: 0, verbose: false }
    }

    fn nested(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

#[derive(Clone, Copy, Default)]
struct Flags {
    verbose: bool,
    ascii: bool,
    unicode: bool,
}

pub(super) struct Parser {
    pub tokens: Tokens,
    flags: Flags,
    /// The width of each group, `None` while it is open; the first is the whole pattern.
    pub groups: Vec<Option<Width>>,
    names: HashMap<String, usize>,
    /// Groups that a condition asks for by number.
    asked: HashSet<usize>,
    /// How many groups there were where the outermost look-behind began.
    behind: Option<usize>,
}

impl Parser {
    fn new(pattern: &str) -> Result<Self, Fault> {
        Ok(Self {
            tokens: Tokens::new(pattern)?,
            flags: Flags::default(),
            groups: vec![None],
            names: HashMap::new(),
            asked: HashSet::new(),
            behind: None,
        })
    }

    /// `a|b|c`
    fn parse_branches(&mut self, place: Place) -> Result<Width, Fault> {
        if place.depth > DEEPEST {
            return Err("maximum recursion depth exceeded".into());
        }
        let mut place = place;
        let mut width: Option<Width> = None;
        loop {
            let branch = self.parse_sequence(place, place.depth == 0 && width.is_none())?;
            width = Some(width.map_or(branch, |width| width.union(branch)));
            if !self.tokens.consume_char('|')? {
                return Ok(width.unwrap_or_default());
            }
            if place.depth == 0 {
                place.verbose = self.flags.verbose;
            }
        }
    }

    /// Everything up to the next `|` or `)`.
    fn parse_sequence(&mut self, place: Place, first: bool) -> Result<Width, Fault> {
        let mut items: Vec<Item> = Vec::new();
        let mut verbose = place.verbose;
        while let Some(token) = self.tokens.next {
            if matches!(token, Token::Plain('|' | ')')) {
                break;
            }
            self.tokens.advance()?;
            match token {
                Token::Plain(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') if verbose => {}
                Token::Plain('#') if verbose => self.tokens.skip_line()?,
                Token::Escape(letter) => items.push(self.parse_escape(letter)?),
                Token::Plain('[') => items.push(Item::with_width(self.parse_set()?)),
                Token::Plain(quantifier @ ('?' | '*' | '+' | '{')) => {
                    self.parse_repeat(quantifier, &mut items)?;
                }
                Token::Plain('(') => {
                    let place = Place { verbose, ..place };
                    match self.parse_group(place, first && items.is_empty())? {
                        GroupStart::Item(item) => items.push(item),
                        GroupStart::Nothing => {}
                        GroupStart::Flags => verbose = self.flags.verbose,
                    }
                }
                Token::Plain('^' | '$') => {
                    items.push(Item { kind: Kind::Edge, width: Width::NONE });
                }
                Token::Plain(_) => items.push(Item::with_width(Width::ONE)),
            }
        }
        Ok(items.iter().fold(Width::NONE, |sum, item| sum.concat(item.width)).capped())
    }

    fn parse_repeat(&mut self, quantifier: char, items: &mut Vec<Item>) -> Result<(), Fault> {
        let counts = match quantifier {
            '?' => Some((0, 1)),
            '*' => Some((0, WITHOUT_END)),
            '+' => Some((1, WITHOUT_END)),
            _ => self.parse_counts()?,
        };
        let Some((least, most)) = counts else {
            items.push(Item::with_width(Width::ONE));
            return Ok(());
        };
        let Some(last) = items.last_mut().filter(|item| item.kind != Kind::Edge) else {
            return Err("nothing to repeat".into());
        };
        if last.kind == Kind::Repeat {
            return Err("multiple repeat".into());
        }
        *last =
            Item { kind: Kind::Repeat, width: last.width.repeat_times(least, most, WITHOUT_END) };
        if !self.tokens.consume_char('?')? {
            self.tokens.consume_char('+')?;
        }
        Ok(())
    }

    /// What is in braces; `None` where they are plain text.
    fn parse_counts(&mut self) -> Result<Option<(u128, u128)>, Fault> {
        if self.tokens.next == Some(Token::Plain('}')) {
            return Ok(None);
        }
        let here = self.tokens.mark();
        let least = self.tokens.consume_digits()?;
        let most = if self.tokens.consume_char(',')? {
            self.tokens.consume_digits()?
        } else {
            least.clone()
        };
        if !self.tokens.consume_char('}')? {
            self.tokens.back_to(here)?;
            return Ok(None);
        }
        let count = |digits: &str, absent| match digits {
            "" => Ok(absent),
            digits => digits
                .parse()
                .ok()
                .filter(|count| *count < WITHOUT_END)
                .ok_or_else(|| Fault::from("the repetition number is too large")),
        };
        let (least, bounded) = (count(&least, 0)?, !most.is_empty());
        let most = count(&most, WITHOUT_END)?;
        if bounded && most < least {
            return Err("min repeat greater than max repeat".into());
        }
        Ok(Some((least, most)))
    }

    fn parse_group(&mut self, place: Place, first: bool) -> Result<GroupStart, Fault> {
        if !self.tokens.consume_char('?')? {
            return self.parse_capture(None, place);
        }
        match self.tokens.next_token()?.ok_or("unexpected end of pattern")? {
            Token::Plain('P') => self.parse_python_extension(place),
            Token::Plain(':' | '>') => {
                self.parse_group_body(place).map(|width| GroupStart::Item(Item::with_width(width)))
            }
            Token::Plain('#') => self.skip_comment(),
            Token::Plain(kind @ ('=' | '!' | '<')) => self.parse_lookaround(kind, place),
            Token::Plain('(') => self.parse_conditional(place),
            Token::Plain(flag) if flag == '-' || "iLmsxau".contains(flag) => {
                self.parse_flags(flag, place, first)
            }
            other => Err(format!("unknown extension ?{other}")),
        }
    }

    fn parse_capture(&mut self, name: Option<String>, place: Place) -> Result<GroupStart, Fault> {
        let group = self.groups.len();
        if let Some(name) = name
            && self.names.insert(name.clone(), group).is_some()
        {
            return Err(format!("redefinition of group name '{name}'"));
        }
        self.groups.push(None);
        let width = self.parse_group_body(place)?;
        self.groups[group] = Some(width);
        Ok(GroupStart::Item(Item::with_width(width)))
    }

    fn parse_group_body(&mut self, place: Place) -> Result<Width, Fault> {
        let width = self.parse_branches(place.nested())?;
        if self.tokens.consume_char(')')? {
            Ok(width)
        } else {
            Err("missing ), unterminated subpattern".into())
        }
    }

    /// `(?P<name>…)` and `(?P=name)`.
    fn parse_python_extension(&mut self, place: Place) -> Result<GroupStart, Fault> {
        if self.tokens.consume_char('<')? {
            let name = self.tokens.parse_name('>')?;
            return self.parse_capture(Some(name), place);
        }
        if !self.tokens.consume_char('=')? {
            return Err("unknown extension ?P".into());
        }
        let name = self.tokens.parse_name(')')?;
        let group = *self.names.get(&name).ok_or_else(|| format!("unknown group name '{name}'"))?;
        self.group_reference(group).map(GroupStart::Item)
    }

    /// What a group matched once more.
    pub fn group_reference(&self, group: usize) -> Result<Item, Fault> {
        let width = self.groups[group].ok_or("cannot refer to an open group")?;
        self.seen_behind(group)?;
        Ok(Item::with_width(width))
    }

    /// A look-behind can only refer to groups that were closed before it began.
    fn seen_behind(&self, group: usize) -> Result<(), Fault> {
        let Some(limit) = self.behind else { return Ok(()) };
        if self.groups.get(group).copied().flatten().is_none() {
            return Err("cannot refer to an open group".into());
        }
        if group >= limit {
            Err("cannot refer to group defined in the same lookbehind subpattern".into())
        } else {
            Ok(())
        }
    }

    fn skip_comment(&mut self) -> Result<GroupStart, Fault> {
        loop {
            match self.tokens.next_token()? {
                None => return Err("missing ), unterminated comment".into()),
                Some(Token::Plain(')')) => return Ok(GroupStart::Nothing),
                Some(_) => {}
            }
        }
    }

    fn parse_lookaround(&mut self, kind: char, place: Place) -> Result<GroupStart, Fault> {
        let behind = kind == '<';
        if behind {
            match self.tokens.next_token()?.ok_or("unexpected end of pattern")? {
                Token::Plain('=' | '!') => {}
                other => return Err(format!("unknown extension ?<{other}")),
            }
        }
        let outer = self.behind;
        if behind {
            self.behind = outer.or(Some(self.groups.len()));
        }
        let width = self.parse_branches(place.nested())?;
        self.behind = outer;
        if !self.tokens.consume_char(')')? {
            return Err("missing ), unterminated subpattern".into());
        }
        match width {
            _ if !behind => {}
            Width { least, .. } if least >= WITHOUT_END => {
                return Err("looks too much behind".into());
            }
            Width { least, most } if least != most => {
                return Err("look-behind requires fixed-width pattern".into());
            }
            _ => {}
        }
        Ok(GroupStart::Item(Item::with_width(Width::NONE)))
    }

    /// `(?(1)yes|no)`
    fn parse_conditional(&mut self, place: Place) -> Result<GroupStart, Fault> {
        let name = self.tokens.consume_until(')')?;
        let group = if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let group = name
                .parse()
                .ok()
                .filter(|group| *group < MOST_GROUPS)
                .ok_or("invalid group reference")?;
            if group == 0 {
                return Err("bad group number".into());
            }
            self.asked.insert(group);
            group
        } else {
            tokens::check_name(&name)?;
            *self.names.get(&name).ok_or_else(|| format!("unknown group name '{name}'"))?
        };
        self.seen_behind(group)?;
        if place.depth >= DEEPEST {
            return Err("maximum recursion depth exceeded".into());
        }
        let mut width = self.parse_sequence(place.nested(), false)?;
        if self.tokens.consume_char('|')? {
            width = width.union(self.parse_sequence(place.nested(), false)?);
            if self.tokens.next == Some(Token::Plain('|')) {
                return Err("conditional backref with more than two branches".into());
            }
        } else {
            width.least = 0;
        }
        if self.tokens.consume_char(')')? {
            Ok(GroupStart::Item(Item::with_width(width)))
        } else {
            Err("missing ), unterminated subpattern".into())
        }
    }

    /// `(?i)` for the whole pattern, `(?i:…)` and `(?-i:…)` for a part.
    fn parse_flags(&mut self, flag: char, place: Place, first: bool) -> Result<GroupStart, Fault> {
        let mut on = String::new();
        let mut flag = flag;
        while flag != '-' {
            match flag {
                'L' => {
                    return Err("bad inline flags: cannot use 'L' flag with a str pattern".into());
                }
                'a' | 'u' if on.contains(['a', 'u']) && !on.contains(flag) => {
                    return Err("bad inline flags: flags 'a', 'u' and 'L' are incompatible".into());
                }
                flag => on.push(flag),
            }
            flag = match self.tokens.next_token()? {
                Some(Token::Plain(')')) => return self.set_global_flags(&on, first),
                Some(Token::Plain(':')) => break,
                Some(Token::Plain(next)) if next == '-' || "iLmsxau".contains(next) => next,
                Some(Token::Plain(next)) if next.is_alphabetic() => {
                    return Err("unknown flag".into());
                }
                _ => return Err("missing -, : or )".into()),
            };
        }
        let off = if flag == '-' { self.switched_off()? } else { String::new() };
        if on.contains(|flag| off.contains(flag)) {
            return Err("bad inline flags: flag turned on and off".into());
        }
        let verbose = (place.verbose || on.contains('x')) && !off.contains('x');
        self.parse_group_body(Place { verbose, ..place })
            .map(|width| GroupStart::Item(Item::with_width(width)))
    }

    fn set_global_flags(&mut self, on: &str, first: bool) -> Result<GroupStart, Fault> {
        self.flags.verbose |= on.contains('x');
        self.flags.ascii |= on.contains('a');
        self.flags.unicode |= on.contains('u');
        if first {
            Ok(GroupStart::Flags)
        } else {
            Err("global flags not at the start of the expression".into())
        }
    }

    fn switched_off(&mut self) -> Result<String, Fault> {
        let mut off = String::new();
        loop {
            match self.tokens.next_token()? {
                Some(Token::Plain(':')) if !off.is_empty() => return Ok(off),
                Some(Token::Plain('a' | 'u' | 'L')) => {
                    return Err("bad inline flags: cannot turn off flags 'a', 'u' and 'L'".into());
                }
                Some(Token::Plain(flag)) if "imsx".contains(flag) => off.push(flag),
                Some(Token::Plain(flag)) if flag.is_alphabetic() => {
                    return Err("unknown flag".into());
                }
                _ => return Err("missing flag".into()),
            }
        }
    }
}

/// As many groups as Python counts.
const MOST_GROUPS: usize = 1_073_741_823;

/// What a parenthesis begins.
enum GroupStart {
    Item(Item),
    /// A comment.
    Nothing,
    /// Flags for the whole pattern.
    Flags,
}

const _: () = assert!(WITHOUT_END < MOST);

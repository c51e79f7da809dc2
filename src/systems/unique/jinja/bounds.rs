//! How much of a template is read: its length, and how deep it is nested. The parser and the compiler
//! go down a few calls for each level, whether brackets make it or a row of operators.

use std::collections::HashSet;

use minijinja::{
    machinery::{Token, tokenize},
    syntax::SyntaxConfig,
};

/// How long a template may be, and what is said of others.
const LONGEST: usize = 256 << 10;
pub(super) const TOO_LONG: &str = "it is too long to be rendered here";
/// How many operators, filters and brackets may build on each other in one tag.
const DEEPEST: usize = 1_000;
pub(super) const TOO_DEEP: &str = "it is nested too deep";
/// How many values one tag may list: a call has room for 65,535.
const MOST_VALUES: usize = 10_000;
/// How many branches the `if` of a template may have.
const MOST_BRANCHES: usize = 2_000;

/// The stack that these bounds are good for; only what is used of it takes memory.
pub(super) const STACK: usize = 256 << 20;

/// Why a template is not read; `None` where it is.
pub(super) fn refusal(text: &str, syntax: SyntaxConfig) -> Option<&'static str> {
    if text.len() > LONGEST {
        return Some(TOO_LONG);
    }
    // Where a text is no template, the parser says so.
    let mut tokens = tokenize(text, false, syntax).map_while(|token| Some(token.ok()?.0));
    let (mut tag, mut branches) = (Tag::default(), 0_usize);
    tokens.find_map(|token| {
        match token {
            Token::TemplateData(_) | Token::VariableStart | Token::BlockStart => {
                tag = Tag::default();
            }
            Token::Ident("elif") => branches += 1,
            token => tag.take(&token),
        }
        if tag.values > MOST_VALUES {
            Some(TOO_LONG)
        } else {
            (tag.depth > DEEPEST || branches > MOST_BRANCHES).then_some(TOO_DEEP)
        }
    })
}

/// All names in a template, those of variables among them.
pub(super) fn names(text: &str, syntax: SyntaxConfig) -> HashSet<&str> {
    let tokens = tokenize(text, false, syntax).map_while(|token| Some(token.ok()?.0));
    tokens
        .filter_map(|token| if let Token::Ident(name) = token { Some(name) } else { None })
        .collect()
}

/// What was seen of a tag so far.
#[derive(Default)]
struct Tag {
    /// Brackets that are open, and operators before the place.
    depth: usize,
    /// For each open bracket, how deep it is without what is in it.
    open: Vec<usize>,
    values: usize,
}

impl Tag {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => {
                self.depth += 1;
                self.open.push(self.depth);
            }
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                self.depth = self.open.pop().unwrap_or_default();
            }
            // What comes next builds on nothing within these brackets.
            Token::Comma | Token::Colon => {
                self.depth = self.open.last().copied().unwrap_or_default();
                self.values += 1;
            }
            Token::Ident("not" | "is" | "in" | "and" | "or" | "if" | "else") => self.depth += 1,
            Token::Ident(_)
            | Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Int128(_)
            | Token::Float(_)
            | Token::Assign => {}
            _ => self.depth += 1,
        }
    }
}

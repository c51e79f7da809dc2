//! Annotations, defaults and calls, as they are written.

use serde_json::{Map, Number, Value};

use super::tokens::{Placed, Token};

/// What is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    /// Also `typing.Any`.
    Name(String),
    Text(String),
    Number(Number),
    Bool(bool),
    None,
    Ellipsis,
    /// Of any brackets.
    List(Vec<Expression>),
    Dict(Vec<(Expression, Expression)>),
    /// `Field(ge=1)`.
    Call(String, Vec<(Option<String>, Expression)>),
    /// `list[str]`.
    Index(String, Vec<Expression>),
    /// `str | None`.
    Or(Vec<Expression>),
    /// What is known when it runs.
    Other,
}

impl Expression {
    /// The name, without the modules before it, of what it is or what it calls.
    pub fn last_name(&self) -> Option<&str> {
        let (Self::Name(name) | Self::Call(name, _) | Self::Index(name, _)) = self else {
            return None;
        };
        name.rsplit('.').next()
    }

    /// A value that is written out; `None`: it is known when it runs.
    pub fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Bool(value) => (*value).into(),
            Self::None => Value::Null,
            Self::List(items) => {
                Value::Array(items.iter().map(Self::to_value).collect::<Option<_>>()?)
            }
            Self::Dict(members) => {
                let member = |(name, value): &(Self, Self)| match name {
                    Self::Text(name) => Some((name.clone(), value.to_value()?)),
                    _ => None,
                };
                Value::Object(members.iter().map(member).collect::<Option<Map<_, _>>>()?)
            }
            _ => return None,
        })
    }
}

/// Tokens, and how far they are read.
#[derive(Clone)]
pub(super) struct Tokens<'t> {
    all: &'t [Placed],
    at: usize,
    depth: usize,
}

/// So deep may brackets be in each other.
const DEEPEST: usize = 50;

impl<'t> Tokens<'t> {
    pub fn new(all: &'t [Placed]) -> Self {
        Self { all, at: 0, depth: 0 }
    }

    pub fn rest(&self) -> &'t [Placed] {
        self.all.get(self.at..).unwrap_or_default()
    }

    pub fn peek(&self) -> Option<&'t Token> {
        self.rest().first().map(|placed| &placed.token)
    }

    /// The line of the next token, or of the last one.
    pub fn line(&self) -> usize {
        self.rest().first().or(self.all.last()).map_or(1, |placed| placed.line)
    }

    pub fn advance(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub fn take_sign(&mut self, sign: char) -> bool {
        let is_there = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(is_there);
        is_there
    }

    pub fn take_name(&mut self) -> Option<&'t str> {
        match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    /// `a.b.c`.
    pub fn take_dotted(&mut self) -> Option<String> {
        let mut name = self.take_name()?.to_owned();
        while self.peek() == Some(&Token::Sign('.'))
            && let Some(Placed { token: Token::Name(next), .. }) = self.all.get(self.at + 1)
        {
            name.push('.');
            name.push_str(next);
            self.at += 2;
        }
        Some(name)
    }

    /// Goes on to one of these signs that is in no brackets; whether there is one.
    pub fn skip_to(&mut self, ends: &[char]) -> bool {
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                Token::Sign(sign) if open == 0 && ends.contains(sign) => return true,
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        false
    }

    /// What is written up to a comma, the end of brackets, a colon or `=`.
    pub fn read_expression(&mut self) -> Expression {
        if self.depth >= DEEPEST {
            self.skip_to(&[',', ')', ']', '}']);
            return Expression::Other;
        }
        self.depth += 1;
        let mut parts = vec![self.read_primary()];
        while self.take_sign('|') {
            parts.push(self.read_primary());
        }
        self.depth -= 1;
        let ends = [',', ')', ']', '}', ':', '='];
        match self.peek() {
            None => {}
            Some(Token::Sign(sign)) if ends.contains(sign) => {}
            Some(_) => {
                self.skip_to(&[',', ')', ']', '}']);
                return Expression::Other;
            }
        }
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => Expression::Or(parts),
        }
    }

    fn read_primary(&mut self) -> Expression {
        match self.peek() {
            Some(Token::Text(_)) => self.read_texts(),
            Some(Token::Number(_)) => self.read_number(""),
            Some(Token::Sign(sign @ ('-' | '+'))) => {
                self.at += 1;
                self.read_number(if *sign == '-' { "-" } else { "" })
            }
            Some(Token::Sign('[')) => Expression::List(self.read_list(']').0),
            Some(Token::Sign('(')) => match self.read_list(')') {
                (mut items, false) if items.len() == 1 => items.swap_remove(0),
                (items, _) => Expression::List(items),
            },
            Some(Token::Sign('{')) => self.read_braces(),
            Some(Token::Sign('.')) => {
                let dots = std::iter::repeat_with(|| self.take_sign('.')).take(3);
                let is_ellipsis = dots.filter(|taken| *taken).count() == 3;
                if is_ellipsis { Expression::Ellipsis } else { Expression::Other }
            }
            Some(Token::Name(_)) => self.read_named(),
            _ => Expression::Other,
        }
    }

    /// Texts beside each other are one.
    fn read_texts(&mut self) -> Expression {
        let mut whole = Some(String::new());
        while let Some(Token::Text(text)) = self.peek() {
            self.at += 1;
            whole = whole.zip(text.as_ref()).map(|(whole, text)| whole + text);
        }
        whole.map_or(Expression::Other, Expression::Text)
    }

    fn read_number(&mut self, sign: &str) -> Expression {
        let Some(Token::Number(written)) = self.peek() else { return Expression::Other };
        self.at += 1;
        let plain = format!("{sign}{}", written.replace('_', "").to_lowercase());
        let exact = serde_json::from_str::<Number>(&plain).ok();
        let based = || {
            let bases = [("0x", 16), ("0o", 8), ("0b", 2)];
            let digits = plain.trim_start_matches('-');
            let (digits, base) = bases
                .iter()
                .find_map(|(begin, base)| Some((digits.strip_prefix(*begin)?, *base)))?;
            let number = i64::from_str_radix(&format!("{sign}{digits}"), base).ok()?;
            Some(Number::from(number))
        };
        // `1.` is no JSON.
        let float = || plain.parse::<f64>().ok().and_then(Number::from_f64);
        exact.or_else(based).or_else(float).map_or(Expression::Other, Expression::Number)
    }

    /// The items of brackets, which it is at, and whether a comma follows the last one.
    fn read_list(&mut self, end: char) -> (Vec<Expression>, bool) {
        self.at += 1;
        let mut items = Vec::new();
        let mut has_comma = false;
        while self.peek().is_some() && !self.take_sign(end) {
            items.push(self.read_expression());
            has_comma = self.take_sign(',');
            if !has_comma {
                // Nothing else than the end can follow.
                self.skip_to(&[end]);
            }
        }
        (items, has_comma)
    }

    /// A dict, or a set as a list.
    fn read_braces(&mut self) -> Expression {
        self.at += 1;
        let (mut members, mut items) = (Vec::new(), Vec::new());
        while self.peek().is_some() && !self.take_sign('}') {
            let first = self.read_expression();
            match self.take_sign(':') {
                true => members.push((first, self.read_expression())),
                false => items.push(first),
            }
            if !self.take_sign(',') {
                self.skip_to(&['}']);
            }
        }
        match (members.is_empty(), items.is_empty()) {
            (_, true) => Expression::Dict(members),
            (true, false) => Expression::List(items),
            (false, false) => Expression::Other,
        }
    }

    fn read_named(&mut self) -> Expression {
        let Some(name) = self.take_dotted() else { return Expression::Other };
        match self.peek() {
            Some(Token::Sign('(')) => Expression::Call(name, self.read_arguments()),
            Some(Token::Sign('[')) => Expression::Index(name, self.read_list(']').0),
            _ => match name.as_str() {
                "True" => Expression::Bool(true),
                "False" => Expression::Bool(false),
                "None" => Expression::None,
                _ => Expression::Name(name),
            },
        }
    }

    /// The arguments of a call, which is at its bracket.
    pub fn read_arguments(&mut self) -> Vec<(Option<String>, Expression)> {
        self.at += 1;
        let mut arguments = Vec::new();
        while self.peek().is_some() && !self.take_sign(')') {
            let mut ahead = self.clone();
            let keyword = ahead.take_name().filter(|_| ahead.take_sign('='));
            if let Some(name) = keyword {
                self.at = ahead.at;
                arguments.push((Some(name.to_owned()), self.read_expression()));
            } else {
                arguments.push((None, self.read_expression()));
            }
            if !self.take_sign(',') {
                self.skip_to(&[')']);
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::tokens::read_lines, *};

    fn read(text: &str) -> Expression {
        let lines = read_lines(text).unwrap();
        Tokens::new(&lines[0].tokens).read_expression()
    }

    #[test]
    fn values_that_are_written_out_are_known() {
        for (text, value) in [
            ("-1_000", json!(-1000)),
            ("0x1F", json!(31)),
            ("'a' \"b\"", json!("ab")),
            ("[1, (2,), {'a': None, 'b': True}]", json!([1, [2], {"a": null, "b": true}])),
            ("(3)", json!(3)),
            ("{}", json!({})),
            ("{1, 2}", json!([1, 2])),
        ] {
            assert_eq!(read(text).to_value(), Some(value), "{text}");
        }
        for text in
            ["a", "1 + 2", "f(1)", "[x for x in y]", "f'a'", "{'a': f()}", "2j", "lambda: 1"]
        {
            assert_eq!(read(text).to_value(), None, "{text}");
        }
    }

    #[test]
    fn annotations_are_read_with_what_is_in_them() {
        let name = |name: &str| Expression::Name(name.to_owned());
        assert_eq!(
            read("typing.Optional[str] | None"),
            Expression::Or(vec![
                Expression::Index("typing.Optional".into(), vec![name("str")]),
                Expression::None,
            ])
        );
        assert_eq!(
            read("Field(..., ge=1, json=a[0])"),
            Expression::Call(
                "Field".into(),
                vec![
                    (None, Expression::Ellipsis),
                    (Some("ge".into()), Expression::Number(1.into())),
                    (
                        Some("json".into()),
                        Expression::Index("a".into(), vec![Expression::Number(0.into())])
                    ),
                ]
            )
        );
        assert_eq!(read("Field").last_name(), Some("Field"));
        let deep = "[".repeat(500) + &"]".repeat(500);
        assert!(read(&deep).to_value().is_none());
    }
}

//! Templates of URIs as RFC 6570 has them, with texts as values.

use crate::schema::encoding::{percent_encode_part, percent_encode_reserved};

/// How the values of an expression are written, by its first letter.
struct Operator {
    letter: char,
    first: &'static str,
    between: &'static str,
    is_named: bool,
    /// What follows the name of an empty value.
    empty: &'static str,
    /// Letters that have a meaning in URIs stay as they are.
    keeps_reserved: bool,
}

const fn operator(letter: char, first: &'static str, between: &'static str) -> Operator {
    Operator { letter, first, between, is_named: false, empty: "", keeps_reserved: false }
}

const SIMPLE: Operator = operator('\0', "", ",");
const OPERATORS: [Operator; 7] = [
    Operator { keeps_reserved: true, ..operator('+', "", ",") },
    Operator { keeps_reserved: true, ..operator('#', "#", ",") },
    operator('.', ".", "."),
    operator('/', "/", "/"),
    Operator { is_named: true, ..operator(';', ";", ";") },
    Operator { is_named: true, empty: "=", ..operator('?', "?", "&") },
    Operator { is_named: true, empty: "=", ..operator('&', "&", "&") },
];

/// A variable of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// A URI without it is one all the same.
    pub is_optional: bool,
    /// So many letters of the value count.
    longest: Option<usize>,
}

enum TemplatePart<'t> {
    Text(&'t str),
    Expression(&'static Operator, Vec<Variable>),
}

fn pieces(template: &str) -> Vec<TemplatePart<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, behind)) = after.split_once('}') else { break };
        pieces.push(TemplatePart::Text(before));
        let known = OPERATORS.iter().find(|known| inside.starts_with(known.letter));
        let operator = known.unwrap_or(&SIMPLE);
        let names = if known.is_some() { &inside[1..] } else { inside };
        let variables = names.split(',').map(|word| parse_variable(word, operator)).collect();
        pieces.push(TemplatePart::Expression(operator, variables));
        rest = behind;
    }
    pieces.push(TemplatePart::Text(rest));
    pieces
}

fn parse_variable(word: &str, operator: &Operator) -> Variable {
    let word = word.trim().trim_end_matches('*');
    let (name, longest) = match word.split_once(':') {
        Some((name, longest)) => (name, longest.parse().ok()),
        None => (word, None),
    };
    Variable { name: name.to_owned(), is_optional: "?&#;".contains(operator.letter), longest }
}

/// The variables of a template, each once, in its order.
#[must_use]
pub fn variables(template: &str) -> Vec<Variable> {
    let mut all: Vec<Variable> = Vec::new();
    for piece in pieces(template) {
        let TemplatePart::Expression(_, variables) = piece else { continue };
        for variable in variables.into_iter().filter(|variable| !variable.name.is_empty()) {
            if !all.iter().any(|known| known.name == variable.name) {
                all.push(variable);
            }
        }
    }
    all
}

/// The URI with these values; a variable without a value is left out.
#[must_use]
pub fn expand<'v>(template: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut uri = String::new();
    for piece in pieces(template) {
        let (operator, variables) = match piece {
            TemplatePart::Text(text) => {
                uri.push_str(text);
                continue;
            }
            TemplatePart::Expression(operator, variables) => (operator, variables),
        };
        let mut before = operator.first;
        for variable in variables {
            let Some(value) = value(&variable.name) else { continue };
            let longest = variable.longest.unwrap_or(usize::MAX);
            let value: String = value.chars().take(longest).collect();
            uri.push_str(before);
            before = operator.between;
            if operator.is_named {
                uri.push_str(&variable.name);
                uri.push_str(if value.is_empty() { operator.empty } else { "=" });
            }
            uri.push_str(&match operator.keeps_reserved {
                true => percent_encode_reserved(&value),
                false => percent_encode_part(&value),
            });
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of RFC 6570, section 3.2.
    #[test]
    fn templates_are_expanded_as_the_standard_says() {
        let value = |name: &str| match name {
            "var" => Some("value"),
            "hello" => Some("Hello World!"),
            "half" => Some("50%"),
            "path" => Some("/foo/bar"),
            "x" => Some("1024"),
            "y" => Some("768"),
            "empty" => Some(""),
            _ => None,
        };
        for (template, expected) in [
            ("{var}", "value"),
            ("{hello}", "Hello%20World%21"),
            ("{half}", "50%25"),
            ("O{empty}X", "OX"),
            ("O{undef}X", "OX"),
            ("{x,y}", "1024,768"),
            ("{var:3}", "val"),
            ("{+hello}", "Hello%20World!"),
            ("{+path}/here", "/foo/bar/here"),
            ("{+x,hello,y}", "1024,Hello%20World!,768"),
            ("{#path,x}/here", "#/foo/bar,1024/here"),
            ("X{.var}", "X.value"),
            ("X{.x,y}", "X.1024.768"),
            ("{/var}", "/value"),
            ("{/var,x}/here", "/value/1024/here"),
            ("{/path*}", "/%2Ffoo%2Fbar"),
            ("{;x,y}", ";x=1024;y=768"),
            ("{;x,y,empty}", ";x=1024;y=768;empty"),
            ("{?x,y}", "?x=1024&y=768"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="),
            ("{?x,y,undef}", "?x=1024&y=768"),
            ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("a{b", "a{b"),
        ] {
            assert_eq!(expand(template, value), expected, "{template}");
        }
    }

    #[test]
    fn each_variable_is_named_once() {
        let names = |template: &str| -> Vec<(String, bool)> {
            let known = variables(template).into_iter();
            known.map(|variable| (variable.name, variable.is_optional)).collect()
        };
        let expected = [("a".to_owned(), false), ("b".to_owned(), false), ("c".to_owned(), true)];
        assert_eq!(names("x://{a}/{+b}/{a:2}{?c*}"), expected);
        assert_eq!(names("x://a{}"), []);
    }
}

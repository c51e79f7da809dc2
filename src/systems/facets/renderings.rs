//! The same call as another program makes it, to be taken there: nothing of it is sent from here.

use serde_json::{Map, Value};

use crate::{model::tool::Tool, schema::literal::Literal};

/// Knows a program that calls tools in its own way.
pub trait Renderings: Sync {
    /// What it is named by: `unique-platform`.
    fn word(&self) -> &'static str;

    /// The call with what is said beside its arguments; `None` where that program has no such tool.
    fn render_call(
        &self,
        tool: &Tool,
        arguments: &Literal,
        meta: &Map<String, Value>,
    ) -> Option<Rendering>;
}

/// A request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering {
    /// For people: `Call over Unique's Platform API`.
    pub title: &'static str,
    /// Why it is not sent from here, and what is to be filled in.
    pub note: String,
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// JSON on several lines.
    pub body: String,
    /// What is not known here is in headers and body as `$NAME`: these names.
    pub variables: Vec<&'static str>,
}

impl Rendering {
    /// The request line by line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
        format!("{} {}\n{}\n{}\n", self.method, self.url, headers.collect::<String>(), self.body)
    }

    /// The same for a POSIX shell, which fills in its variables.
    #[must_use]
    pub fn to_curl(&self) -> String {
        let header = |(name, value): &(&str, String)| {
            format!(" -H {}", self.quote(&format!("{name}: {value}")))
        };
        let headers: String = self.headers.iter().map(header).collect();
        format!(
            "curl -X {} {}{headers} -d {}",
            self.method,
            self.quote(&self.url),
            self.quote(&self.body)
        )
    }

    /// A word as a shell takes it as it is, but for the variables.
    fn quote(&self, word: &str) -> String {
        let quoted = format!("'{}'", word.replace('\'', r"'\''"));
        self.variables.iter().fold(quoted, |quoted, name| {
            quoted.replace(&format!("${name}"), &format!("'\"${name}\"'"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_fills_in_the_variables_and_nothing_else() {
        let rendering = Rendering {
            title: "",
            note: String::new(),
            method: "POST",
            url: "http://h/call".to_owned(),
            headers: vec![("x-user", "$USER_ID".to_owned())],
            body: r#"{"a": "it's $HOME!", "b": "$CHAT_ID"}"#.to_owned(),
            variables: vec!["USER_ID", "CHAT_ID"],
        };
        assert_eq!(
            rendering.to_curl(),
            r#"curl -X POST 'http://h/call' -H 'x-user: '"$USER_ID"'' -d '{"a": "it'\''s $HOME!", "b": "'"$CHAT_ID"'"}'"#
        );
        assert_eq!(
            rendering.to_text(),
            "POST http://h/call\nx-user: $USER_ID\n\n{\"a\": \"it's $HOME!\", \"b\": \"$CHAT_ID\"}\n"
        );
    }
}

//! A call to be taken elsewhere: as a command, as the request, as the answer.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use crate::{
    model::{
        call::Request,
        connection::{Connection, TransportKind},
    },
    schema::literal::Literal,
};

/// Something that can be copied: its name, and its text.
pub(super) struct Copied {
    pub what: &'static str,
    pub text: String,
}

/// What a request can be copied as.
pub(super) fn of_request(request: &Request, arguments: &Literal, subject: Option<&str>, connection: &Connection) -> Vec<Copied> {
    let mut copies = vec![Copied { what: "toolcrib command", text: toolcrib(request, arguments, connection) }];
    if let (TransportKind::Nats, Some(subject)) = (connection.transport, subject) {
        copies.push(Copied { what: "nats command", text: nats(request, subject, connection) });
    }
    copies.push(Copied { what: "request body", text: request.body.to_string() });
    copies
}

fn toolcrib(request: &Request, arguments: &Literal, connection: &Connection) -> String {
    let json = arguments.json();
    let written: HashMap<String, &RawValue> = serde_json::from_str(&json).unwrap_or_default();
    let mut words = vec!["toolcrib call".to_owned(), quote(&request.name)];
    words.extend(arguments.value().as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::String(text) => quote(&format!("{name}={text}")),
        other => {
            let json = written.get(name).map_or_else(|| other.to_string(), |written| written.get().to_owned());
            quote(&format!("{name}:={json}"))
        }
    }));
    words.push(format!("--connection {}", quote(&connection.name)));
    words.join(" ")
}

fn nats(request: &Request, subject: &str, connection: &Connection) -> String {
    let server = connection.servers.join(",");
    let headers: String =
        request.headers.iter().map(|(name, value)| format!(" -H {}", quote(&format!("{name}:{value}")))).collect();
    format!("nats --server {} req{headers} {} {}", quote(&server), quote(subject), quote(&request.body))
}

/// A word as a POSIX shell takes it.
fn quote(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=:./,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::{EntryForm, EntryId, EntryPlace, FileId},
        schema::pointer::Pointer,
    };

    #[test]
    fn commands_survive_a_shell() {
        let place = EntryPlace { file: FileId::new("t.json"), document: 0, at: Pointer::root(), form: EntryForm::Plain };
        let request = Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: "tell-joke".into(),
            to: "request:tg:joke".into(),
            reply: None,
            headers: vec![("id".into(), "7f1c".into())],
            correlation: "7f1c".into(),
            arguments: "{}".into(),
            body: r#"{"user":"o'hara"}"#.into(),
        };
        let arguments = Literal::parse(r#"{"topic": "it's late", "count": 3.00}"#).unwrap();
        let connection = Connection::nats("local", "nats://127.0.0.1:4222");
        let texts: Vec<String> = of_request(&request, &arguments, Some("tg.request.joke"), &connection)
            .into_iter()
            .map(|copied| copied.text)
            .collect();
        assert_eq!(texts[0], r"toolcrib call tell-joke 'topic=it'\''s late' count:=3.00 --connection local");
        let expected = r#"nats --server nats://127.0.0.1:4222 req -H id:7f1c tg.request.joke '{"user":"o'\''hara"}'"#;
        assert_eq!(texts[1], expected);
        assert_eq!(texts[2], r#"{"user":"o'hara"}"#);
    }
}

//! What a server asks its client: to fill in a form, to open a URL, to ask a model, to name
//! folders. And the answers.

use serde_json::{Map, Value, json};

use super::{fault::Fault, rpc::build::Client};
use crate::schema::pointer::Pointer;

/// A request of a server, its own or one within a result that requires input.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerRequest {
    pub method: String,
    pub params: Value,
    pub kind: Kind,
    /// What is wrong with it; places are within its parameters.
    pub faults: Vec<Fault>,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Values for a form.
    Form {
        message: String,
        schema: Value,
    },
    /// A URL is to be opened.
    Url {
        message: String,
        url: String,
        id: Option<String>,
    },
    /// A model's answer.
    Sampling,
    /// The folders that the server may work in.
    Roots,
    Ping,
    /// Not known, or not what its method promises.
    Other,
}

/// Words in the names of members that a form must not ask for.
const SECRETS: [&str; 6] = ["password", "passwd", "secret", "token", "apikey", "creditcard"];

impl ServerRequest {
    /// Reads a request for a client.
    #[must_use]
    pub fn from_request(method: &str, params: Value, client: &Client) -> Self {
        let mut faults = Vec::new();
        let kind = match method {
            "elicitation/create" => parse_elicitation(&params, client, &mut faults),
            "sampling/createMessage" => parse_sampling(&params, client, &mut faults),
            "roots/list" => {
                require_declared(client, &["roots"], &mut faults);
                Kind::Roots
            }
            "ping" => Kind::Ping,
            _ => Kind::Other,
        };
        Self { method: method.to_owned(), params, kind, faults }
    }

    /// Each request of a result that requires input, by its key.
    #[must_use]
    pub fn of_result(result: &Value, client: &Client) -> Vec<(String, Self)> {
        let requests = result.get("inputRequests").and_then(Value::as_object).into_iter().flatten();
        let read = |(key, request): (&String, &Value)| {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            (
                key.clone(),
                Self::from_request(
                    method,
                    request.get("params").cloned().unwrap_or_default(),
                    client,
                ),
            )
        };
        requests.map(read).collect()
    }
}

fn member_pointer(member: &str) -> Pointer {
    Pointer::root().child(member)
}

fn require_declared(client: &Client, path: &[&str], faults: &mut Vec<Fault>) {
    if !client.declares(path) {
        let words = format!("the client has not declared {}", path.join("."));
        faults.push(Fault::new("asked.undeclared", Pointer::root(), words));
    }
}

fn parse_elicitation(params: &Value, client: &Client, faults: &mut Vec<Fault>) -> Kind {
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let message = text("message").unwrap_or_else(|| {
        faults.push(Fault::new(
            "elicit.no-message",
            member_pointer("message"),
            "says nothing to the user",
        ));
        String::new()
    });
    match text("mode").as_deref() {
        Some("url") => {
            require_declared(client, &["elicitation", "url"], faults);
            let Some(url) = text("url") else { return Kind::Other };
            look_at_url(&url, faults);
            Kind::Url { message, url, id: text("elicitationId") }
        }
        None | Some("form") => {
            // Without modes, forms are meant.
            let path: &[&str] = if client.declares(&["elicitation", "url"]) {
                &["elicitation", "form"]
            } else {
                &["elicitation"]
            };
            require_declared(client, path, faults);
            let Some(schema) =
                params.get("requestedSchema").filter(|schema| schema.is_object()).cloned()
            else {
                return Kind::Other;
            };
            look_at_form(&schema, faults);
            Kind::Form { message, schema }
        }
        Some(_) => Kind::Other,
    }
}

fn look_at_form(schema: &Value, faults: &mut Vec<Fault>) {
    let below = member_pointer("requestedSchema").child("properties");
    for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let kind = member.get("type").and_then(Value::as_str);
        let is_flat = match kind {
            Some("string" | "number" | "integer" | "boolean") => true,
            Some("array") => member.get("items").is_some_and(|items| {
                ["enum", "anyOf", "oneOf"].iter().any(|key| items.get(key).is_some())
            }),
            _ => member.get("enum").is_some() || member.get("oneOf").is_some(),
        };
        if !is_flat {
            let words =
                "is neither a single value nor a choice, which is all that a form may ask for";
            faults.push(Fault::new("elicit.nested", below.child(name.as_str()), words));
        }
        let plain: String =
            name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        if SECRETS.iter().any(|secret| plain.contains(secret))
            || member.get("format").and_then(Value::as_str) == Some("password")
        {
            let words = "asks for a secret, which a form must not";
            faults.push(Fault::new("elicit.secret", below.child(name.as_str()), words));
        }
    }
}

fn look_at_url(url: &str, faults: &mut Vec<Fault>) {
    let mut tell =
        |id, words: &'static str| faults.push(Fault::new(id, member_pointer("url"), words));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = authority_of(url);
    let host = url_host(url);
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") && is_local) {
        tell("elicit.url-scheme", "is not an https: address");
    }
    if !host.is_ascii()
        || host.split('.').any(|label| label.to_ascii_lowercase().starts_with("xn--"))
    {
        tell("elicit.punycode", "its host has letters beyond ASCII, which can look like others");
    }
    if authority.contains('@') {
        tell("elicit.url-user", "has a name before its host, which can look like the host");
    }
    let query = rest.split_once('?').map_or("", |(_, query)| query).to_lowercase();
    if ["token=", "api_key=", "apikey=", "secret=", "password="]
        .iter()
        .any(|secret| query.contains(secret))
    {
        tell("elicit.url-secret", "carries a secret");
    }
}

fn authority_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#', '\\']).next().unwrap_or_default()
}

/// The host that a URL leads to, whatever it wants to look like.
#[must_use]
pub fn url_host(url: &str) -> &str {
    let host = authority_of(url).rsplit('@').next().unwrap_or_default();
    match host.find(']') {
        Some(end) if host.starts_with('[') => &host[..=end],
        _ => host.split(':').next().unwrap_or_default(),
    }
}

fn parse_sampling(params: &Value, client: &Client, faults: &mut Vec<Fault>) -> Kind {
    require_declared(client, &["sampling"], faults);
    if params.get("tools").is_some() || params.get("toolChoice").is_some() {
        require_declared(client, &["sampling", "tools"], faults);
    }
    let Some(messages) = params.get("messages").and_then(Value::as_array) else {
        return Kind::Other;
    };
    if !params.get("maxTokens").is_some_and(Value::is_number) {
        faults.push(Fault::new(
            "sampling.no-limit",
            member_pointer("maxTokens"),
            "says not how many tokens at most",
        ));
    }
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let place = member_pointer("messages").item(index);
        let blocks = blocks(message);
        let of = |kind: &str, id: &str| -> Vec<&str> {
            let of_kind = blocks
                .iter()
                .filter(|block| block.get("type").and_then(Value::as_str) == Some(kind));
            of_kind.map(|block| block.get(id).and_then(Value::as_str).unwrap_or_default()).collect()
        };
        let results = of("tool_result", "toolUseId");
        if !results.is_empty() && results.len() < blocks.len() {
            faults.push(Fault::new(
                "sampling.mixed",
                place.clone(),
                "a message with results of tools holds nothing else",
            ));
        }
        if open.iter().any(|id| !results.contains(id))
            || results.iter().any(|id| !open.contains(id))
        {
            faults.push(Fault::new(
                "sampling.unbalanced",
                place,
                "does not answer each use of a tool before it",
            ));
        }
        open = of("tool_use", "id");
    }
    if !open.is_empty() {
        faults.push(Fault::new(
            "sampling.unbalanced",
            member_pointer("messages"),
            "ends with uses of tools that nobody answers",
        ));
    }
    Kind::Sampling
}

/// The blocks of a message, which may be one without a list.
fn blocks(message: &Value) -> Vec<&Value> {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().collect(),
        Some(block) => vec![block],
        None => Vec::new(),
    }
}

/// What a form holds before anybody fills it in.
#[must_use]
pub fn form_defaults(schema: &Value) -> Map<String, Value> {
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    members
        .filter_map(|(name, member)| Some((name.clone(), member.get("default")?.clone())))
        .collect()
}

/// The answer to a form or a URL.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// With the form's values; a URL has none.
    Accept(Option<Map<String, Value>>),
    Decline,
    Cancel,
}

impl Decision {
    #[must_use]
    pub fn into_result(self) -> Value {
        match self {
            Self::Accept(Some(content)) => json!({"action": "accept", "content": content}),
            Self::Accept(None) => json!({"action": "accept"}),
            Self::Decline => json!({"action": "decline"}),
            Self::Cancel => json!({"action": "cancel"}),
        }
    }
}

/// The answer of a model, as a text.
#[must_use]
pub fn sampling_result(text: &str, model: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": model, "stopReason": "endTurn"})
}

/// The folders that a server is informed, each with its `file:` address and a name.
#[must_use]
pub fn roots_result(folders: &[(String, Option<String>)]) -> Value {
    let root = |(uri, name): &(String, Option<String>)| match name {
        Some(name) => json!({"uri": uri, "name": name}),
        None => json!({"uri": uri}),
    };
    json!({"roots": folders.iter().map(root).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::fault::fault_ids, *};

    fn client(capabilities: Value) -> Client {
        Client { capabilities, ..Client::new("t", "1") }
    }

    fn all() -> Client {
        client(
            json!({"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}}),
        )
    }

    fn faults(method: &str, params: Value) -> Vec<&'static str> {
        fault_ids(&ServerRequest::from_request(method, params, &all()).faults)
    }

    fn form(members: &Value) -> Vec<&'static str> {
        faults(
            "elicitation/create",
            json!({"message": "m", "requestedSchema": {"type": "object", "properties": members}}),
        )
    }

    #[test]
    fn forms_are_flat_and_ask_for_no_secrets() {
        let fine = json!({"a": {"type": "string", "format": "email"}, "b": {"enum": ["x"]}, "c": {"oneOf": [{"const": 1}]},
            "d": {"type": "array", "items": {"type": "string", "enum": ["x"]}}});
        assert_eq!(form(&fine), Vec::<&str>::new());
        for nested in [
            json!({"type": "object"}),
            json!({"type": "array", "items": {"type": "object"}}),
            json!({}),
        ] {
            assert_eq!(form(&json!({"a": nested})), ["elicit.nested"]);
        }
        for name in ["password", "API-Key", "userToken"] {
            assert_eq!(form(&json!({name: {"type": "string"}})), ["elicit.secret"]);
        }
    }

    #[test]
    fn urls_are_looked_at() {
        let url = |url: &str| {
            faults("elicitation/create", json!({"mode": "url", "message": "m", "url": url}))
        };
        for fine in ["https://e.x/a?b=c", "HTTPS://e.x", "http://localhost:80/", "http://[::1]:9"] {
            assert_eq!(url(fine), Vec::<&str>::new(), "{fine}");
        }
        for (odd, fault) in [
            ("http://e.x", "elicit.url-scheme"),
            ("javascript:alert(1)", "elicit.url-scheme"),
            ("http://localhost.evil.x", "elicit.url-scheme"),
            ("https://xn--pple-43d.com", "elicit.punycode"),
            ("https://аpple.com", "elicit.punycode"),
            ("https://bank.com@evil.x", "elicit.url-user"),
            ("https://e.x/?Token=abc", "elicit.url-secret"),
        ] {
            assert_eq!(url(odd), [fault], "{odd}");
        }
    }

    #[test]
    fn what_was_not_declared_is_told() {
        let none = client(json!({}));
        for (method, params) in [
            ("elicitation/create", json!({"message": "m", "requestedSchema": {}})),
            ("elicitation/create", json!({"mode": "url", "message": "m", "url": "https://e.x"})),
            ("sampling/createMessage", json!({"messages": [], "maxTokens": 1})),
            ("roots/list", json!(null)),
        ] {
            assert_eq!(
                fault_ids(&ServerRequest::from_request(method, params, &none).faults),
                ["asked.undeclared"],
                "{method}"
            );
        }
        let forms = client(json!({"elicitation": {}}));
        let asked = ServerRequest::from_request(
            "elicitation/create",
            json!({"message": "m", "requestedSchema": {}}),
            &forms,
        );
        assert_eq!(asked.faults, [], "an empty capability means forms");
        let plain = client(json!({"sampling": {}}));
        let asked = ServerRequest::from_request(
            "sampling/createMessage",
            json!({"messages": [], "maxTokens": 1, "tools": []}),
            &plain,
        );
        assert_eq!(fault_ids(&asked.faults), ["asked.undeclared"]);
    }

    #[test]
    fn uses_of_tools_are_answered() {
        let messages = |messages: Value| {
            faults("sampling/createMessage", json!({"messages": messages, "maxTokens": 9}))
        };
        let used =
            |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id}]});
        let result =
            |id: &str| json!({"role": "user", "content": {"type": "tool_result", "toolUseId": id}});
        assert_eq!(messages(json!([used("a"), result("a")])), Vec::<&str>::new());
        for unbalanced in [
            json!([used("a")]),
            json!([used("a"), result("b")]),
            json!([result("a")]),
            json!([used("a"), used("a")]),
        ] {
            assert_eq!(messages(unbalanced), ["sampling.unbalanced"]);
        }
        let mixed = json!({"content": [{"type": "tool_result", "toolUseId": "a"}, {"type": "text", "text": "x"}]});
        assert_eq!(messages(json!([used("a"), mixed])), ["sampling.mixed"]);
        assert_eq!(
            faults("sampling/createMessage", json!({"messages": []})),
            ["sampling.no-limit"]
        );
    }

    #[test]
    fn answers_are_what_the_protocol_wants() {
        let schema = json!({"properties": {"a": {"default": 1}, "b": {}, "c": {"default": null}}});
        let content = form_defaults(&schema);
        assert_eq!(
            Decision::Accept(Some(content)).into_result(),
            json!({"action": "accept", "content": {"a": 1, "c": null}})
        );
        assert_eq!(Decision::Accept(None).into_result(), json!({"action": "accept"}));
        assert_eq!(
            [Decision::Decline.into_result(), Decision::Cancel.into_result()],
            [json!({"action": "decline"}), json!({"action": "cancel"})]
        );
        assert_eq!(
            roots_result(&[("file:///a".into(), None)]),
            json!({"roots": [{"uri": "file:///a"}]})
        );
        assert_eq!(sampling_result("x", "m")["content"], json!({"type": "text", "text": "x"}));
    }

    #[test]
    fn a_result_may_ask_for_several() {
        let result = json!({"inputRequests": {"b": {"method": "roots/list"}, "a": {"method": "x", "params": {"y": 1}}, "c": 5}});
        let asked = ServerRequest::of_result(&result, &all());
        let told: Vec<_> =
            asked.iter().map(|(key, asked)| (key.as_str(), asked.method.as_str())).collect();
        assert_eq!(told, [("b", "roots/list"), ("a", "x"), ("c", "")]);
    }

    proptest! {
        #[test]
        fn anything_can_be_asked(params in super::super::tool_findings::tests::any_json(), url in ".*") {
            for method in ["elicitation/create", "sampling/createMessage", "roots/list", "x"] {
                prop_assert_eq!(ServerRequest::from_request(method, params.clone(), &all()).params, params.clone());
            }
            let asked = ServerRequest::from_request("elicitation/create", json!({"mode": "url", "url": url, "message": ""}), &all());
            let is_url = matches!(asked.kind, Kind::Url { .. });
            prop_assert!(is_url);
        }
    }
}

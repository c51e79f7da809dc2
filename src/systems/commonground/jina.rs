//! `options.jina` as the HTTP request that `openapi_service` makes of it.

use std::fmt::Write;

use serde_json::{Map, Value};

const SEARCH_HOST: &str = "s.jina.ai";
const READER_HOST: &str = "r.jina.ai";
const AUTH_VARIABLE: &str = "JINA_API_KEY";

/// The request.
#[derive(Clone, Debug, PartialEq)]
pub struct JinaRequest {
    pub method: String,
    /// Without the query.
    pub url: String,
    pub query: Map<String, Value>,
    pub json: Option<Value>,
    pub headers: Vec<(String, String)>,
    pub timeout_s: Option<f64>,
}

/// Why the service makes none: its failed result's message, under the code `bad_request`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JinaFault(pub String);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Search,
    Reader,
}

impl Mode {
    fn host(self) -> &'static str {
        match self {
            Self::Search => SEARCH_HOST,
            Self::Reader => READER_HOST,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Reader => "reader",
        }
    }
}

/// The options under `jina`, or under the legacy `openapi`; `None` for other tools.
#[must_use]
pub fn options(options: &Value) -> Option<&Map<String, Value>> {
    ["jina", "openapi"].into_iter().find_map(|name| options[name].as_object())
}

/// The request that a tool's options and a call's arguments become. `variable` gives the value of an environment variable, or what is to
/// stand for it; defaults and fixed arguments are the dispatcher's and are not applied here.
///
/// # Errors
/// When the service would answer `bad_request` instead.
pub fn request(
    tool_options: &Value,
    arguments: &Map<String, Value>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<JinaRequest, JinaFault> {
    let none = Map::new();
    let jina = options(tool_options).unwrap_or(&none);
    let text = |name: &str| jina.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let base = text("base_url");
    let mode = mode(text("mode"), base)?;
    let base = base.map_or_else(|| format!("https://{}", mode.host()), |base| base.trim_end_matches('/').to_owned());
    allowed(&base, mode)?;

    let mut arguments = arguments.clone();
    if let Some(defaults) = jina.get("defaults").and_then(Value::as_object) {
        for (name, value) in defaults {
            arguments.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    for (name, from) in tool_options["envs"].as_object().into_iter().flatten() {
        if let Some(value) = from.as_str().and_then(set) {
            arguments.insert(name.clone(), value.into());
        }
    }
    let path = match mode {
        Mode::Search => {
            searched(&mut arguments)?;
            text("path").unwrap_or("/search").to_owned()
        }
        Mode::Reader => text("endpoint_template").unwrap_or("/{url}").replace("{url}", &read(&mut arguments)?),
    };
    let method = text("method").unwrap_or("GET").to_ascii_uppercase();
    let (query, json) = if method == "GET" { (arguments, None) } else { (Map::new(), Some(Value::Object(arguments))) };
    let slash = if path.starts_with('/') { "" } else { "/" };
    Ok(JinaRequest {
        method,
        url: format!("{base}{slash}{path}"),
        query,
        json,
        headers: headers(jina, set(text("auth_env").unwrap_or(AUTH_VARIABLE))),
        timeout_s: ["timeout_s", "timeout"].into_iter().find_map(|name| jina.get(name)?.as_f64()),
    })
}

/// The same for the screen: no variable is read, its name stands for its value.
///
/// # Errors
/// As for [`request`].
pub fn shown(tool_options: &Value, arguments: &Map<String, Value>) -> Result<JinaRequest, JinaFault> {
    request(tool_options, arguments, &|name| Some(format!("${name}")))
}

fn mode(named: Option<&str>, base: Option<&str>) -> Result<Mode, JinaFault> {
    match named.map(str::to_ascii_lowercase).as_deref() {
        Some("search") => return Ok(Mode::Search),
        Some("reader" | "read" | "crawl") => return Ok(Mode::Reader),
        _ => {}
    }
    match base.map(host) {
        Some(SEARCH_HOST) => Ok(Mode::Search),
        Some(READER_HOST) => Ok(Mode::Reader),
        Some(other) => Err(foreign(other)),
        None => Err(JinaFault("unable to resolve jina mode; set options.jina.mode to 'search' or 'reader'".into())),
    }
}

fn allowed(base: &str, mode: Mode) -> Result<(), JinaFault> {
    match host(base) {
        own if own == mode.host() => Ok(()),
        SEARCH_HOST | READER_HOST => {
            Err(JinaFault(format!("jina {} mode requires base_url host '{}'", mode.word(), mode.host())))
        }
        other => Err(foreign(other)),
    }
}

fn foreign(host: &str) -> JinaFault {
    let only = format!("only {SEARCH_HOST}/{READER_HOST} are allowed");
    JinaFault(format!("unsupported base_url host '{host}' for openapi_service; {only}"))
}

/// The host alone: scheme, login and port are not looked at by the service.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.split_once(':').map_or(host, |(host, _)| host)
}

fn searched(arguments: &mut Map<String, Value>) -> Result<(), JinaFault> {
    let query = arguments.shift_remove("query");
    let given = |value: &Value| !value.is_null() && value.as_str() != Some("");
    match (arguments.get("q").is_some_and(given), query.filter(given)) {
        (true, _) => Ok(()),
        (false, Some(query)) => {
            arguments.insert("q".into(), query);
            Ok(())
        }
        (false, None) => Err(JinaFault("jina search requires args.query (or args.q)".into())),
    }
}

fn read(arguments: &mut Map<String, Value>) -> Result<String, JinaFault> {
    let [url, target] = ["url", "target_url"].map(|name| arguments.shift_remove(name));
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).filter(|text| !text.is_empty()).map(encoded);
    text(url).or_else(|| text(target)).ok_or_else(|| JinaFault("jina reader requires args.url (or args.target_url)".into()))
}

fn headers(jina: &Map<String, Value>, key: Option<String>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in jina.get("headers").and_then(Value::as_object).into_iter().flatten() {
        headers.push((name.clone(), plain(value)));
    }
    if let Some(key) = key {
        headers.push(("Authorization".into(), format!("Bearer {key}")));
    }
    let accept = jina.get("accept").and_then(Value::as_str).unwrap_or("text/plain");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
        headers.push(("Accept".into(), accept.into()));
    }
    headers
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => out.push(byte.into()),
            byte => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

impl JinaRequest {
    /// The request as lines: method and address with its query, headers, body.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let pair = |(name, value): (&String, &Value)| {
            // A variable's name stands as it is; it is no text that will be sent.
            let text = plain(value);
            let value = if text.starts_with('$') { text } else { encoded(&text) };
            format!("{}={value}", encoded(name))
        };
        let query: Vec<String> = self.query.iter().map(pair).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        let mut lines = vec![format!("{} {}{mark}{}", self.method, self.url, query.join("&"))];
        lines.extend(self.headers.iter().map(|(name, value)| format!("{name}: {value}")));
        if let Some(json) = &self.json {
            lines.push(String::new());
            lines.extend(format!("{json:#}").lines().map(str::to_owned));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn on_the_screen_variables_stand_by_name_alone() {
        let options = json!({"jina": {"mode": "search", "method": "post"}, "envs": {"api_key": "MINE"}});
        let lines = shown(&options, &map(&json!({"query": "a b"}))).unwrap().lines();
        assert_eq!(lines[..3], ["POST https://s.jina.ai/search", "Authorization: Bearer $JINA_API_KEY", "Accept: text/plain"]);
        assert!(lines.join("").contains("\"api_key\": \"$MINE\""), "{lines:?}");
        let options = json!({"jina": {"mode": "search"}, "envs": {"api_key": "MINE"}});
        let first = shown(&options, &map(&json!({"query": "a&b"}))).unwrap().lines().remove(0);
        assert_eq!(first, "GET https://s.jina.ai/search?api_key=$MINE&q=a%26b");
    }

    #[test]
    fn no_other_host_gets_past() {
        for base in ["https://s.jina.ai.evil.org", "https://s.jina.ai@evil.org/", "http://evil.org?s.jina.ai", "evil.org"] {
            let options = json!({"jina": {"mode": "search", "base_url": base}});
            let fault = shown(&options, &map(&json!({"q": "x"}))).unwrap_err();
            assert!(fault.0.starts_with("unsupported base_url host"), "{base}: {}", fault.0);
        }
    }
}

//! `options.jina` as the HTTP request that `openapi_service` makes of it.

use serde_json::{Map, Value};

use crate::{
    schema::{encoding::percent_encode_part, phrase::value_text},
    syntax::python::text as python,
};

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

    fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Reader => "reader",
        }
    }
}

/// The options under `jina`, or under the legacy `openapi`; `None` for other tools.
#[must_use]
pub(crate) fn options(options: &Value) -> Option<&Map<String, Value>> {
    ["jina", "openapi"].into_iter().find_map(|name| options[name].as_object())
}

/// What a service reads beside the tool's options and the call's arguments.
pub struct Environment<'e> {
    /// Arguments with the variables that stand for them, from the service's own configuration: they
    /// count before the tool's `envs`.
    pub envs: &'e Map<String, Value>,
    /// The value of a variable, or what is to stand for it.
    pub variable: &'e dyn Fn(&str) -> Option<String>,
}

impl Environment<'_> {
    fn read_variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

/// Both groups of options that the service reads.
struct Config<'o> {
    jina: Map<String, Value>,
    openapi: Map<String, Value>,
    all: &'o Value,
}

impl<'o> Config<'o> {
    fn new(all: &'o Value) -> Self {
        let group = |name: &str| all[name].as_object().cloned().unwrap_or_default();
        Self { jina: group("jina"), openapi: group("openapi"), all }
    }

    /// The first of both that says something, as text.
    fn text(&self, name: &str) -> Option<String> {
        [&self.jina, &self.openapi].into_iter().find_map(|group| truthy_text(group, name))
    }
}

fn truthy_text(group: &Map<String, Value>, name: &str) -> Option<String> {
    group.get(name).filter(|value| python::is_true(value)).map(python::str)
}

/// The request that a tool's options and a call's arguments become. Defaults and fixed arguments
/// are the dispatcher's and are not applied here.
///
/// # Errors
/// When the service would answer `bad_request` instead.
pub fn build_request(
    tool_options: &Value,
    arguments: &Map<String, Value>,
    environment: &Environment<'_>,
) -> Result<JinaRequest, JinaFault> {
    let config = Config::new(tool_options);
    let mode = mode(&config)?;
    let method = config.text("method").unwrap_or_else(|| "GET".into()).to_uppercase();
    let base = resolve_base_url(&config, mode)?;
    let mut arguments = arguments_of(&config, arguments, environment);
    let path = match mode {
        Mode::Search => {
            normalize_query(&mut arguments)?;
            let path = config.text("path").unwrap_or_default();
            Some(python::strip(&path))
                .filter(|path| !path.is_empty())
                .unwrap_or("/search")
                .to_owned()
        }
        Mode::Reader => {
            let template =
                truthy_text(&config.jina, "endpoint_template").unwrap_or_else(|| "/{url}".into());
            template.replace("{url}", &take_page_url(&mut arguments)?)
        }
    };
    let (query, json) = if method == "GET" {
        (arguments, None)
    } else {
        (Map::new(), Some(Value::Object(arguments)))
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let (headers, timeout_s) = (headers(&config, environment), timeout(&config));
    Ok(JinaRequest { method, url: format!("{base}{slash}{path}"), query, json, headers, timeout_s })
}

/// The same for the screen: no variable is read, its name represents its value.
///
/// # Errors
/// As for [`build_request`].
pub(crate) fn preview_request(
    tool_options: &Value,
    arguments: &Map<String, Value>,
) -> Result<JinaRequest, JinaFault> {
    let variable = |name: &str| Some(format!("${name}"));
    build_request(tool_options, arguments, &Environment { envs: &Map::new(), variable: &variable })
}

fn arguments_of(
    config: &Config<'_>,
    given: &Map<String, Value>,
    environment: &Environment<'_>,
) -> Map<String, Value> {
    let mut arguments =
        config.jina.get("defaults").and_then(Value::as_object).cloned().unwrap_or_default();
    arguments.extend(given.clone());
    let mut envs = config.all["envs"].as_object().cloned().unwrap_or_default();
    envs.extend(environment.envs.clone());
    for (name, variable) in envs {
        let named = variable.as_str().filter(|variable| !python::strip(variable).is_empty());
        if let Some(value) = named.and_then(|variable| environment.read_variable(variable)) {
            arguments.insert(name, value.into());
        }
    }
    arguments
}

fn mode(config: &Config<'_>) -> Result<Mode, JinaFault> {
    let named = truthy_text(&config.jina, "mode").unwrap_or_default().to_lowercase();
    match python::strip(&named) {
        "search" => return Ok(Mode::Search),
        "reader" | "read" | "crawl" => return Ok(Mode::Reader),
        _ => {}
    }
    for group in [&config.jina, &config.openapi] {
        let base = group.get("base_url").and_then(Value::as_str).unwrap_or_default();
        match url_host(python::strip(base)).as_str() {
            SEARCH_HOST => return Ok(Mode::Search),
            READER_HOST => return Ok(Mode::Reader),
            _ => {}
        }
    }
    let path = truthy_text(&config.openapi, "path").unwrap_or_default().to_lowercase();
    if python::strip(&path) == "/search" {
        return Ok(Mode::Search);
    }
    Err(JinaFault(
        "unable to resolve jina mode; set options.jina.mode to 'search' or 'reader'".into(),
    ))
}

fn resolve_base_url(config: &Config<'_>, mode: Mode) -> Result<String, JinaFault> {
    let base = config.text("base_url").unwrap_or_else(|| format!("https://{}", mode.host()));
    let base = python::strip(&base);
    match url_host(base).as_str() {
        own if own == mode.host() => Ok(base.trim_end_matches('/').to_owned()),
        SEARCH_HOST | READER_HOST => Err(JinaFault(format!(
            "jina {} mode requires base_url host '{}'",
            mode.as_str(),
            mode.host()
        ))),
        other => {
            let only = format!("only {SEARCH_HOST}/{READER_HOST} are allowed");
            Err(JinaFault(format!(
                "unsupported base_url host '{other}' for openapi_service; {only}"
            )))
        }
    }
}

/// The host of an address in small letters, as Python reads it: the scheme, login and port are not
/// looked at, and without `//` there is none.
#[must_use]
pub(crate) fn url_host(url: &str) -> String {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let url: String = url
        .trim_start_matches(|c| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    let rest = url
        .split_once(':')
        .filter(|(scheme, _)| is_scheme(scheme))
        .map_or(url.as_str(), |(_, rest)| rest);
    let Some(rest) = rest.strip_prefix("//") else { return String::new() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.split_once('[') {
        Some((_, address)) => address.split(']').next(),
        None => host.split(':').next(),
    };
    host.unwrap_or_default().to_lowercase()
}

fn normalize_query(arguments: &mut Map<String, Value>) -> Result<(), JinaFault> {
    let query = arguments.shift_remove("query");
    let query = arguments
        .get("q")
        .filter(|query| python::is_true(query))
        .cloned()
        .or(query)
        .unwrap_or_default();
    let text = python::str(&query);
    if query.is_null() || python::strip(&text).is_empty() {
        return Err(JinaFault("jina search requires args.query (or args.q)".into()));
    }
    arguments.insert("q".into(), text.into());
    Ok(())
}

/// The page that is read, encoded. `target_url` stays among the arguments where `url` says
/// something.
fn take_page_url(arguments: &mut Map<String, Value>) -> Result<String, JinaFault> {
    let url = arguments
        .shift_remove("url")
        .filter(python::is_true)
        .or_else(|| arguments.shift_remove("target_url"));
    let text = url.as_ref().filter(|url| !url.is_null()).map(python::str).unwrap_or_default();
    match python::strip(&text) {
        "" => Err(JinaFault("jina reader requires args.url (or args.target_url)".into())),
        text => Ok(percent_encode_part(text)),
    }
}

fn headers(config: &Config<'_>, environment: &Environment<'_>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, value: String| match headers.iter_mut().find(|(own, _)| own == name)
    {
        Some((_, own)) => *own = value,
        None => headers.push((name.to_owned(), value)),
    };
    for group in [&config.openapi, &config.jina] {
        let given = group.get("headers").and_then(Value::as_object).into_iter().flatten();
        for (name, value) in given.filter(|(name, _)| !python::strip(name).is_empty()) {
            put(name, python::str(value));
        }
    }
    let legacy = || {
        config
            .openapi
            .get("auth")
            .and_then(Value::as_object)
            .and_then(|auth| truthy_text(auth, "env"))
    };
    let variable = truthy_text(&config.jina, "auth_env")
        .or_else(legacy)
        .unwrap_or_else(|| AUTH_VARIABLE.into());
    if let Some(key) = Some(python::strip(&variable))
        .filter(|name| !name.is_empty())
        .and_then(|name| environment.read_variable(name))
    {
        put("Authorization", format!("Bearer {key}"));
    }
    // Header names are compared letter by letter, so that another spelling of it is sent too.
    if !headers.iter().any(|(name, _)| name == "Accept") {
        headers.push((
            "Accept".into(),
            truthy_text(&config.jina, "accept").unwrap_or_else(|| "text/plain".into()),
        ));
    }
    headers
}

/// The first time-out that is a number above 0.
fn timeout(config: &Config<'_>) -> Option<f64> {
    let seconds = |value: &Value| match value {
        Value::Bool(is) => Some(f64::from(u8::from(*is))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => python::parse_float(text),
        _ => None,
    };
    let groups = [Some(&config.jina), Some(&config.openapi), config.all.as_object()];
    let given = groups
        .into_iter()
        .flatten()
        .flat_map(|group| ["timeout_s", "timeout"].map(|name| group.get(name)));
    given.flatten().filter_map(seconds).find(|seconds| *seconds > 0.0)
}

impl JinaRequest {
    /// The request as lines: method and address with its query, headers, body.
    #[must_use]
    pub fn to_lines(&self) -> Vec<String> {
        let pair = |(name, value): (&String, &Value)| {
            // A variable's name is as it is; it is no text that will be sent.
            let text = value_text(value);
            let value = if text.starts_with('$') { text } else { percent_encode_part(&text) };
            format!("{}={value}", percent_encode_part(name))
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
        let options =
            json!({"jina": {"mode": "search", "method": "post"}, "envs": {"api_key": "MINE"}});
        let lines = preview_request(&options, &map(&json!({"query": "a b"}))).unwrap().to_lines();
        assert_eq!(
            lines[..3],
            [
                "POST https://s.jina.ai/search",
                "Authorization: Bearer $JINA_API_KEY",
                "Accept: text/plain"
            ]
        );
        assert!(lines.join("").contains("\"api_key\": \"$MINE\""), "{lines:?}");
        let options = json!({"jina": {"mode": "search"}, "envs": {"api_key": "MINE"}});
        let first =
            preview_request(&options, &map(&json!({"query": "a&b"}))).unwrap().to_lines().remove(0);
        assert_eq!(first, "GET https://s.jina.ai/search?api_key=$MINE&q=a%26b");
    }

    #[test]
    fn no_other_host_gets_past() {
        for base in [
            "https://s.jina.ai.evil.org",
            "https://s.jina.ai@evil.org/",
            "http://evil.org?s.jina.ai",
            "evil.org",
        ] {
            let options = json!({"jina": {"mode": "search", "base_url": base}});
            let fault = preview_request(&options, &map(&json!({"q": "x"}))).unwrap_err();
            assert!(fault.0.starts_with("unsupported base_url host"), "{base}: {}", fault.0);
        }
    }

    fn asked(options: &Value, arguments: &Value) -> Result<JinaRequest, JinaFault> {
        let variable = |name: &str| ["A", "B"].contains(&name).then(|| format!("value of {name}"));
        let own = map(&json!({"key": "B", "blank": " "}));
        build_request(options, &map(arguments), &Environment { envs: &own, variable: &variable })
    }

    #[test]
    fn a_query_is_text_and_not_blank() {
        let query = |arguments: Value| {
            asked(&json!({"jina": {"mode": "search"}}), &arguments)
                .map(|request| request.query["q"].clone())
        };
        assert_eq!(query(json!({"query": 42})), Ok(json!("42")));
        assert_eq!(query(json!({"q": [], "query": true})), Ok(json!("True")));
        assert_eq!(query(json!({"q": 0, "query": 0})), Ok(json!("0")));
        for blank in
            [json!({"query": " \n"}), json!({"q": ""}), json!({"query": null}), json!({"q": 0})]
        {
            assert!(
                query(blank.clone()).unwrap_err().0.starts_with("jina search requires"),
                "{blank}"
            );
        }
        let reader = |arguments: Value| asked(&json!({"jina": {"mode": " READ "}}), &arguments);
        let both = reader(json!({"url": 7, "target_url": "x"})).unwrap();
        assert_eq!(
            (both.url.as_str(), json!(both.query)),
            ("https://r.jina.ai/7", json!({"target_url": "x", "key": "value of B"}))
        );
        assert!(reader(json!({"url": "", "target_url": " "})).is_err());
    }

    #[test]
    fn the_services_own_variables_count_before_the_tools() {
        let request = asked(
            &json!({"jina": {"mode": "search"}, "envs": {"key": "A", "more": "A"}}),
            &json!({"q": "x", "key": 1}),
        )
        .unwrap();
        assert_eq!(
            json!(request.query),
            json!({"q": "x", "key": "value of B", "more": "value of A"})
        );
    }

    #[test]
    fn capitals_and_ports_pass_and_a_host_needs_its_slashes() {
        let url = |base: &str| {
            asked(&json!({"jina": {"base_url": base}}), &json!({"q": "x"}))
                .map(|request| request.url)
        };
        assert_eq!(url("HTTPS://S.Jina.AI:8443//"), Ok("HTTPS://S.Jina.AI:8443/search".into()));
        assert!(url("s.jina.ai").is_err());
        let named = asked(
            &json!({"jina": {"mode": "search", "base_url": "s.jina.ai"}}),
            &json!({"q": "x"}),
        )
        .unwrap_err();
        assert!(named.0.starts_with("unsupported base_url host ''"), "{}", named.0);
    }

    #[test]
    fn the_first_usable_time_out_counts() {
        let timeout = |jina: Value, rest: Value| {
            let options = json!({"jina": jina, "openapi": {"timeout": "7"}, "timeout_s": rest});
            asked(&options, &json!({"q": "x"})).unwrap().timeout_s
        };
        assert_eq!(
            timeout(json!({"mode": "search", "timeout_s": 0, "timeout": " 2.5 "}), json!(1)),
            Some(2.5)
        );
        assert_eq!(
            timeout(json!({"mode": "search", "timeout_s": "soon", "timeout": [1]}), json!(1)),
            Some(7.0)
        );
        assert_eq!(timeout(json!({"mode": "search", "timeout_s": true}), json!(1)), Some(1.0));
    }

    #[test]
    fn what_the_legacy_options_say_counts_where_jina_says_nothing() {
        let openapi = json!({"path": "/search", "method": "post", "headers": {"X": 1, "accept": "a"}, "auth": {"env": "A"}});
        let request = asked(
            &json!({"openapi": openapi, "jina": {"headers": {"X": true}}}),
            &json!({"q": "x"}),
        )
        .unwrap();
        assert_eq!(
            (request.method.as_str(), request.url.as_str()),
            ("POST", "https://s.jina.ai/search")
        );
        let headers: Vec<_> =
            request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            headers,
            ["X: True", "accept: a", "Authorization: Bearer value of A", "Accept: text/plain"]
        );
    }
}

//! The languages within OpenSearch's entries, and its stand-in for a cluster.

use std::collections::BTreeMap;

use serde_json::Value;

use super::split_first_line;
use crate::{
    model::{catalog::Catalog, clock::Millis, context::Mode},
    systems::opensearch::{
        agent_answer,
        cluster::{answer::ClusterRequest, routes, state::ClusterState},
        connector::{address, body, headers},
        console_text, dynamic, error_shapes, java,
        java_regex::{DotRule, JavaPattern},
        json_path::{self, JsonPath},
        lenient_json, output,
        processors::{apply, read},
        steps::order::RunOrder,
        stream::StreamReader,
        strict_json,
        template::{marks, parse, render, text_map::TextMap},
    },
};

/// A path on the first line, the document behind it.
pub(super) fn read_json_path(text: &str) {
    let (path, document) = split_first_line(text);
    let Ok(path) = JsonPath::parse(path) else { return };
    let Some(value) = json_path::read_document(document) else { return };
    _ = path.is_definite();
    _ = path.try_read(&value);
    _ = path.read(&value);
    for place in path.locate(&value) {
        assert!(place.get(&value).is_some(), "{place} in {value}");
    }
}

/// A pattern on the first line, what it is replaced by, and a text.
pub(super) fn read_java_regex(text: &str) {
    let (pattern, rest) = split_first_line(text);
    let (replacement, text) = split_first_line(rest);
    _ = JavaPattern::is_whole_match(pattern, text);
    for dot in [DotRule::AnyLetter, DotRule::NoLineEnd] {
        if let Ok(pattern) = JavaPattern::parse(pattern, dot) {
            _ = pattern.first_groups(text);
            _ = pattern.replace(text, replacement, true);
            _ = pattern.replace(text, replacement, false);
        }
    }
}

/// A template on the first line, its parameters as `name=value` behind it.
pub(super) fn read_connector(text: &str) {
    let (template, rest) = split_first_line(text);
    let parameters: TextMap = rest
        .lines()
        .map(|line| match line.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (line.to_owned(), None),
        })
        .collect();
    for prefix in [marks::PARAMETERS, marks::CREDENTIAL] {
        _ = parse::parse_template(template, prefix);
        _ = render::render_template(template, prefix, &parameters);
    }
    _ = address::render_address(template, &parameters);
    _ = address::check_url(template);
    _ = body::render_body(template, &body::escape_values(&parameters));
    _ = body::unquote_nulls(template);
    _ = body::kept_null_names(template);
    let header = [("x-header".to_owned(), template.to_owned())];
    _ = headers::render_headers(&header, &BTreeMap::new(), &parameters, None);
    _ = dynamic::build_request(&parameters);
    _ = dynamic::filter_answer(rest, Some(template));
}

/// Texts that are nearly JSON, answers in pieces, bodies of a console.
pub(super) fn read_lenient_json(text: &str) {
    _ = lenient_json::read_members(text);
    _ = lenient_json::read_items(text);
    _ = lenient_json::read_names(text);
    _ = strict_json::parse_structured(text);
    _ = strict_json::parse_unique(text);
    _ = console_text::read_bodies(text);
    _ = error_shapes::read_error(500, text);
    _ = RunOrder::from_body(text);
    _ = java::quote_text(text);
    _ = java::escape_json(text);
    let mut stream = StreamReader::default();
    for line in text.lines() {
        _ = stream.push_data(line);
    }
    _ = stream.finish();
}

/// `{"processors": …, "input": …, "filter": …}`.
pub(super) fn read_processors(value: &Value) {
    let input = value.get("input").unwrap_or(value);
    if let Ok(processors) = read::read_processors(value.get("processors").unwrap_or(value)) {
        _ = apply::apply_processors(input.clone(), &processors);
    }
    let stored = output::store_output(input, value.get("filter").and_then(Value::as_str));
    _ = stored.escaped_twice();
    _ = agent_answer::read_answer(input);
    _ = java::json_text(input, java::Numbers::AsRead);
    _ = java::output_text(input);
}

/// Requests of the stand-in, each on two lines: method and target, then the body.
pub(super) fn read_cluster(text: &str) {
    let catalog = Catalog::new(Mode::default(), Vec::new(), Vec::new(), Vec::new());
    let mut state = ClusterState::from_catalog(&catalog, Vec::new());
    let mut lines = text.lines();
    for _ in 0..8 {
        let Some(line) = lines.next() else { break };
        let (method, target) = line.split_once(' ').unwrap_or(("GET", line));
        let body = lines.next().unwrap_or_default();
        let request = ClusterRequest::from_target(method, target, body, Millis(1_700_000_000_000));
        _ = routes::answer_request(&mut state, &request).body_text();
    }
    _ = routes::served_paths(&state);
}

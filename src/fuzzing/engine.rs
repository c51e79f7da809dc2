//! Files of cases, scenarios, stubs and traces; queries, templates, secrets, replies of models.

use serde_json::Value;

use super::split_first_line;
use crate::{
    engine::{
        agent_loop::{
            apis::APIS, breakpoint::Breakpoint, recording::RecordedRuns, turn::ModelReply,
        },
        case::{ask::AskCase, script::Case},
        env_file, events,
        mask::{MASKED, Mask},
        model_view::{self, Client},
        portable::{formats, openapi, python, schema_tool},
        query::{AnswerData, Query},
        scenario::script::Scenario,
        series,
        services::calculator,
        stream_redactor::{RedactedPieces, StreamEnd},
        stub, template,
        trace::{lines, tally, wanted::TraceFilter},
        traffic::{filter::Filter, span::StartTime, trace},
    },
    model::{clock::Millis, duration, entry::FileId},
    schema::literal::Literal,
    store,
    syntax::source::{Format, Source},
    systems::settings,
};

/// A value that no text may show.
const SECRET: &str = "hunter2-é-\"q\"";

/// A text of a file in whichever format it is.
fn source_of(text: &str) -> Option<Source> {
    let as_json = || Source::parse(Format::Json, text);
    Source::parse(Format::Yaml, text).or_else(|_| as_json()).ok()
}

pub(super) fn read_stub(text: &str) {
    let Some(source) = source_of(text) else { return };
    let Ok(read) = stub::read::read_stub(&source) else { return };
    _ = stub::read::unreached_rules(&read);
    let printed = stub::page::render_yaml(&read);
    let again = Source::parse(Format::Yaml, &*printed).ok().map(|it| stub::read::read_stub(&it));
    assert_eq!(again, Some(Ok(read)), "{printed}");
}

pub(super) fn read_case(text: &str) {
    let Some(source) = source_of(text) else { return };
    _ = Case::from_source(&source);
    if let Some(value) = source.value(0) {
        _ = Case::is_one(value);
    }
}

pub(super) fn read_ask_case(text: &str) {
    let Some(source) = source_of(text) else { return };
    _ = AskCase::from_source(&source);
    if let Some(value) = source.value(0) {
        _ = AskCase::is_one(value);
    }
}

pub(super) fn read_scenario(text: &str) {
    let Some(source) = source_of(text) else { return };
    let Some(value) = source.value(0) else { return };
    if let Ok(scenario) = Scenario::from_value(value) {
        let written = scenario.to_value();
        assert_eq!(Scenario::from_value(&written).as_ref(), Ok(&scenario), "{written}");
    }
}

pub(super) fn read_recording(value: &Value) {
    if let Some(recorded) = RecordedRuns::from_json(value) {
        let written = recorded.to_json();
        // No arguments are an empty object, which is written.
        let again = RecordedRuns::from_json(&written).map(|again| again.to_json());
        assert_eq!(again.as_ref(), Some(&written));
    }
    _ = ModelReply::from_json(value);
    if let Some(event) = events::of_json(value) {
        // JSON within it is written in our way, once.
        let written = events::event_json(&event);
        let again = events::of_json(&written).map(|event| events::event_json(&event));
        assert_eq!(again.as_ref(), Some(&written));
    }
}

/// Lines of the history: the whole of a call, and a search among all.
pub(super) fn read_call_trace(text: &str) {
    let mut listing = tally::Tally::new(TraceFilter::parse("text error", Millis(0)));
    let mut ids = std::collections::BTreeSet::new();
    for line in text.lines() {
        _ = lines::parse_line(line);
        if let Some((id, ..)) = lines::peek_line(line) {
            ids.insert(id);
        }
        listing.add_line(line);
    }
    _ = listing.into_listing(10);
    for id in ids.into_iter().take(4) {
        _ = tally::of_call(id, text.lines());
    }
}

pub(super) fn read_watch_trace(text: &str) {
    for line in text.lines() {
        _ = trace::parse_line(line);
    }
}

/// What users type to find and to bound.
pub(super) fn read_queries(text: &str) {
    _ = TraceFilter::parse(text, Millis(1_700_000_000_000));
    if let Ok(filter) = Filter::parse(text) {
        _ = filter.needles().map(|needle| needle.stands_in("some text")).collect::<Vec<_>>();
    }
    if let Ok(start) = StartTime::parse(text) {
        _ = start.to_moment(Millis(1_700_000_000_000), |_| 7200);
    }
    if let Ok(query) = Query::parse(text) {
        assert_eq!(query.text(), text);
        _ = query.find(&AnswerData::read(text, None)).map(|found| found.to_text());
    }
    _ = series::parse_batch(text);
    _ = Breakpoint::parse(text);
    _ = duration::parse_duration(text);
    _ = Millis::parse(text);
    _ = Millis::parse_http_date(text);
    for by in [0, u64::MAX / 2, u64::MAX] {
        _ = Millis(by).to_timestamp();
    }
}

/// Arguments with templates on the first line, an earlier answer behind it.
pub(super) fn read_template(text: &str) {
    let (arguments, answer) = split_first_line(text);
    let arguments = Literal::parse(arguments).unwrap_or_else(|_| arguments.into());
    let answer_of = |tool: &str| (!tool.is_empty()).then(|| answer.to_owned());
    _ = template::with_answers(&arguments, &answer_of);
    _ = template::names_variable(arguments.value());
    _ = template::template_names(text).count();
}

/// A secret within a text is never seen, however the text is cut.
pub(super) fn read_masked(text: &str) {
    let mask = Mask::new([SECRET.to_owned()]);
    let at = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let whole = format!("{}{SECRET}{}", &text[..at], &text[at..]);
    let masked = mask.mask_text(&whole);
    assert!(!masked.contains(SECRET), "{masked:?}");
    assert!(masked.contains(MASKED), "{masked:?}");
    for name in ["token", "note"] {
        assert!(!mask.mask_named_value(name, &whole).contains(SECRET));
    }
    for size in [1, 3, 7, 64] {
        let letters: Vec<char> = whole.chars().collect();
        let pieces: Vec<String> =
            letters.chunks(size).map(|piece| piece.iter().collect()).collect();
        let mut redactor = RedactedPieces::default();
        let mut seen: Vec<String> = Vec::new();
        for (row, piece) in pieces.iter().enumerate() {
            let more = if row + 1 == pieces.len() { StreamEnd::None } else { StreamEnd::MayCome };
            let decided = redactor.redact_next(&mask, [piece.as_str()], more);
            seen.extend(decided.pieces);
            for (row, text) in decided.earlier {
                let row = usize::try_from(row).unwrap_or(usize::MAX);
                assert!(row < seen.len(), "piece {row} of {}", pieces.len());
                seen[row].push_str(&text);
            }
        }
        assert_eq!(seen.len(), pieces.len());
        assert!(!seen.concat().contains(SECRET), "{:?}", seen.concat());
    }
}

/// The data of events, one a line, and all of it as a whole reply.
pub(super) fn read_model_reply(text: &str) {
    for api in APIS {
        let mut reader = api.reader();
        for line in text.lines() {
            if reader.read_event(line).is_err() || reader.is_done() {
                break;
            }
        }
        if let Ok(reply) = reader.finish() {
            let written = reply.to_json();
            assert_eq!(ModelReply::from_json(&written).to_json(), written);
        }
        let mut reader = api.reader();
        if reader.read_whole(text).is_ok() {
            _ = reader.finish();
        }
    }
}

/// Lists of functions and OpenAPI documents; tools of them are written in every format.
pub(super) fn read_portable(value: &Value) {
    let (by_path, _) = openapi::read_document(value);
    let (listed, _) = formats::read_document(value).unwrap_or_default();
    let alone: Vec<_> = schema_tool::read_schema(value).into_iter().flatten().collect();
    for tools in [by_path, listed, alone] {
        let tools: Vec<_> = tools.into_iter().map(|one| one.tool).collect();
        for format in formats::FORMATS {
            _ = (format.write)(&tools);
        }
        for tool in &tools {
            let function = tool.to_function();
            for client in [Client::OpenAi, Client::Anthropic] {
                _ = model_view::render_tool(&function, client);
                _ = model_view::find_refusals(&function, client);
            }
            _ = tool.fates_in(tool);
        }
    }
}

/// Functions of Python; each has a schema of an object.
pub(super) fn read_functions(text: &str) {
    _ = python::functions::is_python(text);
    let Ok((tools, _)) = python::functions::read_functions(text, &[]) else { return };
    for one in tools {
        assert!(!one.tool.name.is_empty() && one.tool.parameters["properties"].is_object());
    }
}

/// A file of environment variables.
pub(super) fn read_env_file(text: &str) {
    _ = env_file::read_env_file(text);
}

/// The settings of a workspace, and those of a user.
pub(super) fn read_settings(text: &str) {
    _ = settings::parse_settings(text);
    _ = store::settings::user::parse_settings(&FileId::new("config.toml"), text);
    if let Ok(source) = Source::parse(Format::Toml, text)
        && let Some(value) = source.value(0)
    {
        let tables = value.get("connections").and_then(Value::as_object);
        for table in tables.into_iter().flat_map(|tables| tables.values()) {
            _ = settings::connection_form(table);
        }
    }
}

pub(super) fn read_calculator(text: &str) {
    if let Ok(value) = calculator::evaluate(text) {
        assert!(value.is_finite(), "{text:?} is {value}");
    }
}

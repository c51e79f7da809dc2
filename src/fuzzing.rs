//! Every reader of what comes from outside, as a function of bytes that panics where the reader
//! breaks a promise: for the fuzzers in `fuzz/` and for the tests.
//!
//! Compiled for tests and under `--cfg fuzzing` alone. A reader more is one row in [`READERS`] and
//! a folder of seeds in `fuzz/corpus/`.

use serde_json::Value;

mod calls;
mod descriptors;
mod documents;
mod engine;
mod files;
mod mcp;
mod opensearch;
mod plain;
mod schemas;
mod screen;
mod streams;
#[cfg(test)]
mod tests;

/// A reader under its name, which its corpus has too.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub name: &'static str,
    input: Input,
}

/// What the function takes.
#[derive(Clone, Copy, Debug)]
enum Input {
    Bytes(fn(&[u8])),
    /// Bytes that are not UTF-8 are replaced.
    Text(fn(&str)),
    /// A text that is not JSON is read as a JSON string.
    Json(fn(&Value)),
}

/// The table of readers.
pub const READERS: &[Reader] = &[
    Reader::text("json", documents::read_json),
    Reader::text("jsonc", documents::read_jsonc),
    Reader::text("json5", documents::read_json5),
    Reader::text("yaml", documents::read_yaml),
    Reader::text("toml", documents::read_toml),
    Reader::text("long-json", documents::read_long_json),
    Reader::text("long-yaml", documents::read_long_yaml),
    Reader::text("printed", documents::read_printed),
    Reader::text("python", documents::read_python),
    Reader::text("python-pattern", documents::read_python_pattern),
    Reader::text("scalars", documents::read_scalars),
    Reader::json("schema", schemas::read_schema),
    Reader::text("schema-pattern", schemas::read_pattern),
    Reader::text("moments", schemas::read_moments),
    Reader::text("stub", engine::read_stub),
    Reader::text("case", engine::read_case),
    Reader::text("ask-case", engine::read_ask_case),
    Reader::text("scenario", engine::read_scenario),
    Reader::json("recording", engine::read_recording),
    Reader::text("call-trace", engine::read_call_trace),
    Reader::text("watch-trace", engine::read_watch_trace),
    Reader::text("queries", engine::read_queries),
    Reader::text("template", engine::read_template),
    Reader::text("mask", engine::read_masked),
    Reader::text("model-reply", engine::read_model_reply),
    Reader::json("portable", engine::read_portable),
    Reader::text("settings", engine::read_settings),
    Reader::text("env-file", engine::read_env_file),
    Reader::text("journal", files::read_journal),
    Reader::text("globs", files::read_patterns),
    Reader::text("calculator", engine::read_calculator),
    Reader::bytes("terminal", screen::read_terminal),
    Reader::text("keys", screen::read_keys),
    Reader::bytes("image", screen::read_image),
    Reader::text("plain", plain::read_lines),
    Reader::text("theme", screen::read_theme),
    Reader::text("markdown", screen::read_markdown),
    Reader::text("screen-text", screen::read_screen_text),
    Reader::bytes("sse", streams::read_server_events),
    Reader::text("subjects", streams::read_subjects),
    #[cfg(feature = "pulsar")]
    Reader::bytes("pulsar", streams::read_pulsar),
    Reader::bytes("json-lines", streams::read_lines),
    Reader::text("descriptors-yaml", descriptors::read_yaml),
    Reader::text("descriptors-json", descriptors::read_json),
    Reader::text("queue", calls::read_queue),
    Reader::bytes("reply", calls::read_reply),
    Reader::bytes("bus-message", calls::read_bus_message),
    Reader::json("cards", calls::read_cards),
    Reader::text("card-texts", calls::read_card_texts),
    Reader::bytes("announcement", calls::read_announcement),
    Reader::json("search-proxy", calls::read_search_proxy),
    Reader::text("prompt", calls::read_prompt),
    Reader::json("prompt-values", calls::read_prompt_values),
    Reader::json("configuration", calls::read_configuration),
    Reader::text("lock-file", calls::read_lock_file),
    Reader::text("mcp-frames", mcp::read_frames),
    Reader::json("mcp-result", mcp::read_result),
    Reader::json("mcp-tools", mcp::read_tools),
    Reader::text("mcp-config", mcp::read_config),
    Reader::text("mcp-texts", mcp::read_texts),
    Reader::json("mcp-auth", mcp::read_auth),
    Reader::text("json-path", opensearch::read_json_path),
    Reader::text("java-regex", opensearch::read_java_regex),
    Reader::text("connector", opensearch::read_connector),
    Reader::text("lenient-json", opensearch::read_lenient_json),
    Reader::json("processors", opensearch::read_processors),
    Reader::text("cluster", opensearch::read_cluster),
    Reader::text("python-functions", engine::read_functions),
];

/// The reader of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.name == name)
}

impl Reader {
    const fn bytes(name: &'static str, read: fn(&[u8])) -> Self {
        Self { name, input: Input::Bytes(read) }
    }

    const fn text(name: &'static str, read: fn(&str)) -> Self {
        Self { name, input: Input::Text(read) }
    }

    const fn json(name: &'static str, read: fn(&Value)) -> Self {
        Self { name, input: Input::Json(read) }
    }

    /// Reads bytes, whatever they are.
    ///
    /// # Panics
    /// Where the reader does what it must not.
    pub fn read(&self, bytes: &[u8]) {
        match self.input {
            Input::Bytes(read) => read(bytes),
            Input::Text(read) => read(&String::from_utf8_lossy(bytes)),
            Input::Json(read) => {
                let text = || String::from_utf8_lossy(bytes).into_owned().into();
                read(&serde_json::from_slice(bytes).unwrap_or_else(|_| text()));
            }
        }
    }
}

/// The first line of a text, and the rest: for readers that take two texts.
fn split_first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

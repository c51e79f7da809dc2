//! A mock: the answer of a tool whose service is not there, made from what its answers look like,
//! from an answer that is kept, from the arguments, or as somebody wrote it.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    model::{
        duration,
        stub::{AnswerPiece, Rule, StubAnswer, StubService, When},
    },
    schema::{example::make_example, parse::pretty_json},
};

/// The name of the one rule of a mock.
const RULE: &str = "mock";
/// In so many pieces an answer is streamed, where it is long enough.
pub const PIECES: u16 = 6;
/// In more pieces no answer is cut.
pub const MOST_PIECES: u16 = 10_000;
/// Between two pieces, so that a person sees it stream.
pub const PAUSE: Duration = Duration::from_millis(60);

/// Where the text of a mock's answer is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MockSource {
    /// The tool's own stub, where the workspace has one; else an example.
    #[default]
    Stub,
    /// An example of the tool's output schema; a sentence where it has none.
    Example,
    /// The newest answer of the tool that is known; an example where there is none.
    Kept,
    /// The arguments of the call.
    Echo,
    Text(String),
}

impl MockSource {
    /// The words for those that need no text, with what they mean.
    pub const WORDS: [(Self, &'static str, &'static str); 4] = [
        (Self::Stub, "stub", "its stub, else an example"),
        (Self::Example, "example", "an example by its schema"),
        (Self::Kept, "kept", "the newest kept answer"),
        (Self::Echo, "echo", "an echo of the arguments"),
    ];

    /// The source of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|(_, known, _)| *known == word).map(|(source, ..)| source)
    }
}

/// How a mock answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockOptions {
    pub source: MockSource,
    /// The same seed gives the same example.
    pub seed: u64,
    /// In so many pieces at most; at least one.
    pub pieces: u16,
    /// Before the first piece.
    pub delay: Duration,
    /// Between two pieces.
    pub pause: Duration,
    /// Type and message of the error that ends the answer; without [`Self::source`] being a text,
    /// it is all that is answered.
    pub error: Option<(String, String)>,
}

impl MockOptions {
    /// As an object says it: `answer` (a word of [`MockSource::WORDS`], or `text`), `text`, `seed`,
    /// `chunks`, `delay`, `pause`, `error`, `message`. A text without `answer` is the answer. What is
    /// missing or no such value is as it is by default.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let text =
            |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        let time = |name: &str| text(name).and_then(duration::parse_duration);
        let usual = Self::default();
        let source = match text("answer") {
            Some("text") => MockSource::Text(text("text").unwrap_or_default().to_owned()),
            Some(word) => MockSource::from_word(word).unwrap_or_default(),
            None => text("text").map(|text| MockSource::Text(text.to_owned())).unwrap_or_default(),
        };
        let pieces = number("chunks").map(|count| u16::try_from(count).unwrap_or(u16::MAX));
        let message = || text("message").unwrap_or_default().to_owned();
        Self {
            source,
            seed: number("seed").unwrap_or(usual.seed),
            pieces: pieces.map_or(usual.pieces, |count| count.clamp(1, MOST_PIECES)),
            delay: time("delay").unwrap_or(usual.delay),
            pause: time("pause").unwrap_or(usual.pause),
            error: text("error").map(|kind| (kind.to_owned(), message())),
        }
    }
}

impl Default for MockOptions {
    fn default() -> Self {
        Self {
            source: MockSource::default(),
            seed: 0,
            pieces: PIECES,
            delay: Duration::ZERO,
            pause: PAUSE,
            error: None,
        }
    }
}

/// What is known of a tool that is mocked.
#[derive(Clone, Debug, Default)]
pub struct MockedTool<'t> {
    pub name: &'t str,
    pub output_schema: Option<Arc<Value>>,
    /// Its newest answer.
    pub kept: Option<String>,
    /// Its own stub in the workspace.
    pub stub: Option<StubService>,
}

/// The service that answers as `options` say, whatever it is asked; by the tool's stub, as its rules
/// say.
#[must_use]
pub fn mock_service(tool: &MockedTool<'_>, options: &MockOptions) -> StubService {
    if let (MockSource::Stub, Some(stub), None) = (&options.source, &tool.stub, &options.error) {
        return StubService { name: tool.name.to_owned(), ..stub.clone() };
    }
    let text = match &options.source {
        MockSource::Text(text) => Some(text.clone()),
        _ if options.error.is_some() => None,
        MockSource::Echo => None,
        MockSource::Kept => {
            Some(tool.kept.clone().unwrap_or_else(|| example_answer(tool, options)))
        }
        MockSource::Stub | MockSource::Example => Some(example_answer(tool, options)),
    };
    let pieces = text.map(|text| split_text(&text, options.pieces.into())).unwrap_or_default();
    let then = StubAnswer {
        pieces: pieces.into_iter().map(|text| AnswerPiece { text, after: None }).collect(),
        echo: options.source == MockSource::Echo && options.error.is_none(),
        delay: options.delay,
        pause: options.pause,
        error: options.error.clone(),
        fault: None,
    };
    StubService {
        name: tool.name.to_owned(),
        rules: vec![Rule { name: RULE.to_owned(), when: When::default(), then }],
        ..StubService::default()
    }
}

fn example_answer(tool: &MockedTool<'_>, options: &MockOptions) -> String {
    match &tool.output_schema {
        Some(schema) => pretty_json(&make_example(schema, options.seed).value, None),
        None => format!(
            "This is a mock answer of {}, in place of its service. It arrives in chunks, like a \
            streamed answer.",
            tool.name
        ),
    }
}

/// A text in at most so many pieces of about the same length, cut where words begin.
#[must_use]
pub(crate) fn split_text(text: &str, pieces: usize) -> Vec<String> {
    let length = text.chars().count().div_ceil(pieces.max(1)).max(1);
    let mut made: Vec<String> = Vec::new();
    let (mut piece, mut count) = (String::new(), 0);
    for word in text.split_inclusive(char::is_whitespace) {
        let wide = word.chars().count();
        if count > 0 && count + wide > length && made.len() + 1 < pieces {
            made.push(std::mem::take(&mut piece));
            count = 0;
        }
        piece.push_str(word);
        count += wide;
    }
    if !piece.is_empty() || made.is_empty() {
        made.push(piece);
    }
    made
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn tool() -> MockedTool<'static> {
        let schema = json!({"type": "object", "required": ["city", "degrees"], "properties": {
            "city": {"type": "string", "examples": ["Basel"]}, "degrees": {"type": "number", "minimum": -40, "maximum": 50},
            "at": {"type": "string", "format": "date-time"}}});
        MockedTool {
            name: "weather",
            output_schema: Some(Arc::new(schema)),
            kept: None,
            stub: None,
        }
    }

    fn answer(options: &MockOptions) -> StubAnswer {
        mock_service(&tool(), options).rules.remove(0).then
    }

    fn whole(answer: &StubAnswer) -> String {
        answer.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn an_example_fits_the_output_schema_and_one_seed_gives_one_answer() {
        let at = |seed| whole(&answer(&MockOptions { seed, ..MockOptions::default() }));
        let value: Value = serde_json::from_str(&at(7)).unwrap();
        assert_eq!(value["city"], "Basel");
        assert!(value["at"].as_str().unwrap().ends_with('Z'));
        assert_eq!(at(7), at(7));
        assert_ne!(at(7), at(8));
    }

    #[test]
    fn what_is_chosen_is_answered() {
        let of = |source| MockOptions { source, ..MockOptions::default() };
        assert_eq!(
            whole(&answer(&of(MockSource::Text("four\nwords it is".into())))),
            "four\nwords it is"
        );
        let echo = answer(&of(MockSource::Echo));
        assert!(echo.echo && echo.pieces.is_empty());
        let error = Some(("tool-error".to_owned(), "out of order".to_owned()));
        let failing = answer(&MockOptions { error: error.clone(), ..MockOptions::default() });
        assert_eq!((failing.pieces.len(), failing.error), (0, error));
        let kept = MockedTool { kept: Some("as before".into()), ..tool() };
        let kept = mock_service(&kept, &of(MockSource::Kept)).rules.remove(0).then;
        assert_eq!(whole(&kept), "as before");
        // Nothing is kept of this one.
        assert_eq!(answer(&of(MockSource::Kept)), answer(&of(MockSource::Example)));
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_again_and_not_more_than_asked_for(text in "[a-c é\n]{0,60}", pieces in 1_usize..9) {
            let made = split_text(&text, pieces);
            prop_assert!(!made.is_empty() && made.len() <= pieces);
            prop_assert_eq!(made.concat(), text);
        }
    }
}

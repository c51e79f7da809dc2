//! The mock of a tool: how calls of it are answered in the place of its service, as a form.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Value, json};

use super::{
    parts::{Part, RequestPart},
    tools::tool_of,
};
use crate::{
    app::{
        answering::{Open, SERVERS},
        calls::CallPart,
        edited_text::EditedText,
        input::{Code, Key},
        state::State,
        stubs::own_stub,
    },
    engine::stub::{
        mock::{MOST_PIECES, MockSource, PAUSE, PIECES},
        page::file_of_tool,
    },
    model::{call::Call, duration, entry::FileId, finding::Severity, tool::Tool},
    schema::pointer::Pointer,
    ui::{
        canvas::Pen,
        form::{
            host::{FormHost, written_in},
            notes::Note,
            view::Form,
        },
        styles::{Role, Styles},
        view::Look,
    },
};

/// Below so many lines the form is not worth opening.
const LEAST: u16 = 3;

/// The form of a mock, where the tool has one.
#[derive(Default)]
pub(super) struct MockSection {
    pub host: FormHost<RequestPart>,
    pub area: Rect,
}

impl MockSection {
    /// Takes in whether the tool is mocked, and what is typed for that.
    pub(super) fn sync_state(&mut self, state: &State, tool: &Tool) {
        if !state.invoke.mocks.contains(tool.id()) {
            *self = Self::default();
            return;
        }
        let owner = RequestPart::new(tool.id().clone(), Part::Mock);
        self.host.show(owner, || Form::new(form_schema()));
        self.host.sync_surroundings(state);
        let typed = state.typed_text(tool.id(), CallPart::Mock);
        let revision = typed.map_or(0, EditedText::revision);
        let Some(form) = self.host.outdated_form(revision) else { return };
        let value = state.value_of(tool.id(), CallPart::Mock);
        form.sync_written(&value, &written_in(typed.map(EditedText::source), 0, &Pointer::root()));
        let is_kept = value.get("answer").and_then(Value::as_str) == Some("kept");
        let is_missing = is_kept && state.invoke.calls.real_answer_of(tool.id()).is_none();
        let is_text =
            |name| value.get(name).and_then(Value::as_str).is_some_and(|it| !it.is_empty());
        let answer = value.get("answer").and_then(Value::as_str).unwrap_or_default();
        let of_text = match (is_text("text"), answer) {
            (false, _) | (true, "text") => None,
            (true, "") => Some(text_note()),
            (true, _) => Some(unused_text_note()),
        };
        let has_stub = !is_text("text") && matches!(answer, "" | "stub");
        let of_stub = own_stub(&state.documents, tool).filter(|_| has_stub);
        let of_stub = of_stub.map(|_| stub_note(&file_of_tool(&tool.entry.key)));
        let notes = wrong_times(&value).map(time_note).chain(is_missing.then(none_kept_note));
        form.set_notes(notes.chain(of_text).chain(of_stub).collect());
    }

    /// Whether the tool is mocked.
    pub(super) fn is_on(&self) -> bool {
        self.host.owner().is_some()
    }

    /// Whether a key goes to the first row of the pane, which is above it.
    pub(super) fn is_left_by(&self, key: Key) -> bool {
        key.is_plain(Code::Home) && !self.host.is_typing()
    }

    /// What is wrong with what is typed, if anything.
    pub(super) fn first_issue(&self) -> Option<String> {
        let form = self.host.shown_form()?;
        let of_schema = || {
            let issue = form.issues().first()?;
            Some(format!("{}: {}", issue.at.dotted(), issue.words))
        };
        let of_times = || {
            let name = wrong_times(form.value()).next()?;
            Some(format!("{name}: write {}", duration::EXAMPLES))
        };
        form.draft_issues().into_iter().next().or_else(of_schema).or_else(of_times)
    }

    /// Draws it in the place of a request that is not sent.
    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, look: Look<'_>, focused: bool) {
        let styles: &Styles = look.styles;
        self.area = Rect::default();
        if area.height == 0 {
            return;
        }
        let line = "─".repeat(usize::from(area.width));
        Pen::new(buffer, area, 0).put_text(&line, styles[Role::Border]);
        Pen::new(buffer, area, 0)
            .skip(2)
            .put_text(" Mocked: ", styles[Role::Heading])
            .put_text("nothing is sent; ", styles[Role::Dim])
            .put_text(&look.keymap.way_to("mock-tool"), styles[Role::Key])
            .put_text(" ends it ", styles[Role::Dim]);
        if area.height > LEAST {
            self.area = Rect { y: area.y + 1, height: area.height - 1, ..area };
            self.host.draw(buffer, self.area, look, focused);
        }
    }
}

/// The members that are to be times and are none.
fn wrong_times(value: &Value) -> impl Iterator<Item = &'static str> {
    let is_wrong = |name: &&str| {
        let text = value.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        !text.is_empty() && duration::parse_duration(text).is_none()
    };
    ["delay", "pause"].into_iter().filter(is_wrong)
}

fn none_kept_note() -> Note {
    Note {
        at: Pointer::root().child("answer"),
        severity: Severity::Warning,
        text: "the service has given no answer in this session: an example comes instead".into(),
        fix: None,
    }
}

fn text_note() -> Note {
    Note {
        at: Pointer::root().child("answer"),
        severity: Severity::Note,
        text: "the text below is the answer".into(),
        fix: None,
    }
}

fn unused_text_note() -> Note {
    Note {
        at: Pointer::root().child("text"),
        severity: Severity::Warning,
        text: "not used: another answer is chosen above".into(),
        fix: None,
    }
}

fn stub_note(file: &FileId) -> Note {
    Note {
        at: Pointer::root().child("answer"),
        severity: Severity::Note,
        text: format!("{file} answers"),
        fix: None,
    }
}

fn time_note(name: &str) -> Note {
    Note {
        at: Pointer::root().child(name),
        severity: Severity::Error,
        text: format!("write {}", duration::EXAMPLES),
        fix: None,
    }
}

/// What is said beside the title of the answer while calls of the tool are mocked; else nothing.
pub(super) fn next_call_note(state: &State) -> &'static str {
    let is_mocked = tool_of(state).is_some_and(|tool| state.invoke.mocks.contains(&tool));
    if is_mocked { "next call is mocked" } else { "" }
}

/// What is said beside the title of a call's answer: that a server asks within it, or the same.
pub(super) fn call_note(state: &State, call: &Call) -> String {
    let asks = |open: &Open| open.asked.ask.turn == SERVERS && !open.sent;
    if call.outcome().is_none() && state.answering.open.iter().any(asks) {
        return format!("it asks you: {} answers", state.keymap.way_to("show-waiting"));
    }
    if call.is_mocked() { String::new() } else { next_call_note(state).to_owned() }
}

/// What somebody can say of a mock.
fn form_schema() -> Arc<Value> {
    let choice = |word: &str, title: &str| json!({"const": word, "title": title});
    let words = MockSource::WORDS.map(|(_, word, means)| choice(word, means));
    let sources: Vec<Value> = words.into_iter().chain([choice("text", "the text below")]).collect();
    let time = |about: &str, default: &str| {
        let about = format!("{about}: {}", duration::EXAMPLES);
        json!({"type": "string", "description": about, "default": default})
    };
    Arc::new(json!({
        "type": "object",
        "properties": {
            "answer": {"oneOf": sources, "default": "stub", "description": "What the answer \
            is. A stub is kept by “keep mock”. Without an output schema the example is a sentence; a kept answer is one that the \
            service itself gave."},
            "text": {"type": "string", "description": "The answer, unless another one is chosen above."},
            "seed": {"type": "integer", "minimum": 0, "default": 0,
                "description": "Another seed gives another example."},
            "chunks": {"type": "integer", "minimum": 1, "maximum": MOST_PIECES, "default": PIECES,
                "description": "How many chunks it is streamed in; an echo is one."},
            "delay": time("Before the first chunk", "0s"),
            "pause": time("Between two chunks", &duration::print_duration(PAUSE)),
            "error": {"type": "string", "description": "Type of the error that ends the answer."},
            "message": {"type": "string", "description": "Message of that error."},
        },
    }))
}

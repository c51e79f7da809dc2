//! The mock of a tool: how calls of it are answered in the place of its service, as a form.

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Value, json};

use super::{
    parts::{Part, RequestPart},
    request::RequestPane,
    tools::tool_of,
};
use crate::{
    app::{
        actions::Scope,
        calls::{CallMessage, CallPart},
        edited_text::EditedText,
        message::Message,
        state::State,
    },
    engine::stub::mock::{MockSource, PAUSE, PIECES},
    model::{duration, tool::Tool},
    schema::pointer::Pointer,
    ui::{
        action_rows::{self, refuse_when},
        canvas::Pen,
        form::{
            host::{FormHost, written_in},
            view::Form,
        },
        stubs,
        styles::{Role, Styles},
        view::{Look, Reply},
    },
};

/// Below so many lines the form is not worth opening.
const LEAST: u16 = 3;

type Row = action_rows::Row<RequestPane>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Invoke, "mock-tool", "mock", |pane, state| pane.turn_mock(state))
        .keys(&["M"])
        .help(
            "Answer calls of the tool here, in the place of its service, with an example, a kept \
             answer, the arguments or a text; or send them to the service again",
        )
        .refused(|_, state| refuse_when(tool_of(state).is_none(), "there is no tool")),
    Row::new(Scope::Invoke, "keep-mock", "keep mock…", |_, state| keep_mock(state))
        .help("Write the mock of the tool as a stub into the workspace")
        .refused(|_, state| {
            let is_mocked = tool_of(state).is_some_and(|tool| state.invoke.mocks.contains(&tool));
            refuse_when(!is_mocked, "the tool is not mocked")
        }),
];

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
        let owner = RequestPart { tool: tool.id().clone(), part: Part::Mock };
        self.host.show(owner, || Form::new(form_schema()));
        self.host.sync_surroundings(state);
        let typed = state.typed_text(tool.id(), CallPart::Mock);
        let revision = typed.map_or(0, EditedText::revision);
        let Some(form) = self.host.outdated_form(revision) else { return };
        let value = state.value_of(tool.id(), CallPart::Mock);
        form.sync_written(&value, &written_in(typed.map(EditedText::source), 0, &Pointer::root()));
    }

    /// Whether the tool is mocked.
    pub(super) fn is_on(&self) -> bool {
        self.host.owner().is_some()
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
            .put_text(" mock ", styles[Role::Heading])
            .put_text("nothing is sent; ", styles[Role::Dim])
            .put_text(&look.keymap.display_key("mock-tool"), styles[Role::Key])
            .put_text(" ends it ", styles[Role::Dim]);
        if area.height > LEAST {
            self.area = Rect { y: area.y + 1, height: area.height - 1, ..area };
            self.host.draw(buffer, self.area, styles, focused);
        }
    }
}

fn keep_mock(state: &State) -> Reply {
    let tool = tool_of(state).and_then(|id| state.tool(&id));
    let service = tool.and_then(|tool| Some((tool, state.mock_of(tool)?)));
    match service {
        Some((tool, service)) => stubs::save_mock(&tool.entry.key, service, state),
        None => Reply::Handled,
    }
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
            "answer": {"oneOf": sources, "default": "example", "description": "What is answered."},
            "text": {"type": "string", "description": "The answer, where it is a text."},
            "seed": {"type": "integer", "minimum": 0, "default": 0,
                "description": "Another seed makes another example."},
            "pieces": {"type": "integer", "minimum": 1, "maximum": 10_000, "default": PIECES,
                "description": "In so many pieces it is streamed."},
            "delay": time("Before the first piece", "0s"),
            "pause": time("Between two pieces", &duration::print_duration(PAUSE)),
            "error": {"type": "string", "description": "The type of an error that ends it."},
            "message": {"type": "string", "description": "What that error says."},
        },
    }))
}

impl RequestPane {
    /// Mocks the tool, and goes to how; or no longer.
    fn turn_mock(&mut self, state: &State) -> Reply {
        let Some(tool) = tool_of(state) else { return Reply::Handled };
        let is_on = state.invoke.mocks.contains(&tool);
        self.show_part(if is_on { Part::Arguments } else { Part::Mock });
        Reply::send(Message::Call(CallMessage::TurnMock { tool }))
    }
}

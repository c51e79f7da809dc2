//! The part of an answer that a query finds, such as `/rows/*/name`, kept for the tool.

use std::collections::HashMap;

use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;

use crate::{
    app::{calls::CallMessage, message::Message, state::State},
    engine::query::{AnswerData, Found, Query},
    model::{
        answer_text::AnswerText,
        call::{Call, CallId},
        size,
        stage::Stage,
    },
    schema::pointer::Pointer,
    ui::{
        action_rows::refuse_when,
        canvas::{Pen, text_width},
        overlays::prompt::{PREVIEW_LINES, Prompt},
        styles::Role,
        view::{Look, Reply},
        widgets::json_tree::{JsonTree, LARGEST_TREE},
    },
};

/// Of a longer answer only how much is found is shown while a query is typed.
const LONGEST_LIVE: usize = 256 * 1024;

/// A query, and what it finds in the answer that is shown.
#[derive(Default)]
pub(crate) struct Queried {
    call: Option<CallId>,
    query: Option<Query>,
    /// What is there, or why nothing is; `None` while the answer is not complete.
    found: Option<Result<Selected, String>>,
}

/// How much it is, what it says, and where of which value it is; lines are nowhere.
struct Selected {
    count: String,
    text: AnswerText,
    places: Option<(Value, Vec<Pointer>)>,
}

/// What is new where a call and its path are looked at.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The text that is shown is another one.
    pub text: bool,
    /// The call is the same, and has a query now that it had not.
    pub is_asked: bool,
    /// What that finds is shown as text alone.
    pub is_text: bool,
}

impl Queried {
    /// Takes in which call is shown, and the path of its tool.
    pub fn sync(&mut self, queries: &HashMap<String, Query>, call: Option<&Call>) -> Changed {
        let query = call.and_then(|call| queries.get(&call.request.name));
        let id = call.map(|call| call.id);
        let mut changed = Changed::default();
        if self.call != id || self.query.as_ref() != query {
            changed.is_asked = self.call == id && query.is_some();
            // Of another call the text is another one anyway.
            changed.text = self.call == id;
            *self = Self { call: id, query: query.cloned(), found: None };
        }
        let is_complete = call.is_some_and(|call| call.outcome().is_some());
        match (&self.query, call) {
            (Some(query), Some(call)) if is_complete && self.found.is_none() => {
                self.found = Some(select(query, call));
                changed.text = true;
            }
            // It is replayed.
            _ if !is_complete && self.found.is_some() => {
                self.found = None;
                changed.text = true;
            }
            _ => {}
        }
        changed.is_text = matches!(&self.found, Some(Ok(Selected { places: None, .. })));
        changed
    }

    /// What the view Text shows: what is at the path, else all of the answer.
    pub fn text<'t>(&'t self, call: &'t Call) -> &'t AnswerText {
        match &self.found {
            Some(Ok(found)) => &found.text,
            _ => &call.text,
        }
    }

    /// What the tree shows; `None`: all of the answer.
    pub fn tree(&self) -> Option<JsonTree> {
        let Some(Ok(Selected { places: Some((value, places)), .. })) = &self.found else {
            return None;
        };
        Some(JsonTree::new(value.clone()).narrowed(places.clone()))
    }

    /// What the query finds, as text.
    pub fn found_text(&self) -> Option<String> {
        match &self.found {
            Some(Ok(found)) => Some(found.text.whole().into_owned()),
            _ => None,
        }
    }

    /// The path, where what is there is shown.
    pub fn shown_query(&self) -> Option<&Query> {
        self.query.as_ref().filter(|_| matches!(self.found, Some(Ok(_))))
    }

    /// Draws the path and how much it selects into the first line; answers the area below.
    pub fn draw_line(&self, buffer: &mut Buffer, area: Rect, look: Look<'_>) -> Rect {
        let (Some(query), Some(found)) = (&self.query, &self.found) else { return area };
        if area.height < 3 {
            return area;
        }
        let (role, what) = match found {
            Ok(found) => (Role::Dim, found.count.clone()),
            Err(why) => (Role::Warning, format!("{why}; all is shown")),
        };
        let mut pen = Pen::new(buffer, area, 0);
        pen.put_text("query ", look.styles[Role::Dim])
            .put_text(query.text(), look.styles[Role::Accent])
            .put_text(&format!(" · {what}"), look.styles[role]);
        let change = format!("  {} changes it", look.keymap.way_to("query-answer"));
        if text_width(&change) <= pen.remaining_cells() {
            pen.put_right(&change, look.styles[Role::Key]);
        }
        look.mouse.presses(Rect { height: 1, ..area }, "query-answer");
        Rect { y: area.y + 1, height: area.height - 1, ..area }
    }
}

fn select(query: &Query, call: &Call) -> Result<Selected, String> {
    let data = read_answer(call)?;
    let found = query.find(&data)?;
    let (count, found_text) = (found.count_words(), found.to_text());
    let places = match found {
        Found::Values { values, .. } => data
            .value()
            .cloned()
            .map(|whole| (whole, values.into_iter().map(|(at, _)| at).collect())),
        Found::Lines(_) => None,
    };
    let mut text = AnswerText::default();
    text.push_str(&found_text);
    Ok(Selected { count, text, places })
}

fn read_answer(call: &Call) -> Result<AnswerData, String> {
    if call.text.len() > LARGEST_TREE {
        let most = size::format_size(LARGEST_TREE as u64);
        return Err(format!("not of an answer larger than {most}"));
    }
    let structured = call.stage_body(Stage::STRUCTURED).map(|data| &**data);
    Ok(AnswerData::read(&call.text.whole(), structured))
}

/// Why nothing of a call's answer can be looked for; `None`: it says something, or may still.
pub(super) fn query_refusal(call: Option<&Call>, state: &State) -> Option<String> {
    let Some(call) = call else { return Some("there is no answer yet".into()) };
    if state.keymap.is_in_words() {
        return Some("toolcrib call --query prints a part of an answer".into());
    }
    let has_none = call.outcome().is_some()
        && call.text.is_empty()
        && call.stage_body(Stage::STRUCTURED).is_none();
    refuse_when(has_none, "the answer has no text")
}

/// Asks for the query; where the tool has none yet, the path of the value under the cursor is there.
pub(super) fn query_prompt(call: &Call, under_cursor: Option<Pointer>, state: &State) -> Reply {
    let tool = call.request.name.clone();
    let kept = state.invoke.queries.get(&tool).map(|query| query.text().to_owned());
    let typed = kept.or_else(|| under_cursor.map(|at| at.to_string())).unwrap_or_default();
    let words = "Shows only what is at a path of the JSON: /rows/0/name, /rows/*/name (each item or \
        member), /rows/*[status=open]/name (also != < <= > >=, *= for a part); or the lines with a \
        word. Kept for the tool. Empty: show all.";
    let is_short = call.text.len() <= LONGEST_LIVE;
    let data = call.outcome().map(|_| read_answer(call));
    let preview = move |text: &str| -> Result<Vec<String>, String> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query::parse(text)?;
        let Some(data) = &data else { return Err("the answer is not complete".to_owned()) };
        let found = query.find(data.as_ref().map_err(Clone::clone)?)?;
        let mut lines = vec![found.count_words()];
        if is_short {
            lines.extend(found.to_text().lines().map(str::to_owned).take(PREVIEW_LINES - 1));
        }
        Ok(lines)
    };
    let prompt = Prompt::new("Query", words, typed, move |text, _| {
        let query = match text {
            "" => None,
            text => Some(Query::parse(text)?),
        };
        let tool = tool.clone();
        Ok(Reply::send(Message::Call(CallMessage::KeepQuery { tool, query })))
    });
    Reply::Open(Box::new(prompt.with_act("show").with_preview(preview).preselected()))
}

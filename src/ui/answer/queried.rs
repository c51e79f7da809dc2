//! The part of a JSON answer that a path selects, such as `/rows/*/name`, kept for the tool.

use std::collections::HashMap;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{calls::CallMessage, message::Message, state::State},
    engine::query::{Query, answer_json},
    model::{
        answer_text::AnswerText,
        call::{Call, CallId},
        size,
        stage::Stage,
    },
    schema::{count::count_text, pointer::Pointer},
    ui::{
        action_rows::refuse_when,
        canvas::{Pen, text_width},
        overlays::prompt::Prompt,
        styles::Role,
        view::{Look, Reply},
        widgets::json_tree::LARGEST_TREE,
    },
};

/// A path, and what it selects in the answer that is shown.
#[derive(Default)]
pub(crate) struct Queried {
    call: Option<CallId>,
    query: Option<Query>,
    /// What is there, or why nothing is; `None` while the answer is not complete.
    found: Option<Result<Selected, String>>,
}

/// Where it is, and what it says.
struct Selected {
    places: Vec<Pointer>,
    text: AnswerText,
}

/// What is new where a call and its path are looked at.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The text that is shown is another one.
    pub text: bool,
    /// The call is the same, and has a path now that it had not.
    pub is_asked: bool,
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
    pub fn places(&self) -> Option<&[Pointer]> {
        match &self.found {
            Some(Ok(found)) => Some(&found.places),
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
            Ok(found) => (Role::Dim, count_text(found.places.len(), "value", "values")),
            Err(why) => (Role::Warning, why.clone()),
        };
        let mut pen = Pen::new(buffer, area, 0);
        pen.put_text("query ", look.styles[Role::Dim])
            .put_text(&query.text(), look.styles[Role::Accent])
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
    if call.text.len() > LARGEST_TREE {
        let most = size::format_size(LARGEST_TREE as u64);
        return Err(format!("not of an answer larger than {most}"));
    }
    let structured = call.stage_body(Stage::STRUCTURED).map(|data| &**data);
    let value = answer_json(&call.text.whole(), structured)?;
    let nothing = || "there is nothing; all is shown".to_owned();
    let places = query.select(&value).ok_or_else(nothing)?.into_iter().map(|(at, _)| at).collect();
    let mut text = AnswerText::default();
    text.push_str(&query.to_text(&value).ok_or_else(nothing)?);
    Ok(Selected { places, text })
}

/// Why nothing of a call's answer can be selected; `None`: it may be JSON.
pub(super) fn query_refusal(call: Option<&Call>, state: &State) -> Option<String> {
    let Some(call) = call else { return Some("there is no answer yet".into()) };
    if state.keymap.is_in_words() {
        return Some("toolcrib call --query prints a part of an answer".into());
    }
    let start = call.text.slice(0..64);
    let may_be_json = start.trim_start().starts_with(['{', '['])
        || state.invoke.queries.contains_key(&call.request.name)
        || call.outcome().is_some() && call.stage_body(Stage::STRUCTURED).is_some();
    refuse_when(!may_be_json, "the answer is not JSON")
}

/// Asks for the path; where the tool has none yet, that of the value under the cursor is there.
pub(super) fn query_prompt(call: &Call, under_cursor: Option<Pointer>, state: &State) -> Reply {
    let tool = call.request.name.clone();
    let kept = state.invoke.queries.get(&tool).map(Query::text);
    let typed = kept.or_else(|| under_cursor.map(|at| at.to_string())).unwrap_or_default();
    let words = "Shows only what is at this path of the answer: /rows/0/name, or /rows/*/name, \
        where * is every item or member. It is kept for the next answers of the tool. Empty: show \
        all.";
    let prompt = Prompt::new("Query", words, typed, move |text, _| {
        let query = match text {
            "" => None,
            text => Some(Query::parse(text)?),
        };
        let tool = tool.clone();
        Ok(Reply::send(Message::Call(CallMessage::KeepQuery { tool, query })))
    });
    Reply::Open(Box::new(prompt.with_act("show").preselected()))
}

//! The answer as it comes: text, tree, raw events, times; what is not part of it on demand.

use std::collections::HashMap;

use ratatui::layout::Rect;

use super::{
    bytes, event_page,
    events::{EventFilter, EventRow, Listing, LogRow},
    headers,
    images::AnswerImages,
    parts,
    queried::Queried,
    rendered::Rendered,
};
use crate::{
    app::input::{Code, Input, Key, Mouse, MouseKind},
    engine::query::Query,
    model::{
        call::{Call, CallId, EventKind},
        event_log::EventMark,
        stage::FrameWay,
    },
    schema::pointer::Pointer,
    ui::{
        canvas::wrap,
        overlays::page::PageOverlay,
        selection::copy_message,
        styles::Role,
        view::Reply,
        widgets::{
            json_tree::JsonTree,
            list::ListCursor,
            tabs::Tabs,
            text_input::TextInput,
            text_view::{Search, TextView},
        },
    },
};

pub(crate) const VIEWS: [&str; 7] = ["Text", "Tree", "Raw", "Time", "Markdown", "Hex", "Headers"];

/// The views, by their place in the row of names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Text,
    Tree,
    Raw,
    Time,
    Markdown,
    Hex,
    /// Headers, sent and come.
    Head,
    /// What is not part of the answer; there where something came.
    Strays,
}

/// The right pane.
#[derive(Default)]
pub(crate) struct Answer {
    pub call: Option<CallId>,
    pub tabs: Tabs,
    pub text: TextView,
    pub tree: Option<(usize, Result<JsonTree, String>)>,
    /// The part of the answer that Text and Tree show.
    pub(super) queried: Queried,
    pub rendered: Rendered,
    pub list: ListCursor,
    /// The list stays at its end.
    pub list_follows: bool,
    pub find: Option<TextInput>,
    /// Which of how many places was found.
    pub find_place: Option<(usize, usize)>,
    /// What was looked for last.
    last_find: String,
    /// Whether there is more than text, known once the call has ended.
    has_parts: Option<bool>,
    pub(super) images: AnswerImages,
    pub body: Rect,
    pub stray_line: Rect,
}

impl Answer {
    pub fn view(&self) -> View {
        const IN_ORDER: [View; VIEWS.len() + 1] = [
            View::Text,
            View::Tree,
            View::Raw,
            View::Time,
            View::Markdown,
            View::Hex,
            View::Head,
            View::Strays,
        ];
        IN_ORDER[self.tabs.at.min(VIEWS.len())]
    }

    /// Takes in which call is shown.
    pub fn sync_call(&mut self, call: Option<&Call>) {
        let shown = call.map(|call| call.id);
        if self.call != shown {
            self.call = shown;
            // What comes is followed; what is there already is read from its start.
            self.text.reset(call.is_none_or(|call| call.outcome().is_none()));
            self.find_place = None;
            self.tree = None;
            self.rendered = Rendered::default();
            self.leave_strays();
            self.list = ListCursor::default();
            self.list_follows = true;
            self.has_parts = None;
            self.images = AnswerImages::default();
        }
        if self.has_parts.is_none() {
            let ended = call.filter(|call| call.outcome().is_some());
            if ended.is_some_and(|call| call.chunks == 1) {
                self.text.reset(false);
            }
            self.has_parts = ended.map(parts::has_parts);
            if let (Some(call), Some(true)) = (ended, self.has_parts) {
                self.images = AnswerImages::new(parts::images(call));
            }
        }
    }

    /// Takes in the paths that tools have, by their names, after [`Answer::sync_call`].
    pub fn sync_queries(&mut self, queries: &HashMap<String, Query>, call: Option<&Call>) {
        let changed = self.queried.sync(queries, call);
        if changed.text {
            self.text.reset(self.text.follow && call.is_some_and(|call| call.outcome().is_none()));
            self.tree = None;
        }
        if changed.is_asked && changed.is_text {
            self.tabs.at = View::Text as usize;
        } else if changed.is_asked && !matches!(self.view(), View::Text | View::Tree) {
            self.tabs.at = View::Tree as usize;
        }
    }

    /// Whether there is more than text in the answer.
    pub fn has_parts(&self) -> bool {
        self.has_parts == Some(true)
    }

    pub fn next_view(&mut self, call: Option<&Call>) {
        let strays = call.is_some_and(|call| call.strays > 0);
        self.tabs.at = (self.tabs.at + 1) % (VIEWS.len() + usize::from(strays));
    }

    /// Whether the view keeps what is newest in sight; none of one that has no newest.
    pub fn is_following(&self) -> Option<bool> {
        match self.view() {
            View::Text => Some(self.text.follow),
            View::Tree | View::Head => None,
            _ => Some(self.list_follows),
        }
    }

    pub fn turn_follow(&mut self) {
        match self.view() {
            View::Text => self.text.follow = !self.text.follow,
            _ => self.list_follows = !self.list_follows,
        }
    }

    pub fn turn_strays(&mut self) {
        if self.shows_strays() {
            self.leave_strays();
        } else {
            self.tabs.at = VIEWS.len();
            self.list = ListCursor::default();
            self.list_follows = false;
        }
    }

    fn leave_strays(&mut self) {
        if self.shows_strays() {
            self.tabs.at = 0;
        }
    }

    pub fn shows_strays(&self) -> bool {
        self.view() == View::Strays
    }

    pub fn is_finding(&self) -> bool {
        self.find.is_some()
    }

    /// Opens the find box with what was looked for last, from where the reader is.
    pub fn open_find(&mut self, call: Option<&Call>) {
        self.find = Some(TextInput::selected_whole(self.last_find.clone()));
        self.find_place = None;
        if let Some(call) = call.filter(|_| !self.last_find.is_empty()) {
            // Where it isn't in this answer, nothing was asked for yet.
            let _ = self.search(call, Search::Here);
        }
    }

    /// What of the answer can be copied beside the whole text: the value under the cursor of the
    /// tree, and its path.
    pub fn selected_value(&self) -> Option<(Pointer, String)> {
        match &self.tree {
            Some((_, Ok(tree))) if self.view() == View::Tree => tree.selected_entry(),
            _ => None,
        }
    }

    /// The path of the part that is shown; `None`: all of the answer is.
    pub fn shown_query(&self) -> Option<&Query> {
        self.queried.shown_query()
    }

    /// What that part says.
    pub fn shown_part(&self) -> Option<String> {
        self.queried.found_text()
    }

    pub fn handle_input(&mut self, input: &Input, call: Option<&Call>) -> Reply {
        let Some(call) = call else { return Reply::Ignored };
        match input {
            Input::Key(key) if self.find.is_some() => self.find_key(*key, call),
            Input::Paste(text) => match &mut self.find {
                Some(find) => {
                    find.insert(text);
                    self.search(call, Search::Here)
                }
                None => Reply::Ignored,
            },
            Input::Key(key) => self.handle_key(*key, call),
            Input::Mouse(mouse) => self.handle_mouse(*mouse, call),
        }
    }

    fn find_key(&mut self, key: Key, call: &Call) -> Reply {
        let Some(find) = &mut self.find else { return Reply::Ignored };
        match key.code {
            Code::Esc => {
                self.last_find = find.text().to_owned();
                self.find = None;
                self.text.stop_searching();
                Reply::Handled
            }
            Code::Enter | Code::Down => self.search(call, Search::Next),
            Code::Up => self.search(call, Search::Previous),
            _ if find.handle_key(key) => self.search(call, Search::Here),
            _ => Reply::Ignored,
        }
    }

    fn search(&mut self, call: &Call, way: Search) -> Reply {
        let query = self.find.as_ref().map_or_else(String::new, |find| find.text().to_owned());
        if matches!(self.view(), View::Markdown | View::Hex) {
            // What is found is shown where it is.
            self.tabs.at = 0;
        }
        let found = match self.view() {
            View::Text => self.text.search(self.queried.text(call), &query, way),
            View::Tree => match &mut self.tree {
                Some((_, Ok(tree))) => tree.search(&query, way),
                _ => false,
            },
            _ => self.search_list(call, &query, way),
        };
        if matches!(self.view(), View::Text | View::Tree) {
            self.find_place = match &self.tree {
                _ if !found => None,
                Some((_, Ok(tree))) if self.view() == View::Tree => tree.found_place(&query),
                _ => self.text.found_place(self.queried.text(call)),
            };
        }
        if found || query.is_empty() {
            Reply::Handled
        } else {
            Reply::Refused(format!("\"{query}\" not found"))
        }
    }

    fn search_list(&mut self, call: &Call, query: &str, way: Search) -> bool {
        let query = query.to_lowercase();
        let here = self.list.row;
        let (found, place) = if self.view() == View::Head {
            let rows = headers::header_rows(call, self.body.width);
            let text = |row: &usize| {
                rows[*row].iter().map(|(_, piece)| piece.as_str()).collect::<String>()
            };
            let holds = |row: &usize| text(row).to_lowercase().contains(&query);
            find_row(rows.len(), here, way, holds)
        } else {
            let rows = Listing::from_call(call, self.which_events(call));
            let holds = |listed: EventRow<'_>| match listed.frame() {
                Some((_, text)) => text.to_lowercase().contains(&query),
                None => listed.raw_json().to_lowercase().contains(&query),
            };
            find_row(rows.len(), here, way, |row| rows.get(*row).is_some_and(holds))
        };
        self.find_place = place;
        if let Some(row) = found {
            self.list.row = row;
            self.list_follows = false;
        }
        found.is_some()
    }

    /// What crossed the wire, where that is known, is under Raw without what was made of it.
    pub fn which_events(&self, call: &Call) -> EventFilter {
        match self.view() {
            View::Strays => EventFilter::Strays,
            View::Raw if call.events.marked_count(EventMark::Frame) > 0 => EventFilter::Frames,
            _ => EventFilter::Own,
        }
    }

    /// The frame under the cursor; else the first that was sent.
    pub fn chosen_frame(&self, call: &Call) -> Option<String> {
        let rows = Listing::from_call(call, EventFilter::Frames);
        let listed = (0..rows.len()).filter_map(|row| rows.get(row));
        let mut sent = listed.filter(|row| !row.is_wire()).filter_map(|row| row.frame());
        self.selected_frame(call).or_else(|| {
            sent.find(|(way, _)| *way == FrameWay::Out).map(|(_, text)| text.to_owned())
        })
    }

    /// The frame under the cursor, which can be sent again.
    pub fn selected_frame(&self, call: &Call) -> Option<String> {
        let listed = self.selected_event(call).filter(|_| self.view() == View::Raw)?;
        let frame = listed.frame().filter(|_| !listed.is_wire());
        frame.map(|(_, text)| text.to_owned())
    }

    /// The event under the cursor, where the view is a list of them.
    pub fn selected_event<'c>(&self, call: &'c Call) -> Option<EventRow<'c>> {
        let is_list = matches!(self.view(), View::Raw | View::Time | View::Strays);
        let rows = Listing::from_call(call, self.which_events(call));
        rows.get(self.list.row).filter(|_| is_list)
    }

    fn handle_key(&mut self, key: Key, call: &Call) -> Reply {
        let taken = match self.view() {
            View::Text if key.is_plain(Code::Enter) => return open_log_page(call),
            View::Text => self.text.handle_key(key, self.queried.text(call)),
            View::Tree => match &mut self.tree {
                Some((_, Ok(tree))) => tree.handle_key(key),
                _ => false,
            },
            View::Markdown | View::Hex | View::Head => {
                let rows = self.row_count(call);
                let taken = self.list.handle_key(key, rows);
                self.list_follows &= !taken || key.code == Code::End;
                taken
            }
            _ => return self.list_key(key, call),
        };
        if taken { Reply::Handled } else { Reply::Ignored }
    }

    /// How many rows the view has, of those that are lists of rows.
    pub fn row_count(&self, call: &Call) -> usize {
        match self.view() {
            View::Markdown => self.rendered.row_count(),
            View::Hex => bytes::row_count(&call.text, self.body.width),
            View::Head => headers::header_rows(call, self.body.width).len(),
            _ => Listing::from_call(call, self.which_events(call)).len(),
        }
    }

    fn list_key(&mut self, key: Key, call: &Call) -> Reply {
        let rows = Listing::from_call(call, self.which_events(call));
        if key.is_plain(Code::Enter) {
            return event_page::open(call, self.which_events(call), self.list.row);
        }
        if !self.list.handle_key(key, rows.len()) {
            return Reply::Ignored;
        }
        self.list_follows = !self.shows_strays() && key.code == Code::End;
        Reply::Handled
    }

    fn handle_mouse(&mut self, mouse: Mouse, call: &Call) -> Reply {
        if self.find.as_mut().is_some_and(|find| find.handle_mouse(mouse)) {
            return Reply::Handled;
        }
        if self.tabs.handle_mouse(mouse) {
            self.find_place = None;
            return Reply::Handled;
        }
        if self.tabs.note_pressed(mouse) && self.is_following().is_some() {
            self.turn_follow();
            return Reply::Handled;
        }
        let at = (mouse.column, mouse.row).into();
        let pressed = matches!(mouse.kind, MouseKind::Down(_));
        if pressed && self.stray_line.contains(at) {
            self.turn_strays();
            return Reply::Handled;
        }
        match (self.view(), mouse.kind) {
            (View::Text, _) => {
                if let Some(text) = self.text.handle_mouse(mouse, self.queried.text(call)) {
                    return Reply::send(copy_message(text));
                }
            }
            (View::Tree, _) => {
                if let Some((_, Ok(tree))) = &mut self.tree {
                    tree.handle_mouse(mouse);
                }
            }
            (View::Markdown | View::Hex | View::Head, _) => {
                let rows = self.row_count(call);
                self.list.handle_mouse(mouse, self.body, rows);
                self.list_follows &= !(pressed || matches!(mouse.kind, MouseKind::Wheel(..0)));
            }
            _ => {
                let rows = Listing::from_call(call, self.which_events(call));
                let before = self.list.row;
                let chosen = self.list.handle_mouse(mouse, self.body, rows.len());
                self.list_follows &= !(pressed || matches!(mouse.kind, MouseKind::Wheel(..0)));
                // A second press on a row opens it.
                if chosen == Some(before) {
                    return event_page::open(call, self.which_events(call), before);
                }
            }
        }
        Reply::Handled
    }
}

/// The row that holds what is looked for, from the row `here` on; and which of how many that is,
/// where there are not too many rows to count them with each key.
fn find_row(
    rows: usize,
    here: usize,
    way: Search,
    holds: impl Fn(&usize) -> bool,
) -> (Option<usize>, Option<(usize, usize)>) {
    const MOST_COUNTED: usize = 2_000;
    let here = here.min(rows);
    let after = (here + 1).min(rows);
    let found = match way {
        Search::Here => (here..rows).chain(0..here).find(&holds),
        Search::Next => (after..rows).chain(0..after).find(&holds),
        Search::Previous => (0..here).rev().chain((here..rows).rev()).find(&holds),
    };
    let place = found.filter(|_| rows <= MOST_COUNTED).map(|found| {
        let all: Vec<usize> = (0..rows).filter(&holds).collect();
        (all.iter().filter(|row| **row <= found).count(), all.len())
    });
    (found, place)
}

/// What happened beside the pieces of the answer, each line whole.
fn open_log_page(call: &Call) -> Reply {
    const ROWS: usize = 1_000;
    const CELLS: usize = 90;
    let rows = Listing::from_call(call, EventFilter::Own);
    let is_piece = |listed: &EventRow<'_>| matches!(listed, EventRow::Event(event, ..) if matches!(event.kind, EventKind::Chunk { .. }));
    let events = (0..rows.len()).filter_map(|row| rows.get(row)).filter(|row| !is_piece(row));
    let lines = events.take(ROWS).flat_map(|listed| {
        let LogRow { time, what, role, text } = listed.log_row();
        let head = vec![(Role::Dim, format!("{time} ms  ")), (role, what)];
        let text = wrap(&text, CELLS).into_iter();
        let text = text.map(|line| vec![(Role::Text, format!("  {line}"))]);
        std::iter::once(head).chain(text).collect::<Vec<_>>()
    });
    Reply::Open(Box::new(PageOverlay::new("What happened", lines.collect())))
}

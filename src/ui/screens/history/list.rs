//! The kept calls, newest first, narrowed by what is looked for.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        actions::Act,
        history::HistoryMessage,
        input::{Code, Input, Key, Mouse, MouseKind},
        message::Message,
        state::State,
    },
    engine::trace::wanted::WORDS,
    model::{call::Outcome, clock::Millis, trace::Summary},
    schema::moment::{LocalTime, month_name},
    ui::{
        answer::events::span,
        canvas::{Pen, mark_chosen, width},
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::{list::ListCursor, pane::Pane, text_input::TextInput},
    },
};

#[derive(Default)]
pub(super) struct List {
    cursor: ListCursor,
    find: Option<TextInput>,
    rows: Rect,
}

impl List {
    pub(super) fn sync(&mut self, state: &State) {
        if let Some(row) = state.kept.selected_row() {
            self.cursor.row = row;
        }
        if state.kept.query.is_empty()
            && self.find.as_ref().is_some_and(|find| !find.text().is_empty())
        {
            self.find = None;
        }
    }

    pub(super) fn typing(&self) -> bool {
        self.find.is_some()
    }

    pub(super) fn open_find(&mut self, state: &State) {
        self.find = Some(TextInput::new(state.kept.query.clone()));
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        state: &State,
        focused: bool,
    ) {
        let styles = look.styles;
        let kept = &state.kept;
        let calls = &kept.listing.calls;
        let title = format!("History {}", calls.len() + kept.listing.older);
        let note = match (kept.reading(), kept.query.is_empty(), &self.find) {
            (true, ..) => "reading …".to_owned(),
            (_, false, None) => format!("/ {}", kept.query),
            _ => format!("{} find", look.keymap.shown(Act::Find)),
        };
        let older = if kept.listing.older > 0 {
            format!(" · {} older", kept.listing.older)
        } else {
            String::new()
        };
        let foot = self
            .cursor
            .position(calls.len())
            .map_or_else(|| older.clone(), |place| format!("{place}{older}"));
        let mut inside =
            Pane { title: &title, note: &note, foot: &foot, focused }.draw(buffer, area, styles);
        if let Some(find) = &mut self.find {
            let line = Rect { height: 1.min(inside.height), ..inside };
            Pen::new(buffer, line, 0).put("/", styles[Role::Accent]);
            find.draw(
                buffer,
                Rect { x: line.x + 1, width: line.width.saturating_sub(1), ..line },
                styles[Role::FieldFocus],
                Some(styles[Role::Cursor]),
            );
            let help =
                Rect { y: inside.y + line.height, height: u16::from(inside.height > 4), ..inside };
            if help.height > 0 {
                Pen::new(buffer, help, 0).put(
                    &crate::ui::canvas::fit(WORDS, usize::from(help.width)),
                    styles[Role::Dim],
                );
            }
            let taken = line.height + help.height;
            inside = Rect { y: inside.y + taken, height: inside.height - taken, ..inside };
        }
        self.rows = inside;
        let today = state.wall;
        for (line, row) in (0_u16..).zip(self.cursor.window(calls.len(), inside.height)) {
            let call = &calls[row];
            let here = kept.selected.as_ref() == Some(&call.id);
            let marked = kept.marked.as_ref() == Some(&call.id);
            draw_row(&mut Pen::new(buffer, inside, line), call, (here, marked), today, styles);
            if here {
                mark_chosen(
                    buffer,
                    Rect { y: inside.y + line, height: 1, ..inside },
                    styles,
                    focused,
                );
            }
        }
    }

    pub(super) fn input(&mut self, input: &Input, state: &State) -> Reply {
        match input {
            Input::Key(key) => self.key(*key, state),
            Input::Paste(text) => match &mut self.find {
                Some(find) => {
                    find.insert(text);
                    Reply::send(Message::History(HistoryMessage::Find(find.text().to_owned())))
                }
                None => Reply::Ignored,
            },
            Input::Mouse(mouse) => self.mouse(*mouse, state),
        }
    }

    fn key(&mut self, key: Key, state: &State) -> Reply {
        let moves = matches!(key.code, Code::Up | Code::Down | Code::PageUp | Code::PageDown);
        if let Some(find) = self.find.as_mut().filter(|_| !moves) {
            return match key.code {
                Code::Esc => {
                    self.find = None;
                    Reply::send(Message::History(HistoryMessage::Find(String::new())))
                }
                Code::Enter => {
                    self.find = None;
                    Reply::Handled
                }
                _ if find.key(key) => {
                    Reply::send(Message::History(HistoryMessage::Find(find.text().to_owned())))
                }
                _ => Reply::Ignored,
            };
        }
        let calls = &state.kept.listing.calls;
        if self.cursor.key(key, calls.len()) { self.choose(state) } else { Reply::Ignored }
    }

    fn choose(&self, state: &State) -> Reply {
        let chosen = state.kept.listing.calls.get(self.cursor.row).map(|call| &call.id);
        match chosen.filter(|id| state.kept.selected.as_ref() != Some(*id)) {
            Some(id) => Reply::send(Message::History(HistoryMessage::Select(id.clone()))),
            None => Reply::Handled,
        }
    }

    fn mouse(&mut self, mouse: Mouse, state: &State) -> Reply {
        let pressed = self.cursor.mouse(mouse, self.rows, state.kept.listing.calls.len());
        if pressed.is_some() || matches!(mouse.kind, MouseKind::Wheel(_)) {
            self.choose(state)
        } else {
            Reply::Handled
        }
    }
}

/// Sign, time, tool, arguments as far as they fit, how long it took.
fn draw_row(
    pen: &mut Pen<'_>,
    call: &Summary,
    (here, marked): (bool, bool),
    now: LocalTime,
    styles: &Styles,
) {
    let (sign, role) = sign(call.outcome);
    let took = span(call.took_ms);
    pen.put(if here { "▌" } else { " " }, styles[Role::Accent])
        .put(if marked { "◆" } else { " " }, styles[Role::Accent])
        .put(sign, styles[role])
        .put(" ", styles[Role::Text])
        .column(&when(call.at, now), 9, styles[Role::Dim]);
    let room = pen.room().saturating_sub(width(&took) + 1);
    let name = width(&call.tool).min(room);
    pen.column(&call.tool, name, styles[Role::Text]);
    if room > name + 4 && &*call.arguments != "{}" {
        pen.put("  ", styles[Role::Text]).column(
            &call.arguments,
            room - name - 2,
            styles[Role::Dim],
        );
    }
    pen.right(&took, styles[Role::Dim]);
}

fn sign(outcome: Option<Outcome>) -> (&'static str, Role) {
    match outcome {
        Some(Outcome::Succeeded) => ("✓", Role::Success),
        Some(Outcome::Cancelled) => ("■", Role::Warning),
        Some(Outcome::Failed | Outcome::TimedOut | Outcome::Lost) => ("✗", Role::Error),
        None => ("…", Role::Warning),
    }
}

/// The time of today's calls, the date of others.
fn when(at: Millis, now: LocalTime) -> String {
    let at = LocalTime {
        seconds: i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX / 2),
        offset: now.offset,
    };
    if at.date() == now.date() || now.seconds == 0 {
        at.clock()
    } else {
        let date = at.date();
        format!("{} {}", date.day(), &month_name(date)[..3])
    }
}

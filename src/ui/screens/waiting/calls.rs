//! The left pane: the calls that wait, and below them the chosen one in full.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{
        answering::{AnsweringMessage, Open},
        input::Input,
        message::Message,
        state::State,
    },
    model::clock::Millis,
    systems::by_hand,
    ui::{
        canvas::{Pen, inset_area, mark_chosen, text_width, wrap},
        styles::{Role, Styles},
        view::Reply,
        widgets::{
            list::ListCursor,
            pane::Pane,
            reading::{self, Line, ReadPosition},
        },
    },
};

#[derive(Default)]
pub(super) struct Calls {
    cursor: ListCursor,
    area: Rect,
    pub(super) details: ReadPosition,
}

impl Calls {
    pub(super) fn sync_state(&mut self, state: &State) {
        let shown = state.answering.shown_call().map(|open| open.asked.ask);
        let row = state.answering.open.iter().position(|open| Some(open.asked.ask) == shown);
        self.cursor.row = row.unwrap_or_default();
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        state: &State,
        focused: bool,
    ) {
        let answering = &state.answering;
        let count = answering.open.len();
        let title = match count {
            0 => "Calls".to_owned(),
            count => format!("Calls · {count} waiting"),
        };
        let inside = Pane { title: &title, focused, ..Pane::default() }.draw(buffer, area, styles);
        let height = u16::try_from(count).unwrap_or(u16::MAX).min(inside.height / 2).max(1);
        self.area = Rect { height, ..inside };
        let widest = answering
            .open
            .iter()
            .map(|open| text_width(open.asked.waiting.tool_name()))
            .max()
            .unwrap_or_default();
        for (line, row) in (0_u16..).zip(self.cursor.visible_rows(count, height)) {
            let open = &answering.open[row];
            let (left, role) = time_left(open, answering.now);
            let mut pen = Pen::new(buffer, self.area, line);
            let chosen = row == self.cursor.row;
            pen.put_text(if chosen { "▌" } else { " " }, styles[Role::Accent]);
            let room = pen.remaining_cells().saturating_sub(left.chars().count() + 1);
            let tool = widest.min(room * 3 / 5);
            pen.put_column(open.asked.waiting.tool_name(), tool, styles[Role::Text])
                .put_text(" ", styles[Role::Text])
                .put_column(
                    open.asked.waiting.caller_id(),
                    room.saturating_sub(tool + 1),
                    styles[Role::Dim],
                )
                .put_right(&left, styles[role]);
            if chosen {
                mark_chosen(buffer, self.area, line, styles, focused);
            }
        }
        let below = Rect { y: inside.y + height, height: inside.height - height, ..inside };
        Pen::new(buffer, below, 0)
            .put_text(&"─".repeat(usize::from(below.width)), styles[Role::Border]);
        let below =
            inset_area(Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below });
        let cells = usize::from(below.width);
        let mut lines = answering
            .shown_call()
            .map_or_else(Vec::new, |open| details(open, answering.now, cells));
        lines.extend(answered_tool_lines(state, cells));
        if count == 0 {
            Pen::new(buffer, self.area, 0).skip(1).put_text(
                "no call is \
                waiting",
                styles[Role::Ghost],
            );
        }
        self.details.draw(buffer, below, styles, &lines);
    }

    pub(super) fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        let open = &state.answering.open;
        if let Input::Mouse(mouse) = input
            && self.details.contains(mouse.column, mouse.row)
        {
            self.details.handle_input(input);
            return Reply::Handled;
        }
        let chosen = self.cursor.handle_input(input, self.area, open.len());
        match chosen.and_then(|row| open.get(row)) {
            Some(open) => Reply::send(Message::Answering(AnsweringMessage::Choose(open.asked.ask))),
            None if matches!(input, Input::Mouse(_)) => Reply::Handled,
            None => Reply::Ignored,
        }
    }
}

/// How long the caller still waits.
pub(super) fn time_left(open: &Open, now: Millis) -> (String, Role) {
    match open.due {
        _ if open.sent => ("sending".into(), Role::Info),
        None => (format!("for {}", format_duration(now.since(open.since))), Role::Dim),
        Some(due) if now > due => {
            (format!("{} over", format_duration(now.since(due))), Role::Warning)
        }
        Some(due) => (format!("{} left", format_duration(due.since(now))), Role::State),
    }
}

fn format_duration(ms: u64) -> String {
    match ms.div_ceil(1_000) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// Who asks, in what turn, what with, and until when.
fn details(open: &Open, now: Millis, cells: usize) -> Vec<Line> {
    let waiting = &open.asked.waiting;
    let due = match open.due {
        None => "its caller's timeout is unknown".to_owned(),
        Some(due) if now > due => {
            format!(
                "its caller's timeout passed {} ago: it may have given up",
                format_duration(now.since(due))
            )
        }
        Some(due) => {
            format!(
                "its caller waits {} more (the tool's timeout)",
                format_duration(due.since(now))
            )
        }
    };
    let mut lines =
        labelled("came", &format!("{} ago; {due}", format_duration(now.since(open.since))), cells);
    lines.extend(labelled("then", &waiting.caller_outcome(), cells));
    lines.push(Vec::new());
    lines.push(vec![(Role::Heading, "arguments".into())]);
    lines.extend(reading::json_lines(&open.asked.arguments, cells));
    lines.push(Vec::new());
    for (label, text) in waiting.labeled_ids() {
        lines.extend(labelled(label, &text, cells));
    }
    lines.push(Vec::new());
    lines
}

fn labelled(label: &str, text: &str, cells: usize) -> Vec<Line> {
    let lines = wrap(text, cells.saturating_sub(6).max(1)).into_iter().enumerate();
    lines
        .map(|(row, line)| {
            vec![
                (Role::Label, format!("{:<6}", if row == 0 { label } else { "" })),
                (Role::Text, line),
            ]
        })
        .collect()
}

/// The tools that are answered for.
fn answered_tool_lines(state: &State, cells: usize) -> Vec<Line> {
    let stands = &state.answering.stands;
    if stands.is_empty() && !state.answering.open.is_empty() {
        return Vec::new();
    }
    if stands.is_empty() {
        let text = format!(
            "Nothing is waiting. What a server asks during a call appears here. To answer a {} \
            tool by hand, select it in Invoke ({}).",
            by_hand::supported_systems(),
            state.keymap.way_to("answer-by-hand")
        );
        return reading::wrapped_lines(&text, Role::Ghost, cells);
    }
    let mut lines = vec![vec![(Role::Heading, "answering for".into())]];
    for stand in stands {
        let subject = stand.subject.as_deref().unwrap_or("connecting …");
        lines.extend(reading::wrapped_lines(
            &format!("{} on {}: {subject}", stand.tool, stand.connection),
            Role::Dim,
            cells,
        ));
    }
    lines
}

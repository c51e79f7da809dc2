//! A change that is shown before it is made: which files and lines it touches, and what follows;
//! sometimes with a name to type first.

use ratatui::{Frame, buffer::Buffer, layout::Rect, style::Style};

use super::modal;
use crate::{
    app::{
        compose::plan::Plan,
        input::{Code, Input, Key, Mouse, MouseKind},
        message::{DocumentMessage, Message},
        state::State,
    },
    ui::{
        canvas::{Pen, inset_area, sentence_case, text_width, wrap},
        sheet::{Ask, Entry, Sheet, plain_lines},
        styles::{Role, Styles},
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::{
            difference::{self, Line},
            text_input::TextInput,
        },
    },
};

/// In the place of the lines before a text is typed.
const NOTHING_YET: &str = "Changes are previewed here";

/// What a text (empty where none is asked for) leads to, or why it leads to nothing.
type MakeProposal = Box<dyn Fn(&str, &State) -> Result<Proposed, String>>;

/// Something that would be done, as it is shown before.
pub(crate) struct Proposed {
    /// What a user should know before: sentences.
    pub notes: Vec<String>,
    pub lines: Vec<Line>,
    /// What does it.
    pub messages: Vec<Message>,
    /// What it does, where that is something else than the button says: two of a name are merged.
    pub act: Option<&'static str>,
}

/// More that can be done with it, when it is asked for.
pub(crate) struct ExtraButton {
    /// What switches it on and off.
    pub key: &'static str,
    /// What the bottom line says of it.
    pub hint: &'static str,
    pub button: String,
    /// What is said while it is off, and while it is on.
    pub off: String,
    pub on: String,
}

/// The same with what it would then do.
struct Switch {
    also: ExtraButton,
    is_on: bool,
    make: MakeProposal,
}

pub(crate) struct Proposal {
    title: String,
    words: String,
    input: Option<TextInput>,
    make: MakeProposal,
    /// What the button says it does.
    act: &'static str,
    /// Whether what it does removes something: then Enter cancels, until the button is chosen.
    removes: bool,
    /// Of its two buttons the chosen one, where it removes something: 0 cancels.
    chosen: usize,
    switch: Option<Switch>,
    /// What is sent however it ends.
    aside: Option<Message>,
    /// What is sent where nothing comes of it.
    cancelled: Option<Message>,
    shown: Option<ShownPlan>,
    /// Whether its text was answered: with a key, or as a line.
    answered: bool,
    /// Whether it stayed open for its text when somebody pressed beside it.
    keeps_text: bool,
    /// The first line of the preview that is seen.
    top: usize,
    seen: usize,
    sheet: Rect,
    buttons: Vec<Rect>,
}

/// The plan as it was worked out for one text, one state, and with or without more.
struct ShownPlan {
    of: (String, u64, bool),
    made: Result<Proposed, String>,
}

impl Proposal {
    /// Asks whether to make a plan.
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        make: impl Fn(&State) -> Result<Plan, String> + 'static,
    ) -> Self {
        Self::from_plan(title, words, None, move |_, state| make(state))
    }

    /// Asks for a text and shows what comes of it as it is typed.
    pub fn with_text_input(
        title: impl Into<String>,
        words: impl Into<String>,
        text: impl Into<String>,
        make: impl Fn(&str, &State) -> Result<Plan, String> + 'static,
    ) -> Self {
        Self::from_plan(title, words, Some(TextInput::new(text)), make)
    }

    /// The same where what comes of a text may be no plan for the files.
    pub fn with_text_proposed(
        title: impl Into<String>,
        words: impl Into<String>,
        text: impl Into<String>,
        make: impl Fn(&str, &State) -> Result<Proposed, String> + 'static,
    ) -> Self {
        Self::from_make(title, words, Some(TextInput::new(text)), Box::new(make))
    }

    /// Asks whether to do something that is no plan for the files.
    pub fn from_proposed(
        title: impl Into<String>,
        words: impl Into<String>,
        make: impl Fn(&State) -> Result<Proposed, String> + 'static,
    ) -> Self {
        Self::from_make(title, words, None, Box::new(move |_, state| make(state)))
    }

    /// The same; its button and hint say what is done: "delete", "rename".
    #[must_use]
    pub fn with_act(self, act: &'static str) -> Self {
        Self { act, ..self }
    }

    /// The same where what is done removes something: nothing but its own button does it.
    #[must_use]
    pub fn with_removal(self, act: &'static str) -> Self {
        Self { act, removes: true, ..self }
    }

    /// The same; what is typed replaces the text that is there: an example, or a former name.
    #[must_use]
    pub fn with_example(mut self) -> Self {
        self.input = self.input.map(|input| TextInput::selected_whole(input.text()));
        self
    }

    /// The same; the message is sent however it ends.
    #[must_use]
    pub fn with_closing_message(self, message: Message) -> Self {
        Self { aside: Some(message), ..self }
    }

    /// The same; the message is sent where nothing comes of it.
    #[must_use]
    pub fn with_cancel_message(self, message: Message) -> Self {
        Self { cancelled: Some(message), ..self }
    }

    /// The same; these messages come after those that do it.
    #[must_use]
    pub fn followed_by(mut self, messages: impl Into<Vec<Message>>) -> Self {
        let (make, after) = (self.make, messages.into());
        self.make = Box::new(move |text, state| {
            let mut made = make(text, state)?;
            made.messages.extend(after.iter().cloned());
            Ok(made)
        });
        self
    }

    /// Offers more, beside what it does anyway; nothing is asked to be typed.
    #[must_use]
    pub fn with_switch(
        self,
        also: ExtraButton,
        make: impl Fn(&State) -> Result<Proposed, String> + 'static,
    ) -> Self {
        Self {
            switch: Some(Switch {
                also,
                is_on: false,
                make: Box::new(move |_, state| make(state)),
            }),
            ..self
        }
    }

    /// What its button does with what is typed now.
    fn shown_act(&self) -> &'static str {
        let made = self.shown.as_ref().and_then(|shown| shown.made.as_ref().ok());
        made.and_then(|made| made.act).unwrap_or(self.act)
    }

    fn from_plan(
        title: impl Into<String>,
        words: impl Into<String>,
        input: Option<TextInput>,
        make: impl Fn(&str, &State) -> Result<Plan, String> + 'static,
    ) -> Self {
        Self::from_make(
            title,
            words,
            input,
            Box::new(move |text, state| propose_plan(make(text, state)?, state)),
        )
    }

    fn from_make(
        title: impl Into<String>,
        words: impl Into<String>,
        input: Option<TextInput>,
        make: MakeProposal,
    ) -> Self {
        Self {
            title: title.into(),
            words: words.into(),
            input,
            make,
            act: "apply",
            removes: false,
            chosen: 0,
            switch: None,
            aside: None,
            cancelled: None,
            shown: None,
            answered: false,
            keeps_text: false,
            top: 0,
            seen: 0,
            sheet: Rect::default(),
            buttons: Vec::new(),
        }
    }

    /// As a reply that opens it.
    #[must_use]
    pub fn into_reply(self) -> Reply {
        Reply::Open(Box::new(self))
    }

    fn work_out(&mut self, state: &State) -> &ShownPlan {
        let text = self.input.as_ref().map_or("", TextInput::text).trim().to_owned();
        let on = self.switch.as_ref().filter(|switch| switch.is_on);
        let of = (text, state.generation, on.is_some());
        let kept = self.shown.take().filter(|shown| shown.of == of);
        self.shown.insert(kept.unwrap_or_else(|| {
            let made = on.map_or(&self.make, |switch| &switch.make)(&of.0, state);
            ShownPlan { of, made }
        }))
    }

    fn shown_lines(&self) -> &[Line] {
        self.shown
            .as_ref()
            .and_then(|shown| shown.made.as_ref().ok())
            .map_or(&[], |made| &made.lines)
    }

    fn close(&self) -> OverlayReply {
        let said = self.aside.iter().chain(&self.cancelled).cloned().collect::<Vec<_>>();
        match said.is_empty() {
            true => OverlayReply::Close,
            false => OverlayReply::CloseWith(Reply::Send(said)),
        }
    }

    fn accept(&mut self, state: &State) -> OverlayReply {
        let made = self.work_out(state).made.as_ref().ok().map(|made| made.messages.clone());
        match made {
            Some(messages) => {
                let aside = self.aside.iter().cloned();
                OverlayReply::CloseWith(Reply::Send(aside.chain(messages).collect()))
            }
            None if self.is_stuck() => self.close(),
            None => {
                self.answered = true;
                OverlayReply::Stay
            }
        }
    }

    /// Whether it can't be done, and nothing that is typed or pressed here changes that.
    fn is_stuck(&self) -> bool {
        let can = self.shown.as_ref().is_none_or(|shown| shown.made.is_ok());
        !can && self.input.is_none() && self.switch.is_none()
    }

    /// What its button does: the first one or, where it removes something, the second.
    fn press_button(&mut self, row: usize, state: &State) -> OverlayReply {
        match row {
            0 | 1 if (row == 1) == self.removes => self.accept(state),
            0 | 1 => self.close(),
            _ => {
                self.toggle_switch();
                OverlayReply::Stay
            }
        }
    }

    /// Chooses among the buttons by a key; whether it was one for that.
    fn choose_button(&mut self, key: Key) -> bool {
        match key.code {
            _ if !self.removes => return false,
            Code::Left => self.chosen = 0,
            Code::Right => self.chosen = 1,
            Code::Tab => self.chosen = 1 - self.chosen,
            _ => return false,
        }
        true
    }

    fn is_switched_by(&self, key: Key) -> bool {
        let keys = self.switch.as_ref().map_or("", |switch| switch.also.key);
        key.typed_char().is_some_and(|letter| keys.contains(letter))
    }

    fn toggle_switch(&mut self) {
        if let Some(switch) = &mut self.switch {
            switch.is_on = !switch.is_on;
            self.top = 0;
        }
    }

    fn scroll(&mut self, by: isize) {
        let count = self.shown_lines().len();
        self.top = self.top.saturating_add_signed(by).min(count.saturating_sub(self.seen));
    }

    fn scroll_key(&mut self, key: Key) -> bool {
        let page = isize::try_from(self.seen.max(2) - 1).unwrap_or(1);
        match key.code {
            Code::Up => self.scroll(-1),
            Code::Down => self.scroll(1),
            Code::PageUp => self.scroll(-page),
            Code::PageDown => self.scroll(page),
            _ => return false,
        }
        true
    }

    fn draw_preview(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles) {
        self.seen = usize::from(area.height);
        self.top = self.top.min(self.shown_lines().len().saturating_sub(self.seen));
        let lines = self.shown_lines();
        let ground = styles[Role::Overlay].bg;
        for (row, line) in (0..area.height).zip(lines.iter().skip(self.top)) {
            let mut pen = Pen::new(buffer, area, row);
            for (role, text) in line {
                pen.put_text(text, Style { bg: ground, ..styles[*role] });
            }
        }
        let is_begun = self.input.as_ref().is_none_or(|input| !input.text().is_empty());
        if lines.is_empty() && !is_begun {
            Pen::new(buffer, area, 0).put_text(NOTHING_YET, styles[Role::Dim]);
        }
        let more = lines.len().saturating_sub(self.top + self.seen);
        if more > 0 && area.height > 0 {
            Pen::new(buffer, area, area.height - 1)
                .put_right(&format!(" ▾ {more} more "), styles[Role::Dim]);
        }
    }

    fn draw_buttons(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles) {
        let can = self.shown.as_ref().is_some_and(|shown| shown.made.is_ok());
        let y = area.bottom().saturating_sub(1);
        let mut pen = Pen::new(buffer, area, area.height.saturating_sub(1));
        let switch = self.switch.as_ref().map(
            |Switch { also: ExtraButton { key, button, .. }, is_on, .. }| {
                let mark = if *is_on { 'x' } else { ' ' };
                (format!(" {key} [{mark}] {button} "), styles[Role::Chip])
            },
        );
        let role = |is_chosen: bool, can: bool| match (is_chosen, can) {
            (_, false) => styles[Role::Ghost],
            (true, true) => styles[Role::Selected],
            (false, true) => styles[Role::Chip],
        };
        let fixed = if self.is_stuck() {
            vec![(" Enter close ".to_owned(), role(true, true))]
        } else if self.removes {
            vec![
                (" Cancel ".to_owned(), role(self.chosen == 0, true)),
                (format!(" {} ", sentence_case(self.shown_act())), role(self.chosen == 1, can)),
            ]
        } else {
            vec![
                (format!(" Enter {} ", self.shown_act()), role(true, can)),
                (" Esc cancel ".to_owned(), role(false, true)),
            ]
        };
        let buttons = fixed.into_iter().chain(switch);
        self.buttons.clear();
        for (words, style) in buttons {
            self.buttons.push(Rect::new(
                pen.column_now(),
                y,
                u16::try_from(text_width(&words)).unwrap_or(0),
                1,
            ));
            pen.put_text(&words, style).skip(2);
        }
    }
}

/// What a plan makes of the files.
pub(crate) fn propose_plan(plan: Plan, state: &State) -> Result<Proposed, String> {
    let files = plan.file_plans(&state.documents).map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    for file in files {
        let word = match (&file.before, &file.after) {
            (None, _) => "  new file",
            (_, None) => "  the file is deleted",
            _ => "",
        };
        lines.push(vec![(Role::Accent, file.file.to_string()), (Role::Dim, word.to_owned())]);
        lines.extend(difference::diff_with_context(
            file.before.as_deref().unwrap_or_default(),
            file.after.as_deref().unwrap_or_default(),
        ));
    }
    let merges = plan.renamed.as_ref().is_some_and(|renaming| renaming.joins);
    Ok(Proposed {
        notes: plan.notes.clone(),
        lines,
        act: merges.then_some("merge"),
        messages: vec![Message::Document(DocumentMessage::Compose(plan))],
    })
}

impl Overlay for Proposal {
    fn is_typing(&self) -> bool {
        self.input.is_some()
    }

    fn selected_text(&self) -> Option<&str> {
        self.input.as_ref()?.selected_text()
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let styles = look.styles;
        let wide = area.width.saturating_sub(4).clamp(40, 96);
        let cells = usize::from(wide.saturating_sub(4));
        let words = if self.words.is_empty() { Vec::new() } else { wrap(&self.words, cells) };
        let (asks, answered) = (self.input.is_some(), self.answered);
        let shown = self.work_out(state);
        let mut notes: Vec<(Role, String)> = match &shown.made {
            Ok(made) => {
                let wrapped = made.notes.iter().flat_map(|note| wrap(note, cells));
                wrapped.map(|line| (Role::Warning, line)).collect()
            }
            // Before anything is typed, nothing is wrong yet.
            Err(_) if asks && shown.of.0.is_empty() && !answered => Vec::new(),
            Err(why) => wrap(why, cells).into_iter().map(|line| (Role::Error, line)).collect(),
        };
        let made = shown.made.as_ref().map_or(0, |made| made.lines.len());
        if self.keeps_text {
            notes.push((Role::Warning, modal::KEEPS_TEXT.to_owned()));
        }
        if let Some(Switch { also: ExtraButton { off, on, .. }, is_on, .. }) = &self.switch {
            let (role, words) = if *is_on { (Role::Warning, on) } else { (Role::Dim, off) };
            notes.extend(wrap(words, cells).into_iter().map(|line| (role, line)));
        }
        let count = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
        let fixed = count(words.len()) + u16::from(!words.is_empty()) + 2 * u16::from(asks) + 4;
        // Room is kept while a name is typed, so that the sheet does not jump.
        let least: u16 = if asks { 9 } else { 3 };
        let body = count(notes.len() + made).max(least);
        let (sheet, inside) =
            modal::draw_modal(frame, area, (wide, fixed.saturating_add(body)), &self.title, look);
        self.sheet = sheet;
        let buffer = frame.buffer_mut();
        let mut rest = inset_area(inside);
        let mut take = |rows: u16| {
            let rows = rows.min(rest.height);
            let taken = Rect { height: rows, ..rest };
            rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
            taken
        };
        let place = take(count(words.len()));
        for (row, line) in (0..place.height).zip(&words) {
            Pen::new(buffer, place, row).put_text(line, styles[Role::Dim]);
        }
        take(u16::from(!words.is_empty()));
        if let Some(input) = &mut self.input {
            input.draw(buffer, take(1), styles[Role::FieldFocus], Some(styles[Role::Cursor]));
            take(1);
        }
        // Below the notes are the lines of the preview, where there are any, and the buttons.
        let most = rest.height.saturating_sub(if made == 0 { 2 } else { 3 });
        let mut take = |rows: u16| {
            let rows = rows.min(rest.height);
            let taken = Rect { height: rows, ..rest };
            rest = Rect { y: rest.y + rows, height: rest.height - rows, ..rest };
            taken
        };
        let place = take(count(notes.len()).min(most));
        for (row, (role, line)) in (0..place.height).zip(&notes) {
            Pen::new(buffer, place, row).put_text(line, styles[*role]);
        }
        let foot = rest;
        let preview = Rect { height: rest.height.saturating_sub(2), ..rest };
        self.draw_preview(buffer, preview, styles);
        self.draw_buttons(buffer, foot, styles);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            self.keeps_text = self.input.as_ref().is_some_and(TextInput::is_edited);
            return if self.keeps_text { OverlayReply::Stay } else { self.close() };
        }
        self.keeps_text &= matches!(input, Input::Mouse(_));
        match input {
            Input::Key(key) if key.is_plain(Code::Esc) => return self.close(),
            Input::Key(key) if key.code == Code::Enter => {
                return self.press_button(self.chosen, state);
            }
            Input::Key(key) if self.choose_button(*key) => {}
            Input::Key(key) if self.is_switched_by(*key) => self.toggle_switch(),
            Input::Key(key) => {
                if !self.scroll_key(*key)
                    && let Some(input) = &mut self.input
                {
                    input.handle_key(*key);
                }
            }
            Input::Paste(text) => {
                if let Some(input) = &mut self.input {
                    input.insert_json(text);
                }
            }
            Input::Mouse(Mouse { kind: MouseKind::Wheel(notches), .. }) => {
                self.scroll(isize::from(*notches) * 3);
            }
            Input::Mouse(mouse) => {
                let at = (mouse.column, mouse.row).into();
                let button = self.buttons.iter().position(|place| place.contains(at));
                if let (MouseKind::Down(_), Some(row)) = (mouse.kind, button) {
                    return self.press_button(row, state);
                }
                if let Some(input) = &mut self.input {
                    input.handle_mouse(*mouse);
                }
            }
        }
        OverlayReply::Stay
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        if self.is_stuck() {
            return vec![("Enter", "close"), ("↑↓", "scroll")];
        }
        let switch = self.switch.iter().map(|switch| (switch.also.key, switch.also.hint));
        let act = if self.removes && self.chosen == 0 { "cancel" } else { self.shown_act() };
        let choose = self.removes.then_some(("←→", "choose"));
        let fixed = [("Enter", act), ("↑↓", "scroll"), ("Esc", "cancel")];
        choose.into_iter().chain(fixed).chain(switch).collect()
    }

    fn sheet(&mut self, state: &State) -> Sheet {
        let text = self.input.as_ref().map(|input| input.text().to_owned());
        let answered = self.answered;
        let mut sheet = Sheet::new(self.title.clone(), &self.words, Ask::Nothing);
        let can = match &self.work_out(state).made {
            Ok(made) => {
                sheet.lines.extend(made.notes.iter().cloned());
                sheet.lines.extend(plain_lines(&made.lines));
                true
            }
            Err(why) => {
                // Before anything is typed, nothing is wrong yet.
                let is_asked = text.is_some() && !answered;
                sheet.lines.extend((!is_asked).then(|| format!("Error: {why}")));
                false
            }
        };
        let switch = self.switch.as_ref();
        sheet.lines.extend(switch.map(
            |Switch { also, is_on, .. }| {
                if *is_on { also.on.clone() } else { also.off.clone() }
            },
        ));
        let switch = switch.map(|switch| (switch.is_on, switch.also.button.clone()));
        Sheet {
            ask: Ask::Apply { act: self.shown_act(), text, can, switch, removes: self.removes },
            ..sheet
        }
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        match entry {
            Entry::Text(text) => {
                self.answered = true;
                self.input = self.input.as_ref().map(|_| TextInput::new(text));
            }
            Entry::Switch => self.toggle_switch(),
            Entry::Accept => return self.accept(state),
            _ => return self.close(),
        }
        OverlayReply::Stay
    }
}

//! A dialog as lines: what it says, what it asks, and what a typed line answers.

use super::words::without_arrows;
use crate::{
    app::{message::Message, state::State},
    schema::ordering::PutInOrder,
    ui::{
        sheet::{Ask, AskedValue, Choice, Entry, Sheet},
        view::{Overlay, OverlayReply, Reply},
    },
};

/// A dialog that is asked, and how far that is.
pub(crate) struct Dialog {
    overlay: Box<dyn Overlay>,
    at: Step,
    /// It is to be printed.
    fresh: bool,
    /// Only what is asked, not what it is about.
    brief: bool,
}

/// How far a dialog is that asks more than one thing.
enum Step {
    /// The text is asked for, or the only thing there is.
    First,
    /// The text is given: rows, or whether to apply it.
    Second,
    Values(Vec<String>),
    Lines(Vec<String>),
}

/// What a line did.
pub(crate) enum Answered {
    /// The dialog goes on.
    Open,
    Closed(OverlayReply),
}

/// Whether nothing comes of a dialog that ends so.
pub(super) fn is_nothing(reply: &OverlayReply) -> bool {
    let ends =
        |message: &Message| matches!(message, Message::DropQuestion | Message::CancelQuestion);
    match reply {
        OverlayReply::Stay | OverlayReply::Close => true,
        OverlayReply::CloseWith(Reply::Handled | Reply::Ignored) => true,
        OverlayReply::CloseWith(Reply::Send(messages)) => messages.iter().all(ends),
        OverlayReply::CloseWith(_) | OverlayReply::StayWith(_) | OverlayReply::Act(_) => false,
    }
}

const CANCEL: &str = "cancel";

/// What is said to whoever asks for help where something is to be chosen.
const ANSWERS: &str = "A question is open. Answer with a number, a name or the start of one; \
    cancel closes it, and then help lists the commands.";

/// The same where a text is asked for.
const TEXTS: &str = "A text is asked for. Type it, or nothing to keep the one that is shown; with = \
    before it any text is taken as it is, as in =help. cancel closes the question.";

/// The same where things are to be ticked.
const TICKS: &str = "Type the numbers of what to tick or untick, as in 1 3. ok does it with what is \
    ticked; cancel closes the question.";

/// The numbers of doing it and of cancelling: what removes something never comes first.
fn apply_numbers(removes: bool) -> (&'static str, &'static str) {
    if removes { ("2", "1") } else { ("1", "2") }
}

/// Whether a line asks for help: `=help` is that text.
fn is_help(line: &str, ask: &Ask) -> bool {
    !matches!(ask, Ask::Nothing | Ask::Wait | Ask::Lines) && matches!(line.trim(), "help" | "?")
}

/// Whether a text is asked for, and nothing chosen.
fn asks_text(ask: &Ask, at: &Step) -> bool {
    match ask {
        Ask::Text(_) | Ask::Values(_) => true,
        Ask::Ticks { text, .. } | Ask::Apply { text, .. } => {
            text.is_some() && matches!(at, Step::First)
        }
        _ => false,
    }
}

impl Dialog {
    pub fn new(overlay: Box<dyn Overlay>) -> Self {
        Self { overlay, at: Step::First, fresh: true, brief: false }
    }

    /// What is to be printed now; and how the dialog closes where it asks nothing.
    pub fn print(&mut self, state: &State, out: &mut Vec<String>) -> Option<OverlayReply> {
        if !std::mem::take(&mut self.fresh) {
            return None;
        }
        let sheet = self.overlay.sheet(state);
        if matches!(sheet.ask, Ask::Wait) {
            self.fresh = true;
            return None;
        }
        let asks_text = matches!(self.at, Step::First);
        if !std::mem::take(&mut self.brief) {
            out.extend(Some(without_arrows(&sheet.title)).filter(|title| !title.is_empty()));
            out.extend(sheet.lines.iter().cloned());
        }
        match &sheet.ask {
            Ask::Nothing | Ask::Wait => return Some(self.overlay.answer(Entry::Aside, state)),
            Ask::Next(words) => out.push(format!("Type 1 to {words}, 2 to close.")),
            Ask::Row(rows) => {
                out.extend(rows.iter().enumerate().map(|(row, choice)| row_line(row, choice)));
                out.push(match has_yes_and_no(rows) {
                    true => "Type a number, a name, yes or no; or cancel.".to_owned(),
                    false => "Type a number or a name, or cancel.".to_owned(),
                });
            }
            Ask::Text(present) => out.push(text_hint(present)),
            Ask::Lines => {
                out.push("Type the lines, then a line with only a dot; or cancel.".to_owned());
            }
            Ask::Values(_) => out.push("Enter keeps a value; cancel ends this.".to_owned()),
            Ask::Ticks { text: Some(present), .. } if asks_text => out.push(text_hint(present)),
            Ask::Ticks { rows, accept, .. } => {
                let line = |(row, (on, choice)): (usize, &(bool, Choice))| {
                    let ticked = if *on { "ticked" } else { "not ticked" };
                    format!("{}; {ticked}", row_line(row, choice))
                };
                out.extend(rows.iter().enumerate().map(line));
                out.push(format!("Type numbers to tick or untick, then ok ({accept}); or cancel."));
            }
            Ask::Apply { text: Some(present), .. } if asks_text => out.push(text_hint(present)),
            Ask::Apply { act, can, switch, text, removes } => {
                let mut ways = Vec::new();
                let (does, cancels) = apply_numbers(*removes);
                if *can {
                    ways.push(format!("{does} or yes to {act}"));
                }
                ways.push(format!("{cancels} or no to cancel"));
                // What cancels comes first where something is removed.
                ways.order_by_key(|way| !way.starts_with('1'));
                if text.is_some() {
                    ways.push("3 to change the text".to_owned());
                }
                if let Some((is_on, words)) = switch {
                    let off = if *is_on { "leave out: " } else { "" };
                    ways.push(format!("4 to {off}{words}"));
                }
                out.push(format!("Type {}.", ways.join(", ")));
            }
        }
        None
    }

    /// It is printed once more.
    pub fn repeat(&mut self) {
        self.fresh = true;
    }

    /// What is shown before what is typed, and whether that is hidden.
    pub fn prompt(&mut self, state: &State) -> (String, bool) {
        let mut sheet = self.overlay.sheet(state);
        sheet.title = without_arrows(&sheet.title);
        match (&sheet.ask, &self.at) {
            (Ask::Values(values), at) => {
                let given = if let Step::Values(given) = at { given.len() } else { 0 };
                match values.get(given) {
                    Some(asked) if asked.hidden => (format!("{} (hidden)", asked.label), true),
                    Some(asked) if asked.present.is_empty() => (asked.label.clone(), false),
                    Some(asked) => (format!("{} [{}]", asked.label, asked.present), false),
                    None => (sheet.title, false),
                }
            }
            _ => (sheet.title, false),
        }
    }

    /// Takes a line.
    pub fn take_line(&mut self, line: &str, state: &State, out: &mut Vec<String>) -> Answered {
        if line.trim() == CANCEL {
            return Answered::Closed(self.overlay.answer(Entry::Aside, state));
        }
        let sheet = self.overlay.sheet(state);
        if is_help(line, &sheet.ask) {
            let words = match sheet.ask {
                _ if asks_text(&sheet.ask, &self.at) => TEXTS,
                Ask::Ticks { .. } => TICKS,
                _ => ANSWERS,
            };
            out.push(words.to_owned());
            self.repeat();
            return Answered::Open;
        }
        let literal = line.strip_prefix('=').unwrap_or(line);
        match sheet.ask {
            Ask::Nothing | Ask::Wait => Answered::Closed(self.overlay.answer(Entry::Aside, state)),
            Ask::Next(_) => {
                let entry = if line.trim() == "1" { Entry::Accept } else { Entry::Aside };
                self.give(entry, state)
            }
            Ask::Row(rows) => match chosen_row(line, &rows) {
                Ok(row) => self.give(Entry::Row(row), state),
                Err(why) => {
                    out.push(why);
                    Answered::Open
                }
            },
            Ask::Text(present) => {
                let text = if line.is_empty() { &present } else { literal };
                self.give(Entry::Text(text), state)
            }
            Ask::Lines => self.take_text_line(line, state),
            Ask::Values(values) => self.take_value(line, &values, state),
            Ask::Ticks { text: Some(present), .. } if matches!(self.at, Step::First) => {
                self.give_text(if line.is_empty() { &present } else { literal }, state)
            }
            Ask::Ticks { rows, .. } => self.take_ticks(line, rows.len(), state, out),
            Ask::Apply { text: Some(present), .. } if matches!(self.at, Step::First) => {
                self.give_text(if line.is_empty() { &present } else { literal }, state)
            }
            Ask::Apply { act, text, can, switch, removes } => match line.trim() {
                word if can
                    && ([apply_numbers(removes).0, "apply", "ok", "y", "yes"].contains(&word)
                        || word == act) =>
                {
                    self.give(Entry::Accept, state)
                }
                word if [apply_numbers(removes).1, "n", "no"].contains(&word) => {
                    Answered::Closed(self.overlay.answer(Entry::Aside, state))
                }
                "3" if text.is_some() => {
                    (self.at, self.fresh) = (Step::First, true);
                    Answered::Open
                }
                "4" if switch.is_some() => self.give(Entry::Switch, state),
                other => {
                    out.push(format!("{other} is none of the answers. Nothing was done."));
                    (self.fresh, self.brief) = (true, true);
                    Answered::Open
                }
            },
        }
    }

    fn give(&mut self, entry: Entry<'_>, state: &State) -> Answered {
        match self.overlay.answer(entry, state) {
            OverlayReply::Stay => {
                // What is wrong is in the lines that are printed again.
                self.fresh = true;
                Answered::Open
            }
            closed => Answered::Closed(closed),
        }
    }

    fn give_text(&mut self, text: &str, state: &State) -> Answered {
        let given = self.give(Entry::Text(text), state);
        let can = !matches!(self.overlay.sheet(state).ask, Ask::Apply { can: false, .. });
        if can {
            self.at = Step::Second;
            self.brief = self.is_of_ticks(state);
        }
        given
    }

    /// Whether rows are to be ticked, and nothing is wrong: what it is about was said.
    fn is_of_ticks(&mut self, state: &State) -> bool {
        let sheet = self.overlay.sheet(state);
        let is_wrong = sheet.lines.iter().any(|line| line.starts_with("Error: "));
        matches!(sheet.ask, Ask::Ticks { .. }) && !is_wrong
    }

    fn take_text_line(&mut self, line: &str, state: &State) -> Answered {
        let mut lines = match std::mem::replace(&mut self.at, Step::First) {
            Step::Lines(lines) => lines,
            _ => Vec::new(),
        };
        if line == "." {
            return self.give(Entry::Text(&lines.join("\n")), state);
        }
        lines.push(line.to_owned());
        self.at = Step::Lines(lines);
        Answered::Open
    }

    fn take_value(&mut self, line: &str, values: &[AskedValue], state: &State) -> Answered {
        let mut given = match std::mem::replace(&mut self.at, Step::First) {
            Step::Values(given) => given,
            _ => Vec::new(),
        };
        let present = values.get(given.len()).map(|asked| asked.present.clone());
        given.push(if line.is_empty() { present.unwrap_or_default() } else { line.to_owned() });
        if given.len() >= values.len() {
            return self.give(Entry::Values(&given), state);
        }
        self.at = Step::Values(given);
        Answered::Open
    }

    fn take_ticks(
        &mut self,
        line: &str,
        count: usize,
        state: &State,
        out: &mut Vec<String>,
    ) -> Answered {
        let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        if matches!(words.as_slice(), ["ok"]) {
            return self.give(Entry::Accept, state);
        }
        let row =
            |word: &&str| word.parse::<usize>().ok()?.checked_sub(1).filter(|row| *row < count);
        match words.iter().map(row).collect::<Option<Vec<usize>>>() {
            Some(rows) if !rows.is_empty() => {
                for row in rows {
                    if let closed @ Answered::Closed(_) = self.give(Entry::Row(row), state) {
                        return closed;
                    }
                }
                self.brief = self.is_of_ticks(state);
            }
            _ => {
                out.push(format!("Type numbers from 1 to {count}, ok, or cancel."));
            }
        }
        Answered::Open
    }

    /// Whether a line cancels what is asked.
    pub fn is_cancelled_by(&mut self, line: &str, state: &State) -> bool {
        let line = line.trim();
        match self.overlay.sheet(state).ask {
            Ask::Nothing | Ask::Wait | Ask::Next(_) => false,
            Ask::Row(rows) => {
                let chosen = chosen_row(line, &rows).ok().and_then(|row| rows.get(row));
                line == CANCEL || chosen.is_some_and(|row| row.title.trim() == CANCEL)
            }
            Ask::Apply { removes, .. } => {
                [CANCEL, apply_numbers(removes).1, "n", "no"].contains(&line)
            }
            _ => line == CANCEL,
        }
    }

    /// Whether one of several rows has exactly that name.
    pub fn has_row(&mut self, name: &str, state: &State) -> bool {
        match self.overlay.sheet(state).ask {
            Ask::Row(rows) => rows.iter().any(|row| row.title.trim() == name),
            _ => false,
        }
    }

    /// Whether any line may be part of a text.
    pub fn asks_lines(&mut self, state: &State) -> bool {
        matches!(self.overlay.sheet(state).ask, Ask::Lines)
    }

    /// Whether one of several rows is to be chosen.
    pub fn asks_row(&mut self, state: &State) -> bool {
        matches!(self.overlay.sheet(state), Sheet { ask: Ask::Row(_), .. })
    }

    /// Whether more is to come before there is something to print.
    pub fn is_waiting(&mut self, state: &State) -> bool {
        matches!(self.overlay.sheet(state), Sheet { ask: Ask::Wait, .. })
    }
}

fn text_hint(present: &str) -> String {
    match present {
        "" => "Type the text, or cancel.".to_owned(),
        present => format!("Current text: {present}. Enter keeps it; or type another, or cancel."),
    }
}

fn row_line(row: usize, choice: &Choice) -> String {
    let detail = choice.detail.as_str();
    let refusal = choice.refusal.as_ref();
    // What it is may be why it can't be chosen.
    let detail = Some(detail).filter(|it| !it.is_empty() && refusal.is_none_or(|why| why != it));
    let refusal = refusal.map(|why| format!("unavailable: {why}"));
    let (sign, title) = split_sign(choice);
    let word = SIGNS.iter().find(|(known, _)| Some(*known) == sign).map(|(_, word)| *word);
    let is_said = |word: &str| detail.is_some_and(|detail| detail.contains(word));
    let word = word.filter(|word| !is_said(word)).map(str::to_owned);
    let words = [word, detail.map(str::to_owned), refusal];
    let words = words.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let colon = if words.is_empty() { "" } else { ": " };
    format!("{}. {title}{colon}{words}", row + 1)
}

/// What the sign before a row's title says.
const SIGNS: [(char, &str); 2] = [('✓', "passed"), ('✗', "failed")];

/// The sign of how a row went, and its title.
fn split_sign(choice: &Choice) -> (Option<char>, &str) {
    let title = choice.title.trim();
    let rest = title.trim_start_matches(['✓', '✗', '○', '●']);
    let sign = title.chars().next().filter(|_| rest.len() < title.len());
    (sign, rest.trim_start())
}

/// A row's title without the sign of how it went.
fn plain_title(choice: &Choice) -> &str {
    split_sign(choice).1
}

/// Whether the rows are the answers to a question of yes or no.
fn has_yes_and_no(rows: &[Choice]) -> bool {
    let has = |key| rows.iter().any(|choice| choice.key == Some(key));
    has('y') && has('n')
}

/// The row of that number, of that name, of that letter, or of the only name that begins so.
fn chosen_row(line: &str, rows: &[Choice]) -> Result<usize, String> {
    let line = line.trim();
    let names: Vec<String> = rows.iter().map(|choice| plain_title(choice).to_lowercase()).collect();
    let word = line.to_lowercase();
    let key = match word.as_str() {
        "yes" => Some('y'),
        "no" => Some('n'),
        word => word.chars().next().filter(|_| word.chars().count() == 1),
    };
    // Of an act and its cancelling, yes is the act.
    let cancels = |name: &String| name == CANCEL;
    let is_asked = names.len() == 2 && names.iter().filter(|name| cancels(name)).count() == 1;
    let agreed = || match word.as_str() {
        "yes" | "y" if is_asked => names.iter().position(|name| !cancels(name)),
        "no" | "n" if is_asked => names.iter().position(cancels),
        _ => None,
    };
    let keyed = || rows.iter().position(|choice| key.is_some() && choice.key == key);
    let row = match line.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|row| *row < rows.len()),
        Err(_) if line.is_empty() => None,
        Err(_) => {
            names.iter().position(|name| *name == word).or_else(keyed).or_else(agreed).or_else(
                || {
                    let mut begun = (0..names.len()).filter(|row| names[*row].starts_with(&word));
                    begun.next().filter(|_| begun.next().is_none())
                },
            )
        }
    };
    let Some(row) = row else {
        let hint = format!("Type a number from 1 to {}, or a name, or cancel.", rows.len());
        return Err(match line {
            "" => hint,
            line => format!("{line} is none of the answers. {hint}"),
        });
    };
    match rows.get(row).and_then(|choice| choice.refusal.as_ref()) {
        Some(why) => {
            let title = rows[row].title.trim();
            Err(format!("{title}: {why}. Choose another one, or cancel."))
        }
        None => Ok(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_its_sign_in_a_word_and_each_thing_once() {
        let row = |title: &str, detail: &str, refusal: Option<&str>| {
            let (title, detail) = (title.to_owned(), detail.to_owned());
            let refusal = refusal.map(str::to_owned);
            row_line(0, &Choice { title, detail, refusal, ..Choice::default() })
        };
        assert_eq!(row("✓ a-day", "4 steps", None), "1. a-day: passed; 4 steps");
        assert_eq!(row("✗ a-day", "", None), "1. a-day: failed");
        assert_eq!(row("✓ all 2", "every step; passed", None), "1. all 2: every step; passed");
        assert_eq!(row("stop", "no way", Some("no way")), "1. stop: unavailable: no way");
        assert_eq!(row("stop", "soon", Some("late")), "1. stop: soon; unavailable: late");
        assert_eq!(row("name", "", None), "1. name");
    }
}

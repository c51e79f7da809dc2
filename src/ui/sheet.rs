//! A dialog as lines and a question, for who reads and types lines in place of a drawing.
//!
//! Every overlay says with a [`Sheet`] what it shows and asks, and takes an [`Entry`] as its answer:
//! the same dialog that is drawn, with its own words and its own refusals.

/// What a dialog shows, and what it asks.
#[derive(Debug, Default)]
pub struct Sheet {
    pub title: String,
    /// Paragraphs; a line break is one.
    pub lines: Vec<String>,
    pub ask: Ask,
}

/// What is asked.
#[derive(Debug, Default)]
pub enum Ask {
    /// Nothing: the text is read. Where there are words, it can be gone on from, to what they say.
    #[default]
    Nothing,
    Next(&'static str),
    /// The text is not complete yet; it is to be asked for again when something has changed.
    Wait,
    /// One of these rows.
    Row(Vec<Choice>),
    /// A line of text. Enter keeps the present one.
    Text(String),
    /// A text of several lines.
    Lines,
    /// Several values, one after the other.
    Values(Vec<AskedValue>),
    /// Which rows are ticked, and a line of text where there is one.
    Ticks {
        text: Option<String>,
        rows: Vec<(bool, Choice)>,
        accept: &'static str,
    },
    /// Whether what the lines show is done, after a line of text where there is one.
    Apply {
        /// What doing it is called: "delete".
        act: &'static str,
        text: Option<String>,
        can: bool,
        switch: Option<(bool, String)>,
        /// It removes something.
        removes: bool,
    },
}

/// A row that can be chosen.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub title: String,
    pub detail: String,
    /// Why it can't be chosen now.
    pub refusal: Option<String>,
    /// It deletes, or changes a running system.
    pub risky: bool,
    /// The letter that chooses it, where it has one.
    pub key: Option<char>,
}

/// A value that is asked for.
#[derive(Clone, Debug)]
pub struct AskedValue {
    pub label: String,
    pub present: String,
    /// It is not shown as it is typed, nor printed.
    pub hidden: bool,
}

/// What a user gives as an answer.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'e> {
    /// Cancelled, or closed.
    Aside,
    /// What is shown is to be done.
    Accept,
    /// The row of this number, from 0: chosen, or ticked and unticked.
    Row(usize),
    /// The text that was asked for.
    Text(&'e str),
    /// The values that were asked for, in their order.
    Values(&'e [String]),
    /// More is to be done, or no longer.
    Switch,
}

impl Sheet {
    pub fn new(title: impl Into<String>, words: &str, ask: Ask) -> Self {
        let lines = words.lines().map(str::to_owned).collect();
        Self { title: title.into(), lines, ask }
    }

    /// The same with what is wrong with the last answer.
    pub fn with_fault(mut self, fault: Option<&String>) -> Self {
        self.lines.extend(fault.map(|words| format!("Error: {words}")));
        self
    }
}

/// Signs at the beginning of a drawn line, and what they say.
const SIGNS: &[(&str, &str)] = &[
    ("✓ ", "OK: "),
    ("✗ ", "Error: "),
    ("⚠ ", "Warning: "),
    ("● ", ""),
    ("◐ ", ""),
    ("◌ ", ""),
    ("○ ", ""),
    ("■ ", ""),
];

/// Lines in pieces as plain text, without the signs of a drawing.
pub(crate) fn plain_lines<R>(lines: &[Vec<(R, String)>]) -> Vec<String> {
    let text = |line: &Vec<(R, String)>| {
        let text = line.iter().map(|(_, text)| text.as_str()).collect::<String>();
        let sign = SIGNS
            .iter()
            .find_map(|(sign, word)| text.strip_prefix(sign).map(|rest| format!("{word}{rest}")));
        sign.unwrap_or(text).trim_end().to_owned()
    };
    lines.iter().map(text).collect()
}

//! What the signs of Watch mean, and the words that find them.

use crate::ui::{
    canvas::text_width,
    overlays::page::{Line, PageOverlay},
    styles::Role,
};

/// A sign at a conversation, what it means, and the filter that finds it where there is one.
pub(super) struct Sign {
    pub sign: &'static str,
    pub words: &'static str,
    pub filter: &'static str,
}

const fn sign(sign: &'static str, words: &'static str, filter: &'static str) -> Sign {
    Sign { sign, words, filter }
}

/// What is marked at conversations.
pub(super) const CONVERSATIONS: [Sign; 12] = [
    sign("◌", "waiting for its answer", "is:open"),
    sign("●", "the answer is arriving", "is:open"),
    sign("✓", "succeeded", "is:succeeded"),
    sign("✗", "failed", "is:failed"),
    sign("‽", "a message that can't be read", "is:unreadable"),
    sign("?", "a reply whose request wasn't seen", "is:orphan"),
    sign("·", "a message that is part of no conversation", "is:single"),
    sign("⚠", "a message breaks a rule of its system", "is:odd"),
    sign("", "a message came after the end", "is:late"),
    sign("", "the deadline has passed", "is:overdue"),
    sign("!", "an alert rang for it", ""),
    sign("└", "part of the conversation above", ""),
];

/// What is before subjects.
const SUBJECTS: [Sign; 4] = [
    sign("→", "requests go there", ""),
    sign("←", "replies come there", ""),
    sign("»", "notifications", ""),
    sign("⇒", "what a flow passes on", ""),
];

/// The page of all signs.
pub(super) fn legend_page() -> PageOverlay {
    let widest = CONVERSATIONS.iter().map(|sign| text_width(sign.words)).max().unwrap_or(0);
    let row = |sign: &Sign| -> Line {
        vec![
            (Role::Accent, format!("{:<3}", sign.sign)),
            (Role::Text, format!("{:<widest$}  ", sign.words)),
            (Role::Dim, sign.filter.to_owned()),
        ]
    };
    let mut lines: Vec<Line> = vec![vec![(Role::Heading, "Conversations".to_owned())]];
    lines.extend(CONVERSATIONS.iter().map(row));
    lines.extend([Line::new(), vec![(Role::Heading, "Subjects".to_owned())]]);
    lines.extend(SUBJECTS.iter().map(row));
    PageOverlay::new("Legend", lines)
}

//! The page of what was noticed in this session.

use super::page;
use crate::{
    app::{
        notices::{Notice, NoticeKind},
        state::State,
    },
    ui::styles::Role,
};

/// The colour of a notice.
pub(crate) fn notice_role(notice: &Notice) -> Role {
    match notice.kind {
        NoticeKind::Done => Role::Success,
        NoticeKind::Hint => Role::Info,
        NoticeKind::Warning => Role::Warning,
        NoticeKind::Problem => Role::Error,
    }
}

pub(crate) fn notices_page(state: &State) -> page::PageOverlay {
    let mut lines: Vec<page::Line> = Vec::new();
    for notice in state.notices.iter() {
        let sign = match notice.kind {
            NoticeKind::Done => "✓ ",
            NoticeKind::Hint => "· ",
            NoticeKind::Warning => "⚠ ",
            NoticeKind::Problem => "✗ ",
        };
        lines.push(vec![(notice_role(notice), sign.to_owned()), (Role::Text, notice.text.clone())]);
    }
    if lines.is_empty() {
        lines.push(vec![(Role::Dim, "no notices yet".to_owned())]);
    }
    page::PageOverlay::new("Notices", lines).with_prose(92).at_end()
}

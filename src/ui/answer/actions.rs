//! What can be done with the answer of a call, wherever one is shown.

use super::{pane::Answer, parts, queried};
use crate::{
    app::{actions::Scope, state::State, verbs},
    model::call::Call,
    ui::{
        action_rows::{self, refuse_when},
        cases::{keep, list},
        content_parts, stubs,
        view::Reply,
    },
};

/// A screen that shows a call's answer.
pub(crate) trait ShowsAnswer {
    fn answer(&mut self) -> &mut Answer;

    fn shown_answer(&self) -> &Answer;

    /// The call whose answer it is.
    fn shown_call<'s>(&self, state: &'s State) -> Option<&'s Call>;

    /// Shows the answer where another pane is alone. Whether it was not seen.
    fn reveal_answer(&mut self) -> bool;
}

type Row = action_rows::Row<dyn ShowsAnswer>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Answer, "follow", "follow", |screen, _| {
        screen.answer().turn_follow();
        Reply::Handled
    })
    .keys(&[verbs::FOLLOW])
    .help("Follow the newest chunk, or stop following")
    .refused(|screen, _| refuse_when(screen.shown_answer().is_following().is_none(), NO_END)),
    Row::new(Scope::Answer, "next-answer-view", "next view", |screen, state| {
        if !screen.reveal_answer() {
            let call = screen.shown_call(state);
            screen.answer().next_view(call);
        }
        Reply::Handled
    })
    .keys(&[verbs::VIEW])
    .help("Switch the answer: Text, Tree, Raw, Time, Markdown, bytes, headers"),
    Row::new(Scope::Answer, "query-answer", "query…", |screen, state| {
        screen.reveal_answer();
        let under_cursor = screen.shown_answer().selected_value().map(|(at, _)| at);
        screen
            .shown_call(state)
            .map_or(Reply::Handled, |call| queried::query_prompt(call, under_cursor, state))
    })
    .keys(&[verbs::EDIT_FIELD])
    .help(
        "Show only what is at a path of the answer: /rows/0/name, /rows/*/name for each item, \
        /rows/*[status=open]/name for some; or the lines with a word. Kept for the tool; toolcrib \
        call --query prints the same",
    )
    .refused(|screen, state| queried::query_refusal(screen.shown_call(state), state)),
    Row::new(Scope::Answer, "strays", "strays", |screen, _| {
        screen.answer().turn_strays();
        Reply::Handled
    })
    .help("Show the messages that are not part of the answer")
    .refused(|screen, state| {
        let has_none = screen.shown_call(state).is_none_or(|call| call.strays == 0);
        refuse_when(has_none, "this call has no stray messages")
    }),
    Row::new(Scope::Answer, "parts", "parts…", |screen, state| {
        screen.shown_call(state).map_or(Reply::Handled, |call| {
            content_parts::parts_menu(&parts::answer_parts(call), &call.connection)
        })
    })
    .keys(&[verbs::OPEN])
    .help("Save or open an image, audio or resource of the answer, or read what a link points to")
    .refused(|screen, _| {
        refuse_when(
            !screen.shown_answer().has_parts(),
            "the answer is text only; “save answer” saves it",
        )
    }),
    Row::new(Scope::Answer, "save-answer", "save answer…", |screen, state| {
        let part = screen.shown_call(state).map(parts::text_part);
        part.map_or(Reply::Handled, |part| content_parts::save_prompt(vec![part]))
    })
    .help("Save the text of the answer into a file")
    .refused(|screen, state| {
        let has_none = screen.shown_call(state).is_none_or(|call| call.text.is_empty());
        refuse_when(has_none, "there is no text to save")
    }),
    Row::new(Scope::Answer, "keep-case", "keep as case", |screen, state| {
        screen.shown_call(state).map_or(Reply::Handled, |call| keep::save_case(call, state))
    })
    .keys(&[verbs::KEEP])
    .help("Save the call and its answer as a test case, to run again and compare"),
    Row::new(Scope::Answer, "keep-stub", "keep as stub", |screen, state| {
        screen.shown_call(state).map_or(Reply::Handled, |call| stubs::save_stub_rule(call, state))
    })
    .help(
        "Save the answer as a stub rule: toolcrib serve --stub answers the same arguments with it",
    ),
    Row::new(Scope::Answer, "cases", "cases…", |screen, state| {
        list::cases_menu(screen.shown_call(state), state)
    })
    .keys(&[verbs::TEST])
    .help(
        "Run the workspace's test cases, one or all, see where answers differ, edit a case or \
        accept its answer",
    ),
];

pub(crate) const NO_END: &str = "this view doesn't grow, so there is nothing to follow";

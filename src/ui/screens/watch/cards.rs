//! The cards that a message or a conversation names, over the screen: as they come, calls beside
//! their results.

use ratatui::{Frame, layout::Rect};

use crate::{
    app::{
        input::{Code, Input},
        message::Message,
        state::State,
        watching::{Cards, WatchMessage},
    },
    engine::traffic::cards,
    model::{entry::SystemId, problem::Problem},
    schema::count::count_text,
    systems::watched,
    ui::{
        answer::attachments,
        canvas::wrap,
        overlays::page::{Line, PageOverlay},
        sheet::{Ask, Entry, Sheet, plain_lines},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
    },
};

/// So wide at most, so that both sides stay close together.
const WIDEST: u16 = 150;
/// Cells of a line that is printed.
const PLAIN: usize = 100;

/// Cards of a system that something chosen names.
pub(super) struct NamedCards {
    pub(super) system: Option<SystemId>,
    pub(super) cards: Vec<String>,
}

/// The cards of what is chosen: of a conversation, or of some of its messages.
pub(super) fn named_cards(
    state: &State,
    conversation: u64,
    messages: Option<&[u64]>,
) -> Option<NamedCards> {
    let record = &state.watching.record;
    let conversation = record.conversation(conversation)?;
    let system = conversation.system;
    let Some(messages) = messages else {
        return Some(NamedCards { system, cards: cards::of_conversation(conversation) });
    };
    let message = record.message(*messages.first()?)?;
    let own = record.conversation(message.conversation)?;
    let names = watched::classify_message(&message.crossing).cards;
    Some(NamedCards { system, cards: cards::of_message(record, own, &names) })
}

/// Why they cannot be read.
pub(super) fn refusal_reason(state: &State, named: Option<&NamedCards>) -> Option<String> {
    let Some(NamedCards { system, cards }) = named else {
        return Some("choose a conversation first".into());
    };
    if cards.is_empty() {
        return Some(
            "it refers to no cards; requests, results and steps of the conversation \
            do"
            .into(),
        );
    }
    // What to do comes first: the line may be short.
    let unread = |problem: Problem| format!("{} ({})", problem.remedy, problem.cause);
    watched::card_source(*system, &state.watched_connection(), cards).err().map(unread)
}

/// Asks for them, and shows them as they come.
pub(super) fn open_cards(named: NamedCards) -> Reply {
    let NamedCards { system, cards } = named;
    Reply::SendAndOpen(
        Message::Watch(WatchMessage::ReadCards { system, cards }),
        Box::new(CardsPage::default()),
    )
}

/// The page that shows them.
#[derive(Default)]
struct CardsPage {
    page: PageOverlay,
    /// What the lines were made for: which asking, how much of it came, how wide.
    made: Option<(u64, usize, usize, u16)>,
}

impl Overlay for CardsPage {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        let cards = &state.watching.cards;
        let width = area.width.saturating_sub(8).min(WIDEST);
        let made = Some((cards.turn, cards.read.len(), cards.awaited.len(), width));
        if self.made != made {
            self.page.set_content(cards_title(cards), card_lines(cards, usize::from(width)));
            self.made = made;
        }
        self.page.draw(frame, area, look, state);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if matches!(input, Input::Key(key) if key.is_plain(Code::Char('y'))) {
            let text: Vec<String> =
                state.watching.cards.values().map(|card| format!("{card:#}")).collect();
            return OverlayReply::CloseWith(Reply::send(Message::Copy {
                what: "cards".into(),
                text: text.join("\n"),
            }));
        }
        self.page.handle_input(input, state)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        [("y", "copy")].into_iter().chain(self.page.key_hints()).collect()
    }

    fn sheet(&mut self, state: &State) -> Sheet {
        let cards = &state.watching.cards;
        let lines = plain_lines(&card_lines(cards, PLAIN));
        let ask = if cards.awaited.is_empty() { Ask::Nothing } else { Ask::Wait };
        Sheet { title: cards_title(cards), lines, ask }
    }

    fn answer(&mut self, _: Entry<'_>, _: &State) -> OverlayReply {
        OverlayReply::Close
    }
}

fn cards_title(cards: &Cards) -> String {
    match cards.values().count() {
        0 => "Cards".into(),
        1 => "1 card".into(),
        count => format!("{count} cards"),
    }
}

fn card_lines(cards: &Cards, cells: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = attachments::attachment_rows(&cards.attachments, cells);
    let mut add = |role: Role, text: &str| {
        lines.extend(wrap(text, cells).into_iter().map(|line| vec![(role, line)]));
    };
    for (id, problem) in cards.problems() {
        add(Role::Error, &format!("✗ card {id}: {}", problem.message));
        if !problem.remedy.is_empty() {
            add(Role::Dim, &problem.remedy);
        }
    }
    if !cards.awaited.is_empty() {
        let count = cards.awaited.len();
        add(
            Role::Info,
            &format!("◌ reads {} at {}", count_text(count, "card", "cards"), cards.from),
        );
    }
    lines
}

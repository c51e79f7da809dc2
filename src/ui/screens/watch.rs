//! Watch: what passes on the bus, as conversations; each with its messages and their times.
//!
//! | file | pane |
//! | --- | --- |
//! | [`subjects`] | left: what is listened to, how much crosses each subject, the alerts |
//! | [`conversations`] | middle: the conversations, those that the filter holds for |
//! | [`messages`] | right: one conversation and its messages |
//! | [`cards`] | over them: the cards that messages name |
//! | [`legend`] | what the signs mean |
//! | [`dialogs`], [`labels`] | what is asked, and what is said alike in all of them |

mod cards;
mod conversations;
mod dialogs;
mod labels;
mod legend;
mod messages;
mod subjects;

use ratatui::{
    Frame,
    layout::{Constraint, Rect},
};

use self::{
    conversations::Conversations, labels::watch_reply, messages::Messages, subjects::Subjects,
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        calls::CallMessage,
        input::{Button, Code, Input, MouseKind},
        message::{Message, ScreenId},
        resending::{request_of, tool_of},
        state::State,
        verbs,
        watching::WatchMessage,
    },
    engine::traffic::conversation::Conversation,
    model::traffic::Part,
    systems::{calling, watched},
    ui::{
        action_rows::{self, refuse_when},
        frames::{edit_frame, frame_refusal},
        view::{Look, Reply, Screen, Target},
        widgets::panes::{Panes, Step},
    },
};

type Row = action_rows::Row<WatchScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Watch, "watch", "watch…", |_, state| dialogs::ask_subjects(state))
        .keys(&[verbs::NEW])
        .help("Choose subjects or queues and start watching")
        .refused(|_, state| bus_refusal(state)),
    Row::new(Scope::Watch, "stop-watching", "watch or stop", |_, state| {
        match state.watching.is_listening() {
            true => watch_reply(WatchMessage::Stop),
            false => dialogs::begin_watching(state),
        }
    })
    .keys(&[verbs::SEND])
    .help("Watch the default subjects, or stop watching; messages so far are kept"),
    Row::new(Scope::Watch, "pause", "pause or resume", |_, _| watch_reply(WatchMessage::Pause))
        .keys(&[verbs::PAUSE])
        .help(
            "Pause the screen, or resume; messages that arrive in the meantime are kept, up to a \
            limit",
        ),
    Row::new(Scope::Watch, "follow-watch", "follow", WatchScreen::toggle_follow)
        .keys(&[verbs::FOLLOW])
        .help("Follow the newest conversation, or stop following")
        .refused(|screen, _| {
            let is_unseen = screen.panes.is_stacked() && screen.panes.focus != MIDDLE;
            refuse_when(is_unseen, "this follows the conversations: Tab goes to them")
        }),
    Row::new(Scope::Watch, "filter-watch", "filter", WatchScreen::open_filter)
        .keys(&[verbs::FIND])
        .help(
            "Show only some conversations: words, is:failed, >500ms, id:…, on:SUBJECT, state:…, \
             -not",
        ),
    Row::new(Scope::Watch, "routine", "routine", |_, _| watch_reply(WatchMessage::Reveal))
        .help("Show or hide messages without content, such as a watchdog's")
        .refused(|_, state| {
            refuse_when(state.watching.record.routine_count() == 0, "nothing is hidden")
        }),
    Row::new(Scope::Watch, "pieces", "chunks", WatchScreen::toggle_pieces)
        .help("Show the chunks of a streamed answer one by one, or together"),
    Row::new(Scope::Watch, "alert", "alert…", |_, state| dialogs::ask_alerts(state))
        .keys(&[verbs::ADD])
        .help("Add an alert, written as a filter, or remove one"),
    Row::new(Scope::Watch, "clear", "clear", |_, state| dialogs::confirm_clear(state))
        .keys(&[verbs::CLEAR])
        .help("Clear the messages; filter and alerts stay")
        .risky()
        .refused(|_, state| nothing_heard(state)),
    Row::new(Scope::Watch, "save-trace", "save trace", |_, _| dialogs::save_trace())
        .keys(&[verbs::SAVE])
        .help("Save all messages to a file")
        .refused(|_, state| nothing_heard(state)),
    Row::new(Scope::Watch, "open-trace", "open trace", |_, _| dialogs::open_trace())
        .keys(&[verbs::OPEN])
        .help("Open a saved trace"),
    Row::new(Scope::Watch, "resend-watched", "resend", WatchScreen::resend)
        .keys(&[verbs::AGAIN])
        .help("Send the request again, as a call of its tool")
        .refused(WatchScreen::resend_refusal),
    Row::new(Scope::Watch, "edit-watched", "edit, resend", WatchScreen::edit_request)
        .keys(&[verbs::EDIT])
        .help("Put the request's arguments into Invoke's form, to edit and send")
        .refused(WatchScreen::resend_refusal),
    Row::new(Scope::Watch, "send-watched-frame", "send frame…", WatchScreen::edit_frame)
        .help("Edit the selected MCP frame and send it exactly as written, valid or not")
        .refused(|_, state| frame_refusal(&state.watched_connection())),
    Row::new(Scope::Watch, "watched-tool", "edit tool", WatchScreen::show_tool)
        .help("Open the request's tool in Tools")
        .refused(WatchScreen::tool_refusal),
    Row::new(Scope::Watch, "cards", "cards", WatchScreen::read_cards)
        .keys(&[verbs::VIEW])
        .help(
            "Read the cards that the message or conversation refers to: call and result side by \
            side, labels compared",
        )
        .refused(|screen, state| cards::refusal_reason(state, screen.chosen_cards(state).as_ref())),
    Row::new(Scope::Watch, "copy-watched", "copy…", WatchScreen::copy_chosen)
        .keys(&[verbs::COPY_AS])
        .help("Copy the message, what it says, or the conversation")
        .refused(|screen, state| refuse_when(screen.chosen_message(state).is_none(), NONE_CHOSEN)),
    Row::new(Scope::Watch, "watch-signs", "legend", |_, _| {
        Reply::Open(Box::new(legend::legend_page()))
    })
    .help("Show what the signs of Watch mean, and the words that find them")
    .refused(|_, state| refuse_when(state.keymap.is_in_words(), NO_SIGNS)),
    Row::taking_over("next-pane", |screen, _| screen.step_pane(Step::Next)),
    Row::taking_over("previous-pane", |screen, _| screen.step_pane(Step::Previous)),
    Row::taking_over("find", WatchScreen::open_filter),
];

/// Why there is no legend in plain mode.
const NO_SIGNS: &str = "words are in the place of signs here";

/// The panes, from left to right.
const NAMES: [&str; 3] = ["Subjects", "Conversations", "Messages"];
const LEFT: usize = 0;
const MIDDLE: usize = 1;
const RIGHT: usize = 2;

/// What drawing has done, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub frames: usize,
    /// Rows of conversations and messages that were drawn.
    pub rows: usize,
    /// Messages that were decoded for it.
    pub decoded: usize,
}

pub struct WatchScreen {
    panes: Panes,
    subjects: Subjects,
    conversations: Conversations,
    messages: Messages,
    frames: usize,
    is_watching: bool,
    is_filtered: bool,
}

impl Default for WatchScreen {
    fn default() -> Self {
        let mut panes = Panes::default();
        panes.focus = MIDDLE;
        Self {
            panes,
            subjects: Subjects::default(),
            conversations: Conversations::default(),
            messages: Messages::default(),
            is_watching: false,
            is_filtered: false,
            frames: 0,
        }
    }
}

impl WatchScreen {
    /// What it has done so far.
    #[must_use]
    pub fn work_done(&self) -> Work {
        let rows = self.conversations.drawn + self.messages.drawn;
        Work { frames: self.frames, rows, decoded: self.messages.drawn }
    }

    /// The message that the keys mean: the chosen one, or the request of the chosen conversation.
    fn chosen_message(&self, state: &State) -> Option<u64> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        match self.panes.focus {
            RIGHT => conversation
                .messages
                .get(self.messages.chosen_messages(conversation).start)
                .copied(),
            _ => conversation.messages.front().copied(),
        }
    }

    /// The chosen message, or the request of its conversation where it is an answer.
    fn chosen_request(&self, state: &State) -> Option<u64> {
        let chosen = self.chosen_message(state)?;
        let is_request = |number: u64| {
            let message = state.watching.record.message(number);
            message.is_some_and(|message| {
                watched::classify_message(&message.crossing).part == Part::Request
            })
        };
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        let first = conversation.messages.front().copied().filter(|first| is_request(*first));
        Some(first.filter(|_| !is_request(chosen)).unwrap_or(chosen))
    }

    fn open_chosen(&mut self, state: &State) -> Reply {
        let idle = state.watching.record.is_empty() && !state.watching.is_listening();
        match self.panes.focus {
            // There is nothing else to open.
            _ if idle && bus_refusal(state).is_none() => dialogs::ask_subjects(state),
            LEFT => self.subjects.filter_by_row(state),
            MIDDLE => {
                // Whoever reads a conversation stays in it.
                self.conversations.follow = false;
                self.panes.focus = RIGHT;
                Reply::Handled
            }
            _ => {
                self.conversations.follow = false;
                self.open_row_page(state).unwrap_or(Reply::Handled)
            }
        }
    }

    /// All that is in the chosen row.
    fn open_row_page(&self, state: &State) -> Option<Reply> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        let numbers = self.row_messages(conversation);
        Some(dialogs::open_messages(
            state,
            &numbers,
            cards::named_cards(state, conversation.number, Some(&numbers)),
        ))
    }

    fn row_messages(&self, conversation: &Conversation) -> Vec<u64> {
        let row = self.messages.chosen_messages(conversation);
        conversation.messages.range(row).copied().collect()
    }

    /// The messages that the keys mean: those of the chosen row, or the request of the chosen
    /// conversation.
    fn chosen_messages(&self, state: &State) -> Vec<u64> {
        let chosen = self.conversations.chosen;
        let Some(conversation) = chosen.and_then(|it| state.watching.record.conversation(it))
        else {
            return Vec::new();
        };
        match self.panes.focus {
            RIGHT => self.row_messages(conversation),
            _ => conversation.messages.front().copied().into_iter().collect(),
        }
    }

    /// The cards that the chosen message names, or the chosen conversation.
    fn chosen_cards(&self, state: &State) -> Option<cards::NamedCards> {
        let conversation = state.watching.record.conversation(self.conversations.chosen?)?;
        let message = (self.panes.focus == RIGHT).then(|| self.chosen_message(state)).flatten();
        cards::named_cards(state, conversation.number, message.as_ref().map(std::slice::from_ref))
    }

    fn handle_key(&mut self, input: &Input, state: &State) -> Reply {
        let Input::Key(key) = input else { return Reply::Ignored };
        if key.is_plain(Code::Enter) {
            return self.open_chosen(state);
        }
        let taken = match self.panes.focus {
            LEFT => self.subjects.handle_key(*key, state),
            MIDDLE => self.conversations.handle_key(*key, state),
            _ => self.messages.handle_key(*key, state, self.conversations.chosen),
        };
        if taken && self.panes.focus == RIGHT {
            self.conversations.follow = false;
        }
        if taken { Reply::Handled } else { Reply::Ignored }
    }

    fn handle_mouse(&mut self, input: &Input, state: &State) -> Reply {
        let Input::Mouse(mouse) = input else { return Reply::Ignored };
        let Some(pane) = self.panes.handle_mouse(*mouse) else { return Reply::Handled };
        if !matches!(mouse.kind, MouseKind::Down(_) | MouseKind::Wheel(_)) {
            // As Enter does.
            return match mouse.kind {
                MouseKind::Double(Button::Left) if pane == MIDDLE => self.open_chosen(state),
                _ => Reply::Handled,
            };
        }
        if pane == RIGHT {
            self.conversations.follow = false;
        }
        match pane {
            // A second press on a row does what Enter does.
            LEFT if self.subjects.handle_mouse(*mouse, state) => self.subjects.filter_by_row(state),
            RIGHT if self.messages.handle_mouse(*mouse, state, self.conversations.chosen) => {
                self.open_chosen(state)
            }
            MIDDLE => {
                self.conversations.handle_mouse(*mouse, state);
                Reply::Handled
            }
            _ => Reply::Handled,
        }
    }
}

impl Screen for WatchScreen {
    fn sync_state(&mut self, state: &State) {
        self.conversations.sync_state(state);
        let chosen = self.conversations.chosen;
        let chosen = chosen.and_then(|number| state.watching.record.conversation(number));
        self.messages.sync_conversation(chosen);
        self.is_watching = state.watching.is_listening();
        self.is_filtered = !state.watching.record.view().is_empty();
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, state: &State) {
        self.frames += 1;
        let buffer = frame.buffer_mut();
        let left = if area.width >= 160 { 40 } else { 32 };
        let widths = [Constraint::Length(left), Constraint::Fill(1), Constraint::Fill(1)];
        let areas = self.panes.layout_panes(buffer, area, &NAMES, &widths, look.styles);
        let focus = self.panes.focus;
        self.subjects.draw(buffer, areas[LEFT], look, state, focus == LEFT);
        self.conversations.draw(buffer, areas[MIDDLE], look, state, focus == MIDDLE);
        self.messages.draw(
            buffer,
            areas[RIGHT],
            look,
            state,
            (self.conversations.chosen, focus == RIGHT),
        );
    }

    fn scopes(&self) -> Vec<Scope> {
        vec![Scope::Watch]
    }

    fn is_typing(&self) -> bool {
        self.panes.focus == MIDDLE && self.conversations.is_typing()
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> Reply {
        if matches!(input, Input::Mouse(_)) {
            return self.handle_mouse(input, state);
        }
        if self.is_typing() {
            return self.conversations.handle_filter_input(input);
        }
        if matches!(input, Input::Key(key) if key.is_plain(Code::Esc)) {
            // Enter opened the messages: Esc goes back first.
            if self.panes.focus == RIGHT && !self.panes.is_zoomed() {
                self.panes.focus = MIDDLE;
                return Reply::Handled;
            }
            if self.panes.focus != RIGHT && !state.watching.record.view().is_empty() {
                return watch_reply(WatchMessage::Filter(String::new()));
            }
        }
        self.handle_key(input, state)
    }

    fn handle_action(&mut self, id: ActionId, state: &State) -> Reply {
        action_rows::run_action(ACTIONS, self, id, state).unwrap_or_default()
    }

    fn refusal_reason(&self, id: ActionId, state: &State) -> Option<String> {
        action_rows::refusal_reason(ACTIONS, self, id, state)
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        let mut hints = match self.panes.focus {
            _ if self.is_typing() => return vec![("Enter", "done"), ("Esc", "show all")],
            LEFT => vec![("Enter", "show only these")],
            _ if self.conversations.chosen.is_none() => Vec::new(),
            MIDDLE => vec![("Enter", "open messages")],
            _ => return vec![("Enter", "open message"), ("Esc", "conversations")],
        };
        if self.is_filtered {
            hints.push(("Esc", "show all"));
        }
        hints
    }

    fn primary_button(&self, _: &State) -> Option<(ActionId, Rect)> {
        Some(("stop-watching", self.panes.area(MIDDLE)))
    }

    fn hint_title(&self, action: ActionId, state: &State) -> Option<&'static str> {
        (action == "stop-watching").then(|| match state.watching.is_listening() {
            true => "stop",
            false => "watch",
        })
    }

    fn panes(&mut self) -> Option<&mut Panes> {
        Some(&mut self.panes)
    }

    fn hinted_actions(&self, state: &State) -> Vec<ActionId> {
        let listens = state.watching.is_listening();
        let first: &[ActionId] = if listens { &["pause"] } else { &["stop-watching", "watch"] };
        let named = self.chosen_cards(state).is_some_and(|named| !named.cards.is_empty());
        let mut hints: Vec<ActionId> = named.then_some("cards").into_iter().collect();
        hints.extend(first);
        hints.extend(["filter-watch", "edit-watched", "resend-watched", "follow-watch"]);
        hints.extend(["alert", "save-trace", "open-trace", "pieces", "routine", "copy-watched"]);
        hints.extend(listens.then_some("stop-watching"));
        hints.extend(["clear", "next-pane"]);
        hints
    }

    fn point_at(&mut self, target: &Target, state: &State) -> bool {
        let Target::Conversation(number) = target else { return false };
        self.panes.focus = MIDDLE;
        self.conversations.point_at(*number, state)
    }

    fn detail_lines(&self, state: &State) -> Vec<String> {
        let chosen = self.conversations.chosen;
        let conversation = chosen.and_then(|number| state.watching.record.conversation(number));
        conversation.map_or_else(Vec::new, |conversation| plain_lines_of(conversation, state))
    }
}

/// A conversation in lines: where it is, how it ended, what was asked and answered, its messages.
fn plain_lines_of(conversation: &Conversation, state: &State) -> Vec<String> {
    let name = conversation.topic.as_deref().unwrap_or(&conversation.subject);
    let head = [
        format!("{name}: {}", conversation.standing.as_str()),
        format!("Asked: {}", conversation.asked),
    ];
    let said = (!conversation.said.is_empty()).then(|| format!("Answered: {}", conversation.said));
    let problem = conversation.standing.problem();
    let problem = problem.map(|problem| format!("Error: {}", problem.words()));
    head.into_iter()
        .chain(said)
        .chain(problem)
        .chain(messages::message_lines(conversation, state))
        .collect()
}

const NONE_CHOSEN: &str = "choose a conversation first";

/// What its actions do, and why they can't be done.
impl WatchScreen {
    fn step_pane(&mut self, step: Step) -> Reply {
        self.panes.step(step);
        Reply::Handled
    }

    fn toggle_follow(&mut self, _: &State) -> Reply {
        self.conversations.follow = !self.conversations.follow;
        Reply::Handled
    }

    fn open_filter(&mut self, state: &State) -> Reply {
        self.panes.focus = MIDDLE;
        self.conversations.open_filter(state);
        Reply::Handled
    }

    fn toggle_pieces(&mut self, state: &State) -> Reply {
        let chosen = self.conversations.chosen;
        let chosen = chosen.and_then(|number| state.watching.record.conversation(number));
        self.messages.toggle_grouping(chosen);
        Reply::Handled
    }

    fn resend(&mut self, state: &State) -> Reply {
        let chosen = self.chosen_request(state);
        chosen.map_or(Reply::Handled, |number| dialogs::confirm_resend(state, number))
    }

    fn edit_request(&mut self, state: &State) -> Reply {
        let chosen = self.chosen_request(state);
        let request = chosen.and_then(|number| request_of(state, number).ok());
        request.map_or(Reply::Handled, |request| {
            Reply::send(Message::Call(CallMessage::EditSent {
                meta: calling::request_meta(request.system, &request.body),
                route: calling::request_route(&request),
                tool: request.tool,
                arguments: request.arguments,
            }))
        })
    }

    fn resend_refusal(&self, state: &State) -> Option<String> {
        match self.chosen_request(state) {
            Some(number) => request_of(state, number).err().map(|problem| problem.cause),
            None => Some(NONE_CHOSEN.into()),
        }
    }

    fn show_tool(&mut self, state: &State) -> Reply {
        let message =
            self.chosen_request(state).and_then(|number| state.watching.record.message(number));
        let tool = message.and_then(|message| tool_of(state, &message.crossing).ok());
        // What is only listed of a server is on Invoke.
        let screen = match tool.is_some_and(|tool| state.deployed_of(tool.id()).is_some()) {
            true => ScreenId::Invoke,
            false => ScreenId::Tools,
        };
        let select = tool.map(|tool| Message::Select(tool.id().clone()));
        Reply::Send(select.into_iter().chain([Message::Show(screen)]).collect())
    }

    fn tool_refusal(&self, state: &State) -> Option<String> {
        let message =
            self.chosen_request(state).and_then(|number| state.watching.record.message(number));
        match message.map(|message| tool_of(state, &message.crossing)) {
            None => Some(NONE_CHOSEN.into()),
            Some(found) => found.err().map(|problem| problem.cause),
        }
    }

    fn read_cards(&mut self, state: &State) -> Reply {
        self.chosen_cards(state).map_or(Reply::Handled, cards::open_cards)
    }

    fn edit_frame(&mut self, state: &State) -> Reply {
        let chosen = self.chosen_message(state);
        let seen = chosen.and_then(|number| state.watching.record.message(number));
        let seen = seen.map(|message| message.crossing.body_text().into_owned());
        edit_frame(&state.watched_connection(), seen)
    }

    fn copy_chosen(&mut self, state: &State) -> Reply {
        let numbers = self.chosen_messages(state);
        match numbers.is_empty() {
            true => Reply::Handled,
            false => dialogs::copy_messages(state, &numbers),
        }
    }
}

fn bus_refusal(state: &State) -> Option<String> {
    let problem = watched::require_watchable(&state.connection_to_watch()).err()?;
    Some(format!("{}; {}", problem.cause, problem.remedy))
}

fn nothing_heard(state: &State) -> Option<String> {
    refuse_when(state.watching.record.is_empty(), "there are no messages yet")
}

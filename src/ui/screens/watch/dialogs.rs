//! What Watch asks and shows over the screen: subjects, alerts, traces, a whole message, what to
//! copy.

use serde_json::Value;

use super::{
    cards::{self, NamedCards},
    labels::{clock_time, watch_reply},
    legend,
};
use crate::{
    app::{
        message::Message,
        resending::request_of,
        state::State,
        unsaved_messages::unsaved_messages,
        watching::{WatchMessage, WatchRequest},
    },
    engine::traffic::{
        filter::{self, Filter},
        trace,
    },
    model::{size, traffic::Tapped, transport::Names},
    schema::count::count_text,
    systems::watched,
    ui::{
        answer::events::format_duration,
        canvas::{first_line, truncate_text, wrap},
        overlays::{
            confirm::{Answer, Confirm},
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            prompt::Prompt,
        },
        styles::Role,
        view::Reply,
    },
};

/// So many lines of a message are shown.
const LINES: usize = 2_000;

/// Asks before everything that was received is forgotten.
pub(super) fn confirm_clear(state: &State) -> Reply {
    let count = match state.watching.record.len() {
        1 => "one conversation".to_owned(),
        count => format!("{count} conversations"),
    };
    let words = format!(
        "This permanently removes {count} from the screen. Save the trace first to keep a copy. Filter and alerts stay."
    );
    let keep = Answer { key: 'n', words: "cancel", messages: Vec::new() };
    let clear =
        Answer { key: 'y', words: "clear", messages: vec![Message::Watch(WatchMessage::Clear)] };
    Reply::Open(Box::new(Confirm::new("Clear the traffic?", words, vec![keep, clear], Vec::new())))
}

/// Asks before the request of another client is sent once more. In the program itself it does no
/// harm, and between toolcrib and a server there are no others.
pub(super) fn confirm_resend(state: &State, number: u64) -> Reply {
    let send = WatchMessage::Resend(number);
    let connection = state.watched_connection();
    let has_others = connection.transport().is_bus() && !connection.is_embedded();
    let request = match request_of(state, number) {
        Ok(request) if has_others => request,
        _ => return watch_reply(send),
    };
    let title = format!("Send the request of {} again?", request.name);
    let words = format!(
        "It was seen on {} and may be another client's. It goes there under a new id, with {}",
        connection.name,
        truncate_text(&request.arguments, 200),
    );
    let answers = vec![
        Answer { key: 'y', words: "send", messages: vec![Message::Watch(send)] },
        Answer { key: 'n', words: "cancel", messages: Vec::new() },
    ];
    Reply::Open(Box::new(Confirm::new(title, words, answers, Vec::new())))
}

/// Watches what an empty answer to [`ask_subjects`] watches; asks where that is nothing.
pub(super) fn begin_watching(state: &State) -> Reply {
    let connection = state.connection_to_watch();
    let has_default = watched::server_watch(&connection).is_some()
        || watched::default_watch(&connection).is_some()
        || watched::default_places(&state.catalog, &connection).is_ok();
    match has_default {
        true => watch_reply(WatchMessage::Begin(Vec::new())),
        false => ask_subjects(state),
    }
}

/// Asks what to listen to; of a server that is all.
pub(super) fn ask_subjects(state: &State) -> Reply {
    let connection = state.connection_to_watch();
    if watched::server_watch(&connection).is_some() {
        return watch_reply(WatchMessage::Begin(Vec::new()));
    }
    let usual = watched::default_places(&state.catalog, &connection);
    let nothing = match (watched::default_watch(&connection), usual) {
        (Some(whole), _) => format!("Empty: {}.", whole.words),
        (None, Ok(usual)) if usual.len() > 4 => {
            format!("Empty: the {} queues of this workspace's services.", usual.len())
        }
        (None, Ok(usual)) => {
            let names: Vec<String> = usual.into_iter().map(|place| place.name).collect();
            format!("Empty: {}.", names.join(", "))
        }
        (None, Err(problem)) => format!("Name at least one: {}.", problem.cause),
    };
    let transport = connection.transport();
    let parts =
        if transport.spec().names == Names::Subjects { "; * and > are wildcards" } else { "" };
    let since = match transport.spec().keeps {
        true => {
            " since:10m starts with what JetStream kept of the last ten minutes, since:14:05 with \
            what it kept since then."
        }
        false => "",
    };
    let words = format!(
        "At {}: queues such as request:tg:joke, or subjects as {} spells them, separated by \
         spaces{parts}. {nothing}{since}",
        connection.name,
        transport.title(),
    );
    Reply::Open(Box::new(
        Prompt::new("Watch", words, "", move |text, _| {
            let named: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            for subject in WatchRequest::parse(&named)?.subjects {
                watched::parse_place(&subject, transport).map_err(|problem| problem.to_string())?;
            }
            Ok(watch_reply(WatchMessage::Begin(named)))
        })
        .with_act("watch"),
    ))
}

/// Asks for an alert, or which to take away.
pub(super) fn ask_alerts(state: &State) -> Reply {
    let alerts = state.watching.record.alerts();
    if alerts.is_empty() {
        return new_alert();
    }
    let new = Item { title: "new alert…".into(), ..Item::default() };
    let item = |alert: &crate::engine::traffic::alerts::Alert| Item {
        title: format!("remove {}", alert.filter),
        note: count_text(alert.rang, "conversation", "conversations"),
        ..Item::default()
    };
    let items = [new].into_iter().chain(alerts.iter().map(item)).collect();
    Reply::Open(Box::new(Menu::with_replies("Alerts", items, |row| match row.checked_sub(1) {
        None => new_alert(),
        Some(row) => watch_reply(WatchMessage::ForgetAlert(row)),
    })))
}

fn new_alert() -> Reply {
    let mut words = format!(
        "Alerts when a conversation matches this filter: {}. For example is:open >5s.",
        filter::HELP
    );
    let unclear = ["is:orphan", "is:single", "is:late", "is:odd", "is:overdue"];
    for sign in legend::CONVERSATIONS.iter().filter(|sign| unclear.contains(&sign.filter)) {
        words.push_str(&format!("\n{}: {}", sign.filter, sign.words));
    }
    Reply::Open(Box::new(
        Prompt::new("Alert", words, "is:failed", |text, _| {
            let filter = Filter::parse(text)?;
            if filter.is_empty() {
                return Err("an alert for everything would go off all the time".into());
            }
            Ok(watch_reply(WatchMessage::AddAlert(text.to_owned())))
        })
        .with_act("add alert")
        .preselected(),
    ))
}

/// Asks for the file of a trace.
pub(super) fn save_trace() -> Reply {
    let words = "Saves all messages, one JSON object a line; secrets are masked. Name of a new \
                 file, relative to the workspace:";
    Reply::Open(Box::new(
        Prompt::new("Save the trace", words, "watched.trace", |text, _| match text {
            "" => Err("give it a name".into()),
            text => Ok(watch_reply(WatchMessage::Save(text.to_owned()))),
        })
        .with_act("save")
        .preselected(),
    ))
}

/// Asks which trace to show.
pub(super) fn open_trace() -> Reply {
    let words = "Replaces the messages here with a saved trace. Name of its file, relative to the \
                 workspace:";
    Reply::Open(Box::new(
        Prompt::new("Open a trace", words, "watched.trace", |text, state| {
            let open = WatchMessage::Open(text.to_owned());
            match (text, unsaved_messages(state)) {
                ("", _) => Err("name a file".into()),
                (_, 0) => Ok(watch_reply(open)),
                (_, count) => Ok(confirm_open(open, count)),
            }
        })
        .preselected()
        .with_act("open"),
    ))
}

/// Asks before a trace takes the place of messages that are in no file.
fn confirm_open(open: WatchMessage, count: u64) -> Reply {
    let words = format!(
        "{} here aren't saved, and the trace takes their place.",
        count_text(count, "message", "messages")
    );
    let keep = Answer { key: 'n', words: "cancel", messages: Vec::new() };
    let open = Answer { key: 'y', words: "open", messages: vec![Message::Watch(open)] };
    Reply::Open(Box::new(Confirm::new("Open the trace?", words, vec![keep, open], Vec::new())))
}

/// All of one message, or what the pieces of an answer say together.
pub(super) fn open_messages(state: &State, numbers: &[u64], named: Option<NamedCards>) -> Reply {
    let record = &state.watching.record;
    let first = numbers.first().and_then(|number| Some((*number, record.message(*number)?)));
    let Some((number, message)) = first else {
        return Reply::Refused("the message was dropped".into());
    };
    let crossing = &message.crossing;
    let mut reading = watched::classify_message(crossing);
    let others = numbers[1..].iter().filter_map(|number| record.message(*number));
    others.for_each(|message| {
        reading.text.push_str(&watched::classify_message(&message.crossing).text);
    });
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |label: &str, value: &str| {
        lines.push(vec![(Role::Dim, format!("{label:<9} ")), (Role::Text, value.to_owned())]);
    };
    let began = record.conversation(message.conversation).map(|conversation| conversation.began);
    let after = began.map_or_else(String::new, |began| {
        format!(" · {} after the conversation began", format_duration(crossing.at.since(began)))
    });
    add("time", &format!("{}{after}", clock_time(crossing.at, state.wall.offset)));
    add("subject", &crossing.subject);
    if let Some(reply) = &crossing.reply {
        add("reply", reply);
    }
    for (name, value) in &crossing.headers {
        add(name, value);
    }
    add("size", &size::format_size(crossing.size));
    if let Some(state) = &reading.state {
        add("state", state);
    }
    let remarks = record
        .conversation(message.conversation)
        .into_iter()
        .flat_map(|conversation| &conversation.remarks);
    for remark in remarks.filter(|remark| remark.message == number) {
        lines.push(Vec::new());
        lines.extend(
            wrap(&format!("⚠ {}", remark.words), 90)
                .into_iter()
                .map(|line| vec![(Role::Warning, line)]),
        );
    }
    let about = crossing.about.as_ref().map(|about| {
        ("The reported message", format!("{}\n{}", about.subject, pretty_json(&about.body_text())))
    });
    let body = match numbers.len() {
        0..2 => "Body".to_owned(),
        pieces => format!("Body of the first of {pieces} chunks"),
    };
    let sections =
        [("What it says", reading.text), (body.as_str(), pretty_json(&crossing.body_text()))];
    for (heading, text) in sections.into_iter().chain(about) {
        lines.push(Vec::new());
        lines.push(vec![(Role::Heading, heading.to_owned())]);
        let start: String = text.chars().take(LINES * 90).collect();
        lines.extend(wrap(&start, 90).into_iter().take(LINES).map(|line| vec![(Role::Text, line)]));
    }
    let label = reading.label;
    let page = PageOverlay::new(format!("{label} · message {number}"), lines);
    Reply::Open(Box::new(
        match named.filter(|named| cards::refusal_reason(state, Some(named)).is_none()) {
            Some(named) => page.going_on("show its cards", cards::open_cards(named)),
            None => page,
        },
    ))
}

/// JSON over several lines; other text as it is.
fn pretty_json(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .map_or_else(|_| text.to_owned(), |value| format!("{value:#}"))
}

/// Asks what to copy of a message, or of the pieces of an answer.
pub(super) fn copy_messages(state: &State, numbers: &[u64]) -> Reply {
    let record = &state.watching.record;
    let first = numbers.first().and_then(|number| record.message(*number));
    let Some(message) = first else {
        return Reply::Refused("the message was dropped".into());
    };
    let all = numbers.iter().filter_map(|number| record.message(*number));
    let text: String = all.map(|one| watched::classify_message(&one.crossing).text).collect();
    let conversation = record.conversation(message.conversation);
    let lines = conversation
        .into_iter()
        .flat_map(|conversation| &conversation.messages)
        .filter_map(|number| record.message(*number));
    let lines: Vec<String> = lines
        .map(|message| {
            trace::tapped_line(&Tapped::ObservedMessage(std::sync::Arc::clone(&message.crossing)))
                .to_string()
        })
        .collect();
    let is_one = numbers.len() == 1;
    let mut copies = vec![
        (
            if is_one { "body" } else { "body of the first chunk" },
            message.crossing.body_text().into_owned(),
        ),
        (if is_one { "what it says" } else { "what they say together" }, text),
        ("conversation as JSON lines", lines.join("\n")),
    ];
    copies.extend(
        conversation
            .and_then(|conversation| conversation.id.as_deref())
            .map(|id| ("id", id.to_owned())),
    );
    let items = copies.iter().map(|(what, text)| Item {
        title: (*what).to_owned(),
        detail: first_line(text),
        ..Item::default()
    });
    let items = items.collect();
    Reply::Open(Box::new(Menu::with_replies("Copy", items, move |row| {
        copies.get(row).map_or(Reply::Handled, |(what, text)| {
            Reply::send(Message::Copy { what: (*what).to_owned(), text: text.clone() })
        })
    })))
}

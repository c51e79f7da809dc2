//! Signing in to the server of a connection: what it says about tokens, the page, the token.

use crate::{
    app::{
        message::{ConnectionMessage, Message},
        sign_in::{SignIn, SignInAct, SignInStage},
        state::State,
    },
    model::{authorization::AuthorizationReport, connection::Connection, shown::visible_text},
    schema::ordering::PutInOrder,
    systems::table,
    ui::{
        overlays::menu::{Item, Menu},
        styles::Role,
        view::{OverlayReply, Reply},
        widgets::reading::{Line, wrapped_lines},
    },
};

const NOT_HERE: &str = "tokens are for MCP servers over HTTP";

/// What one can do about tokens of a connection.
struct Choice {
    title: &'static str,
    detail: &'static str,
    message: Message,
    refusal: Option<&'static str>,
}

fn takes_tokens(connection: &Connection) -> bool {
    table::kept_tools_at(connection).is_some() && connection.command().is_none()
}

/// Why there is nothing to sign in to.
pub(super) fn refusal(state: &State, name: &str) -> Option<String> {
    let connection = state.network.connections.find_by_name(name);
    (!connection.is_some_and(takes_tokens)).then(|| NOT_HERE.to_owned())
}

/// The menu of all that can be done.
pub(super) fn open_menu(state: &State, name: &str) -> Reply {
    let known = state.network.tests.sign_ins.by_name.get(name);
    let is_running = known.is_some_and(SignIn::is_running);
    let page = known.and_then(SignIn::page);
    let act = |act: SignInAct| {
        Message::Connection(ConnectionMessage::SignIn { name: name.to_owned(), act })
    };
    let busy = is_running.then_some("it is running; cancel it first");
    let no_page = page.is_none().then_some("no sign-in is waiting for a page: sign in first");
    let text = page.unwrap_or_default().to_owned();
    let copy = Message::Copy { what: "the page's URL".to_owned(), text };
    let choice = |title, detail, message, refusal| Choice { title, detail, message, refusal };
    let mut choices = vec![
        choice(
            "Sign in",
            "shows the URL of a page and waits for the sign-in",
            act(SignInAct::SignIn),
            busy,
        ),
        choice(
            "What the server says",
            "each document, step by step; changes nothing",
            act(SignInAct::Look),
            busy,
        ),
        choice("Copy the page's URL", "to open it elsewhere", copy, no_page),
        choice("Open the page", "in your browser", act(SignInAct::OpenPage), no_page),
        choice(
            "Cancel",
            "stop waiting",
            act(SignInAct::Cancel),
            (!is_running).then_some("nothing is running"),
        ),
        choice("Sign out", "deletes the token", act(SignInAct::SignOut), busy),
    ];
    if is_running {
        // What can be done now comes first.
        choices.order_by_key(|choice| choice.refusal.is_some());
    }
    let items = choices.iter().map(|choice| Item {
        title: choice.title.to_owned(),
        detail: choice.detail.to_owned(),
        refusal: choice.refusal.map(str::to_owned),
        ..Item::default()
    });
    let items = items.collect();
    let messages: Vec<Message> = choices.into_iter().map(|choice| choice.message).collect();
    Reply::Open(Box::new(Menu::new(format!("Tokens of {name}"), items, move |row| match messages
        .get(row)
    {
        Some(message) => OverlayReply::CloseWith(Reply::send(message.clone())),
        None => OverlayReply::Close,
    })))
}

/// What is said of it beside the settings.
pub(super) fn sign_in_lines(state: &State, name: &str, cells: usize) -> Vec<Line> {
    if refusal(state, name).is_some() {
        return Vec::new();
    }
    let mut lines = vec![Line::new(), vec![(Role::Heading, "sign in".to_owned())]];
    let Some(known) = state.network.tests.sign_ins.by_name.get(name) else {
        let words = "“sign in…” in the actions menu (.) gets a token, or shows what the server \
            says about tokens.";
        lines.extend(wrapped_lines(words, Role::Dim, cells));
        return lines;
    };
    let mut say = |role, text: &str| lines.extend(wrapped_lines(text, role, cells));
    match &known.stage {
        SignInStage::UnderWay => say(Role::Warning, "◐ asking …"),
        SignInStage::Over => {}
        SignInStage::Waiting { page } => {
            say(Role::Warning, "◐ waiting for you to allow it on this page:");
            say(Role::Text, &visible_text(page));
            say(
                Role::Info,
                "“sign in…” in the actions menu (.) copies its URL, opens it in your browser, or cancels.",
            );
        }
        SignInStage::Done(words) => say(Role::Success, &format!("● {words}")),
        SignInStage::Failed(problem) => {
            say(Role::Error, &format!("✗ {}", problem.cause));
            say(Role::Info, &problem.remedy);
        }
        SignInStage::Cancelled => say(Role::Dim, "cancelled; nothing was saved"),
    }
    if let Some(report) = &known.report {
        lines.extend(report_lines(report, cells));
    }
    lines
}

/// What the steps come to, and each of them.
fn report_lines(report: &AuthorizationReport, cells: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |role, text: &str| lines.extend(wrapped_lines(text, role, cells));
    let role = if report.is_open { Role::Success } else { Role::Error };
    say(role, &report.verdict);
    for step in &report.steps {
        say(Role::Text, &format!("{}: {}", step.request, step.outcome));
        for (name, value) in &step.facts {
            say(Role::Dim, &format!("  {name}: {value}"));
        }
        for fault in &step.faults {
            let role = if fault.is_stopping { Role::Error } else { Role::Warning };
            say(role, &format!("  {}", fault.line()));
        }
    }
    lines
}

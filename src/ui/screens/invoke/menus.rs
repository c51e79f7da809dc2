//! What is chosen or typed before a call, or to take one elsewhere: its route, how often, as what.

use super::tools::tool_of;
use crate::{
    app::{
        calls::{CallMessage, CallPart},
        deployed::{DeployedTools, Progress},
        message::{ConnectionMessage, Message, ScreenId},
        state::State,
    },
    engine::series,
    model::{call::Call, connection::Connection, duration, entry::EntryId},
    schema::count::count_text,
    systems::{calling, facets::calls::RouteOffer, model_text, table},
    ui::{
        canvas::visible_text,
        copies, copy_menu,
        overlays::{
            menu::{Item, Menu},
            page::{Line, PageOverlay},
            prompt::Prompt,
        },
        styles::Role,
        view::Reply,
        widgets::code,
    },
};

/// Shows the chosen tool on Tools.
pub(super) fn show_descriptor(state: &State) -> Reply {
    let select = tool_of(state).map(Message::Select);
    Reply::Send(select.into_iter().chain([Message::Show(ScreenId::Tools)]).collect())
}

/// All that is known of the chosen tool, and what models get of it, on a page.
pub(super) fn describe_tool(state: &State) -> Reply {
    let Some(tool) = tool_of(state).and_then(|id| state.tool(&id)) else {
        return Reply::Refused("there is no tool".into());
    };
    let catalog = state.deployed_of(tool.id()).map_or(&*state.catalog, |there| &*there.catalog);
    let defined = format!("{:#}", tool.entry.value.parsed());
    let seen = model_text::tool_text(tool, catalog);
    let heading = |words: &str| vec![(Role::Title, words.to_owned())];
    let code = |text: &str| {
        let pieces = |line| {
            let pieces = code::highlight_line(line).into_iter();
            pieces.map(|(role, piece)| (role, visible_text(piece).into_owned())).collect()
        };
        text.trim_end().lines().map(pieces).collect::<Vec<Line>>()
    };
    let description = tool.description.trim();
    let mut lines: Vec<Line> = Vec::new();
    if !description.is_empty() {
        let words = description.lines();
        lines.extend(words.map(|line| vec![(Role::Text, visible_text(line).into_owned())]));
        lines.push(Vec::new());
    }
    lines.push(heading("As it is defined"));
    lines.extend(code(&defined));
    lines.extend([Vec::new(), heading("As models see it")]);
    lines.extend(code(&seen));
    Reply::Open(Box::new(PageOverlay::new(tool.label(), lines)))
}

/// Lists the tools of the system at the connection for all, or of the one that is chosen among that
/// and the servers.
pub(super) fn list_deployed(state: &State) -> Reply {
    let list = |name: &str| {
        Reply::send(Message::Connection(ConnectionMessage::ListDeployed(Some(name.to_owned()))))
    };
    let current = state.current_connection();
    let is_server =
        |known: &&Connection| known.name == current.name || table::kept_tools_at(known).is_some();
    let known: Vec<&Connection> =
        state.network.connections.known.iter().filter(is_server).collect();
    let leading = known.iter().filter(|known| match known.name == current.name {
        true => table::deployment_at(&current).is_some(),
        false => true,
    });
    let names: Vec<String> = leading.map(|known| known.name.clone()).collect();
    let unlisted: Vec<&str> = state.network.unlisted_servers(&state.catalog).collect();
    match names.as_slice() {
        [] => return list(&current.name),
        [only] => return list(only),
        _ => {}
    }
    let item = |name: &String| Item {
        title: name.clone(),
        detail: match state.deployed_lists().find(|listed| listed.connection.name == *name) {
            Some(DeployedTools { progress: Progress::Failed(_), .. }) => {
                "listing failed; try again".to_owned()
            }
            Some(listed) => {
                let count = count_text(listed.catalog.tools.len(), "tool", "tools");
                format!("{count} listed; list them again")
            }
            None if unlisted.contains(&name.as_str()) => "not listed yet".to_owned(),
            None => "its tools are saved in this folder".to_owned(),
        },
        ..Item::default()
    };
    let failed = state.network.failed_listing(&state.catalog);
    let default = unlisted.iter().find(|name| **name == current.name);
    let first = failed.or_else(|| default.or(unlisted.first()).copied());
    let at = names.iter().position(|name| Some(name.as_str()) == first).unwrap_or(0);
    let items = names.iter().map(item).collect();
    let choose = move |row: usize| list(&names[row]);
    Reply::Open(Box::new(Menu::with_replies("List the tools of", items, choose).with_row(at)))
}

/// Calls as a new agent, or as the connection's again.
pub(super) fn turn_new_agent(tool: EntryId) -> Reply {
    Reply::send(Message::Call(CallMessage::TurnNewAgent { tool }))
}

/// Puts the arguments of the shown call into the form.
pub(super) fn edit_arguments(state: &State) -> Reply {
    let edit = |call: &Call| {
        Message::Call(CallMessage::EditSent {
            tool: call.request.tool.clone(),
            arguments: call.request.arguments.clone(),
            meta: calling::request_meta(call.request.system, &call.request.body),
            route: calling::request_route(&call.request),
        })
    };
    let shown = state.invoke.calls.selected_call();
    shown.map_or(Reply::Handled, |call| Reply::send(edit(call)))
}

/// The ways that the chosen tool can be called by, and which is taken.
pub(super) fn route_menu(state: &State) -> Reply {
    let Some(tool) = tool_of(state) else { return Reply::Refused("choose a tool first".into()) };
    let offers = routes_of(state);
    let first =
        offers.iter().find(|offer| offer.closed.is_none()).map_or("none is open", |offer| offer.id);
    let item = |offer: &RouteOffer| Item {
        title: offer.id.to_owned(),
        detail: offer
            .closed
            .as_ref()
            .map_or_else(|| offer.title.to_owned(), |closed| format!("closed: {closed}")),
        ..Item::default()
    };
    let whatever = Item {
        title: "the first that is open".into(),
        detail: format!("now: {first}"),
        ..Item::default()
    };
    let items = std::iter::once(whatever).chain(offers.iter().map(item)).collect();
    let ids: Vec<&str> = offers.iter().map(|offer| offer.id).collect();
    let at = ids
        .iter()
        .position(|id| state.network.route_of(&tool) == Some(id))
        .map_or(0, |row| row + 1);
    let choose = move |row: usize| {
        let route = row.checked_sub(1).and_then(|row| Some((*ids.get(row)?).to_owned()));
        Reply::send(Message::Call(CallMessage::UseRoute { tool: tool.clone(), route }))
    };
    Reply::Open(Box::new(Menu::with_replies("Route of calls", items, choose).with_row(at)))
}

pub(super) fn routes_of(state: &State) -> Vec<RouteOffer> {
    let tool = tool_of(state).and_then(|id| state.tool(&id).cloned());
    tool.map(|tool| calling::call_routes(&tool, &state.call_connection(tool.id())))
        .unwrap_or_default()
}

/// Asks how long calls of this session may take.
pub(super) fn time_limit_prompt(state: &State) -> Reply {
    let now = match state.invoke.time_limit {
        Some(time) => format!("now {}", duration::print_duration(time)),
        None => "30s unless the connection has a timeout".to_owned(),
    };
    let words = format!(
        "How long an answer may take in calls of this session, such as 2m ({now}). Empty: as the \
        connections say."
    );
    let typed = state.invoke.time_limit.map(duration::print_duration).unwrap_or_default();
    Reply::Open(Box::new(
        Prompt::new("Time limit", words, &typed, |text, _| {
            let time = match text.trim() {
                "" => None,
                text => Some(
                    duration::parse_duration(text)
                        .filter(|time| !time.is_zero())
                        .ok_or_else(|| format!("type a time: {}", duration::EXAMPLES))?,
                ),
            };
            Ok(Reply::send(Message::Call(CallMessage::LimitTime(time))))
        })
        .with_act("set")
        .preselected(),
    ))
}

/// Asks how often, and says how it went last.
pub(super) fn times_prompt(state: &State, tool: EntryId) -> Reply {
    let last = state
        .invoke
        .batch
        .as_ref()
        .map_or_else(String::new, |many| format!(" Last: {}.", many.series.summary()));
    let words = format!("How many requests, and how many at once: 20 x 4.{last}");
    Reply::Open(Box::new(
        Prompt::new("Send n times", words, "20 x 4", move |text, _| {
            let size = series::parse_batch(text).ok_or_else(|| {
                format!("type 20, or 20 x 4: up to {} x {}", series::MOST, series::MOST_AT_ONCE)
            })?;
            Ok(Reply::send(Message::Call(CallMessage::SendMany { tool: tool.clone(), size })))
        })
        .with_act("send")
        .preselected(),
    ))
}

/// The connection that frames are sent over: that of the call that is shown.
pub(super) fn frame_connection(state: &State) -> Connection {
    let call = state.invoke.calls.selected_call();
    let own = call.and_then(|call| state.network.connections.find_by_name(&call.connection));
    own.cloned().unwrap_or_else(|| state.connection_here())
}

/// What the call that is typed can be copied as.
pub(super) fn copy_request(state: &State) -> Reply {
    let Some(id) = tool_of(state) else { return Reply::Refused("choose a tool first".into()) };
    let arguments = state.written_arguments_of(&id);
    let rendered =
        copy_menu::rendered_call(state, &id, &arguments, &state.value_of(&id, CallPart::Meta));
    match state.build_request(&id) {
        Ok(request) => {
            let over = state.connection_of(&id);
            copy_menu::open(copies::of_typed(state, &request, &over, &[]), rendered)
        }
        Err(problem) if rendered.is_empty() => Reply::Refused(problem.to_string()),
        Err(_) => copy_menu::open(Vec::new(), rendered),
    }
}

//! What composing asks: with which tool, which of several arrows, under which name; each ends in a
//! proposal that shows the files' lines.

use super::{
    facts::Facts,
    graph::{ArrowEnd, Graph, HitTarget},
    group_menus::of_group,
    menu_rows::{RowAction, action_rows, mark_risky, menu_reply, menu_row},
};
use crate::{
    app::{
        actions::ActionId,
        compose::{
            arrows::{self, Tail},
            cells::Column,
            context::{ComposeContext, parse_name},
            entries::{self, EntryHome},
            plan::{Plan, list_names},
            states,
        },
        message::{DocumentMessage, Message, ScreenId},
        state::State,
    },
    engine::workflow::graph::{Edge, Link},
    model::{
        context::{ANY, DEFAULT_GROUP, Name},
        entry::EntryId,
        tool::{Gate, States, Tool},
    },
    schema::ordering::PutInOrder,
    systems::system::NewEntry,
    ui::{
        overlays::{
            menu::{Item, Menu},
            prompt::Prompt,
            proposal::{ExtraButton, Proposal, propose_plan},
        },
        view::{OverlayReply, Reply},
    },
};

// States.

pub(crate) fn new_state() -> Reply {
    let words = "The name of the new state. Draw an arrow to it or from it, so that tools name it.";
    Proposal::with_text_input("New state", words, "", |name, state| {
        states::add_state(ComposeContext::from_state(state), name)
    })
    .with_act("create")
    .into_reply()
}

pub(crate) fn rename_state(name: &Name) -> Reply {
    let from = name.clone();
    let words = format!("The new name of {name}, in every file that names it.");
    Proposal::with_text_input("Rename state", words, &**name, move |to, state| {
        states::rename_state(ComposeContext::from_state(state), &from, to)
    })
    .with_example()
    .with_act("rename")
    .into_reply()
}

pub(crate) fn delete_state(name: &Name) -> Reply {
    let name = name.clone();
    Proposal::new(format!("Delete state {name}?"), "", move |state| {
        states::delete_state(ComposeContext::from_state(state), &name)
    })
    .with_removal("delete")
    .into_reply()
}

/// What can be done with a state.
pub(crate) fn of_state(name: &Name, state: &State) -> Reply {
    let ids = [
        "draw",
        "draw-from-any",
        "arrows",
        "new-state",
        "rename-state",
        "delete-state",
        "set-start",
        "matrix",
        "groups",
        "copy-tools",
        "paste-tools",
    ];
    menu_reply(format!("State {name}"), action_rows(&ids, state))
}

/// What can be done where nothing of the picture is.
const OF_GROUND: [ActionId; 10] = [
    "new-state",
    "matrix",
    "groups",
    "paste-tools",
    "undo",
    "fit",
    "zoom-in",
    "zoom-out",
    "view",
    "signs",
];

/// What can be done with what is under the mouse.
pub(crate) fn menu_at(spot: HitTarget, graph: &mut Graph, facts: &Facts, state: &State) -> Reply {
    match spot {
        HitTarget::State(row) => {
            graph.select(row, facts);
            of_state(&facts.workflow.states()[row], state)
        }
        HitTarget::Edge(edge) | HitTarget::Label(edge) => of_edge(&edge, facts, state),
        _ => menu_reply("Workflow", action_rows(&OF_GROUND, state)),
    }
}

// Drawing.

/// Asks for the name of the state that an arrow leads to.
pub(crate) fn new_target(from: Tail) -> Reply {
    let words = format!("The name of the new state that the arrow from {from} leads to.");
    Reply::Open(Box::new(
        Prompt::new("New state", words, "", move |name, state| {
            Ok(ask_arrow_tool(&from, &parse_name(name, "state")?, state))
        })
        .with_act("next"),
    ))
}

/// Asks by name where an arrow leads, then which tool it is.
pub(crate) fn ask_target(from: &Name, facts: &Facts) -> Reply {
    let tail = Tail::State(from.clone());
    let names: Vec<Name> = facts.workflow.states().to_vec();
    let named = names.iter().map(|name| Item { title: name.to_string(), ..Item::default() });
    let new = Item { title: "a new state …".into(), ..Item::default() };
    let items = named.chain([new]).collect();
    let menu =
        Menu::with_state(format!("Draw an arrow from {from} to"), items, move |row, state| {
            OverlayReply::CloseWith(match names.get(row) {
                Some(to) => ask_arrow_tool(&tail, to, state),
                None => new_target(tail.clone()),
            })
        });
    Reply::Open(Box::new(menu))
}

/// How well a tool fits an arrow to be drawn; the best come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It leads there already, from other states.
    LeadsThere,
    Free,
    /// Arrows that it has would change too.
    MovesOthers,
    /// The arrow is there.
    Refused,
}

impl Fit {
    fn of_plan(plan: &Result<Plan, String>, tool: &Tool, to: &Name) -> Self {
        match plan {
            Err(_) => Self::Refused,
            Ok(plan) if !plan.notes.is_empty() => Self::MovesOthers,
            Ok(_) if tool.gate.next.as_ref() == Some(to) => Self::LeadsThere,
            Ok(_) => Self::Free,
        }
    }
}

/// Asks which tool the arrow is.
pub(crate) fn ask_arrow_tool(from: &Tail, to: &Name, state: &State) -> Reply {
    let context = ComposeContext::from_state(state);
    let arrow = format!("{from} → {to}");
    let mut rows = vec![{
        let (from, to) = (from.clone(), to.clone());
        let near = state.selected.clone().filter(|id| state.catalog.tool(id).is_some());
        let kinds = entries::tool_kinds(context, near.as_ref());
        menu_row("a new tool …", "choose its type and key", move || new_tool(&from, &to, &kinds))
    }];
    let tools = state.catalog.tools.iter();
    let mut tools: Vec<(Fit, (Item, RowAction))> =
        tools.map(|tool| arrow_row(tool, from, to, context)).collect();
    tools.order_by_key(|(fit, _)| *fit);
    rows.extend(tools.into_iter().map(|(_, choice)| choice));
    menu_reply(format!("{arrow} with"), rows)
}

/// A tool that the arrow may be: where it leads now, and how it fits.
fn arrow_row(
    tool: &Tool,
    from: &Tail,
    to: &Name,
    context: ComposeContext<'_>,
) -> (Fit, (Item, RowAction)) {
    let now = match (&tool.gate.states, &tool.gate.next) {
        (States::Every, Some(next)) => format!("now: any state → {next}"),
        (States::Every, None) => "now: any state, no arrow".to_owned(),
        (States::Only(listed), Some(next)) => format!("now: {} → {next}", listed.join(", ")),
        (States::Only(listed), None) => format!("now: {}, no arrow", listed.join(", ")),
    };
    let draw = |tail: &Tail| arrows::draw_arrow(context, tool.id(), tail, to);
    // What is available everywhere may lead there from this state alone, or from every one.
    let (tail, everywhere) = match (&tool.gate.states, from) {
        (States::Every, Tail::State(name)) => {
            (Tail::Only(name.clone()), draw(from).is_ok().then(|| from.clone()))
        }
        _ => (from.clone(), None),
    };
    let plan = draw(&tail);
    let mut fit = Fit::of_plan(&plan, tool, to);
    if let Some(tail) = &everywhere {
        fit = fit.min(Fit::of_plan(&draw(tail), tool, to));
    }
    // One of every state that leads nowhere has no arrow that could change.
    let has_arrows = tool.gate.next.is_some() || tool.gate.states != States::Every;
    let moves = match fit {
        Fit::MovesOthers if has_arrows => " · changes its other arrows",
        _ => "",
    };
    let (id, arrow) = (tool.id().clone(), (from.clone(), to.clone()));
    let mut row = menu_row(tool.entry.key.clone(), format!("{now}{moves}"), move || {
        propose_arrow(&id, &arrow, &tail, everywhere.as_ref())
    });
    row.0.refusal = plan.err();
    (fit, row)
}

/// Shows what a tool becomes as the arrow; switched, from every state.
fn propose_arrow(
    tool: &EntryId,
    (from, to): &(Tail, Name),
    tail: &Tail,
    everywhere: Option<&Tail>,
) -> Reply {
    let plan = |tail: &Tail| {
        let (tool, tail, to) = (tool.clone(), tail.clone(), to.clone());
        move |state: &State| {
            arrows::draw_arrow(ComposeContext::from_state(state), &tool, &tail, &to)
        }
    };
    let proposal = Proposal::new(format!("Draw {from} → {to}"), "", plan(tail)).with_act("draw");
    let Some(every) = everywhere else { return proposal.into_reply() };
    let also = ExtraButton {
        key: "x",
        hint: "from every state",
        button: "from every state".to_owned(),
        off: format!("Only from {from}: it is no longer available in other states."),
        on: "From every state: it stays available in all of them.".to_owned(),
    };
    let every = plan(every);
    proposal.with_switch(also, move |state| propose_plan(every(state)?, state)).into_reply()
}

/// Asks for type and key of a new tool that is this arrow.
fn new_tool(from: &Tail, to: &Name, kinds: &[(NewEntry, EntryHome)]) -> Reply {
    // What has the fewest fields of its own.
    let fields = |kind: &NewEntry| kind.value.as_object().map_or(0, serde_json::Map::len);
    let other = kinds.iter().min_by_key(|(kind, _)| fields(kind)).cloned();
    let mut rows: Vec<(Item, RowAction)> = kinds
        .iter()
        .cloned()
        .map(|(kind, home)| {
            let (from, to) = (from.clone(), to.clone());
            menu_row(kind.type_name, kind.help, move || ask_key(&from, &to, &kind, &home))
        })
        .collect();
    if let Some((kind, home)) = other {
        let (from, to) = (from.clone(), to.clone());
        rows.push(menu_row(
            "another type …",
            "any name; check shows how the running system treats it",
            move || {
                let (from, to, home, kind) = (from.clone(), to.clone(), home.clone(), kind.clone());
                Reply::Open(Box::new(
                    Prompt::new("New tool", "The type of the new tool.", "", move |name, _| {
                        let mut kind = kind.clone();
                        kind.value["type"] = parse_name(name, "type")?.as_ref().into();
                        Ok(ask_key(&from, &to, &kind, &home))
                    })
                    .with_act("next"),
                ))
            },
        ));
    }
    menu_reply(format!("New tool {from} → {to}"), rows)
}

/// Asks for the key of a new tool that is this arrow.
fn ask_key(from: &Tail, to: &Name, kind: &NewEntry, home: &EntryHome) -> Reply {
    let (from, to, kind, home) = (from.clone(), to.clone(), kind.clone(), home.clone());
    let of = kind.value.get("type").and_then(|of| of.as_str()).unwrap_or(kind.type_name);
    let words = format!("The key of the new {of} from {from} to {to}. {home}");
    Proposal::with_text_input("New tool", words, "", move |key, state| {
        let context = ComposeContext::from_state(state);
        let groups = requested_groups(state);
        let note = groups.as_ref().map(|groups| {
            let names = list_names(groups.iter().map(|name| &**name));
            format!("In {names}, as requests are now.")
        });
        let gate = Gate { groups, ..arrows::gate_of_new(&from, &to) };
        Ok(entries::new_tool(context, &kind, key, &gate, &home)?.with_note(note))
    })
    .with_act("create")
    .into_reply()
}

/// The groups that a new tool has to be in for the present request to get it; `None`: none.
fn requested_groups(state: &State) -> Option<Vec<Name>> {
    let context = state.context();
    if context.groups().iter().any(|name| [ANY, DEFAULT_GROUP].contains(&&**name)) {
        return None;
    }
    // The workspace's own groups list their tools themselves.
    let own = state.workflow.custom_groups.flat_groups();
    let mut groups = context.groups.unwrap_or_default();
    groups.retain(|name| own.iter().all(|group| group.name != *name));
    (!groups.is_empty()).then_some(groups)
}

// Arrows.

fn words_of(edge: &Edge, facts: &Facts) -> (Tail, String) {
    let name = |row: usize| facts.workflow.states()[row].clone();
    match edge.link {
        Link::Between { from, to } => {
            (Tail::State(name(from)), format!("{} → {}", name(from), name(to)))
        }
        Link::FromAny { to } => (Tail::Every, format!("any state → {}", name(to))),
        Link::StayAny => (Tail::Every, "any state, it stays".to_owned()),
    }
}

fn tool_keys(edge: &Edge, state: &State) -> String {
    let keys = edge
        .tools
        .iter()
        .filter_map(|row| state.catalog.tools.get(*row))
        .map(|tool| tool.entry.key.as_str());
    keys.collect::<Vec<_>>().join(", ")
}

/// Every arrow that touches a state, and those from any state.
pub(crate) fn arrows_of(name: &Name, facts: &Facts, state: &State) -> Reply {
    let here = facts.workflow.state_row(name);
    let touches = |edge: &Edge| match edge.link {
        Link::Between { from, to } => Some(from) == here || Some(to) == here,
        Link::FromAny { to } => Some(to) == here,
        Link::StayAny => true,
    };
    let edges: Vec<Edge> = facts.workflow.all_edges().into_iter().filter(touches).collect();
    if edges.is_empty() {
        let draw = state.keymap.way_to("draw");
        return Reply::Refused(format!("no arrow touches {name}: {draw} draws one"));
    }
    // What a menu opens is made beforehand, since it outlives the facts.
    let rows = edges.into_iter().map(|edge| {
        let (tail, title) = words_of(&edge, facts);
        let tools = tools_of(&edge, state);
        let names: Vec<Name> = facts.workflow.states().to_vec();
        let shown = title.clone();
        menu_row(title, tool_keys(&edge, state), move || ask_tool(&shown, &tail, &tools, &names))
    });
    menu_reply(format!("Arrows of {name}"), rows.collect())
}

fn tools_of(edge: &Edge, state: &State) -> Vec<(EntryId, String)> {
    let tools = edge.tools.iter().filter_map(|row| state.catalog.tools.get(*row));
    tools.map(|tool| (tool.id().clone(), tool.entry.key.clone())).collect()
}

pub(crate) fn of_edge(edge: &Edge, facts: &Facts, state: &State) -> Reply {
    let (tail, title) = words_of(edge, facts);
    ask_tool(&title, &tail, &tools_of(edge, state), facts.workflow.states())
}

/// What moves an end of an arrow to a state; asks which of its tools is meant where it shows
/// several.
pub(crate) fn move_end(
    edge: &Edge,
    end: ArrowEnd,
    facts: &Facts,
    state: &State,
) -> impl Fn(&Name) -> Reply + 'static {
    let (tail, title) = words_of(edge, facts);
    let tools = tools_of(edge, state);
    move |onto| {
        let (tail, onto) = (tail.clone(), onto.clone());
        which_tools(&title, &tools, move |title, ids| propose_move(end, ids, &tail, &onto, title))
    }
}

/// Proposes to delete an arrow.
pub(crate) fn delete_edge(edge: &Edge, facts: &Facts, state: &State) -> Reply {
    let (tail, title) = words_of(edge, facts);
    which_tools(&title, &tools_of(edge, state), move |title, ids| {
        propose_deletion(title, &tail, ids)
    })
}

/// Shows what deleting an arrow changes; Enter alone doesn't delete it.
fn propose_deletion(title: &str, tail: &Tail, ids: &[EntryId]) -> Reply {
    let (ids, tail) = (ids.to_vec(), tail.clone());
    Proposal::new(format!("Delete {title}?"), "", move |state| {
        arrows::remove_arrows(ComposeContext::from_state(state), &ids, &tail)
    })
    .with_removal("delete")
    .into_reply()
}

fn propose_move(end: ArrowEnd, ids: &[EntryId], tail: &Tail, onto: &Name, title: &str) -> Reply {
    let (ids, tail, onto) = (ids.to_vec(), tail.clone(), onto.clone());
    let words = if end == ArrowEnd::Head { "lead to" } else { "come from" };
    Proposal::new(format!("{title} · {words} {onto}"), "", move |state| match end {
        ArrowEnd::Head => arrows::move_head(ComposeContext::from_state(state), &ids, &onto),
        ArrowEnd::Tail => arrows::move_tail(ComposeContext::from_state(state), &ids, &tail, &onto),
    })
    .into_reply()
}

/// Asks for the name of the new state that an end is moved to.
pub(crate) fn new_end(then: impl Fn(&Name) -> Reply + 'static) -> Reply {
    Reply::Open(Box::new(
        Prompt::new("New state", "The name of the new state.", "", move |name, _| {
            Ok(then(&parse_name(name, "state")?))
        })
        .with_act("next"),
    ))
}

/// What can be done with an arrow, after asking which of its tools is meant.
fn ask_tool(title: &str, tail: &Tail, tools: &[(EntryId, String)], names: &[Name]) -> Reply {
    let (tail, names) = (tail.clone(), names.to_vec());
    which_tools(title, tools, move |title, ids| of_arrow(title, Some(&tail), ids, &names))
}

/// Goes on with the tools of an arrow that are meant, under a title that names them; asks which
/// where it has several.
fn which_tools(
    title: &str,
    tools: &[(EntryId, String)],
    then: impl Fn(&str, &[EntryId]) -> Reply + Clone + 'static,
) -> Reply {
    if let [(id, key)] = tools {
        return then(&format!("{key}: {title}"), std::slice::from_ref(id));
    }
    let all: Vec<EntryId> = tools.iter().map(|(id, _)| id.clone()).collect();
    let choice = |shown: String, detail: &str, ids: Vec<EntryId>| {
        let (title, then) = (format!("{shown}: {title}"), then.clone());
        menu_row(shown, detail, move || then(&title, &ids))
    };
    let mut rows = vec![choice(format!("all {}", tools.len()), "together", all)];
    rows.extend(tools.iter().map(|(id, key)| choice(key.clone(), "", vec![id.clone()])));
    menu_reply(format!("Which tools of {title}"), rows)
}

/// What can be done with an arrow; without a tail, with tools whatever their arrows.
fn of_arrow(title: &str, tail: Option<&Tail>, ids: &[EntryId], names: &[Name]) -> Reply {
    let mut rows = vec![move_row(
        title,
        "lead to …",
        "change its next state",
        ids,
        names,
        |ids, to, state| arrows::move_head(ComposeContext::from_state(state), ids, to),
    )];
    if let Some(tail) = tail {
        let from = tail.clone();
        rows.push(move_row(
            title,
            "come from …",
            "change the state it leaves from",
            ids,
            names,
            move |ids, onto, state| {
                arrows::move_tail(ComposeContext::from_state(state), ids, &from, onto)
            },
        ));
        let detail = "the tool is no longer available there";
        let (title, tail, ids) = (title.to_owned(), tail.clone(), ids.to_vec());
        rows.push(mark_risky(menu_row("delete arrow", detail, move || {
            propose_deletion(&title, &tail, &ids)
        })));
    }
    rows.push(plan_row(title, "available everywhere", "from every state", ids, |ids, state| {
        arrows::allow_everywhere(ComposeContext::from_state(state), ids)
    }));
    rows.push(plan_row(title, "stay", "the tool doesn't change the state", ids, |ids, state| {
        arrows::clear_next_state(ComposeContext::from_state(state), ids)
    }));
    if let [id] = ids {
        let id = id.clone();
        rows.push(menu_row("edit tool", "open it in Tools", move || {
            Reply::Send(vec![Message::Select(id.clone()), Message::Show(ScreenId::Tools)])
        }));
    }
    let copied = ids.to_vec();
    rows.push(menu_row("copy", "as a descriptor, for another workspace", move || {
        copy_descriptors(copied.clone())
    }));
    menu_reply(title, rows)
}

/// A row that proposes a plan for tools.
fn plan_row(
    title: &str,
    name: &str,
    detail: &str,
    ids: &[EntryId],
    plan: impl Fn(&[EntryId], &State) -> Result<Plan, String> + Clone + 'static,
) -> (Item, RowAction) {
    let (title, ids) = (title.to_owned(), ids.to_vec());
    menu_row(name, detail, move || {
        let (ids, plan) = (ids.clone(), plan.clone());
        Proposal::new(title.clone(), "", move |state| plan(&ids, state)).into_reply()
    })
}

/// A row that asks for a state and proposes a plan for tools and that state.
fn move_row(
    title: &str,
    name: &str,
    detail: &str,
    ids: &[EntryId],
    names: &[Name],
    plan: impl Fn(&[EntryId], &Name, &State) -> Result<Plan, String> + Clone + 'static,
) -> (Item, RowAction) {
    let asked = format!("{title} · {}", name.trim_end_matches(" …"));
    let (title, ids, names) = (title.to_owned(), ids.to_vec(), names.to_vec());
    menu_row(name, detail, move || {
        let (title, ids, plan) = (title.clone(), ids.clone(), plan.clone());
        choose_state(&asked, &names, move |chosen| {
            let (ids, plan, chosen) = (ids.clone(), plan.clone(), chosen.clone());
            Proposal::new(title.clone(), "", move |state| plan(&ids, &chosen, state)).into_reply()
        })
    })
}

/// A list of states, with a new one at its end.
fn choose_state(
    title: &str,
    names: &[Name],
    then: impl Fn(&Name) -> Reply + Clone + 'static,
) -> Reply {
    let mut rows: Vec<(Item, RowAction)> = names
        .iter()
        .map(|name| {
            let (name, then) = (name.clone(), then.clone());
            menu_row(name.to_string(), "", move || then(&name))
        })
        .collect();
    rows.push(menu_row("a new state …", "", move || {
        let then = then.clone();
        Reply::Open(Box::new(
            Prompt::new("New state", "The name of the new state.", "", move |name, _| {
                Ok(then(&parse_name(name, "state")?))
            })
            .with_act("next"),
        ))
    }));
    menu_reply(title, rows)
}

// Columns and tools.

/// What can be done with a column of the matrix.
pub(crate) fn of_column(column: &Column) -> Reply {
    match column {
        Column::Group(name) | Column::List(name) => of_group(name),
        Column::State(name) => {
            let (one, other) = (name.clone(), name.clone());
            let rows = vec![
                menu_row("rename", "in every file that uses it", move || rename_state(&one)),
                mark_risky(menu_row("delete", "from every tool", move || delete_state(&other))),
            ];
            menu_reply(format!("State {name}"), rows)
        }
        Column::AnyState => {
            Reply::Refused("a tick here makes a tool available in every state".into())
        }
    }
}

/// What can be done with tools, whatever their arrows.
pub(crate) fn of_tools(ids: &[EntryId], facts: &Facts, state: &State) -> Reply {
    let keys = list_names(
        ids.iter().filter_map(|id| state.catalog.tool(id)).map(|tool| tool.entry.key.as_str()),
    );
    of_arrow(&keys, None, ids, facts.workflow.states())
}

// Copy.

/// Copies tools as descriptors.
pub(crate) fn copy_descriptors(ids: Vec<EntryId>) -> Reply {
    if ids.is_empty() {
        return Reply::Refused("there is no tool to copy".into());
    }
    Reply::send(Message::Document(DocumentMessage::CopyTools(ids)))
}

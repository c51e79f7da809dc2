//! Everything that can be said of the chosen tool, the chosen state, or the request, to be read.

use super::facts::Facts;
use crate::{
    app::state::State,
    engine::{
        explain::{
            request::RequestView,
            state::{Passage, StateView},
            tool::sufficient_groups,
        },
        filter,
        gated::ToolRow,
        model_view::TokenEstimate,
        workflow::{
            graph::StateRow,
            reach::{GroupSets, ReachProof, no_way_words},
        },
    },
    model::{
        context::Name,
        health::HealthSettings,
        tool::{Audience, States},
    },
    schema::count::count_text,
    systems::health,
    ui::{
        canvas::wrap,
        overlays::page::{Line, PageOverlay},
        styles::Role,
        view::Reply,
    },
};

/// Lines are broken here.
const WIDE: usize = 72;

struct Words(Vec<Line>);

impl Words {
    fn push_heading(&mut self, words: &str) {
        if !self.0.is_empty() {
            self.0.push(Line::new());
        }
        self.0.push(vec![(Role::Heading, words.to_owned())]);
    }

    fn push_words(&mut self, role: Role, words: &str) {
        let lines = wrap(words, WIDE - 2);
        self.0.extend(
            lines.into_iter().map(|line| vec![(Role::Text, "  ".to_owned()), (role, line)]),
        );
    }

    fn push_list(&mut self, role: Role, all: impl IntoIterator<Item = String>) {
        let before = self.0.len();
        all.into_iter().for_each(|words| self.push_words(role, &words));
        if self.0.len() == before {
            self.push_words(Role::Dim, "none");
        }
    }

    fn into_page(self, title: impl Into<String>) -> Reply {
        Reply::Open(Box::new(PageOverlay::new(title, self.0)))
    }
}

/// A tool: why it is hidden, every change that shows it, and every smallest set of groups that is
/// enough.
pub(crate) fn tool_page(facts: &mut Facts, row: ToolRow) -> Reply {
    let found = facts.explain_tool(row).clone();
    let tools = facts.tools();
    let tool = &tools[row];
    let mut words = Words(Vec::new());
    words.push_heading(if found.reasons.is_empty() { "Available here" } else { "Hidden here" });
    found.reasons.iter().for_each(|reason| words.push_words(Role::Warning, &reason.to_string()));
    if !found.changes.is_empty() {
        words.push_heading("What would show it, the smallest change first");
        words.push_list(Role::Accent, found.changes.iter().map(|change| change.description(tools)));
    }
    words.push_heading("Groups and states");
    let states = match &tool.gate.states {
        States::Every => "every state".to_owned(),
        States::Only(listed) if listed.is_empty() => "no state".to_owned(),
        States::Only(listed) => filter::join_names(listed),
    };
    let groups = match &tool.gate.offer {
        Audience::ToAll => "none: available to every request".to_owned(),
        Audience::ToGroups | Audience::ToNone(_) => filter::join_names(&tool.gate.groups()),
    };
    words.push_words(Role::Text, &format!("groups: {groups}"));
    words.push_words(Role::Text, &format!("available in: {states}"));
    words.push_words(
        Role::Text,
        &format!("leads to: {}", tool.gate.next.as_deref().unwrap_or("the state stays")),
    );
    let start = facts.context.state();
    words
        .push_heading(&format!("Groups that make it available at some point, starting in {start}"));
    push_group_sets(&mut words, &sufficient_groups(tools, start, row), start);
    words.into_page(format!("About {}", tool.key))
}

fn push_group_sets(words: &mut Words, sets: &GroupSets, start: &str) {
    let of =
        |set: &Vec<Name>| if set.is_empty() { "none needed".to_owned() } else { set.join(" + ") };
    match sets.sets.as_slice() {
        [] => words.push_words(Role::Warning, &no_way_words(start)),
        all => words.push_list(Role::Text, all.iter().map(of)),
    }
    if sets.proof == ReachProof::Found {
        words.push_words(Role::Dim, "there may be others: the search was limited");
    }
}

/// A state: what it offers a model and for how many tokens; how one comes in and out, by which tools
/// and under which groups.
pub(crate) fn state_page(facts: &Facts, name: &str, state: &State) -> Reply {
    let tools = facts.tools();
    let Some(view) = StateView::for_state(tools, &facts.context, facts.workflow.states(), name)
    else {
        return Reply::Refused(format!("no tool uses the state {name}"));
    };
    let mut words = Words(Vec::new());
    words.push_heading(&format!("The way there from {}", facts.context.state()));
    match &view.way {
        None => words.push_words(Role::Warning, "none with the requested groups"),
        Some(rows) if rows.is_empty() => words.push_words(Role::Text, "you are there"),
        Some(rows) => words.push_words(
            Role::Accent,
            &rows.iter().map(|row| &*tools[*row].key).collect::<Vec<_>>().join(", then "),
        ),
    }
    if let Some(row) = facts.workflow.state_row(name) {
        words.push_heading("Offered in it with the requested groups");
        words.push_words(Role::Text, &offer_words(facts, row, state));
    }
    words.push_heading("Sufficient groups");
    push_group_sets(&mut words, &view.groups, facts.context.state());
    for (title, passages) in
        [("Into it", &view.into), ("Out of it", &view.out), ("Staying in it", &view.stay)]
    {
        words.push_heading(title);
        let stays = std::ptr::eq(passages, &view.stay);
        words.push_list(
            Role::Text,
            passages.iter().map(|passage| {
                let Passage { tool, from, to, groups, admitted } = passage;
                let from = from
                    .as_ref()
                    .map_or_else(|| "any state".to_owned(), |names| filter::join_names(names));
                let asked = if *admitted { "" } else { " (not requested)" };
                let leads =
                    if stays { format!("{from}, stays") } else { format!("{from} → {to}") };
                format!(
                    "{}: {leads}, groups {}{asked}",
                    tools[*tool].key,
                    filter::join_names(groups)
                )
            }),
        );
    }
    words.into_page(format!("About the state {name}"))
}

/// How many tools a state offers, and what they cost with every request.
fn offer_words(facts: &Facts, row: StateRow, state: &State) -> String {
    let costs = health::tool_costs(&state.catalog, &HealthSettings::default());
    let is_known = |tool: ToolRow| tool < facts.workflow.members().len();
    let offered = (costs.tools.iter())
        .filter(|(tool, _)| is_known(*tool) && facts.workflow.offers_tool(row, *tool));
    let tokens = TokenEstimate(offered.map(|(_, tokens)| tokens).sum());
    format!("{}, {tokens}", count_text(facts.workflow.offer_count(row), "tool", "tools"))
}

/// The request: what its groups never get to, and where a run is stuck.
pub(crate) fn request_page(facts: &Facts, state: &State) -> Reply {
    let view = RequestView::from_analysis(&facts.workflow, &facts.analysis);
    let start = state.workflow.simulation.start().state();
    let mut words = Words(Vec::new());
    words.push_heading(&format!(
        "Requested: {}, from {start}",
        filter::join_names(&facts.asked.names())
    ));
    facts
        .refusals
        .iter()
        .chain(&facts.denied)
        .for_each(|refused| words.push_words(Role::Error, refused));
    words.push_heading("Tools that no run can use");
    words.push_list(
        Role::Text,
        view.never_run.iter().map(|(row, why)| format!("{}: {why}", facts.tools()[*row].key)),
    );
    words.push_heading("Unreachable states");
    words.push_list(Role::Text, view.never_reached.iter().map(ToString::to_string));
    words.push_heading("Reachable dead ends");
    words.push_list(Role::Warning, view.dead_ends.iter().map(ToString::to_string));
    words.push_heading("Reachable traps");
    words.push_list(Role::Warning, view.traps.iter().map(|trap| filter::join_names(trap)));
    words.push_heading(&format!("No way back to {start} from"));
    words.push_list(Role::Text, view.no_way_back.iter().map(ToString::to_string));
    words.into_page("About this request")
}

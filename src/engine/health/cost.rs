//! What tools cost in tokens, alone and by state.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    set::{Measured, ToolSet, ToolView},
    words::WordCounter,
};
use crate::{
    engine::{filter::AskedGroups, gated::Slot, groups::CustomGroups, lint::check::Report},
    model::{
        catalog::Catalog,
        context::{Name, UNDEFINED},
        health::HealthSettings,
        tool::{Function, Gate, States, Tool},
    },
    schema::{count::count_text, ordering::PutInOrder, pointer::Pointer},
};

/// How many states or tools a sentence names.
const MOST_NAMED: usize = 3;

pub(super) fn tool_cost(view: &ToolView<'_>, report: &mut Report<'_>) {
    let budget = view.settings.tool_tokens.tokens;
    if view.tokens <= budget {
        return;
    }
    let entry = &view.tool.entry;
    let length = |text: &str| text.chars().count();
    let schema = length(&view.function.parameters.to_string());
    let longest = if length(&view.function.description) > schema {
        "its description is the longest part"
    } else {
        "the schema of its arguments is the longest part"
    };
    let words = format!(
        "\"{}\" costs about {} tokens with every request, more than {budget}: {longest}; shorten \
         it, or split the tool",
        view.tool.name, view.tokens
    );
    report.add_finding(entry, Pointer::root(), words);
}

pub(super) fn state_costs(set: &ToolSet<'_>, report: &mut Report<'_>) {
    let budget = set.settings.state_tokens.tokens;
    let mut over = costs_by_state(set.catalog, set.measured, set.settings);
    over.retain(|cost| cost.tokens > budget);
    over.order_by(|one, other| (other.tokens, &one.state).cmp(&(one.tokens, &other.state)));
    let Some(worst) = over.first() else { return };
    let (asked, gates) = (asked_groups(set.settings), RequestGates::new(set.catalog, set.settings));
    let is_there = |measured: &&Measured| {
        let gate = gates.of_row(measured.row);
        asked.admit(gate) && gate.states.admits(&worst.state)
    };
    let mut tools: Vec<&Measured> = set.measured.iter().filter(is_there).collect();
    tools.order_by_key(|measured| (std::cmp::Reverse(measured.tokens), measured.row));
    let Some(largest) = tools.first() else { return };
    let named: Vec<String> = tools
        .iter()
        .take(MOST_NAMED)
        .map(|measured| format!("\"{}\" ({})", set.tool(measured).name, measured.tokens))
        .collect();
    let others = match over.len() - 1 {
        0 => String::new(),
        1 => format!(", and in one more state (\"{}\")", over[1].state),
        more => format!(", and in {more} more states"),
    };
    let words = format!(
        "in state \"{}\" a request for {} gets {} for about {} tokens, more than {budget}\
         {others}; the largest are {}: shorten these, or offer fewer tools by groups and states",
        worst.state,
        group_words(set.settings),
        count_text(worst.tools, "tool", "tools"),
        worst.tokens,
        named.join(", ")
    );
    report.add_finding(&set.tool(largest).entry, Pointer::root(), words);
}

/// What the tools of a state cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCost {
    pub state: Name,
    pub tools: usize,
    pub tokens: usize,
}

/// What every tool costs, and every state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Rows of tools in the catalog with their tokens, the largest first.
    pub tools: Vec<(usize, usize)>,
    /// In the order of their names.
    pub states: Vec<StateCost>,
}

/// What the tools of a catalog cost as OpenAI's API gets them, by estimate.
#[must_use]
pub fn count_costs(
    catalog: &Catalog,
    settings: &HealthSettings,
    function_of: impl Fn(&Tool) -> Option<Function>,
) -> Costs {
    let mut words = WordCounter::default();
    let mut measured = Vec::new();
    for (row, tool) in catalog.tools.iter().enumerate() {
        if let Some(function) = function_of(tool).filter(|_| tool.gate.not_loaded().is_none()) {
            let tokens = words.token_count(&function);
            measured.push(Measured { row, tokens, name: Vec::new(), description: Vec::new() });
        }
    }
    let states = costs_by_state(catalog, &measured, settings);
    let mut tools: Vec<_> =
        measured.iter().map(|measured| (measured.row, measured.tokens)).collect();
    tools.order_by_key(|(row, tokens)| (std::cmp::Reverse(*tokens), *row));
    Costs { tools, states }
}

/// The groups that are counted, in words.
#[must_use]
pub fn group_words(settings: &HealthSettings) -> String {
    match &settings.groups {
        None => "every group".to_owned(),
        Some(groups) => groups.join(", "),
    }
}

fn asked_groups(settings: &HealthSettings) -> AskedGroups {
    match &settings.groups {
        None => AskedGroups::Every,
        groups => AskedGroups::from_request(groups.as_deref()),
    }
}

/// The gates of a catalog's tools, with the workspace's own groups among their groups.
struct RequestGates<'c> {
    catalog: &'c Catalog,
    /// Row for row, where the workspace has groups of its own.
    expanded: Option<Vec<Slot>>,
}

impl<'c> RequestGates<'c> {
    fn new(catalog: &'c Catalog, settings: &HealthSettings) -> Self {
        // What is wrong with the groups is among the findings of the settings.
        let custom = CustomGroups::from_value(&settings.custom_groups).unwrap_or_default();
        let expanded = (!custom.is_empty()).then(|| custom.expand_tools(&catalog.tools).tools);
        Self { catalog, expanded }
    }

    fn of_row(&self, row: usize) -> &Gate {
        match &self.expanded {
            Some(slots) => &slots[row].gate,
            None => &self.catalog.tools[row].gate,
        }
    }
}

fn costs_by_state(
    catalog: &Catalog,
    measured: &[Measured],
    settings: &HealthSettings,
) -> Vec<StateCost> {
    let (asked, gates) = (asked_groups(settings), RequestGates::new(catalog, settings));
    // Tools of every state are counted once.
    let (mut tools, mut tokens) = (0, 0);
    let mut states: BTreeMap<Name, (usize, usize)> = BTreeMap::from([(UNDEFINED.into(), (0, 0))]);
    for measured in measured {
        let gate = gates.of_row(measured.row);
        if let Some(next) = &gate.next {
            states.entry(next.clone()).or_default();
        }
        match &gate.states {
            States::Every if asked.admit(gate) => {
                tools += 1;
                tokens += measured.tokens;
            }
            States::Every => {}
            States::Only(listed) => {
                let is_offered = asked.admit(gate);
                for state in listed.iter().collect::<BTreeSet<_>>() {
                    let cost = states.entry(state.clone()).or_default();
                    cost.0 += usize::from(is_offered);
                    cost.1 += if is_offered { measured.tokens } else { 0 };
                }
            }
        }
    }
    let of_state =
        |(state, (own, cost))| StateCost { state, tools: tools + own, tokens: tokens + cost };
    states.into_iter().map(of_state).collect()
}

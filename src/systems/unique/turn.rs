//! Which tools of a space a turn gives to the model, by the rules of the platform's tool manager:
//! what the user chose and switched off, exclusive tools, capabilities, sub-agents.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    config_schema::{ConfigSchema, ConfigSchemas, EntrySort},
    entries::{is_setting, list_of},
    keys::{self, Member},
    verdict::{refusals, rejections},
};
use crate::{
    engine::settings::gate_table::read_gates_at,
    model::{
        catalog::{Catalog, Loading},
        entry::EntryKind,
        tool::{NotLoaded, Tool},
    },
    schema::pointer::Pointer,
    systems::{gate_tables::table_pointer, pydantic::read_boolean},
};

/// Keys of `[unique]`.
pub const CHOICES: &str = "choices";
pub const DISABLED: &str = "disabled";
pub const RESPONSES: &str = "responses";
pub const TOOLS: &str = "tools";
pub const SAMPLES: &str = "samples";
pub const KEYS: [&str; 5] = [CHOICES, DISABLED, RESPONSES, TOOLS, SAMPLES];

/// Tools whose classes say that they stay when others are chosen.
const CAPABILITIES: [&str; 2] = ["AskUser", keys::CODE_INTERPRETER];
/// Tools whose classes say that they answer the user themselves.
const CONTROLLERS: [&str; 1] = ["DeepResearch"];
const PASSTHROUGH: Member = Member { camel: "passthroughConfig", snake: "passthrough_config" };

/// What comes with a message of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Tools that the user chose; `None`: those that are forced by default.
    pub choices: Option<Vec<String>>,
    pub disabled: Vec<String>,
    /// The model is reached over the Responses API.
    pub responses: bool,
}

impl Turn {
    /// The turn that a table of settings says.
    #[must_use]
    pub fn from_settings(table: &Value) -> Self {
        let names = |key: &str| {
            let listed = table.get(key)?.as_array()?;
            Some(listed.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        Self {
            choices: names(CHOICES),
            disabled: names(DISABLED).unwrap_or_default(),
            responses: table.get(RESPONSES).and_then(Value::as_bool).unwrap_or_default(),
        }
    }
}

impl Turn {
    /// What the turn says of the tools of one list: names that are keys are those of its own tools.
    /// Where the user chose tools of other lists alone, this one is as if nothing were chosen.
    #[must_use]
    pub fn for_list(&self, own: &[&Tool], catalog: &Catalog) -> Self {
        let is_named = |tool: &Tool, said: &str| tool.name == said || tool.entry.key == said;
        let own_name = |said: &String| {
            let mut all = catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
            match own.iter().find(|tool| is_named(tool, said)) {
                Some(tool) => Some(tool.name.clone()),
                None if all.any(|tool| is_named(tool, said)) => None,
                None => Some(said.clone()),
            }
        };
        let own_names =
            |names: &Vec<String>| names.iter().filter_map(own_name).collect::<Vec<String>>();
        let choices = self.choices.as_ref().map(|names| (names.is_empty(), own_names(names)));
        Self {
            choices: choices.filter(|(was, own)| *was || !own.is_empty()).map(|(_, own)| own),
            disabled: own_names(&self.disabled),
            responses: self.responses,
        }
    }
}

/// The space that a tool is in, by its key: `SPACE/NAME`.
fn space_of(tool: &Tool) -> Option<&str> {
    tool.entry.key.strip_suffix(&*tool.name)?.strip_suffix('/')
}

/// What of a tool counts for a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnTool {
    pub name: String,
    pub is_exclusive: bool,
    pub is_capability: bool,
    pub is_forced_by_default: bool,
    /// Among the tools that the model's API runs itself.
    pub is_builtin: bool,
    /// No tool is made of the entry, and why.
    pub unmade: Option<String>,
    /// Where it is among the kinds: the factory's, those of MCP servers, sub-agents, the API's.
    pub rank: u8,
}

/// What a turn makes of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Why it is not given to the model; `None`: it is.
    pub absence: Option<String>,
    /// What comes back after the choice was made is behind the others.
    place: u8,
}

/// What a turn makes of each of a space's tools, in the order given.
#[must_use]
pub fn decide_turn(candidates: &[TurnTool], turn: &Turn) -> Vec<Decision> {
    let choices = chosen_names(candidates, turn);
    let is_made = |candidate: &TurnTool| {
        candidate.unmade.is_none() && (!candidate.is_builtin || turn.responses)
    };
    let is_off = |candidate: &TurnTool| turn.disabled.contains(&candidate.name);
    let is_chosen = |candidate: &TurnTool| choices.contains(&candidate.name);
    let sole = rows_by_rank(candidates).find(|row| {
        let candidate = &candidates[*row];
        is_made(candidate) && candidate.is_exclusive && is_chosen(candidate) && !is_off(candidate)
    });
    let decide = |(row, candidate): (usize, &TurnTool)| {
        let absent = |why: String| Decision { absence: Some(why), place: 0 };
        if let Some(why) = &candidate.unmade {
            return absent(why.clone());
        }
        if !is_made(candidate) {
            return absent("only available in the Responses API".to_owned());
        }
        let why = if is_off(candidate) {
            "the user switched it off".to_owned()
        } else if let Some(sole) = sole.filter(|sole| *sole != row) {
            format!("{}, which is chosen, is exclusive", candidates[sole].name)
        } else if !choices.is_empty() && !is_chosen(candidate) {
            format!("the user chose {}", choices.join(", "))
        } else if candidate.is_exclusive && !is_chosen(candidate) {
            "it is exclusive, and the user did not choose it".to_owned()
        } else {
            return Decision::default();
        };
        let is_beside = sole.is_some_and(|sole| candidates[sole].name == keys::INTERNAL_SEARCH)
            && candidate.name == keys::UPLOADED_SEARCH;
        if is_beside {
            Decision { absence: None, place: 1 }
        } else if candidate.is_capability && !is_off(candidate) {
            Decision { absence: None, place: 2 }
        } else {
            absent(why)
        }
    };
    candidates.iter().enumerate().map(decide).collect()
}

/// Rows in the order in which the platform gives the tools to the model.
#[must_use]
pub fn given_order(candidates: &[TurnTool], decisions: &[Decision]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..candidates.len()).collect();
    rows.sort_by_key(|row| (decisions[*row].place, candidates[*row].rank));
    rows
}

/// The tools that the user chose.
#[must_use]
pub fn chosen_names(candidates: &[TurnTool], turn: &Turn) -> Vec<String> {
    turn.choices.clone().unwrap_or_else(|| {
        let forced = candidates.iter().filter(|candidate| candidate.is_forced_by_default);
        forced.map(|candidate| candidate.name.clone()).collect()
    })
}

/// Rows in the order in which the platform makes the tools.
fn rows_by_rank(candidates: &[TurnTool]) -> impl Iterator<Item = usize> {
    let mut rows: Vec<usize> = (0..candidates.len()).collect();
    rows.sort_by_key(|row| candidates[*row].rank);
    rows.into_iter()
}

/// Of tools with the same name the platform makes none of its own beside a server's or a
/// sub-agent.
fn mark_replaced(candidates: &mut [TurnTool]) {
    let others: Vec<String> = candidates
        .iter()
        .filter(|candidate| candidate.rank > 0 && candidate.unmade.is_none())
        .map(|candidate| candidate.name.clone())
        .collect();
    for candidate in candidates.iter_mut().filter(|candidate| candidate.rank == 0) {
        if candidate.unmade.is_none() && others.contains(&candidate.name) {
            candidate.unmade = Some("a sub-agent or a server's tool has its name".to_owned());
        }
    }
}

/// What counts of a tool, with what is known of its configuration.
fn candidate(tool: &Tool, schema: Option<&ConfigSchema>) -> TurnTool {
    let entry = &*tool.entry.value;
    let sort = EntrySort::of_entry(entry);
    let flag = |member: Member| member.get(entry).and_then(read_boolean);
    let is_sub_agent = flag(keys::IS_SUB_AGENT).unwrap_or_default();
    let rejected = rejections(entry, schema);
    let policy = keys::SELECTION_POLICY.get(entry).and_then(Value::as_str);
    let unmade = if let Some(complaint) = rejected.first() {
        Some(format!("its configuration is rejected: {}", complaint.words))
    } else if sort == EntrySort::SubAgent && !is_sub_agent {
        Some("its configuration is that of a sub-agent, but the entry counts as none".to_owned())
    } else if flag(keys::IS_ENABLED) == Some(false) && sort != EntrySort::Mcp {
        Some("isEnabled is false".to_owned())
    } else {
        None
    };
    let is_builtin = sort == EntrySort::Factory && tool.name == keys::CODE_INTERPRETER;
    TurnTool {
        name: tool.name.clone(),
        is_exclusive: sort == EntrySort::Factory
            && !is_builtin
            && flag(keys::IS_EXCLUSIVE).unwrap_or_default(),
        is_capability: sort == EntrySort::Factory
            && class_says(&tool.name, &CAPABILITIES, schema, keys::IS_CAPABILITY),
        is_forced_by_default: policy == Some(keys::FORCED_BY_DEFAULT),
        is_builtin,
        unmade,
        rank: match sort {
            EntrySort::Factory => 3 * u8::from(is_builtin),
            EntrySort::Mcp => 1,
            EntrySort::SubAgent => 2,
        },
    }
}

/// What a tool's class says: its schema file, else what is known of the platform's own.
fn class_says(name: &str, known: &[&str], schema: Option<&ConfigSchema>, member: &str) -> bool {
    let said = schema.and_then(|schema| schema.fact(member)?.as_bool());
    said.unwrap_or_else(|| known.contains(&name))
}

/// Whether a tool answers the user itself: it is called alone, and ends the turn.
#[must_use]
pub fn takes_control(tool: &Tool, schema: Option<&ConfigSchema>) -> bool {
    let entry = &*tool.entry.value;
    match EntrySort::of_entry(entry) {
        EntrySort::Mcp => false,
        EntrySort::SubAgent => {
            let passed = keys::CONFIGURATION.get(entry).and_then(|value| PASSTHROUGH.get(value));
            passed.and_then(|passed| read_boolean(passed.get("enabled")?)).unwrap_or_default()
        }
        EntrySort::Factory => class_says(&tool.name, &CONTROLLERS, schema, keys::TAKES_CONTROL),
    }
}

/// The turn that the workspace's settings say.
#[must_use]
pub fn of_catalog(catalog: &Catalog) -> Turn {
    settings_of(catalog).map(Turn::from_settings).unwrap_or_default()
}

/// Values for the variables of prompts.
#[must_use]
pub fn samples_of(catalog: &Catalog) -> Map<String, Value> {
    let table = settings_of(catalog).and_then(|table| table.get(SAMPLES)?.as_object());
    table.cloned().unwrap_or_default()
}

/// What decides how a model gets to use a tool in this turn, beside whether it is there.
#[must_use]
pub fn tool_remarks(tool: &Tool, catalog: &Catalog) -> Vec<String> {
    let schemas = ConfigSchemas::of_catalog(catalog);
    let schema = schemas.for_entry(&tool.entry.value);
    let mut remarks = Vec::new();
    match tool.gate.not_loaded() {
        Some(NotLoaded::LeftOut { why }) => remarks.push(format!("not in this turn: {why}")),
        Some(NotLoaded::Refused { entry, logged }) => {
            remarks.push(format!("no tool of this list is there: {entry}: {logged}"));
        }
        Some(NotLoaded::Replaced { .. }) | None => {
            let home = list_of(&tool.entry);
            let own: Vec<&Tool> = catalog
                .tools
                .iter()
                .map(|other| &**other)
                .filter(|other| other.entry.system == keys::SYSTEM && list_of(&other.entry) == home)
                .collect();
            let space: Vec<TurnTool> = own
                .iter()
                .map(|other| candidate(other, schemas.for_entry(&other.entry.value).as_ref()))
                .collect();
            let turn = of_catalog(catalog).for_list(&own, catalog);
            if chosen_names(&space, &turn).contains(&tool.name) {
                remarks.push("forced: the first answer of the turn has to call it".to_owned());
            }
        }
    }
    if takes_control(tool, schema.as_ref()) {
        remarks.push("takes control: it answers the user itself, and is called alone".to_owned());
    }
    remarks
}

/// The table `[unique]`.
#[must_use]
pub fn settings_of(catalog: &Catalog) -> Option<&Value> {
    catalog.others.iter().find(|entry| is_setting(entry)).map(|entry| &*entry.value)
}

/// The tools of the catalog that are this system's, those of one list together.
fn spaces(catalog: &Catalog) -> Vec<Vec<usize>> {
    let mut homes = HashMap::new();
    let mut spaces: Vec<Vec<usize>> = Vec::new();
    for (row, tool) in catalog.tools.iter().enumerate() {
        if tool.entry.system == keys::SYSTEM {
            let space = *homes.entry(list_of(&tool.entry)).or_insert_with(|| {
                spaces.push(Vec::new());
                spaces.len() - 1
            });
            spaces[space].push(row);
        }
    }
    spaces
}

/// Which tools the turn gives to the model, in which order, and by which gates of the settings.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let spaces = spaces(catalog);
    let gate_tables = gate_tables(catalog, &spaces);
    let by_row: HashMap<usize, &Pointer> =
        gate_tables.iter().map(|(row, table)| (*row, table)).collect();
    let gates = read_gates_at(catalog, keys::SYSTEM, |row, _| by_row.get(&row).copied());
    let mut loading = Loading { gates, gate_tables, ..Loading::default() };
    if spaces.is_empty() {
        return loading;
    }
    let schemas = ConfigSchemas::of_catalog(catalog);
    let turn = of_catalog(catalog);
    for rows in &spaces {
        let tools: Vec<&Tool> = rows.iter().map(|row| &*catalog.tools[*row]).collect();
        let found: Vec<Option<ConfigSchema>> =
            tools.iter().map(|tool| schemas.for_entry(&tool.entry.value)).collect();
        let mut candidates: Vec<TurnTool> = tools
            .iter()
            .zip(&found)
            .map(|(tool, schema)| candidate(tool, schema.as_ref()))
            .collect();
        mark_replaced(&mut candidates);
        let decisions = decide_turn(&candidates, &turn.for_list(&tools, catalog));
        let refusal = tools.iter().zip(&found).find_map(|(tool, schema)| {
            let is_rejected = !rejections(&tool.entry.value, schema.as_ref()).is_empty();
            let complaint = refusals(&tool.entry.value, is_rejected).into_iter().next()?;
            Some(NotLoaded::Refused {
                entry: tool.entry.key.as_str().into(),
                logged: complaint.words.as_str().into(),
            })
        });
        let given = given_order(&candidates, &decisions);
        loading.order.extend(given.into_iter().map(|at| rows[at]));
        for (row, decision) in rows.iter().zip(decisions) {
            let left_out = |why: String| NotLoaded::LeftOut { why: why.as_str().into() };
            let why = refusal.clone().or_else(|| decision.absence.map(left_out));
            loading.not_loaded.extend(why.map(|why| (*row, why)));
        }
    }
    loading.known = known_facts(catalog, &spaces);
    loading
}

/// The table of each tool's gate: that of its name, or of its key (`SPACE/NAME`) where that is there,
/// or where several spaces have the name and it has no table yet.
fn gate_tables(catalog: &Catalog, spaces: &[Vec<usize>]) -> Vec<(usize, Pointer)> {
    let tables = settings_of(catalog).and_then(|table| table.get(TOOLS)?.as_object());
    let is_there = |name: &str| tables.is_some_and(|tables| tables.contains_key(name));
    let rows = || spaces.iter().flatten().copied();
    let mut named: HashMap<&str, HashSet<Option<&str>>> = HashMap::new();
    for tool in rows().map(|row| &catalog.tools[row]) {
        named.entry(&tool.name).or_default().insert(space_of(tool));
    }
    let table_of = |row: usize| {
        let tool = &catalog.tools[row];
        let (name, key) = (&*tool.name, &*tool.entry.key);
        let is_shared = named.get(name).is_some_and(|spaces| spaces.len() > 1);
        let is_by_key = is_there(key) || is_shared && !is_there(name);
        (row, table_pointer(keys::SYSTEM, if is_by_key { key } else { name }))
    };
    rows().map(table_of).collect()
}

/// What other files say of the tools: their schema files, and lists of MCP servers.
fn known_facts(catalog: &Catalog, spaces: &[Vec<usize>]) -> Vec<(usize, Arc<Value>)> {
    let mut by_name = HashMap::new();
    for tool in catalog.tools.iter().filter(|tool| tool.entry.value.get("inputSchema").is_some()) {
        by_name.insert(tool.name.as_str(), &tool.entry.value);
    }
    for file in catalog.others.iter() {
        if file.system == keys::SYSTEM && file.kind == EntryKind::Schema {
            by_name.insert(file.key.as_str(), &file.value);
        }
    }
    let of_row = |row: &usize| {
        let known = by_name.get(catalog.tools[*row].name.as_str())?;
        Some((*row, Arc::clone(known.shared())))
    };
    spaces.iter().flatten().filter_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: &str) -> TurnTool {
        TurnTool { name: name.to_owned(), ..TurnTool::default() }
    }

    fn offered(candidates: &[TurnTool], choices: &[&str], disabled: &[&str]) -> Vec<String> {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let turn =
            Turn { choices: Some(names(choices)), disabled: names(disabled), responses: false };
        let decisions = decide_turn(candidates, &turn);
        given_order(candidates, &decisions)
            .into_iter()
            .filter(|row| decisions[*row].absence.is_none())
            .map(|row| candidates[row].name.clone())
            .collect()
    }

    #[test]
    fn choices_exclusive_tools_and_capabilities() {
        let space = [
            TurnTool { rank: 2, ..candidate("agent") },
            candidate("WebSearch"),
            TurnTool { is_exclusive: true, ..candidate("InternalSearch") },
            candidate("UploadedSearch"),
            TurnTool { is_capability: true, ..candidate("AskUser") },
            TurnTool {
                is_builtin: true,
                is_capability: true,
                rank: 3,
                ..candidate("code_interpreter")
            },
        ];
        assert_eq!(offered(&space, &[], &[]), ["WebSearch", "UploadedSearch", "AskUser", "agent"]);
        assert_eq!(offered(&space, &["WebSearch"], &[]), ["WebSearch", "AskUser"]);
        assert_eq!(
            offered(&space, &["InternalSearch", "WebSearch"], &[]),
            ["InternalSearch", "UploadedSearch", "AskUser"]
        );
        assert_eq!(
            offered(&space, &["InternalSearch"], &["InternalSearch", "AskUser"]),
            Vec::<String>::new()
        );
        assert_eq!(offered(&space, &[], &["agent"]), ["WebSearch", "UploadedSearch", "AskUser"]);
    }

    #[test]
    fn what_is_forced_by_default_is_chosen_unless_the_turn_says_more() {
        let space = [TurnTool { is_forced_by_default: true, ..candidate("a") }, candidate("b")];
        let absent = |space: &[TurnTool], turn: &Turn| {
            let decisions = decide_turn(space, turn);
            decisions.into_iter().map(|decision| decision.absence).collect::<Vec<_>>()
        };
        assert_eq!(absent(&space, &Turn::default()), [None, Some("the user chose a".to_owned())]);
        let free = Turn { choices: Some(Vec::new()), ..Turn::default() };
        assert_eq!(absent(&space, &free), [None, None]);
        let responses = Turn { responses: true, ..Turn::default() };
        let builtin = [TurnTool { is_builtin: true, ..candidate("code_interpreter") }];
        assert_eq!(absent(&builtin, &responses), [None]);
        assert!(absent(&builtin, &Turn::default())[0].is_some());
    }
}

//! Which groups there are, and what a workspace's own lists and hierarchies of groups come to.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::gated::{Gated, Slot, ToolRow};
use crate::{
    model::context::{DEFAULT_GROUP, Name},
    schema::pointer::Pointer,
};

/// A group and the tools in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub name: Name,
    /// In the order given.
    pub tools: Vec<ToolRow>,
}

/// Every group that a tool is in, in the order in which they are first named; tools that name none
/// are in `default`.
#[must_use]
pub(crate) fn groups_of<T: Gated>(tools: &[T]) -> Vec<Group> {
    let default: Name = DEFAULT_GROUP.into();
    let mut groups: Vec<Group> = Vec::new();
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for (tool, gated) in tools.iter().enumerate() {
        let named = gated.gate().groups.as_deref();
        for name in named.unwrap_or(std::slice::from_ref(&default)) {
            let row = match rows.get(&**name) {
                Some(row) => *row,
                None => {
                    rows.insert(name, groups.len());
                    groups.push(Group { name: name.clone(), tools: Vec::new() });
                    groups.len() - 1
                }
            };
            // A group named twice by one tool holds it once.
            if groups[row].tools.last() != Some(&tool) {
                groups[row].tools.push(tool);
            }
        }
    }
    groups
}

/// A workspace's own groups: `{"financial-tools": ["stock-query"]}`,
/// `{"knowledge": {"read": [..], "write": [..]}}`. Members are tools, by key or name, or other
/// groups. A group below another is called `knowledge/read`; the one above holds all of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomGroups(Vec<Branch>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Branch {
    name: Name,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Members(Vec<Name>),
    Below(Vec<Branch>),
}

/// What is wrong with a groups file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupsIssue {
    pub at: Pointer,
    pub message: String,
}

/// Deeper hierarchies are refused.
const DEEPEST: usize = 16;

/// One custom group with all its members, those of the groups below it among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatGroup {
    pub name: Name,
    pub members: Vec<Name>,
}

/// What custom groups come to for a set of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The tools in the order given, with the custom groups added to their own.
    pub tools: Vec<Slot>,
    pub groups: Vec<FlatGroup>,
    /// Members that are neither a tool nor a group: the custom group, and the member.
    pub unknown: Vec<(Name, Name)>,
}

impl CustomGroups {
    /// # Errors
    /// Where the value is not an object of lists of texts, or of such objects.
    pub fn from_value(value: &Value) -> Result<Self, GroupsIssue> {
        match value {
            Value::Null => Ok(Self::default()),
            Value::Object(members) => Ok(Self(read_branches(members, &Pointer::root())?)),
            _ => Err(groups_issue(
                &Pointer::root(),
                "groups must be an object: a name for each group, and its members as a list",
            )),
        }
    }

    /// The value that reads as these groups.
    #[must_use]
    pub fn to_value(&self) -> Value {
        write_branches(&self.0)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every custom group by its full name, those above before those below.
    #[must_use]
    pub fn flat_groups(&self) -> Vec<FlatGroup> {
        let mut groups = Vec::new();
        for branch in &self.0 {
            flatten_branch(branch, "", &mut groups);
        }
        groups
    }

    /// The tools with these groups added to their own.
    #[must_use]
    pub fn expand_tools<T: Gated>(&self, tools: &[T]) -> Expanded {
        let groups = self.flat_groups();
        let mut slots: Vec<Slot> = tools
            .iter()
            .map(|tool| Slot {
                key: tool.key().into(),
                name: tool.name().into(),
                gate: tool.gate().clone(),
            })
            .collect();
        let plain = groups_of(tools);
        let plain: HashMap<&str, &[ToolRow]> =
            plain.iter().map(|group| (&*group.name, &*group.tools)).collect();
        let own: HashMap<&str, GroupRow> =
            groups.iter().enumerate().map(|(row, group)| (&*group.name, row)).collect();
        // A tool's key wins over its name, and both over a group's name.
        let mut called: HashMap<&str, ToolRow> = HashMap::new();
        called.extend(tools.iter().enumerate().rev().map(|(row, tool)| (tool.name(), row)));
        called.extend(tools.iter().enumerate().rev().map(|(row, tool)| (tool.key(), row)));
        let mut holding: Vec<BTreeSet<GroupRow>> = vec![BTreeSet::new(); tools.len()];
        let mut above: Vec<Vec<GroupRow>> = vec![Vec::new(); groups.len()];
        let mut unknown = Vec::new();
        for (row, group) in groups.iter().enumerate() {
            for member in &group.members {
                if let Some(tool) = called.get(&**member) {
                    holding[*tool].insert(row);
                    continue;
                }
                let (tools, below) = (plain.get(&**member), own.get(&**member));
                tools.copied().unwrap_or_default().iter().for_each(|tool| {
                    holding[*tool].insert(row);
                });
                below.iter().for_each(|below| above[**below].push(row));
                if tools.is_none() && below.is_none() {
                    unknown.push((group.name.clone(), member.clone()));
                }
            }
        }
        for (slot, holding) in slots.iter_mut().zip(&mut holding) {
            add_those_above(holding, &above);
            if holding.is_empty() {
                continue;
            }
            let mut has = slot.gate.groups();
            for row in holding.iter() {
                if !has.contains(&groups[*row].name) {
                    has.push(groups[*row].name.clone());
                }
            }
            slot.gate.groups = Some(has);
        }
        Expanded { tools: slots, groups, unknown }
    }
}

/// A place in the list of custom groups.
type GroupRow = usize;

/// Adds each group that holds one of these, and so on.
fn add_those_above(holding: &mut BTreeSet<GroupRow>, above: &[Vec<GroupRow>]) {
    let mut new: Vec<GroupRow> = holding.iter().copied().collect();
    while let Some(row) = new.pop() {
        new.extend(above[row].iter().copied().filter(|row| holding.insert(*row)));
    }
}

fn read_branches(members: &Map<String, Value>, at: &Pointer) -> Result<Vec<Branch>, GroupsIssue> {
    if at.tokens().len() >= DEEPEST {
        return Err(groups_issue(at, "groups are nested too deeply"));
    }
    members
        .iter()
        .map(|(name, value)| {
            let here = at.child(name.as_str());
            let content = match value {
                Value::Array(items) => Content::Members(read_members(items, &here)?),
                Value::Object(below) => Content::Below(read_branches(below, &here)?),
                _ => {
                    return Err(groups_issue(
                        &here,
                        "a group must be a list of tools, or an object of groups",
                    ));
                }
            };
            Ok(Branch { name: name.as_str().into(), content })
        })
        .collect()
}

fn read_members(items: &[Value], at: &Pointer) -> Result<Vec<Name>, GroupsIssue> {
    let member = |(row, item): (usize, &Value)| {
        item.as_str().map(Name::from).ok_or_else(|| {
            groups_issue(&at.item(row), "a member must be the name of a tool or group")
        })
    };
    items.iter().enumerate().map(member).collect()
}

fn groups_issue(at: &Pointer, message: &str) -> GroupsIssue {
    GroupsIssue { at: at.clone(), message: message.to_owned() }
}

fn write_branches(branches: &[Branch]) -> Value {
    let content = |content: &Content| match content {
        Content::Members(names) => names.iter().map(|name| Value::from(&**name)).collect(),
        Content::Below(branches) => write_branches(branches),
    };
    branches
        .iter()
        .map(|branch| (branch.name.to_string(), content(&branch.content)))
        .collect::<Map<_, _>>()
        .into()
}

/// Adds a group and those below it to `groups`; answers with its members.
fn flatten_branch(branch: &Branch, above: &str, groups: &mut Vec<FlatGroup>) -> Vec<Name> {
    let name: Name = if above.is_empty() {
        branch.name.clone()
    } else {
        format!("{above}/{}", branch.name).into()
    };
    let place = groups.len();
    groups.push(FlatGroup { name: name.clone(), members: Vec::new() });
    let mut members: Vec<Name> = Vec::new();
    let found = match &branch.content {
        Content::Members(names) => names.clone(),
        Content::Below(branches) => {
            branches.iter().flat_map(|below| flatten_branch(below, &name, groups)).collect()
        }
    };
    for member in found {
        if !members.contains(&member) {
            members.push(member);
        }
    }
    groups[place].members.clone_from(&members);
    members
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::tool::Gate;

    fn tool(key: &str, name: &str, groups: Option<&[&str]>) -> Slot {
        let groups = groups.map(|list| list.iter().map(|name| Name::from(*name)).collect());
        Slot { key: key.into(), name: name.into(), gate: Gate { groups, ..Gate::open() } }
    }

    #[test]
    fn every_group_with_its_tools() {
        let tools = [
            tool("a", "a", None),
            tool("b", "b", Some(&["x", "default", "x"])),
            tool("c", "c", Some(&[])),
        ];
        let groups: Vec<_> = groups_of(&tools)
            .into_iter()
            .map(|group| (group.name.to_string(), group.tools))
            .collect();
        assert_eq!(groups, [("default".into(), vec![0, 1]), ("x".into(), vec![1])]);
    }

    #[test]
    fn lists_and_hierarchies_expand_to_plain_groups() {
        let value = json!({
            "financial-tools": ["stock-query", "Portfolio"],
            "knowledge": {"read": ["search"], "write": ["update", "nowhere"]},
            "all-text": ["text"]
        });
        let custom = CustomGroups::from_value(&value).unwrap();
        assert_eq!(custom.to_value(), value, "what is read is written back");
        let tools = [
            tool("stock-query", "Stock", None),
            tool("portfolio", "Portfolio", Some(&[])),
            tool("search", "Search", Some(&["text"])),
            tool("update", "Update", Some(&["text"])),
        ];
        let expanded = custom.expand_tools(&tools);
        let groups: Vec<String> =
            expanded.tools.iter().map(|tool| tool.gate.groups().join(" ")).collect();
        assert_eq!(
            groups,
            [
                "default financial-tools",
                "financial-tools",
                "text knowledge knowledge/read all-text",
                "text knowledge knowledge/write all-text"
            ]
        );
        assert_eq!(
            expanded.unknown,
            [("knowledge".into(), "nowhere".into()), ("knowledge/write".into(), "nowhere".into())]
        );
    }

    #[test]
    fn a_group_of_groups_holds_their_tools() {
        let value = json!({
            "all": ["money", "text"],
            "money": ["stock", "knowledge/read"],
            "knowledge": {"read": ["search"]},
            "round": ["and-round"],
            "and-round": ["round", "stock"],
        });
        let tools = [tool("stock", "Stock", None), tool("search", "Search", Some(&["text"]))];
        let expanded = CustomGroups::from_value(&value).unwrap().expand_tools(&tools);
        let groups: Vec<String> =
            expanded.tools.iter().map(|tool| tool.gate.groups().join(" ")).collect();
        assert_eq!(
            groups,
            ["default all money round and-round", "text all money knowledge knowledge/read"]
        );
        assert_eq!(expanded.unknown, []);
    }

    #[test]
    fn what_is_no_group_is_named_with_its_place() {
        let place = |value: Value| CustomGroups::from_value(&value).unwrap_err().at.to_string();
        assert_eq!(place(json!({"a": {"b": ["c", 1]}})), "/a/b/1");
        assert_eq!(place(json!({"a": "b"})), "/a");
        assert_eq!(place(json!([])), "");
        let deep = (0..100).fold(json!([]), |below, _| json!({ "a": below }));
        assert!(CustomGroups::from_value(&deep).unwrap_err().message.contains("too deeply"));
    }
}

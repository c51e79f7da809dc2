//! The keys that entries may have, what they must hold, and what a misspelt one means.

use crate::{
    engine::workflow::similar::{fold_name, nearest_name},
    model::entry::{Entry, EntryKind},
    systems::trustgraph::{
        descriptor::text_member,
        keys,
        types::{self, FieldKind},
    },
};

/// What a member must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberShape {
    Text,
    Texts,
    List,
    Count,
}

/// What the members of a kind of entry must hold.
pub(crate) fn expected_members(entry: &Entry) -> Vec<(&'static str, MemberShape)> {
    match entry.kind {
        EntryKind::Tool => {
            let mut all = vec![
                (keys::TYPE, MemberShape::Text),
                (keys::NAME, MemberShape::Text),
                (keys::DESCRIPTION, MemberShape::Text),
                (keys::GROUP, MemberShape::Texts),
                (keys::STATE, MemberShape::Text),
                (keys::STATES_DEPLOYED, MemberShape::Texts),
                (keys::STATES_DOCUMENT, MemberShape::Texts),
            ];
            let fields = text_member(&entry.value, keys::TYPE)
                .and_then(types::by_name)
                .map_or(&[][..], |of| of.fields);
            all.extend(fields.iter().map(|field| {
                (
                    field.key,
                    if matches!(field.kind, FieldKind::Count { .. }) {
                        MemberShape::Count
                    } else {
                        MemberShape::Text
                    },
                )
            }));
            all
        }
        EntryKind::Service => vec![
            (keys::ID, MemberShape::Text),
            (keys::REQUEST_QUEUE, MemberShape::Text),
            (keys::RESPONSE_QUEUE, MemberShape::Text),
            (keys::CONFIG_PARAMS, MemberShape::List),
        ],
        EntryKind::Server => vec![
            (keys::URL, MemberShape::Text),
            (keys::REMOTE_NAME, MemberShape::Text),
            (keys::AUTH_TOKEN, MemberShape::Text),
        ],
        EntryKind::Schema => Vec::new(),
    }
}

/// Keys that every tool may have.
pub(crate) const COMMON: &[&str] = &[
    keys::TYPE,
    keys::NAME,
    keys::DESCRIPTION,
    keys::GROUP,
    keys::STATE,
    keys::STATES_DEPLOYED,
    keys::STATES_DOCUMENT,
    keys::ARGUMENTS,
    keys::ARGUMENTS_SCHEMA,
];

/// The keys that an entry may have, beside what its service declares. A tool of no known type may
/// have those of all types.
pub(crate) fn known_keys(entry: &Entry) -> Vec<&'static str> {
    match entry.kind {
        EntryKind::Tool => {
            let mut known = COMMON.to_vec();
            let of = text_member(&entry.value, keys::TYPE).and_then(types::by_name);
            let types = of.map_or(types::TYPES, std::slice::from_ref);
            known.extend(types.iter().flat_map(|of| of.fields).map(|field| field.key));
            if known.contains(&keys::MCP_TOOL) {
                known.push(keys::MCP_TOOL_DOCUMENT);
            }
            known
        }
        _ => expected_members(entry).into_iter().map(|(key, _)| key).collect(),
    }
}

/// Spellings that no edit distance finds, folded.
const ALSO: &[(&str, &str)] = &[
    ("groups", keys::GROUP),
    ("toolgroup", keys::GROUP),
    ("toolgroups", keys::GROUP),
    ("states", keys::STATES_DEPLOYED),
    ("instates", keys::STATES_DEPLOYED),
    ("availablestates", keys::STATES_DEPLOYED),
    ("availablein", keys::STATES_DEPLOYED),
    ("allowedstates", keys::STATES_DEPLOYED),
    ("applicable", keys::STATES_DEPLOYED),
    ("nextstate", keys::STATE),
    ("newstate", keys::STATE),
];

/// The key of the gate that an unknown key seems to mean.
pub(crate) fn meant_key(key: &str) -> Option<&'static str> {
    let folded = fold_name(key);
    if let Some((_, meant)) = ALSO.iter().find(|(also, _)| *also == folded) {
        return Some(meant);
    }
    let gate = [keys::STATES_DEPLOYED, keys::STATES_DOCUMENT, keys::GROUP, keys::STATE];
    let near = nearest_name(key, gate)?;
    gate.into_iter()
        .find(|of| *of == near)
        .map(|of| if of == keys::STATES_DOCUMENT { keys::STATES_DEPLOYED } else { of })
}

//! How agents are called: by the name in the project's roster, or the one that they bring when they
//! begin to speak.

use std::collections::HashMap;

use serde_json::Value;

use super::channel_message::{ChannelMessage, short_id};
use crate::{
    model::{
        attachment::CardSource,
        connection::Connection,
        traffic::{Decoded, ParentConversation},
    },
    systems::commonground::settings::Channel,
};

/// So many agents are known by name at most.
const MOST: usize = 1_000;

/// An id up to this length is shown whole.
const WHOLE: usize = 24;

/// Where a project's roster can be read; `None` where the connection names no API.
#[must_use]
pub(crate) fn roster_source(connection: &Connection) -> Option<CardSource> {
    let channel = Channel::from_connection(connection)?;
    let path =
        format!("/projects/{}/agents?limit=500", super::super::routes::path_part(&channel.project));
    Some(CardSource {
        system: super::super::keys::SYSTEM,
        api: channel.api?,
        wanted: vec![("agents".into(), path)],
    })
}

/// Names by the ids of agents.
#[derive(Debug, Default)]
pub(super) struct Names {
    by_id: HashMap<String, String>,
}

impl Names {
    /// Learns the names that a roster has.
    pub(super) fn update_roster(&mut self, roster: &Value) {
        for row in roster.as_array().into_iter().flatten() {
            if let Some(agent) = row["agent_id"].as_str() {
                self.learn(agent, row["display_name"].as_str());
            }
        }
    }

    /// Whether that was news.
    fn learn(&mut self, agent: &str, name: Option<&str>) -> bool {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty() && *name != agent)
        else {
            return false;
        };
        if self.by_id.get(agent).is_some_and(|known| known == name) || self.by_id.len() >= MOST {
            return false;
        }
        self.by_id.insert(agent.to_owned(), name.to_owned());
        true
    }

    /// Has a reading call the agents that it names as people do.
    pub(super) fn apply(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        if heard.subject.component == "agent" && heard.subject.category != "cmd" {
            let agent = &heard.subject.target;
            let about = heard.member("metadata").and_then(|about| about.get("display_name"));
            reading.renames |=
                heard.subject.category == "str" && self.learn(agent, about.and_then(Value::as_str));
            reading.topic = Some(self.title(agent));
        }
        for ParentConversation { topic, .. } in
            [&mut reading.ties.within, &mut reading.ties.asked_by].into_iter().flatten()
        {
            *topic = topic.as_deref().map(|agent| self.title(agent));
        }
    }

    /// The agent's name, with a part of its id where another agent has the same; without a name its
    /// id.
    fn title(&self, agent: &str) -> String {
        match self.by_id.get(agent) {
            Some(name) if self.by_id.values().filter(|other| *other == name).nth(1).is_some() => {
                format!("{name} {}", short_id(agent))
            }
            Some(name) => name.clone(),
            None if agent.chars().count() <= WHOLE => agent.to_owned(),
            None => short_id(agent),
        }
    }
}

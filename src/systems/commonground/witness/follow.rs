//! What shows only over several messages: an old epoch, a repeated call, a second result, a wedged
//! agent, a broken trace.

use serde_json::Value;

use super::{
    super::{
        action::UI_WORKER,
        headers,
        idempotency::{self, Marker},
        subject::Subject,
    },
    channel_message::{ChannelMessage, short_id},
    names::Names,
    recent::Recent,
    results::Results,
};
use crate::{
    model::{
        clock::Millis,
        traffic::{Decoded, ObservedMessage, Part},
    },
    systems::facets::observer::Follower,
};

/// An agent that is dispatched for longer is stuck, in milliseconds.
pub(super) const STUCK: u64 = 30_000;

/// The header by which a mark is only made where there is none.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";

/// What was received so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    agents: Recent<Agent>,
    /// When calls, and actions, were sent.
    sent: Recent<Millis>,
    /// The result cards of calls, by the keys of their marks.
    results: Recent<String>,
    /// The calls that a service took up, by the same keys, and whether their marks are still there.
    taken_up: Recent<bool>,
    /// Agents that are wedged, by which action, and since when.
    wedged: Recent<Option<(String, Millis)>>,
    /// Turns that a UI worker takes. No task ends them, only their agent's rest.
    of_ui: Recent<()>,
    /// How agents are called.
    names: Names,
    /// The traces of turns.
    traces: Recent<String>,
    /// Which calls wait for their results.
    waiting: Results,
}

#[derive(Clone, Debug)]
struct Agent {
    status: String,
    since: Millis,
    turn: Option<String>,
    epoch: Option<u64>,
}

impl Follower for Memory {
    fn observe_message(&mut self, crossing: &ObservedMessage, reading: &mut Decoded) {
        if let Some(key) = crossing
            .subject
            .strip_prefix("$KV.")
            .and_then(|rest| rest.split_once('.'))
            .map(|(_, key)| key)
        {
            return self.track_mark(key, crossing, reading);
        }
        if crossing.about.is_some() {
            return self.given_up(reading);
        }
        let Some(subject) = Subject::parse(&crossing.subject) else { return };
        let heard = ChannelMessage::new(crossing, subject);
        match (heard.subject.category.as_str(), heard.subject.suffix.as_str()) {
            ("cmd", "action") if heard.subject.target == "ui" => self.track_action(&heard, reading),
            ("cmd", "wakeup") => {
                if let Some(turn) = heard.turn_id().filter(|_| heard.subject.target == UI_WORKER) {
                    self.of_ui.insert(turn.to_owned(), ());
                }
                self.waiting.record_wakeup(&heard);
            }
            ("cmd", _) => self.track_command(&heard, reading),
            ("evt", "state") => self.track_state(&heard, reading),
            ("evt", "action_ack") => self.track_ack(&heard, reading),
            ("evt", "step" | "task") => reading.ties.settles = self.waiting.settle_calls(&heard),
            _ => {}
        }
        self.check_lineage(&heard, reading);
        self.names.apply(&heard, reading);
    }

    fn update_roster(&mut self, roster: &Value) {
        self.names.update_roster(roster);
    }
}

/// An agent by its channel.
fn agent_key(heard: &ChannelMessage<'_>, agent: &str) -> String {
    format!("{}.{}.{agent}", heard.subject.project_id, heard.subject.channel_id)
}

fn seconds_between(from: Millis, to: Millis) -> u64 {
    to.since(from) / 1_000
}

impl Memory {
    fn track_command(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        let epoch = headers::parse_number(&heard.crossing.headers, headers::EPOCH)
            .ok()
            .flatten()
            .unwrap_or(0);
        let agent = heard
            .header(headers::AGENT)
            .and_then(|agent| self.agents.get(&agent_key(heard, agent)));
        if let Some(Agent { turn, epoch: Some(known), .. }) = agent
            && turn.as_deref() == heard.turn_id()
            && epoch != 0
            && epoch != *known
        {
            reading.remarks.push(format!(
                "its epoch is {epoch}, and the turn's is {known}: it runs, but its result is refused; send the turn's own epoch"
            ));
        }
        self.once_more(heard.header(headers::CALL), heard, false, reading);
        self.waiting.record_call(heard);
    }

    fn track_action(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        self.once_more(heard.text("action_id"), heard, true, reading);
        let agent = heard.header(headers::AGENT).map(|agent| agent_key(heard, agent));
        self.check_stuck(agent.as_deref(), heard, reading);
    }

    /// Whether the call, or the action, was sent before.
    fn once_more(
        &mut self,
        id: Option<&str>,
        heard: &ChannelMessage<'_>,
        is_action: bool,
        reading: &mut Decoded,
    ) {
        let Some(id) = id else { return };
        // An action becomes the call of the same id.
        let key = format!(
            "{} {} {id}",
            if is_action { "action" } else { "call" },
            heard.subject.project_id
        );
        let before = self.sent.get(&key).map(|before| seconds_between(*before, heard.crossing.at));
        reading.remarks.extend(before.map(|ago| match is_action {
            true => format!(
                "this action_id was sent {ago} s before: the agent's turn is leased, the action refused, and the agent is wedged for good; \
                 take a fresh id each time, and now a new UI agent"
            ),
            false => format!(
                "the same call id was sent {ago} s before: the tool does not run again, and the second report is refused as a duplicate \
                 (protocol_violation) until the message is given up; that is harmless, but every call wants an id of its own"
            ),
        }));
        self.sent.insert(key, heard.crossing.at);
    }

    fn track_state(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        let agent = agent_key(heard, &heard.subject.target);
        let status = heard.text("status").unwrap_or_default().to_owned();
        let turn = heard.turn_id().map(str::to_owned);
        if status == "idle" && turn.as_deref().is_some_and(|turn| self.of_ui.get(turn).is_some()) {
            reading.part = Part::Outcome(None);
        }
        let epoch = heard.member("turn_epoch").and_then(Value::as_u64);
        let epoch = epoch.or_else(|| {
            headers::parse_number(&heard.crossing.headers, headers::EPOCH).ok().flatten()
        });
        let before = self.agents.get(&agent);
        if let (Some(before), Some(epoch)) = (before, epoch)
            && before.turn == turn
            && before.epoch.is_some_and(|known| epoch < known)
        {
            let known = before.epoch.unwrap_or_default();
            reading.remarks.push(format!(
                "its epoch is {epoch}, and the turn was at {known} before: it is out of date"
            ));
        }
        let since = before
            .filter(|before| before.status == status && before.turn == turn)
            .map_or(heard.crossing.at, |before| before.since);
        let epoch = epoch.or_else(|| before.filter(|before| before.turn == turn)?.epoch);
        self.agents.insert(agent, Agent { status, since, turn, epoch });
    }

    fn track_ack(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        let ack = heard.ack();
        if ack.is_final() {
            self.waiting.record_end(&ack.action);
        }
        let Some(agent) = heard.text("agent_id").or_else(|| heard.header(headers::AGENT)) else {
            return;
        };
        let (name, agent) = (agent, agent_key(heard, agent));
        let code = ack.code.as_deref().unwrap_or(&ack.status);
        if ack.card.is_some() {
            return;
        }
        if code.ends_with("busy") {
            self.check_stuck(Some(&agent), heard, reading);
        } else if code == "protocol_violation" {
            reading.remarks.push(format!(
                "{name} is wedged from here on: action {} was used before, so it leased a turn that nobody ends; every action will be busy, and \
                 stopping it does not help; make a new UI agent",
                short_id(&ack.action)
            ));
            self.wedged.insert(agent, Some((ack.action, heard.crossing.at)));
        } else if !ack.is_final() {
            self.wedged.insert(agent, None);
        }
    }

    /// Whether the agent was dispatched and never ran.
    fn check_stuck(&self, agent: Option<&str>, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        let name = |agent: &str| agent.rsplit('.').next().unwrap_or(agent).to_owned();
        if let Some((agent, (action, since))) =
            agent.and_then(|agent| Some((agent, self.wedged.get(agent)?.as_ref()?)))
        {
            reading.remarks.push(format!(
                "{} is wedged since its action {} came twice, {} s ago; make a new UI agent",
                name(agent),
                short_id(action),
                seconds_between(*since, heard.crossing.at)
            ));
            return;
        }
        let Some((agent, state)) = agent.and_then(|agent| Some((agent, self.agents.get(agent)?)))
        else {
            return;
        };
        if state.status == "dispatched" && heard.crossing.at.since(state.since) >= STUCK {
            reading.remarks.push(format!(
                "{} has been dispatched for {} s: it is wedged, every action will be busy, and \
                 stopping it does not help; make a new UI agent",
                name(agent),
                seconds_between(state.since, heard.crossing.at)
            ));
        }
    }

    fn track_mark(&mut self, key: &str, crossing: &ObservedMessage, reading: &mut Decoded) {
        let value: Value = serde_json::from_slice(&crossing.body).unwrap_or_default();
        let before = self.results.get(key);
        let marker = idempotency::parse_marker(&value);
        let is_there = self.taken_up.get(key).copied().unwrap_or_default();
        // A service claims a call by making its mark, and the server refuses a mark that is there.
        // Whoever looks on hears it all the same.
        if matches!(marker, Some(Marker::Running { .. }))
            && is_there
            && crossing.header(EXPECTED) == Some("0")
        {
            (reading.label, reading.text) = (
                "asked again".into(),
                "delivered once more; its mark is there, so the tool does not run again".into(),
            );
            return;
        }
        if crossing.body.is_empty() || marker.is_some() {
            self.taken_up.insert(key.to_owned(), marker.is_some());
        }
        if matches!(marker, Some(Marker::Done { .. })) {
            self.waiting.record_end(key);
        }
        match (marker, before) {
            (Some(Marker::Done { result_card: Some(card), .. }), Some(first)) if *first != card => reading.remarks.push(format!(
                "a second result, card {}, after {}: only one can be stored for a call, so one of two services fails on the unique index",
                short_id(&card),
                short_id(first)
            )),
            (Some(Marker::Done { result_card: Some(card), .. }), None) => self.results.insert(key.to_owned(), card),
            (Some(Marker::Running { .. }), Some(_)) => {
                reading.remarks.push("it runs once more although a result was stored: the second one will be refused".into());
            }
            _ => {}
        }
    }

    /// Which of the causes it was that a message is delivered no more, as far as its mark shows.
    fn given_up(&self, reading: &mut Decoded) {
        let Part::Error(problem) = &mut reading.part else { return };
        let key = |known: &dyn Fn(&str) -> bool| reading.ties.also.iter().any(|key| known(key));
        let why = if key(&|key| self.results.get(key).is_some()) {
            "it ran, and its result card is written, but the report was refused (protocol_violation): turn unknown, another epoch than the turn's, \
             depth of 20 or more, agent not in the roster, or the same call reported before"
        } else if key(&|key| self.taken_up.get(key).is_some()) {
            "its mark stays \"running\": it has no CG-Turn-Id, or the call has a result already (the watchdog's time-out came first, or another \
             service answered), or the service died over it; each delivery blocked the service"
        } else {
            "no service took it up: its body is no JSON object, or it has no CG-Tool-Call-Id and no card that names the call"
        };
        problem.remedy = why.into();
        reading.remarks = vec![why.into()];
    }

    /// Whether the message carries the trace of its turn.
    fn check_lineage(&mut self, heard: &ChannelMessage<'_>, reading: &mut Decoded) {
        // Token streams and inbox progress have no headers at all.
        if heard.crossing.headers.is_empty()
            || reading.routine
            || matches!(reading.part, Part::Unreadable(_))
        {
            return;
        }
        let Some(turn) = heard.turn_id().map(str::to_owned) else { return };
        match (self.traces.get(&turn), &reading.ties.trace) {
            (Some(known), None) => reading.remarks.push(format!(
                "it has no traceparent: the trace {} of its turn is broken here, and what follows cannot be joined to it",
                short_id(known)
            )),
            (Some(known), Some(own)) if known != own => reading.remarks.push(format!(
                "its trace is {}, and its turn's is {}: the traceparent was not passed on",
                short_id(own),
                short_id(known)
            )),
            (None, Some(own)) => self.traces.insert(turn, own.clone()),
            _ => {}
        }
    }
}

//! A whole turn as it passes by, and what is odd on the way.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::{
    engine::traffic::{
        conversation::{Conversation, ConversationState},
        record::{Record, RecordBounds},
    },
    model::{
        clock::Millis,
        error_kind::ErrorKind,
        traffic::{KeptMessage, Tapped},
    },
    systems::{
        commonground::{headers, idempotency::tool_key},
        watched::{TrafficWitness, waiting_reason},
    },
};

const TRACE: &str = "00-01a1fd19fca073248029f3d8b309da00-b4e7bf2abb53389f-01";

/// What passes, message by message.
#[derive(Default)]
struct Bus {
    record: Record,
    witness: TrafficWitness,
    at: u64,
    last: Vec<String>,
}

impl Bus {
    fn crossing(&mut self, subject: &str, headers: &[(&str, &str)], body: &str) -> ObservedMessage {
        self.at += 100;
        let subject = if subject.starts_with('$') {
            subject.to_owned()
        } else {
            format!("cg.v1r4.lab.public.{subject}")
        };
        ObservedMessage {
            at: Millis(self.at),
            subject: subject.as_str().into(),
            reply: None,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
            body: body.as_bytes().into(),
            size: body.len() as u64,
            kept: KeptMessage::Whole,
            about: None,
        }
    }

    fn take(&mut self, crossing: ObservedMessage) -> &mut Self {
        let witnessed = self.witness.observe_message(Tapped::ObservedMessage(Arc::new(crossing)));
        if let crate::model::traffic::WatchedItem::ObservedMessage(_, reading) = &witnessed {
            self.last.clone_from(&reading.remarks);
        }
        self.record.add_witnessed(witnessed);
        self
    }

    fn says(&mut self, subject: &str, headers: &[(&str, &str)], body: &Value) -> &mut Self {
        let crossing = self.crossing(subject, headers, &body.to_string());
        self.take(crossing)
    }

    /// A message of counter's turn.
    fn turn(&mut self, subject: &str, body: &Value) -> &mut Self {
        self.says(subject, &of_turn("2"), body)
    }

    fn command(&mut self, call: &str, epoch: &str) -> &mut Self {
        let ids = [
            of_turn(epoch),
            vec![(headers::CALL, call), (headers::STEP, "step_1"), (headers::DEPTH, "0")],
        ]
        .concat();
        self.says("cmd.tool.word_count.call", &ids, &pointed())
    }

    fn mark(&mut self, call: &str, body: &Value) -> &mut Self {
        self.says(
            &format!("$KV.cg_tool_idem_v1.{}", tool_key("lab", "word_count", call)),
            &[],
            body,
        )
    }

    fn advisory(
        &mut self,
        kind: &str,
        about: Option<ObservedMessage>,
        deliveries: u64,
    ) -> &mut Self {
        let subject =
            format!("$JS.EVENT.ADVISORY.CONSUMER.{kind}.cg_cmd_v1r4.tool_word_count_cmd_v1r4");
        let body = json!({"stream": "cg_cmd_v1r4", "stream_seq": 17, "deliveries": deliveries})
            .to_string();
        let told = self.crossing(&subject, &[], &body);
        self.take(ObservedMessage { about: about.map(Arc::new), ..told })
    }

    fn found(&self, id: &str) -> &Conversation {
        let mut all =
            (0..self.record.row_count()).rev().filter_map(|row| self.record.conversation_at(row));
        all.find(|conversation| conversation.names().any(|name| name == id)).unwrap()
    }

    fn odd(&self) -> &str {
        self.last.first().map_or("", String::as_str)
    }
}

fn of_turn(epoch: &str) -> Vec<(&'static str, &str)> {
    vec![
        (headers::PROJECT, "lab"),
        (headers::CHANNEL, "public"),
        (headers::AGENT, "counter"),
        (headers::TURN, "turn_1"),
        (headers::EPOCH, epoch),
        (headers::TRACE, TRACE),
    ]
}

fn pointed() -> Value {
    json!({"tool_name": "word_count", "after_execution": "suspend", "tool_call_card_id": "01a1fd19fca073248029f3d81187dfda"})
}

fn running() -> Value {
    json!({"status": "running", "timestamp": 1.5})
}

fn done(status: &str, card: &str) -> Value {
    json!({"status": "done", "timestamp": 2.5, "payload": {"after_execution": "suspend", "status": status, "tool_result_card_id": card}})
}

fn chunk(kind: &str, more: &Value) -> Value {
    let mut chunk = json!({"agent_turn_id": "turn_1", "step_id": "step_1", "chunk_type": kind});
    chunk.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    chunk
}

/// The first half of a turn: until it waits for its call.
fn half() -> Bus {
    let mut bus = Bus { record: Record::new(RecordBounds::default()), ..Bus::default() };
    let config =
        json!({"model": "openai/small", "api_base": "http://10.0.0.7/v1", "api_key": "***"});
    bus.turn("cmd.agent.worker_generic.wakeup", &json!({"inbox_id": "turn_1", "reason": "dispatch_next"}))
        .turn("evt.agent.counter.state", &json!({"status": "dispatched", "turn_epoch": 2}))
        .turn("evt.agent.counter.step", &json!({"step_id": "step_1", "phase": "started", "new_card_ids": []}))
        .turn("evt.agent.counter.state", &json!({"status": "running", "metadata": {"activity": "thinking"}}))
        .says("str.agent.counter.chunk", &[], &chunk("start", &json!({"metadata": {"llm_config": config}})))
        .says("str.agent.counter.chunk", &[], &chunk("content", &json!({"content": "I count "})))
        .says("str.agent.counter.chunk", &[], &chunk("content", &json!({"content": "the words."})))
        .says("str.agent.counter.chunk", &[], &chunk("end", &json!({"usage": {"prompt_tokens": 10, "completion_tokens": 4}})))
        .turn("evt.agent.counter.state", &json!({"status": "running", "metadata": {"activity": "executing_tool", "current_tool": "word_count"}}))
        .command("call_1", "2")
        .mark("call_1", &running())
        .turn(
            "evt.agent.counter.state",
            &json!({"status": "suspended", "metadata": {
                "activity": "awaiting_tool_result", "waiting_tool_call_ids": ["call_1"], "resume_deadline": "1970-01-01T00:00:31Z"}}),
        );
    bus
}

#[test]
fn a_turn_is_one_conversation_with_its_calls() {
    let mut bus = half();
    let turn = bus.found("turn_1");
    assert_eq!(
        (turn.topic.as_deref(), &turn.standing, turn.due),
        (Some("counter"), &ConversationState::Open, Some(Millis(31_000)))
    );
    assert_eq!(
        (turn.goes.as_str(), turn.said.as_str()),
        ("awaits a result · call_1", "I count the words.")
    );
    assert_eq!(turn.states, ["dispatched", "running", "suspended"]);
    assert_eq!(
        (turn.count, turn.row_count(), turn.row_range(5)),
        (12, 11, 5..7),
        "the pieces stand together"
    );
    let call = bus.found("call_1");
    assert_eq!(
        (call.whole, call.topic.as_deref(), call.count),
        (Some(turn.number), Some("word_count"), 2)
    );
    assert_eq!(call.asked, "word_count · call card …87dfda · then suspend · epoch 2");
    assert_eq!(
        (call.trace.as_deref(), &turn.trace),
        (Some("01a1fd19fca073248029f3d8b309da00"), &call.trace)
    );
    assert_eq!(bus.record.len(), 2);

    bus.mark("call_1", &done("success", "card_9"))
        .turn("cmd.agent.worker_generic.wakeup", &json!({}))
        .turn("evt.agent.counter.step", &json!({"step_id": "step_res_1", "phase": "completed", "new_card_ids": ["card_9"]}))
        .says("evt.agent.counter.state", &of_turn("3"), &json!({"status": "running", "turn_epoch": 3}))
        .says(
            "evt.agent.counter.task",
            &of_turn("3"),
            &json!({"status": "success", "deliverable_card_id": "card_10", "stats": {"duration_ms": 662}}),
        );
    let (turn, call) = (bus.found("turn_1"), bus.found("call_1"));
    assert_eq!(
        (&turn.standing, &call.standing, turn.due),
        (&ConversationState::Succeeded, &ConversationState::Succeeded, None)
    );
    assert_eq!(
        (turn.count, turn.late, turn.remarks.len(), call.remarks.len(), bus.record.len()),
        (17, 0, 0, 0, 2)
    );
}

/// A step that takes results in.
fn takes_in(bus: &mut Bus, cards: &[&str]) {
    bus.turn("cmd.agent.worker_generic.wakeup", &json!({}));
    bus.turn(
        "evt.agent.counter.step",
        &json!({"step_id": "step_res_1", "phase": "completed", "new_card_ids": cards}),
    );
}

#[test]
fn a_step_that_takes_a_result_in_ends_the_call_that_waited() {
    let mut bus = half();
    // The step that made the call names it, and ends nothing; nor does one that begins.
    let made = json!({"step_id": "step_1", "phase": "completed", "new_card_ids": ["thought", "01a1fd19fca073248029f3d81187dfda"]});
    bus.turn("cmd.agent.worker_generic.wakeup", &json!({})).turn("evt.agent.counter.step", &made);
    assert_eq!(bus.found("call_1").standing.as_str(), "open");
    takes_in(&mut bus, &["card_9"]);
    let call = bus.found("call_1");
    assert_eq!(
        (call.standing.as_str(), call.cards.as_slice()),
        ("succeeded", &["01a1fd19fca073248029f3d81187dfda".to_owned(), "card_9".to_owned()][..])
    );
    assert!(
        call.said.contains("card_9") && call.said.contains("whether it says yes"),
        "{}",
        call.said
    );
    // The mark knows better, however late it is received.
    bus.mark("call_1", &done("failed", "card_9"));
    assert_eq!(bus.found("call_1").standing.as_str(), "failed");
}

#[test]
fn of_several_calls_those_end_that_have_a_result_each() {
    let mut bus = half();
    bus.command("call_2", "2").command("call_3", "2").mark("call_2", &done("success", "card_2"));
    takes_in(&mut bus, &["card_x"]);
    let standings =
        |bus: &Bus| ["call_1", "call_2", "call_3"].map(|call| bus.found(call).standing.as_str());
    assert_eq!(standings(&bus), ["open", "succeeded", "open"], "nothing says which of two it is");
    takes_in(&mut bus, &["card_x", "card_y"]);
    assert_eq!(standings(&bus), ["succeeded"; 3]);
    assert!(bus.found("call_3").said.contains("one of 2 cards"), "{}", bus.found("call_3").said);
    // A result that ends the turn is named by its task.
    let mut bus = half();
    bus.turn(
        "evt.agent.counter.task",
        &json!({"status": "success", "tool_result_card_id": "card_9"}),
    );
    assert_eq!(
        ["call_1", "turn_1"].map(|name| bus.found(name).standing.as_str()),
        ["succeeded"; 2]
    );
}

#[test]
fn a_mark_that_is_heard_before_its_command_stands_in_the_turn_and_ends_the_call() {
    let mut bus = half();
    bus.mark("call_2", &running()).mark("call_2", &done("failed", "card_2")).command("call_2", "2");
    let (turn, call) = (bus.found("turn_1"), bus.found("call_2"));
    assert_eq!((call.standing.as_str(), call.whole, call.count), ("failed", Some(turn.number), 3));
    assert!(call.messages.iter().all(|message| turn.messages.contains(message)));
    takes_in(&mut bus, &["card_1"]);
    assert_eq!(bus.found("call_1").standing.as_str(), "succeeded", "it is the only one that waits");
}

#[test]
fn what_is_chosen_names_its_cards_and_those_of_its_calls() {
    use crate::engine::traffic::cards;
    let mut bus = half();
    bus.mark("call_1", &done("success", "card_9"));
    let call_card = "01a1fd19fca073248029f3d81187dfda".to_owned();
    let (turn, call) = (bus.found("turn_1"), bus.found("call_1"));
    assert_eq!(cards::of_conversation(turn), [call_card.clone(), "card_9".into()]);
    assert_eq!(
        cards::of_message(&bus.record, call, &[]),
        cards::of_conversation(call),
        "a mark without a card means its call"
    );
    let step = ["thought".to_owned(), call_card.clone()];
    assert_eq!(
        cards::of_message(&bus.record, turn, &step),
        ["thought".into(), call_card, "card_9".into()]
    );
    assert!(cards::of_message(&bus.record, turn, &[]).is_empty(), "a state names none");
    assert_eq!(cards::further_cards(&bus.record, ["call_1"].into_iter(), &step), ["card_9"]);
}

#[test]
fn a_turn_that_is_joined_while_it_streams_is_no_orphan() {
    let mut bus = Bus::default();
    bus.says("str.agent.counter.chunk", &[], &chunk("content", &json!({"content": "the words."})));
    assert_eq!(bus.found("turn_1").standing.as_str(), "orphan");
    bus.turn("evt.agent.counter.state", &json!({"status": "running", "turn_epoch": 2}));
    assert_eq!(bus.found("turn_1").standing.as_str(), "open");
    bus.turn("evt.agent.counter.task", &json!({"status": "success"}));
    assert_eq!(bus.found("turn_1").standing.as_str(), "succeeded");
}

#[test]
fn of_a_models_configuration_only_its_name_is_told() {
    let mut bus = Bus::default();
    let config = json!({"model": "openai/small", "api_base": "http://10.0.0.7/v1", "headers": {"x": "geheim"}});
    let start = bus.crossing(
        "str.agent.counter.chunk",
        &[],
        &chunk("start", &json!({"metadata": {"llm_config": config}})).to_string(),
    );
    assert_eq!(classify_message(&start).unwrap().text, "openai/small begins to answer");
}

#[test]
fn a_ui_action_its_call_and_its_acknowledgements_are_one() {
    let mut bus = Bus::default();
    let ids = [
        (headers::AGENT, "ui_dbg"),
        (headers::TURN, "turn_u"),
        (headers::EPOCH, "1"),
        (headers::TRACE, TRACE),
    ];
    let action = json!({"action_id": "act_1", "tool_name": "word_count", "args": {"text": "a b"}});
    bus.says("cmd.sys.ui.action", &ids, &action);
    assert_eq!(bus.odd(), "");
    bus.says(
        "evt.sys.ui.action_ack",
        &ids,
        &json!({"action_id": "act_1", "agent_id": "ui_dbg", "status": "accepted"}),
    );
    let with_call = [&ids[..], &[(headers::CALL, "act_1")]].concat();
    bus.says("cmd.tool.word_count.call", &with_call, &pointed())
        .mark("act_1", &running())
        .mark("act_1", &done("failed", "card_2"));
    assert_eq!(bus.found("act_1").standing.as_str(), "failed");
    let ack = json!({"action_id": "act_1", "status": "rejected", "tool_result_card_id": "card_2", "error_code": "bad_request", "error": "no text"});
    bus.says("evt.sys.ui.action_ack", &ids, &ack);
    let action = bus.found("act_1");
    assert_eq!(
        (action.standing.problem().map(|problem| problem.message.as_str()), action.late),
        (Some("no text"), 0)
    );
    assert_eq!(
        (
            bus.record.len(),
            bus.found("turn_u").standing.as_str(),
            bus.found("turn_u").topic.as_deref()
        ),
        (2, "failed", Some("ui_dbg"))
    );
    bus.says(
        "cmd.sys.ui.action",
        &ids,
        &json!({"action_id": "act_1", "tool_name": "word_count", "args": {}}),
    );
    assert!(bus.odd().contains("wedged for good"), "{}", bus.odd());
    bus.says(
        "evt.sys.ui.action_ack",
        &ids,
        &json!({"action_id": "act_9", "status": "rejected", "error_code": "ui_not_allowed"}),
    );
    assert!(bus.odd().contains("\"ui_allowed\": true"), "{}", bus.odd());
}

#[test]
fn a_wedged_agent_is_named() {
    let mut bus = Bus::default();
    let ids = [(headers::AGENT, "ui_dbg"), (headers::TURN, "turn_u"), (headers::TRACE, TRACE)];
    bus.says("evt.agent.ui_dbg.state", &ids, &json!({"status": "dispatched", "turn_epoch": 1}));
    let turn = bus.found("turn_u");
    assert_eq!(waiting_reason(turn, Millis(20_000)), None);
    assert!(waiting_reason(turn, Millis(40_000)).unwrap().contains("wedged"));
    bus.at += 40_000;
    bus.says(
        "evt.sys.ui.action_ack",
        &ids,
        &json!({"action_id": "act_2", "agent_id": "ui_dbg", "status": "busy"}),
    );
    assert!(
        bus.last.iter().any(|words| words.contains("ui_dbg has been dispatched for 40 s")),
        "{:?}",
        bus.last
    );
}

#[test]
fn an_agent_is_wedged_by_what_the_ui_worker_says_of_a_repeated_action() {
    let mut bus = Bus::default();
    let ids = [(headers::AGENT, "ui_dbg"), (headers::TURN, "turn_u"), (headers::TRACE, TRACE)];
    let ack = |status: &str, code: Option<&str>, action: &str| json!({"action_id": action, "agent_id": "ui_dbg", "status": status, "error_code": code});
    bus.says("evt.sys.ui.action_ack", &ids, &ack("rejected", Some("protocol_violation"), "act_1"));
    assert!(
        bus.last.iter().any(|words| words.contains("ui_dbg is wedged from here on")),
        "{:?}",
        bus.last
    );
    bus.at += 3_000;
    bus.says("evt.sys.ui.action_ack", &ids, &ack("busy", Some("agent_busy"), "act_2"));
    assert!(
        bus.last.iter().any(|words| words.contains("wedged since its action act_1")),
        "{:?}",
        bus.last
    );
    bus.says("evt.sys.ui.action_ack", &ids, &ack("accepted", None, "act_3"));
    bus.says("evt.sys.ui.action_ack", &ids, &ack("busy", Some("agent_busy"), "act_4"));
    assert!(bus.last.iter().all(|words| !words.contains("wedged since")), "{:?}", bus.last);
    // A tool may say so itself, and that wedges nothing.
    let told = json!({"action_id": "act_5", "agent_id": "ui_dbg", "status": "rejected", "error_code": "protocol_violation",
        "tool_result_card_id": "card_5"});
    bus.says("evt.sys.ui.action_ack", &ids, &told);
    assert!(bus.last.iter().all(|words| !words.contains("wedged")), "{:?}", bus.last);
}

#[test]
fn an_action_that_starts_a_turn_ends_with_its_card() {
    let mut bus = Bus::default();
    let ids = [(headers::AGENT, "ui_dbg"), (headers::TURN, "turn_u"), (headers::TRACE, TRACE)];
    bus.says(
        "cmd.sys.ui.action",
        &ids,
        &json!({"action_id": "act_1", "tool_name": "delegate_async", "args": {}}),
    );
    let ack = |card: Option<&str>| json!({"action_id": "act_1", "agent_id": "ui_dbg", "status": "accepted", "tool_result_card_id": card});
    bus.says("evt.sys.ui.action_ack", &ids, &ack(None));
    assert_eq!(bus.found("act_1").standing, ConversationState::Open);
    bus.says("evt.sys.ui.action_ack", &ids, &ack(Some("card_1")));
    assert_eq!(bus.found("act_1").standing, ConversationState::Succeeded);
}

#[test]
fn a_turn_of_the_ui_worker_ends_when_its_agent_rests() {
    let mut bus = Bus::default();
    let ids = [(headers::AGENT, "ui_dbg"), (headers::TURN, "turn_leased"), (headers::TRACE, TRACE)];
    bus.says("cmd.agent.ui_worker.wakeup", &ids, &json!({})).says(
        "evt.agent.ui_dbg.state",
        &ids,
        &json!({"status": "suspended", "turn_epoch": 1}),
    );
    assert_eq!(bus.found("turn_leased").standing, ConversationState::Open);
    bus.says("evt.agent.ui_dbg.state", &ids, &json!({"status": "idle", "turn_epoch": 1}));
    assert_eq!(
        (&bus.found("turn_leased").standing, bus.found("turn_leased").late),
        (&ConversationState::Succeeded, 0)
    );
}

#[test]
fn a_tool_runs_again_only_where_its_mark_was_made_again() {
    let mut bus = half();
    bus.mark("call_1", &done("success", "card_9"));
    let key = format!("$KV.cg_tool_idem_v1.{}", tool_key("lab", "word_count", "call_1"));
    // A redelivery: the server refuses the mark, and whoever looks on hears it.
    bus.says(&key, &[("Nats-Expected-Last-Subject-Sequence", "0")], &running());
    assert_eq!(bus.last, Vec::<String>::new());
    // The mark was taken away, so that this one is made.
    let gone = bus.crossing(&key, &[("KV-Operation", "DEL")], "");
    bus.take(gone).says(&key, &[("Nats-Expected-Last-Subject-Sequence", "0")], &running());
    assert!(bus.odd().contains("runs once more"), "{}", bus.odd());
}

#[test]
fn agents_go_by_their_names() {
    let mut bus = half();
    assert_eq!(bus.found("turn_1").topic.as_deref(), Some("counter"));
    let about = json!({"metadata": {"agent_id": "counter", "display_name": "The Counter", "llm_config": {}}});
    bus.says("str.agent.counter.chunk", &[], &chunk("start", &about));
    assert_eq!(
        bus.found("turn_1").topic.as_deref(),
        Some("The Counter"),
        "it brings its name along"
    );
    let long = [
        "01a2043c-de56-73a7-8799-a4d3dbbb4005_01a2043cde567b08",
        "01a2043c-de56-73a7-8799-a4d3dbbb4005_01a2043cde568c19",
    ];
    let roster = json!([{"agent_id": long[0], "display_name": "Reader"}, {"agent_id": "ui_1", "display_name": null}]);
    bus.witness.update_roster("commonground", &roster);
    let mut topic = |agent: &str| {
        let turn = format!("turn_of_{agent}");
        bus.says(
            &format!("evt.agent.{agent}.state"),
            &[(headers::TURN, turn.as_str())],
            &json!({"status": "running"}),
        );
        bus.found(&turn).topic.clone().unwrap()
    };
    assert_eq!([topic(long[0]), topic(long[1]), topic("ui_1")], ["Reader", "…568c19", "ui_1"]);
    let both = json!(long.map(|agent| json!({"agent_id": agent, "display_name": "Reader"})));
    bus.witness.update_roster("commonground", &both);
    let titles = long.iter().map(|agent| {
        let turn = format!("turn_next_of_{agent}");
        bus.says(
            &format!("evt.agent.{agent}.state"),
            &[(headers::TURN, turn.as_str())],
            &json!({"status": "running"}),
        );
        bus.found(&turn).topic.clone().unwrap()
    });
    assert_eq!(titles.collect::<Vec<_>>(), ["Reader …567b08", "Reader …568c19"]);
}

#[test]
fn old_epochs_repeated_calls_and_second_results_are_named() {
    let mut bus = half();
    bus.says(
        "evt.agent.counter.state",
        &of_turn("3"),
        &json!({"status": "running", "turn_epoch": 3}),
    );
    bus.command("call_2", "2");
    assert!(bus.odd().contains("epoch is 2") && bus.odd().contains("is 3"), "{}", bus.odd());
    bus.command("call_3", "3");
    assert_eq!(bus.odd(), "");
    bus.command("call_1", "3");
    assert!(bus.odd().contains("same call id"), "{}", bus.odd());
    bus.mark("call_3", &done("success", "card_a")).mark("call_3", &done("success", "card_b"));
    assert!(bus.odd().contains("second result"), "{}", bus.odd());
    bus.turn("evt.agent.counter.state", &json!({"status": "running", "turn_epoch": 2}));
    assert!(bus.odd().contains("out of date"), "{}", bus.odd());
}

#[test]
fn what_services_refuse_stands_at_its_command() {
    let mut bus = half();
    let ids = [of_turn("2"), vec![(headers::CALL, "call_1")]].concat();
    let command = bus.crossing("cmd.tool.word_count.call", &ids, &pointed().to_string());
    bus.advisory("MSG_NAKED", Some(command.clone()), 1).advisory(
        "MSG_NAKED",
        Some(command.clone()),
        2,
    );
    assert_eq!(bus.found("call_1").standing, ConversationState::Open);
    bus.mark("call_1", &done("success", "card_9")).advisory("MAX_DELIVERIES", Some(command), 3);
    let call = bus.found("call_1");
    assert_eq!(
        call.standing.problem().map(|problem| problem.kind.as_str()),
        Some("given-up"),
        "the caller gets no answer"
    );
    assert!(bus.odd().contains("but the report was refused"), "{}", bus.odd());
    bus.advisory("MSG_NAKED", None, 1);
    assert_eq!(bus.record.len(), 3, "what is no longer kept stands alone");
}

#[test]
fn the_watchdog_is_hidden_and_a_late_answer_is_told() {
    let mut bus = half();
    let ring = json!({"inbox_id": "row_1", "reason": "watchdog_pending_inbox", "metadata": {}});
    (0..7).for_each(|_| {
        bus.turn("cmd.agent.worker_generic.wakeup", &ring);
    });
    assert_eq!((bus.record.row_count(), bus.record.routine_count(), bus.record.len()), (2, 7, 3));
    assert_eq!(waiting_reason(bus.found("turn_1"), Millis(30_000)), None);
    assert!(
        waiting_reason(bus.found("turn_1"), Millis(34_000)).unwrap().contains("passed 3 s ago")
    );
    bus.command("call_5", "2");
    assert!(
        waiting_reason(bus.found("call_5"), Millis(40_000))
            .unwrap()
            .contains("cg.v1r4.*.*.cmd.tool.word_count.*")
    );
}

#[test]
fn subjects_that_no_service_hears_and_broken_traces_are_named() {
    let mut bus = Bus::default();
    bus.turn("cmd.tool.word_count", &pointed());
    let problem = bus.record.conversation_at(0).unwrap().standing.problem().unwrap().clone();
    assert!(
        problem.kind == ErrorKind::InNoStream && problem.message.contains("7 tokens"),
        "{problem:?}"
    );
    bus.turn("cmd.tool.word_count.call.now", &pointed());
    assert!(bus.last.iter().any(|words| words.contains("two tokens")), "{:?}", bus.last);
    bus.says("cmd.agent.worker_generic.wakeup", &of_turn("2")[..5], &json!({}));
    assert!(bus.odd().contains("no traceparent"), "{}", bus.odd());
    let other = "00-ffa1fd19fca073248029f3d8b309da00-b4e7bf2abb53389f-01";
    let ids = [&of_turn("2")[..5], &[(headers::TRACE, other)]].concat();
    bus.says("evt.agent.counter.state", &ids, &json!({"status": "running"}));
    assert!(bus.odd().contains("not passed on"), "{}", bus.odd());
    let crossing = ObservedMessage {
        subject: "cg.v2r0.lab.public.cmd.tool.x.call".into(),
        ..bus.crossing("x", &of_turn("1"), "{}")
    };
    assert!(
        classify_message(&crossing).unwrap().remarks.iter().any(|words| words.contains("v2r0"))
    );
    let nobodys = ObservedMessage { subject: "cg.orders.new".into(), ..crossing };
    assert_eq!(classify_message(&nobodys), None);
}

#[test]
fn bodies_that_are_none_are_unreadable_and_nothing_panics() {
    let mut bus = Bus::default();
    for body in
        ["", "[]", "{\"a\":", "\u{fffd}", "{\"status\": 3, \"metadata\": [], \"new_card_ids\": {}}"]
    {
        for subject in [
            "cmd.tool.x.call",
            "cmd.sys.ui.action",
            "cmd.agent.w.wakeup",
            "evt.agent.a.state",
            "evt.agent.a.task",
            "evt.sys.ui.action_ack",
            "str.agent.a.chunk",
            "evt.agent.a.step",
            "$KV.cg_tool_idem_v1.tool.lab.x.00",
            "$JS.EVENT.ADVISORY.CONSUMER.MSG_NAKED.cg_cmd_v1r4.c",
        ] {
            let crossing = bus.crossing(subject, &of_turn("x"), body);
            let reading = classify_message(&crossing).unwrap();
            assert_eq!(reading.system, Some("commonground"), "{subject}");
            bus.take(crossing);
        }
    }
    let huge = ObservedMessage {
        kept: KeptMessage::Start,
        ..bus.crossing("cmd.tool.x.call", &of_turn("1"), "{")
    };
    assert_eq!(classify_message(&huge).unwrap().part, Part::Request);
}

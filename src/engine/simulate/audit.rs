//! The document's audit record of one way through a simulation.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::run::{Simulation, Step, ToolOffer};
use crate::{
    engine::{
        filter::{AskedGroups, check_permission},
        gated::Gated,
    },
    model::{
        clock::Millis,
        context::{Name, Profile},
    },
};

/// The record of the way from the start to where one is, under the document's names. A request that
/// the permissions gate refuses offers no tool and says so under `refused`.
#[must_use]
pub(crate) fn audit_record<T: Gated>(
    simulation: &Simulation,
    tools: &[T],
    profiles: &[Profile],
    request_id: &str,
) -> Value {
    let start = simulation.start();
    let way: Vec<&Step> = simulation
        .way_to(simulation.current_step())
        .into_iter()
        .filter_map(|id| simulation.step(id))
        .collect();
    let denied = check_permission(profiles, start).err();
    let offer = match &denied {
        Some(_) => ToolOffer::default(),
        None => way
            .first()
            .map_or_else(|| ToolOffer::for_context(tools, start), |step| step.offer.clone()),
    };
    let ended = way.last().map_or(simulation.start_time(), |step| step.at);
    let mut record = Map::new();
    record.insert("request_id".into(), request_id.into());
    record.insert("requested_groups".into(), names_json(&start.groups()));
    record.insert("initial_state".into(), start.state().into());
    record.insert(
        "state_transitions".into(),
        way.iter()
            .filter(|step| step.before != step.after)
            .map(|step| transition_json(step))
            .collect(),
    );
    record.insert("available_tools".into(), names_json(&offer.available));
    record.insert("filtered_by_group".into(), names_json(&offer.filtered_by_group));
    record.insert("filtered_by_state".into(), names_json(&offer.filtered_by_state));
    record.insert(
        "execution_time".into(),
        format_seconds(ended.since(simulation.start_time())).into(),
    );
    if let Some(user) = &start.user {
        record.insert("user".into(), (&**user).into());
    }
    if let Some(question) = simulation.question() {
        record.insert("question".into(), question.into());
    }
    if let Some(denied) = denied {
        record.insert(
            "refused".into(),
            json!({"message": denied.to_string(), "exceeding": names_json(&denied.exceeding)}),
        );
    }
    let refused: Vec<Value> = simulation
        .refused_attempts()
        .iter()
        .map(|refused| {
            let groups = names_json(&AskedGroups::from_request(refused.groups.as_deref()).names());
            json!({"tool": &*refused.tool, "requested_groups": groups, "state": &*refused.state, "reasons": refused.cause.messages()})
        })
        .collect();
    if !refused.is_empty() {
        record.insert("refused_steps".into(), refused.into());
    }
    record.into()
}

fn transition_json(step: &Step) -> Value {
    json!({"tool": &*step.tool, "from": &*step.before, "to": &*step.after, "timestamp": format_timestamp(step.at)})
}

fn names_json(names: &[Name]) -> Value {
    names.iter().map(|name| Value::from(&**name)).collect()
}

/// `1.2s`: milliseconds as seconds without needless digits.
#[must_use]
pub(crate) fn format_seconds(milliseconds: u64) -> String {
    let (whole, part) = (milliseconds / 1000, milliseconds % 1000);
    let text = format!("{whole}.{part:03}");
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `2024-01-01T10:00:01Z`, with milliseconds where there are any.
#[must_use]
pub(crate) fn format_timestamp(at: Millis) -> String {
    let at = i64::try_from(at.0).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    at.unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{gated::Slot, simulate::run::Take},
        model::{
            call::Outcome,
            context::{Context, Mode},
            tool::{Gate, States},
        },
    };

    #[test]
    fn times_read_as_in_the_document() {
        assert_eq!(format_timestamp(Millis(1_704_103_201_000)), "2024-01-01T10:00:01Z");
        assert_eq!(format_timestamp(Millis(1_709_210_096_007)), "2024-02-29T12:34:56.007Z");
        assert_eq!(format_timestamp(Millis(0)), "1970-01-01T00:00:00Z");
        assert_eq!(format_timestamp(Millis(951_868_799_000)), "2000-02-29T23:59:59Z");
        assert_eq!(
            (format_seconds(1200), format_seconds(31), format_seconds(0), format_seconds(2000)),
            ("1.2s".into(), "0.031s".into(), "0s".into(), "2s".into())
        );
    }

    #[test]
    fn the_record_has_the_documents_names_and_shape() {
        let slot = |key: &str, group: &str, states, next: Option<&str>| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(vec![group.into()]),
                states,
                next: next.map(Name::from),
                ..Gate::open()
            },
        };
        let tools = [
            slot(
                "knowledge-query",
                "knowledge",
                States::Only(vec!["undefined".into()]),
                Some("analysis"),
            ),
            slot("text-completion", "read-only", States::Every, None),
            slot("graph-update", "write", States::Every, None),
        ];
        let start = Context {
            user: None,
            groups: Some(vec!["read-only".into(), "knowledge".into()]),
            state: None,
        };
        let mut simulation = Simulation::new(start, Mode::Document, Millis(1_704_103_200_000));
        for (tool, at) in [(0, 1_704_103_201_000), (1, 1_704_103_201_200)] {
            simulation
                .take_step(&tools, &[], Take::simulated(tool, Outcome::Succeeded, Millis(at)))
                .unwrap();
        }
        assert_eq!(
            audit_record(&simulation, &tools, &[], "req-123"),
            json!({
                "request_id": "req-123",
                "requested_groups": ["read-only", "knowledge"],
                "initial_state": "undefined",
                "state_transitions": [
                    {"tool": "knowledge-query", "from": "undefined", "to": "analysis", "timestamp": "2024-01-01T10:00:01Z"}
                ],
                "available_tools": ["knowledge-query", "text-completion"],
                "filtered_by_group": ["graph-update"],
                "filtered_by_state": [],
                "execution_time": "1.2s"
            })
        );
    }

    #[test]
    fn a_denied_request_is_recorded_with_what_exceeds() {
        let tools: [Slot; 0] = [];
        let start =
            Context { user: Some("ann".into()), groups: Some(vec!["admin".into()]), state: None };
        let profiles = [Profile { user: "ann".into(), allowed_groups: vec!["read".into()] }];
        let record = audit_record(
            &Simulation::new(start, Mode::Document, Millis(0)),
            &tools,
            &profiles,
            "r",
        );
        assert_eq!(
            record["refused"]["message"],
            "Insufficient permissions for requested tool groups: admin"
        );
        assert_eq!(record["refused"]["exceeding"], json!(["admin"]));
    }

    #[test]
    fn a_step_that_asks_for_too_much_is_recorded_with_its_groups() {
        let tools = [Slot { key: "reset".into(), name: "reset".into(), gate: Gate::open() }];
        let start =
            Context { user: Some("ann".into()), groups: Some(vec!["read".into()]), state: None };
        let profiles = [Profile { user: "ann".into(), allowed_groups: vec!["read".into()] }];
        let mut simulation = Simulation::new(start, Mode::Document, Millis(0));
        simulation.set_groups(Some(vec!["read".into()]));
        simulation
            .take_step(&tools, &profiles, Take::simulated(0, Outcome::Succeeded, Millis(1)))
            .ok();
        simulation.set_groups(Some(vec!["admin".into()]));
        simulation
            .take_step(&tools, &profiles, Take::simulated(0, Outcome::Succeeded, Millis(1)))
            .unwrap_err();
        let record = audit_record(&simulation, &tools, &profiles, "r");
        let refused = record["refused_steps"].as_array().unwrap();
        assert_eq!(refused.last().unwrap()["requested_groups"], json!(["admin"]), "{record}");
        assert_eq!(
            refused.last().unwrap()["reasons"],
            json!(["Insufficient permissions for requested tool groups: admin"])
        );
    }
}

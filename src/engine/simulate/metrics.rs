//! The document's counters for a simulation, in the Prometheus text format.

use std::{collections::BTreeMap, fmt::Write};

use super::run::{RefusedCause, Simulation, Step, ToolOffer};
use crate::{
    engine::{
        filter::{Reason, check_permission},
        gated::Gated,
        workflow::graph::Workflow,
    },
    model::context::{Context, Name, Profile},
};

const COUNT_BOUNDS: &[f64] = &[0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
const SECOND_BOUNDS: &[f64] = &[0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0];

/// The counters of the way from the start to where one is. A run counts as one request, and as
/// another whenever its groups change.
#[must_use]
pub(crate) fn render_metrics<T: Gated>(
    simulation: &Simulation,
    tools: &[T],
    profiles: &[Profile],
) -> String {
    let way: Vec<&Step> = simulation
        .way_to(simulation.current_step())
        .into_iter()
        .filter_map(|id| simulation.step(id))
        .collect();
    let context = simulation.next_context();
    let mut page = MetricsPage::default();
    add_group_metrics(&mut page, simulation, &way, tools);
    add_offer_metrics(&mut page, &way, tools, &context);
    add_state_metrics(&mut page, simulation, &way, tools, &context);
    add_security_metrics(&mut page, simulation, profiles);
    page.text
}

fn add_group_metrics<T: Gated>(
    page: &mut MetricsPage,
    simulation: &Simulation,
    way: &[&Step],
    tools: &[T],
) {
    let mut requests: BTreeMap<Name, u64> = BTreeMap::new();
    let mut count = |groups: Option<&Vec<Name>>| {
        for group in (Context { groups: groups.cloned(), ..Context::default() }).groups() {
            *requests.entry(group).or_default() += 1;
        }
    };
    let mut present = simulation.start().groups.as_ref();
    count(present);
    let now = simulation.next_context().groups;
    for groups in way.iter().map(|step| step.groups.as_ref()).chain([now.as_ref()]) {
        if groups != present {
            count(groups);
            present = groups;
        }
    }
    page.write_head("agent_tool_group_requests_total", "counter", "Requests by group.");
    for (group, count) in &requests {
        page.write_line("agent_tool_group_requests_total", &[("group", group)], *count as f64);
    }
    let mut per_group: BTreeMap<Name, u64> = BTreeMap::new();
    for tool in tools {
        let gate = tool.gate();
        let here = u64::from(gate.not_loaded().is_none() && gate.states.admits(simulation.state()));
        for group in gate.groups() {
            *per_group.entry(group).or_default() += here;
        }
    }
    page.write_head(
        "agent_tool_group_availability",
        "gauge",
        "Tools available per group in the current state.",
    );
    for (group, count) in &per_group {
        page.write_line("agent_tool_group_availability", &[("group", group)], *count as f64);
    }
}

fn add_offer_metrics<T: Gated>(
    page: &mut MetricsPage,
    way: &[&Step],
    tools: &[T],
    context: &Context,
) {
    let last = ToolOffer::for_context(tools, context).available.len();
    let counts: Vec<f64> = way
        .iter()
        .map(|step| step.offer.available.len())
        .chain([last])
        .map(|count| count as f64)
        .collect();
    page.write_head(
        "agent_filtered_tools_count",
        "histogram",
        "Tools left after filtering by group and state.",
    );
    page.write_histogram("agent_filtered_tools_count", &[], COUNT_BOUNDS, &counts);
}

fn add_state_metrics<T: Gated>(
    page: &mut MetricsPage,
    simulation: &Simulation,
    way: &[&Step],
    tools: &[T],
    context: &Context,
) {
    let mut transitions: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
    let mut durations: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut entered = simulation.start_time();
    for step in way.iter().filter(|step| step.before != step.after) {
        *transitions.entry((&step.tool, &step.before, &step.after)).or_default() += 1;
        durations.entry(&step.before).or_default().push(step.at.since(entered) as f64 / 1000.0);
        entered = step.at;
    }
    page.write_head("agent_state_transitions_total", "counter", "State transitions by tool.");
    for ((tool, from, to), count) in transitions {
        page.write_line(
            "agent_state_transitions_total",
            &[("tool", tool), ("from", from), ("to", to)],
            count as f64,
        );
    }
    page.write_head(
        "agent_workflow_duration_seconds",
        "histogram",
        "Time spent in each state before leaving it.",
    );
    for (state, seconds) in durations {
        page.write_histogram(
            "agent_workflow_duration_seconds",
            &[("state", state)],
            SECOND_BOUNDS,
            &seconds,
        );
    }
    let workflow = Workflow::new(tools, context);
    page.write_head(
        "agent_state_availability",
        "gauge",
        "Tools available per state with the requested groups.",
    );
    for (row, state) in workflow.states().iter().enumerate() {
        page.write_line(
            "agent_state_availability",
            &[("state", state)],
            workflow.offer_count(row) as f64,
        );
    }
}

/// Denied: requests refused by the permissions gate, and steps whose tool's groups were not asked
/// for. Escalation: those of them that asked for groups beyond their profile, `*` among them.
/// Invalid transition: steps whose tool would move the state, tried in a state it does not list.
fn add_security_metrics(page: &mut MetricsPage, simulation: &Simulation, profiles: &[Profile]) {
    let start_denied = u64::from(check_permission(profiles, simulation.start()).is_err());
    let mut denied = start_denied;
    let mut escalations = start_denied;
    let mut invalid = 0_u64;
    for refused in simulation.refused_attempts() {
        match &refused.cause {
            // The start's own refusal is counted above; what is tried under it is the same request.
            RefusedCause::Denied(_) if start_denied > 0 => {}
            RefusedCause::Denied(_) => {
                denied += 1;
                escalations += 1;
            }
            RefusedCause::Hidden(reasons) => {
                denied +=
                    u64::from(reasons.iter().any(|reason| matches!(reason, Reason::Group { .. })));
                invalid +=
                    u64::from(reasons.iter().any(|reason| matches!(reason, Reason::State { .. })));
            }
        }
    }
    for (name, help, count) in [
        (
            "agent_group_access_denied_total",
            "Requests for groups beyond the user's permissions, and tools outside the requested \
            groups.",
            denied,
        ),
        (
            "agent_invalid_state_transition_total",
            "Attempts to use a tool in a state that it doesn't list.",
            invalid,
        ),
        (
            "agent_privilege_escalation_attempts_total",
            "Requests for groups beyond the user's permissions.",
            escalations,
        ),
    ] {
        page.write_head(name, "counter", help);
        page.write_line(name, &[], count as f64);
    }
}

/// A page in the Prometheus text format.
#[derive(Default)]
struct MetricsPage {
    text: String,
}

impl MetricsPage {
    fn write_head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn write_line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(key, value)| format!("{key}=\"{}\"", escape_label(value)))
            .collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }

    fn write_histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        bounds: &[f64],
        values: &[f64],
    ) {
        for bound in bounds.iter().copied().chain([f64::INFINITY]) {
            let within = values.iter().filter(|value| **value <= bound).count();
            let bound = if bound.is_finite() { bound.to_string() } else { "+Inf".into() };
            let labels: Vec<(&str, &str)> =
                labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.write_line(&format!("{name}_bucket"), &labels, within as f64);
        }
        self.write_line(&format!("{name}_sum"), labels, values.iter().sum());
        self.write_line(&format!("{name}_count"), labels, values.len() as f64);
    }
}

fn escape_label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{gated::Slot, simulate::run::Take},
        model::{
            call::Outcome,
            clock::Millis,
            context::Mode,
            tool::{Gate, States},
        },
    };

    #[test]
    fn every_name_of_the_document_is_there_once_and_counts() {
        let tool = |key: &str, group: &str, states, next: Option<&str>| Slot {
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
            tool("look", "read", States::Only(vec!["undefined".into()]), Some("found")),
            tool("wipe", "ad\"min", States::Only(vec!["found".into()]), None),
        ];
        let start = Context { user: None, groups: Some(vec!["read".into()]), state: None };
        let mut simulation = Simulation::new(start, Mode::Document, Millis(0));
        simulation
            .take_step(&tools, &[], Take::simulated(0, Outcome::Succeeded, Millis(700)))
            .unwrap();
        simulation
            .take_step(&tools, &[], Take::simulated(1, Outcome::Succeeded, Millis(800)))
            .unwrap_err();
        simulation
            .take_step(&tools, &[], Take::simulated(0, Outcome::Succeeded, Millis(900)))
            .unwrap_err();
        simulation.set_groups(Some(vec!["ad\"min".into(), "read".into()]));
        let text = render_metrics(&simulation, &tools, &[]);
        for name in [
            "agent_tool_group_requests_total counter",
            "agent_tool_group_availability gauge",
            "agent_filtered_tools_count histogram",
            "agent_state_transitions_total counter",
            "agent_workflow_duration_seconds histogram",
            "agent_state_availability gauge",
            "agent_group_access_denied_total counter",
            "agent_invalid_state_transition_total counter",
            "agent_privilege_escalation_attempts_total counter",
        ] {
            assert_eq!(text.matches(&format!("# TYPE {name}\n")).count(), 1, "{name} in\n{text}");
        }
        for line in [
            r#"agent_tool_group_requests_total{group="read"} 2"#,
            r#"agent_tool_group_requests_total{group="ad\"min"} 1"#,
            r#"agent_tool_group_availability{group="ad\"min"} 1"#,
            r#"agent_tool_group_availability{group="read"} 0"#,
            r#"agent_filtered_tools_count_bucket{le="1"} 2"#,
            r#"agent_filtered_tools_count_bucket{le="+Inf"} 2"#,
            r#"agent_state_transitions_total{tool="look",from="undefined",to="found"} 1"#,
            r#"agent_workflow_duration_seconds_bucket{state="undefined",le="0.5"} 0"#,
            r#"agent_workflow_duration_seconds_sum{state="undefined"} 0.7"#,
            r#"agent_state_availability{state="found"} 1"#,
            "agent_group_access_denied_total 1",
            "agent_invalid_state_transition_total 1",
            "agent_privilege_escalation_attempts_total 0",
        ] {
            assert!(text.lines().any(|has| has == line), "{line} not in\n{text}");
        }
    }
}

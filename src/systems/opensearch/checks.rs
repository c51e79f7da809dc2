//! What is wrong with OpenSearch's entries: what a cluster refuses, and what it sends without a
//! word although nobody means it.

mod agents;
mod connectors;
mod each;
mod requests;
mod templates;

use super::keys;
use crate::{
    engine::lint::{
        self,
        check::{Check, CheckLevel, Run},
        context::LintContext,
    },
    model::finding::Finding,
    systems::gate_tables,
};

/// Every check of this system.
pub const CHECKS: &[Check] = &[
    Check {
        code: "template.prefix",
        severity: CheckLevel::WARNING,
        about: "A placeholder lacks `parameters.`: it is sent unchanged.",
        run: Run::Entry(templates::missing_prefix),
    },
    Check {
        code: "template.unclosed",
        severity: CheckLevel::WARNING,
        about: "A placeholder has no `}`: it is text, and is sent unchanged.",
        run: Run::Entry(templates::unclosed),
    },
    Check {
        code: "template.default",
        severity: CheckLevel::WARNING,
        about: "A default follows `:` alone: only `:-` separates it from the name, so no \
                parameter has that name.",
        run: Run::Entry(templates::single_colon),
    },
    Check {
        code: "template.blank",
        severity: CheckLevel::WARNING,
        about: "Spaces are part of a placeholder's name: no parameter has that name.",
        run: Run::Entry(templates::blank_name),
    },
    Check {
        code: "template.nested",
        severity: CheckLevel::WARNING,
        about: "A placeholder within a placeholder is not read: the first `}` ends the outer one.",
        run: Run::Entry(templates::nested),
    },
    Check {
        code: "template.null-text",
        severity: CheckLevel::WARNING,
        about: "`:-null` between quotes is the text null in a tool's request_body; a null it is only in a connector's, of names in one word.",
        run: Run::Entry(templates::null_text),
    },
    Check {
        code: "template.no-value",
        severity: CheckLevel::WARNING,
        about: "Nothing gives a placeholder's name a value: input_schema, which says what a model gives, does not name it.",
        run: Run::Entry(templates::no_value),
    },
    Check {
        code: "template.cycle",
        severity: CheckLevel::ERROR,
        about: "Parameters name each other in a circle: the tool cannot run.",
        run: Run::Entry(templates::cycle),
    },
    Check {
        code: "request.uri",
        severity: CheckLevel::ERROR,
        about: "A tool that calls an API needs its path.",
        run: Run::Entry(requests::uri),
    },
    Check {
        code: "request.method",
        severity: CheckLevel::ERROR,
        about: "A DynamicTool needs its method, in capitals.",
        run: Run::Entry(requests::method),
    },
    Check {
        code: "request.body",
        severity: CheckLevel::ERROR,
        about: "The body is not JSON, whatever its placeholders are filled in with.",
        run: Run::Entry(requests::body),
    },
    Check {
        code: "request.swapped-body",
        severity: CheckLevel::WARNING,
        about: "A search path has the body of a model's call, or the other way round.",
        run: Run::Entry(requests::swapped_body),
    },
    Check {
        code: "output.filter",
        severity: CheckLevel::ERROR,
        about: "The filter is no JSONPath that can be read: it picks nothing.",
        run: Run::Entry(requests::filter),
    },
    Check {
        code: "output.processors",
        severity: CheckLevel::ERROR,
        about: "A processor cannot be made: the cluster refuses the tool, or leaves the processor out.",
        run: Run::Entry(requests::processors),
    },
    Check {
        code: "steps.output",
        severity: CheckLevel::WARNING,
        about: "A step asks for the output of a step that is not before it.",
        run: Run::Entry(agents::step_output),
    },
    Check {
        code: "steps.name-clash",
        severity: CheckLevel::ERROR,
        about: "Two steps have the same name: the cluster refuses the agent, and outputs go over each other.",
        run: Run::Entry(agents::name_clash),
    },
    Check {
        code: "agent.type",
        severity: CheckLevel::ERROR,
        about: "The cluster knows no agents of that type.",
        run: Run::Entry(agents::agent_type),
    },
    Check {
        code: "agent.model",
        severity: CheckLevel::ERROR,
        about: "A conversational or plan_execute_and_reflect agent needs a model: the cluster refuses it without.",
        run: Run::Entry(agents::agent_model),
    },
    Check {
        code: "agent.name",
        severity: CheckLevel::ERROR,
        about: "An agent's name has 1 to 128 letters.",
        run: Run::Entry(agents::agent_name),
    },
    Check {
        code: "tool.unknown-type",
        severity: CheckLevel::WARNING,
        about: "The kept list of a cluster's tools has no such type: an agent is registered with it, and fails when it runs.",
        run: Run::All(agents::unknown_type),
    },
    Check {
        code: "gate.malformed",
        severity: CheckLevel::ERROR,
        about: "[opensearch] of toolcrib.toml says something in another shape than is read.",
        run: Run::Entry(gate_tables::find_malformed),
    },
    Check {
        code: "gate.unknown",
        severity: CheckLevel::WARNING,
        about: "[opensearch] of toolcrib.toml names a key that is not read, or a tool that no entry has.",
        run: Run::Entry(gate_tables::find_unknown),
    },
    Check {
        code: "connector.action",
        severity: CheckLevel::ERROR,
        about: "An action has a type, a method and a url; its name, where it has one, is up to 64 letters, digits, - and _, and no type.",
        run: Run::Entry(connectors::action),
    },
    Check {
        code: "connector.header",
        severity: CheckLevel::ERROR,
        about: "A header that names somebody takes credentials only, no parameters.",
        run: Run::Entry(connectors::header),
    },
    Check {
        code: "connector.url",
        severity: CheckLevel::ERROR,
        about: "The address is no URL with a host, whatever its placeholders are filled in with.",
        run: Run::Entry(connectors::url),
    },
    Check {
        code: "connector.body",
        severity: CheckLevel::ERROR,
        about: "The body of an action is no JSON object or array, whatever its placeholders are filled in with.",
        run: Run::Entry(connectors::body),
    },
];

/// What is wrong with the entries of this system.
#[must_use]
pub fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == keys::SYSTEM)
}

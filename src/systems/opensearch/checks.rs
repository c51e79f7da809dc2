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
        code: "identity.no-description",
        severity: CheckLevel::WARNING,
        about: "The tool has no description: a model can't know when to use it.",
        run: Run::Tool(requests::no_description),
    },
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
        about: "A default follows a single `:`: only `:-` separates it from the name, so no \
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
        about: "A placeholder inside a placeholder isn't filled in: the first `}` ends the outer \
            one.",
        run: Run::Entry(templates::nested),
    },
    Check {
        code: "template.null-text",
        severity: CheckLevel::WARNING,
        about: "`:-null` in quotes is the text \"null\" in a tool's request_body; only in a \
            connector's is it a null, and only for names of letters, digits and _.",
        run: Run::Entry(templates::null_text),
    },
    Check {
        code: "template.no-value",
        severity: CheckLevel::WARNING,
        about: "A placeholder has no value: input_schema, which defines what a model gives, \
            doesn't have its name.",
        run: Run::Entry(templates::no_value),
    },
    Check {
        code: "template.cycle",
        severity: CheckLevel::ERROR,
        about: "Parameters refer to each other in a cycle: the tool can't run.",
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
        code: "tool.schema",
        severity: CheckLevel::ERROR,
        about: "The text of input_schema isn't JSON, or no JSON Schema: a model gets no arguments.",
        run: Run::Entry(requests::schema_text),
    },
    Check {
        code: "request.body",
        severity: CheckLevel::ERROR,
        about: "The body isn't JSON, whatever values its placeholders get.",
        run: Run::Entry(requests::body),
    },
    Check {
        code: "request.swapped-body",
        severity: CheckLevel::WARNING,
        about: "A search has the body of a model's call, or the other way round.",
        run: Run::Entry(requests::swapped_body),
    },
    Check {
        code: "output.filter",
        severity: CheckLevel::ERROR,
        about: "The filter isn't a valid JSONPath: it selects nothing.",
        run: Run::Entry(requests::filter),
    },
    Check {
        code: "output.processors",
        severity: CheckLevel::ERROR,
        about: "A processor is invalid: the cluster rejects the tool, or ignores the processor.",
        run: Run::Entry(requests::processors),
    },
    Check {
        code: "steps.output",
        severity: CheckLevel::WARNING,
        about: "A step uses the output of a step that isn't before it.",
        run: Run::Entry(agents::step_output),
    },
    Check {
        code: "steps.name-clash",
        severity: CheckLevel::ERROR,
        about: "Two steps have the same name: the cluster rejects the agent, and their outputs \
            overwrite each other.",
        run: Run::Entry(agents::name_clash),
    },
    Check {
        code: "agent.type",
        severity: CheckLevel::ERROR,
        about: "The cluster has no such agent type.",
        run: Run::Entry(agents::agent_type),
    },
    Check {
        code: "agent.model",
        severity: CheckLevel::ERROR,
        about: "A conversational or plan_execute_and_reflect agent needs a model, and llm its \
            model_id: the cluster rejects it without.",
        run: Run::Entry(agents::agent_model),
    },
    Check {
        code: "agent.tools",
        severity: CheckLevel::ERROR,
        about: "An agent's tools are a list of objects, each with a type: the cluster rejects \
            anything else.",
        run: Run::Entry(agents::agent_tools),
    },
    Check {
        code: "steps.none",
        severity: CheckLevel::WARNING,
        about: "A flow agent or a composite tool has no steps: it can't run.",
        run: Run::Entry(agents::no_steps),
    },
    Check {
        code: "steps.type",
        severity: CheckLevel::ERROR,
        about: "A step has neither a type nor a uri: it can't run.",
        run: Run::Entry(agents::step_type),
    },
    Check {
        code: "tool.target",
        severity: CheckLevel::WARNING,
        about: "A tool names no model, agent or connector, and input_schema doesn't ask for one: \
            it only runs where a request does.",
        run: Run::Entry(agents::tool_target),
    },
    Check {
        code: "agent.name",
        severity: CheckLevel::ERROR,
        about: "An agent's name must have 1 to 128 characters.",
        run: Run::Entry(agents::agent_name),
    },
    Check {
        code: "tool.unknown-type",
        severity: CheckLevel::WARNING,
        about: "The saved list of the cluster's tools has no such type: the agent can be \
            registered, but fails when it runs.",
        run: Run::All(agents::unknown_type),
    },
    Check {
        code: "gate.malformed",
        severity: CheckLevel::ERROR,
        about: "A value of [opensearch] in toolcrib.toml has the wrong type.",
        run: Run::Entry(gate_tables::find_malformed),
    },
    Check {
        code: "gate.unknown",
        severity: CheckLevel::WARNING,
        about: "[opensearch] in toolcrib.toml has an unknown key, or a tool that doesn't exist.",
        run: Run::Entry(gate_tables::find_unknown),
    },
    Check {
        code: "connector.fields",
        severity: CheckLevel::ERROR,
        about: "A connector needs a name, a version, and a protocol that the cluster has.",
        run: Run::Entry(connectors::fields),
    },
    Check {
        code: "connector.credential",
        severity: CheckLevel::WARNING,
        about: "A new connector has no credential, or not those that its headers, or AWS, need.",
        run: Run::Entry(connectors::credential),
    },
    Check {
        code: "connector.action",
        severity: CheckLevel::ERROR,
        about: "An action needs a type, a method (POST, GET, PUT, DELETE) and a url; its optional name has up to 64 \
            letters, digits, - and _, and isn't a type.",
        run: Run::Entry(connectors::action),
    },
    Check {
        code: "connector.header",
        severity: CheckLevel::ERROR,
        about: "An authentication header can use credentials, but not parameters.",
        run: Run::Entry(connectors::header),
    },
    Check {
        code: "connector.url",
        severity: CheckLevel::ERROR,
        about: "The address isn't a URL with a host, whatever values its placeholders get.",
        run: Run::Entry(connectors::url),
    },
    Check {
        code: "connector.body",
        severity: CheckLevel::ERROR,
        about: "An action's body isn't a JSON object or array, whatever values its placeholders \
            get.",
        run: Run::Entry(connectors::body),
    },
];

/// What is wrong with the entries of this system.
#[must_use]
pub fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == keys::SYSTEM)
}

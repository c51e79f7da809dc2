//! What is wrong with TrustGraph's entries: one table of rows, functions by what they look at.
//!
//! [`known`] says which keys there are; the others look at entries, fields, gates, services,
//! arguments, and the whole set.

mod arguments;
mod carried;
mod entries;
mod fields;
mod gates;
mod known;
mod remote;
mod schema;
mod services;
mod set;
mod templates;

pub use carried::{UNCARRIED, uncarried_queues};
pub(crate) use remote::remote_differences;
pub(crate) use templates::missing_templates;

use crate::{
    engine::lint::{
        self,
        check::{Check, CheckLevel, Run},
        context::LintContext,
    },
    model::finding::{Finding, Severity},
};

/// A departure of the deployed code from the document: harmless by the document, an error where it
/// runs.
const AS_DEPLOYED: CheckLevel = CheckLevel::by_mode(Severity::Note, Severity::Error);
/// What the document's own examples do, and the deployed code does not bear.
const TOLERATED: CheckLevel = CheckLevel::by_mode(Severity::Warning, Severity::Error);

/// What shows only beside the connections: each with its severity and what it finds.
pub const THERE: &[(&str, Severity, &str)] =
    &[UNCARRIED, templates::MISSING, remote::UNKNOWN, remote::ARGUMENTS];

/// Every check of TrustGraph's own.
pub const CHECKS: &[Check] = &[
    Check {
        code: "entry.malformed",
        severity: CheckLevel::ERROR,
        about: "The entry isn't an object, or its text isn't JSON.",
        run: Run::Entry(entries::entry_malformed),
    },
    Check {
        code: "entry.not-json-text",
        severity: CheckLevel::WARNING,
        about: "An entry of an export is an object; the configuration service expects JSON as \
            text.",
        run: Run::All(entries::not_json_text),
    },
    Check {
        code: "type.missing",
        severity: CheckLevel::ERROR,
        about: "The tool has no type.",
        run: Run::Tool(fields::type_missing),
    },
    Check {
        code: "type.unknown",
        severity: TOLERATED,
        about: "TrustGraph doesn't know the tool's type.",
        run: Run::Tool(fields::type_unknown),
    },
    Check {
        code: "identity.no-name",
        severity: CheckLevel::ERROR,
        about: "The tool has no name for the model.",
        run: Run::Tool(fields::no_name),
    },
    Check {
        code: "identity.no-description",
        severity: CheckLevel::WARNING,
        about: "The tool has no description: a model can't know when to use it.",
        run: Run::Tool(fields::no_description),
    },
    Check {
        code: "identity.description-long",
        severity: CheckLevel::NOTE,
        about: "The description has more than 1,024 characters: OpenAI's API rejects it.",
        run: Run::Tool(fields::description_long),
    },
    Check {
        code: "identity.file-name",
        severity: CheckLevel::NOTE,
        about: "A service's id and its file's name differ.",
        run: Run::Service(services::file_name),
    },
    Check {
        code: "descriptor.missing-field",
        severity: TOLERATED,
        about: "A field that the tool's type needs is missing.",
        run: Run::Tool(fields::field_missing),
    },
    Check {
        code: "descriptor.wrong-type",
        severity: CheckLevel::ERROR,
        about: "A field has a type that TrustGraph can't read.",
        run: Run::Entry(fields::wrong_type),
    },
    Check {
        code: "descriptor.unusual-type",
        severity: CheckLevel::by_mode(Severity::Error, Severity::Warning),
        about: "A field has the wrong type; TrustGraph loads it as it is.",
        run: Run::Entry(fields::unusual_type),
    },
    Check {
        code: "descriptor.unknown-key",
        severity: CheckLevel::WARNING,
        about: "TrustGraph doesn't know the key and ignores it.",
        run: Run::Entry(fields::unknown_key),
    },
    Check {
        code: "descriptor.key-ignored",
        severity: AS_DEPLOYED,
        about: "The document's key \"mcp_tool_id\", which the deployed code ignores: it reads \"mcp-tool\".",
        run: Run::Tool(fields::mcp_key_ignored),
    },
    Check {
        code: "gates.misspelt-key",
        severity: CheckLevel::ERROR,
        about: "A key that seems to mean groups or states has no effect: the tool isn't \
            restricted, or the key is in the wrong place.",
        run: Run::Tool(gates::misspelt_key),
    },
    Check {
        code: "gates.states-key-ignored",
        severity: AS_DEPLOYED,
        about: "The document's key \"available_in_states\", which the deployed code ignores: there the tool is available in every state.",
        run: Run::Tool(gates::states_key_ignored),
    },
    Check {
        code: "states.both-keys",
        severity: CheckLevel::WARNING,
        about: "Both keys for states are set and differ; only \"applicable-states\" applies.",
        run: Run::Tool(gates::both_keys),
    },
    Check {
        code: "gates.listed-twice",
        severity: CheckLevel::WARNING,
        about: "A group or a state is listed twice, which has no effect.",
        run: Run::Tool(gates::listed_twice),
    },
    Check {
        code: "service.not-named",
        severity: CheckLevel::ERROR,
        about: "A tool of type tool-service has no service.",
        run: Run::Tool(services::not_named),
    },
    Check {
        code: "service.unknown",
        severity: CheckLevel::ERROR,
        about: "A tool names a service that does not exist.",
        run: Run::All(services::service_unknown),
    },
    Check {
        code: "service.parameter-missing",
        severity: CheckLevel::ERROR,
        about: "A tool lacks a configuration value that its service requires.",
        run: Run::Tool(services::parameter_missing),
    },
    Check {
        code: "service.value-undeclared",
        severity: CheckLevel::WARNING,
        about: "A tool has a value that its service doesn't declare; it isn't passed on.",
        run: Run::Tool(services::value_undeclared),
    },
    Check {
        code: "service.no-id",
        severity: CheckLevel::by_mode(Severity::Warning, Severity::Note),
        about: "The service has no id, which the document requires.",
        run: Run::Service(services::no_id),
    },
    Check {
        code: "service.id-differs",
        severity: CheckLevel::WARNING,
        about: "The service's id differs from its key: in the document tools refer to its id, as \
            deployed to its key.",
        run: Run::Service(services::id_differs),
    },
    Check {
        code: "service.queue-missing",
        severity: CheckLevel::ERROR,
        about: "The service lacks its request queue or its response queue.",
        run: Run::Service(services::queue_missing),
    },
    Check {
        code: "service.queue-name",
        severity: CheckLevel::ERROR,
        about: "A queue's name is invalid.",
        run: Run::Service(services::queue_name),
    },
    Check {
        code: "service.parameter-malformed",
        severity: CheckLevel::ERROR,
        about: "A declared parameter is neither a name nor an object with one, or appears twice.",
        run: Run::Service(services::parameter_malformed),
    },
    Check {
        code: "service.parameter-shadowed",
        severity: CheckLevel::WARNING,
        about: "A parameter has the name of a field that every tool has.",
        run: Run::Service(services::parameter_shadowed),
    },
    Check {
        code: "server.unknown",
        severity: CheckLevel::WARNING,
        about: "A tool refers to an MCP server that isn't in the workspace.",
        run: Run::Tool(services::server_unknown),
    },
    Check {
        code: "server.no-url",
        severity: CheckLevel::ERROR,
        about: "The MCP server has no url.",
        run: Run::Entry(services::server_no_url),
    },
    Check {
        code: "server.url",
        severity: CheckLevel::WARNING,
        about: "The url of the MCP server doesn't begin with http:// or https://.",
        run: Run::Entry(services::server_url),
    },
    Check {
        code: "arguments.malformed",
        severity: CheckLevel::ERROR,
        about: "The arguments aren't a list of objects.",
        run: Run::Tool(arguments::arguments_malformed),
    },
    Check {
        code: "arguments.no-name",
        severity: CheckLevel::ERROR,
        about: "An argument has no name.",
        run: Run::Tool(arguments::no_name),
    },
    Check {
        code: "arguments.no-type",
        severity: CheckLevel::WARNING,
        about: "An argument has no type.",
        run: Run::Tool(arguments::no_type),
    },
    Check {
        code: "arguments.unknown-type",
        severity: CheckLevel::WARNING,
        about: "An argument's type isn't a JSON type; nothing checks it, and models have to guess.",
        run: Run::Tool(arguments::unknown_type),
    },
    Check {
        code: "arguments.no-description",
        severity: CheckLevel::WARNING,
        about: "An argument has no description for the model.",
        run: Run::Tool(arguments::no_description),
    },
    Check {
        code: "arguments.duplicate",
        severity: CheckLevel::ERROR,
        about: "Two arguments have the same name.",
        run: Run::Tool(arguments::argument_duplicate),
    },
    Check {
        code: "arguments.named-like-parameter",
        severity: CheckLevel::WARNING,
        about: "An argument has the name of a configuration parameter of the service.",
        run: Run::Tool(arguments::named_like_parameter),
    },
    Check {
        code: "arguments.name-refused",
        severity: CheckLevel::NOTE,
        about: "An argument's name has characters that the function-calling APIs of OpenAI and \
            Anthropic reject.",
        run: Run::Tool(arguments::name_refused),
    },
    Check {
        code: "arguments.unknown-key",
        severity: CheckLevel::NOTE,
        about: "A key of an argument that models don't see.",
        run: Run::Tool(arguments::unknown_key),
    },
    Check {
        code: "arguments.ignored",
        severity: CheckLevel::WARNING,
        about: "The tool's type has a fixed argument; its list is ignored.",
        run: Run::Tool(arguments::arguments_ignored),
    },
    Check {
        code: "arguments.none",
        severity: CheckLevel::NOTE,
        about: "An MCP tool without arguments: the model guesses their names.",
        run: Run::Tool(arguments::arguments_missing),
    },
    Check {
        code: "arguments.schema-invalid",
        severity: CheckLevel::ERROR,
        about: "The schema of the arguments isn't a JSON Schema for an object.",
        run: Run::Tool(schema::schema_invalid),
    },
    Check {
        code: "arguments.schema-contradiction",
        severity: CheckLevel::WARNING,
        about: "The schema of the arguments says two things that can't both hold, or a keyword or \
                format is misspelt.",
        run: Run::Tool(schema::schema_contradictory),
    },
    Check {
        code: "arguments.schema-differs",
        severity: CheckLevel::WARNING,
        about: "The list of arguments and their schema differ; TrustGraph's own model only reads \
            the list.",
        run: Run::Tool(schema::schema_differs),
    },
    Check {
        code: "load.set-refused",
        severity: CheckLevel::only_as_deployed(Severity::Error),
        about: "The entry keeps TrustGraph from loading any tool.",
        run: Run::All(set::loading_refused),
    },
];

/// Findings of TrustGraph's own checks.
#[must_use]
pub(crate) fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == super::keys::SYSTEM)
}

//! What is wrong with CommonGround's definitions: what the API refuses, and what it takes although
//! it breaks later.
//!
//! [`mod@refused`] says the API's own rules at their places, [`mod@listeners`] what shows only
//! where a deployment is reached; the others look at the name and members, the subject, the
//! parameters, the options.

mod listeners;
mod members;
mod options;
mod parameters;
mod refused;
mod subject;

pub(crate) use listeners::check_listeners;
pub use refused::{CODES, KEY_NOT_TEXT, refusal_findings};

use crate::{
    engine::lint::{
        self,
        check::{Check, CheckLevel, Run},
        context::LintContext,
    },
    model::finding::Finding,
    systems::gate_tables,
};

/// What the API takes and what breaks later, or does not do what it seems to.
pub const CHECKS: &[Check] = &[
    Check {
        code: "identity.no-description",
        severity: CheckLevel::WARNING,
        about: "The tool has no description: a model can't know when to use it.",
        run: Run::Tool(members::no_description),
    },
    Check {
        code: "identity.shadowed",
        severity: CheckLevel::WARNING,
        about: "The name is that of one of CommonGround's own tools, or very similar.",
        run: Run::Tool(members::name_shadowed),
    },
    Check {
        code: "descriptor.unknown-key",
        severity: CheckLevel::WARNING,
        about: "CommonGround doesn't know the key and drops it.",
        run: Run::Entry(members::unknown_key),
    },
    Check {
        code: "gate.malformed",
        severity: CheckLevel::ERROR,
        about: "A value of [commonground] in toolcrib.toml has the wrong type.",
        run: Run::Entry(gate_tables::find_malformed),
    },
    Check {
        code: "gate.unknown",
        severity: CheckLevel::WARNING,
        about: "[commonground] in toolcrib.toml has an unknown key, or a tool that doesn't exist.",
        run: Run::Entry(gate_tables::find_unknown),
    },
    Check {
        code: "subject.undeliverable",
        severity: CheckLevel::ERROR,
        about: "No service receives commands on this subject: too few or too many parts, another \
                version, wildcards, spaces.",
        run: Run::Tool(subject::subject_undeliverable),
    },
    Check {
        code: "subject.variable-unknown",
        severity: CheckLevel::ERROR,
        about: "The subject has a variable that the dispatcher doesn't fill in.",
        run: Run::Tool(subject::variable_unknown),
    },
    Check {
        code: "subject.literal",
        severity: CheckLevel::WARNING,
        about: "The subject names one project or channel: the dispatcher refuses to send there \
            from any other.",
        run: Run::Tool(subject::subject_literal),
    },
    Check {
        code: "parameters.not-object",
        severity: CheckLevel::WARNING,
        about: "The parameters aren't the schema of an object: models' APIs reject them.",
        run: Run::Tool(parameters::not_object),
    },
    Check {
        code: "parameters.bare-array",
        severity: CheckLevel::WARNING,
        about: "An array without items, at a place that CommonGround doesn't check; some models' \
            APIs reject it.",
        run: Run::Tool(parameters::bare_array),
    },
    Check {
        code: "parameters.unchecked",
        severity: CheckLevel::WARNING,
        about: "CommonGround accepts this part of the schema, but values can't be checked against \
            it: a pattern in Python's syntax, a reference outside the schema, an unknown version of JSON Schema.",
        run: Run::Tool(parameters::schema_unchecked),
    },
    Check {
        code: "parameters.invalid",
        severity: CheckLevel::ERROR,
        about: "The parameters have a fault for which CommonGround rejects them.",
        run: Run::Tool(parameters::schema_invalid),
    },
    Check {
        code: "parameters.required-undefined",
        severity: CheckLevel::WARNING,
        about: "A required parameter isn't among the properties.",
        run: Run::Tool(parameters::required_undefined),
    },
    Check {
        code: "parameters.contradiction",
        severity: CheckLevel::WARNING,
        about: "The schema says two things that can't both hold, or a keyword or format is misspelt.",
        run: Run::Tool(parameters::contradictory),
    },
    Check {
        code: "options.malformed",
        severity: CheckLevel::WARNING,
        about: "An option has the wrong type; CommonGround silently ignores it.",
        run: Run::Tool(options::options_malformed),
    },
    Check {
        code: "options.unknown-key",
        severity: CheckLevel::NOTE,
        about: "CommonGround has no option with that name.",
        run: Run::Tool(options::unknown_key),
    },
    Check {
        code: "options.default-refused",
        severity: CheckLevel::WARNING,
        about: "A default or fixed value doesn't match the schema of its parameter.",
        run: Run::Tool(options::value_refused),
    },
    Check {
        code: "options.never-used",
        severity: CheckLevel::WARNING,
        about: "A default or fixed value has no effect: a fixed value or an environment variable \
            overrides it.",
        run: Run::Tool(options::never_used),
    },
    Check {
        code: "options.variable-unknown",
        severity: CheckLevel::WARNING,
        about: "A value has a variable that CommonGround doesn't know, or doesn't fill in there.",
        run: Run::Tool(options::variable_unknown),
    },
    Check {
        code: "options.variable-shown",
        severity: CheckLevel::NOTE,
        about: "Models see a default's variable as written, not filled in.",
        run: Run::Tool(options::variable_shown),
    },
    Check {
        code: "options.waiting",
        severity: CheckLevel::NOTE,
        about: "The timeout has no effect: it isn't longer than the default.",
        run: Run::Tool(options::timeout_ineffective),
    },
    Check {
        code: "jina.host",
        severity: CheckLevel::ERROR,
        about: "CommonGround's Jina service only reaches two hosts and rejects others at run time.",
        run: Run::Tool(options::jina_host),
    },
    Check {
        code: "jina.key-in-query",
        severity: CheckLevel::WARNING,
        about: "An argument from the environment becomes part of the request's URL, which ends up \
            in logs.",
        run: Run::Tool(options::jina_key_in_query),
    },
];

/// Findings of CommonGround's own checks, beside what its API refuses.
#[must_use]
pub(crate) fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == super::keys::SYSTEM)
}

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
        about: "The tool has no description: a model cannot tell when to use it.",
        run: Run::Tool(members::no_description),
    },
    Check {
        code: "identity.shadowed",
        severity: CheckLevel::WARNING,
        about: "The name is that of a tool which CommonGround's worker has itself, or nearly so.",
        run: Run::Tool(members::name_shadowed),
    },
    Check {
        code: "descriptor.unknown-key",
        severity: CheckLevel::WARNING,
        about: "CommonGround does not know the key and drops it.",
        run: Run::Entry(members::unknown_key),
    },
    Check {
        code: "gate.malformed",
        severity: CheckLevel::ERROR,
        about: "[commonground] of toolcrib.toml says something in another shape than is read.",
        run: Run::Entry(gate_tables::find_malformed),
    },
    Check {
        code: "gate.unknown",
        severity: CheckLevel::WARNING,
        about: "[commonground] of toolcrib.toml names a key that is not read, or a tool that no entry has.",
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
        about: "The subject has a variable that the dispatcher does not fill in.",
        run: Run::Tool(subject::variable_unknown),
    },
    Check {
        code: "subject.literal",
        severity: CheckLevel::WARNING,
        about: "The subject names one project or channel: from any other the dispatcher refuses to send there.",
        run: Run::Tool(subject::subject_literal),
    },
    Check {
        code: "parameters.not-object",
        severity: CheckLevel::WARNING,
        about: "The parameters are no schema of an object, which models' APIs refuse.",
        run: Run::Tool(parameters::not_object),
    },
    Check {
        code: "parameters.bare-array",
        severity: CheckLevel::WARNING,
        about: "An array without items where CommonGround does not look for it; some models' APIs refuse it.",
        run: Run::Tool(parameters::bare_array),
    },
    Check {
        code: "parameters.unchecked",
        severity: CheckLevel::WARNING,
        about: "CommonGround takes this part of the schema, but nothing can check values by it: a pattern that only Python reads, a reference that leads out of it or nowhere, an unknown version of JSON Schema.",
        run: Run::Tool(parameters::schema_unchecked),
    },
    Check {
        code: "parameters.required-undefined",
        severity: CheckLevel::WARNING,
        about: "A required parameter is not among the properties.",
        run: Run::Tool(parameters::required_undefined),
    },
    Check {
        code: "options.malformed",
        severity: CheckLevel::WARNING,
        about: "A part of the options holds another kind of value than CommonGround reads; it is ignored without a word.",
        run: Run::Tool(options::options_malformed),
    },
    Check {
        code: "options.unknown-key",
        severity: CheckLevel::NOTE,
        about: "CommonGround reads no option of that name.",
        run: Run::Tool(options::unknown_key),
    },
    Check {
        code: "options.default-refused",
        severity: CheckLevel::WARNING,
        about: "A default or fixed value breaks the schema of its parameter.",
        run: Run::Tool(options::value_refused),
    },
    Check {
        code: "options.never-used",
        severity: CheckLevel::WARNING,
        about: "A default or fixed value never counts: a fixed value or a variable of the \
                environment overrides it.",
        run: Run::Tool(options::never_used),
    },
    Check {
        code: "options.variable-unknown",
        severity: CheckLevel::WARNING,
        about: "A value names a variable that CommonGround does not know, or does not fill in at \
                that place.",
        run: Run::Tool(options::variable_unknown),
    },
    Check {
        code: "options.variable-shown",
        severity: CheckLevel::NOTE,
        about: "A default with a variable is shown to the model as it is written, not filled in.",
        run: Run::Tool(options::variable_shown),
    },
    Check {
        code: "options.waiting",
        severity: CheckLevel::NOTE,
        about: "The waiting time is no longer than the one that holds without it.",
        run: Run::Tool(options::timeout_ineffective),
    },
    Check {
        code: "jina.host",
        severity: CheckLevel::ERROR,
        about: "CommonGround's Jina service reaches two hosts only, and refuses any other at run time.",
        run: Run::Tool(options::jina_host),
    },
    Check {
        code: "jina.key-in-query",
        severity: CheckLevel::WARNING,
        about: "An argument from the environment goes into the address of the request, where logs keep it.",
        run: Run::Tool(options::jina_key_in_query),
    },
];

/// Findings of CommonGround's own checks, beside what its API refuses.
#[must_use]
pub(crate) fn check_catalog(context: &LintContext<'_>) -> Vec<Finding> {
    lint::run_checks(CHECKS, context, |system| system == super::keys::SYSTEM)
}

//! The health of a set of tools: what makes it harder for a model to choose the right one and to
//! call it well.
//!
//! One table of rows, as of checks. [`set`] is what is kept of each tool to compare them,
//! [`words`] cuts texts into words, [`alike`] compares names and descriptions, [`texts`] looks at
//! what a description says, [`cost`] counts tokens, [`portable`] knows what each API refuses, and
//! [`place`] finds the place of a schema in the tool's own entry.

mod alike;
pub mod cost;
mod place;
pub mod portable;
mod set;
mod texts;
mod words;

use portable::SchemaFlaw;
use set::{Measured, ToolSet, ToolView};

use super::lint::check::Report;
use crate::model::{
    catalog::Catalog,
    finding::{Finding, Severity},
    health::{Budget, HealthSettings, ModelApi},
    tool::{Function, Tool},
};

/// A row: what is looked at, and by whom.
pub struct HealthCheck {
    /// Stable: scripts name it.
    pub code: &'static str,
    /// One sentence: what it finds, and why that matters.
    pub about: &'static str,
    /// The budget that makes it an error to exceed it, where the workspace gives one.
    budget: Option<fn(&HealthSettings) -> Budget>,
    run: Run,
}

enum Run {
    /// Each tool alone.
    Tool(fn(&ToolView<'_>, &mut Report<'_>)),
    /// The schema of each tool, by the limits of an API.
    Schema(ModelApi),
    /// All tools at once.
    Set(fn(&ToolSet<'_>, &mut Report<'_>)),
}

const fn row(code: &'static str, run: Run, about: &'static str) -> HealthCheck {
    HealthCheck { code, about, budget: None, run }
}

/// Every check of a set's health.
pub const HEALTH: &[HealthCheck] = &[
    row(
        "health.names-alike",
        Run::Set(alike::compare_names),
        "Two names say the same in other words or another order: a model mixes them up.",
    ),
    row(
        "health.descriptions-alike",
        Run::Set(alike::compare_descriptions),
        "Two descriptions have most of their words in common: a model can't choose between them.",
    ),
    row(
        "health.when-to-use",
        Run::Tool(texts::when_to_use),
        "The description says what the tool does, not when to use it.",
    ),
    row(
        "health.argument-undescribed",
        Run::Tool(texts::undescribed_arguments),
        "An argument has no description: a model guesses what to give.",
    ),
    HealthCheck {
        code: "health.tool-tokens",
        about: "The tool costs more tokens than its budget, with every request.",
        budget: Some(|settings| settings.tool_tokens),
        run: Run::Tool(cost::tool_cost),
    },
    HealthCheck {
        code: "health.state-tokens",
        about: "The tools of a state cost more tokens than their budget.",
        budget: Some(|settings| settings.state_tokens),
        run: Run::Set(cost::state_costs),
    },
    row("health.openai", Run::Schema(ModelApi::OpenAi), "OpenAI's API refuses the tool as it is."),
    row(
        "health.openai-strict",
        Run::Schema(ModelApi::OpenAiStrict),
        "OpenAI's API refuses the tool with strict: true.",
    ),
    row(
        "health.anthropic",
        Run::Schema(ModelApi::Anthropic),
        "Anthropic's API refuses the tool as it is.",
    ),
    row(
        "health.anthropic-strict",
        Run::Schema(ModelApi::AnthropicStrict),
        "Anthropic's API refuses the tool with strict: true.",
    ),
    row(
        "health.gemini",
        Run::Schema(ModelApi::Gemini),
        "Gemini's API refuses the schema as parameters.",
    ),
    row("health.mcp", Run::Schema(ModelApi::Mcp), "Some MCP clients refuse the tool."),
];

/// Whether a tool asks for the strict mode that this is.
fn asks_for(api: ModelApi, function: &Function) -> bool {
    function.is_strict() && api.of_strict().is_some()
}

/// Whether the limits of an API count for a tool.
fn counts(api: ModelApi, function: &Function, settings: &HealthSettings) -> bool {
    let is_named = |api: ModelApi| settings.apis.contains(&api);
    is_named(api) || asks_for(api, function) && api.of_strict().is_some_and(is_named)
}

/// Findings on the tools of a catalog that any request can get; `function_of` is a tool as a model
/// gets it, `is_editable` whether its file is the place to change it, `is_name_refused` whether it is
/// said already that APIs refuse its name.
#[must_use]
pub fn check_health(
    catalog: &Catalog,
    settings: &HealthSettings,
    function_of: impl Fn(&Tool) -> Option<Function>,
    is_editable: impl Fn(&Tool) -> bool,
    is_name_refused: impl Fn(&Tool) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let severity_of = |check: &HealthCheck| match check.run {
        // A request with such a tool is refused as a whole.
        Run::Schema(ModelApi::OpenAi | ModelApi::Anthropic) => Severity::Warning,
        Run::Schema(_) if settings.are_apis_given => Severity::Warning,
        _ if check.budget.is_some_and(|budget| budget(settings).is_given) => Severity::Error,
        _ => Severity::Note,
    };
    let mut measured = Vec::with_capacity(catalog.tools.len());
    let mut words = words::WordCounter::default();
    for (row, tool) in catalog.tools.iter().enumerate() {
        if tool.gate.not_loaded().is_some() {
            continue;
        }
        // On a clone: what the entry says is read once and then forgotten.
        let tool = Tool::clone(tool);
        let Some(function) = function_of(&tool) else { continue };
        let tokens = words.token_count(&function);
        let view = ToolView { tool: &tool, function: &function, tokens, settings };
        let mut flaws: Option<Vec<SchemaFlaw>> = None;
        for check in HEALTH {
            let severity = match check.run {
                // Here it is known that the tool is sent so.
                Run::Schema(api) if asks_for(api, &function) => Severity::Warning,
                _ => severity_of(check),
            };
            let mut report = Report::new(check.code, severity, &mut findings);
            match check.run {
                Run::Tool(look) => look(&view, &mut report),
                Run::Schema(api) if counts(api, &function, settings) => {
                    let found = flaws.get_or_insert_with(|| {
                        let is_new = |flaw: &SchemaFlaw| !flaw.is_name || !is_name_refused(&tool);
                        portable::find_flaws(&function).into_iter().filter(is_new).collect()
                    });
                    if !found.is_empty() {
                        portable::report_flaws(&view, api, found, is_editable(&tool), &mut report);
                    }
                }
                Run::Schema(_) | Run::Set(_) => {}
            }
        }
        measured.push(Measured {
            row,
            tokens,
            name: words.name_words(&function.name),
            description: words.text_words(&function.description),
        });
    }
    let set = ToolSet { catalog, measured: &measured, settings, words: &words };
    for check in HEALTH {
        if let Run::Set(look) = check.run {
            look(&set, &mut Report::new(check.code, severity_of(check), &mut findings));
        }
    }
    findings
}

//! A tool as a model gets it, as a text for people: the prompts that it brings, and its function in
//! the form of each API, with what both cost.

use serde_json::{Value, json};

use super::{facets::prompts::Prompt, table::by_id};
use crate::{
    engine::{
        health::portable::strict_refusals,
        model_view::{self, Client, TokenEstimate},
    },
    model::{
        catalog::Catalog,
        tool::{Function, Tool},
    },
};

/// A tool as models get it: all APIs in a line, its prompts, then its function in the form of each
/// API.
#[must_use]
pub fn tool_text(tool: &Tool, catalog: &Catalog) -> String {
    summary_text(tool) + &prompts_text(tool, catalog) + &functions_text(tool)
}

/// All APIs in a line: about how many tokens the function costs there, and whether something in it
/// is refused.
fn summary_text(tool: &Tool) -> String {
    let Some(system) = by_id(tool.entry.system) else { return String::new() };
    let function = system.model_function(tool);
    let of_api = |client: Client| {
        let TokenEstimate(tokens) = TokenEstimate::of_tool(&function, client);
        let verdict = match refusals(&function, client).len() {
            0 => "✓".to_owned(),
            count => format!("⚠ {count} refused"),
        };
        format!("{} {tokens} {verdict}", client.name())
    };
    format!("# tokens: {}\n\n", Client::ALL.map(of_api).join("  "))
}

/// Whether that text may take longer than a key: prompts are rendered for it.
#[must_use]
pub fn takes_long(tool: &Tool) -> bool {
    by_id(tool.entry.system).is_some_and(|system| system.prompts().is_some())
}

/// The prompts of a tool, and what decides how a model gets to use it; empty where its system knows
/// none.
fn prompts_text(tool: &Tool, catalog: &Catalog) -> String {
    let Some(prompts) = by_id(tool.entry.system).and_then(|system| system.prompts()) else {
        return String::new();
    };
    let remarks = prompts.tool_remarks(tool, catalog);
    let mut text: String = remarks.iter().map(|remark| format!("# {remark}\n")).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    let prompts = prompts.tool_prompts(tool, catalog);
    let rendered = |prompt: &Prompt| prompt.rendered.clone().unwrap_or_default();
    if prompts.len() > 1 {
        let all: usize =
            prompts.iter().map(|prompt| TokenEstimate::from_text(&rendered(prompt)).0).sum();
        text += &format!("# Its prompts · {}\n", TokenEstimate(all));
    }
    for prompt in &prompts {
        let estimate = TokenEstimate::from_text(&rendered(prompt));
        let from = if prompt.is_default { ", as the tool has it" } else { "" };
        text += &format!("# {} ({}{from}) · {estimate}\n", prompt.title, prompt.place);
        if !prompt.unknown.is_empty() {
            text += &format!("# empty, for want of a sample: {}\n", prompt.unknown.join(", "));
        }
        match &prompt.rendered {
            Ok(rendered) => text += &format!("{}\n\n", rendered.trim_end()),
            Err(fault) => text += &format!("# ⚠ can't be rendered: {fault}\n\n"),
        }
    }
    text
}

/// What an API refuses in a function, each in a few words.
fn refusals(function: &Function, client: Client) -> Vec<String> {
    let refused = model_view::find_refusals(function, client);
    let strict = strict_refusals(function, client);
    refused.into_iter().map(|refusal| refusal.message).chain(strict).collect()
}

/// The function of a tool in the form of each API, with what that API refuses in it.
fn functions_text(tool: &Tool) -> String {
    let Some(system) = by_id(tool.entry.system) else { return String::new() };
    let function = system.model_function(tool);
    let mut text = String::new();
    let is_missing = tool.entry.value.parsed().get(tool.name_key).is_none_or(|name| name == "");
    if is_missing && function.name == tool.entry.key {
        text +=
            &format!("# ⚠ {:?} is missing in the descriptor: its key is shown\n", tool.name_key);
    }
    for client in Client::ALL {
        let estimate = TokenEstimate::of_tool(&function, client);
        let shown = serde_json::to_string_pretty(&model_view::render_tool(&function, client))
            .unwrap_or_default();
        text += &format!("# {} · {estimate}\n", client.name());
        for refusal in refusals(&function, client) {
            text += &format!("# ⚠ refused: {refusal}\n");
        }
        text += &format!("{shown}\n\n");
    }
    text
}

/// The name of each API, with the entry of its tool list as JSON.
#[must_use]
pub fn function_copies(tool: &Tool) -> Vec<(&'static str, String)> {
    let Some(system) = by_id(tool.entry.system) else { return Vec::new() };
    let function = system.model_function(tool);
    let copy = |client: Client| {
        (client.name(), format!("{:#}\n", model_view::render_tool(&function, client)))
    };
    Client::ALL.map(copy).into()
}

/// The same as JSON: the function as OpenAI's API gets it, the prompts as the model reads them,
/// remarks, and the estimates.
#[must_use]
pub fn model_json(tool: &Tool, catalog: &Catalog) -> Value {
    let system = by_id(tool.entry.system);
    let function = system.map(|system| system.model_function(tool));
    let prompts = system.and_then(|system| system.prompts());
    let prompt = |prompt: Prompt| {
        let tokens = prompt.rendered.as_ref().map_or(0, |text| TokenEstimate::from_text(text).0);
        json!({
            "title": prompt.title, "place": prompt.place, "default": prompt.is_default,
            "text": prompt.rendered.as_ref().ok(), "fault": prompt.rendered.as_ref().err(),
            "unknown": prompt.unknown, "tokens": tokens,
        })
    };
    let of_tool = prompts.map(|prompts| prompts.tool_prompts(tool, catalog)).unwrap_or_default();
    json!({
        "tool": function.as_ref().map(|function| model_view::render_tool(function, Client::OpenAi)),
        "tokens": function.as_ref().map(|function| TokenEstimate::of_tool(function, Client::OpenAi).0),
        "prompts": of_tool.into_iter().map(prompt).collect::<Vec<_>>(),
        "remarks": prompts.map(|prompts| prompts.tool_remarks(tool, catalog)).unwrap_or_default(),
    })
}

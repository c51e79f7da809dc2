//! Prompt templates that tools use and that the configuration lacks to which their calls go.

use crate::{
    engine::{
        lint::check::{Report, member_pointer},
        workflow::similar,
    },
    model::{
        catalog::Catalog,
        connections::{Connections, Listeners},
        finding::{Finding, Severity},
    },
    systems::trustgraph::{descriptor::text_member, keys, settings},
};

/// Calls of the tool fail, because its template is not there.
pub(super) const MISSING: (&str, Severity, &str) = (
    "template.missing",
    Severity::Warning,
    "The configuration where the tool's calls go has no prompt template of that name; every call of it fails.",
);

/// The template that tools without one of their own use, by their type.
const FIXED: [(&str, &str); 1] = [("text-completion", "question")];

/// The tools whose template is not among those where their calls go, as far as these are known.
#[must_use]
pub(crate) fn missing_templates(
    catalog: &Catalog,
    connections: &Connections,
    listeners: &Listeners,
) -> Vec<Finding> {
    let (code, severity, _) = MISSING;
    let mut findings = Vec::new();
    let mut report = Report::new(code, severity, &mut findings);
    for tool in catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM) {
        let connection = connections.for_tool(tool);
        let Some(there) = listeners
            .get(&connection.name)
            .filter(|_| settings::is_gateway(connection.transport()))
        else {
            continue;
        };
        let fixed =
            FIXED.iter().find(|(kind, _)| *kind == tool.kind).map(|(_, template)| *template);
        let own = || {
            text_member(&tool.entry.value, keys::TEMPLATE)
                .filter(|name| tool.kind == keys::PROMPT && !name.is_empty())
        };
        let Some(template) = fixed.or_else(own) else { continue };
        let names =
            || there.iter().filter(|(_, kind)| kind == keys::PROMPT).map(|(name, _)| name.as_str());
        if names().any(|name| name == template) {
            continue;
        }
        let near = similar::nearest_name(template, names())
            .map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        let message = format!(
            "there is no prompt template \"{}\" where connection \"{}\" leads: every call of this tool fails there{near}",
            template.escape_debug(),
            connection.name
        );
        report.add_finding(
            &tool.entry,
            member_pointer(if fixed.is_some() { keys::TYPE } else { keys::TEMPLATE }),
            message,
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{connection::Connection, context::Mode, entry::FileId, transport::TransportKind},
        syntax::source::{Format, Source},
        systems::read,
    };

    #[test]
    fn only_templates_that_are_not_where_the_calls_go_are_found() {
        let text = "tool:\n  a: {type: prompt, name: a, template: shout}\n  b: {type: prompt, name: b, template: shoot}\n  \
                    c: {type: text-completion, name: c}\n  d: {type: prompt, name: d}\n  e: {type: mcp-tool, name: e, template: x}\n";
        let file = FileId::new("t.yaml");
        let source = Source::parse(Format::Yaml, text).unwrap();
        let catalog = read::read_catalog([(&file, &source)], Mode::AsDeployed);
        let mut connections = Connections::default();
        connections.choose(Connection::from_address(TransportKind::Http, "tg", "http://h"));
        let there = |names: &[&str]| {
            let listed: Vec<_> =
                names.iter().map(|name| ((*name).to_owned(), "prompt".to_owned())).collect();
            Listeners::from([("tg".to_owned(), listed.into())])
        };
        let found = |listeners: &Listeners| -> Vec<String> {
            missing_templates(&catalog, &connections, listeners)
                .into_iter()
                .map(|finding| finding.message)
                .collect()
        };
        assert_eq!(found(&Listeners::new()), [""; 0]);
        assert_eq!(found(&there(&["shout", "shoot", "question"])), [""; 0]);
        let told = found(&there(&["shout"]));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].contains("\"shoot\" where connection \"tg\" leads")
                && told[0].ends_with("did you mean \"shout\"?"),
            "{told:?}"
        );
        assert!(told[1].contains("\"question\""), "{told:?}");
    }
}

//! What shows of definitions only where a deployment is reached: nobody listens for their commands,
//! or several do.

use serde_json::Value;

use crate::{
    engine::lint::check::{Report, member_pointer},
    model::{
        finding::{Finding, Severity},
        tool::Tool,
    },
    systems::commonground::{
        context::Context,
        keys, listening,
        settings::Channel,
        subject::{self, Subject},
    },
};

/// Nobody would get the tool's commands.
pub(crate) const UNHEARD: &str = "subject.unheard";

/// More than one service would get them.
pub(crate) const HEARD_TWICE: &str = "subject.heard-twice";

/// Who listens for the tools' commands in a channel, where that is not one service for each. What
/// can be received by nobody anywhere is another check's.
#[must_use]
pub(crate) fn check_listeners<'t>(
    tools: impl Iterator<Item = &'t Tool>,
    channel: &Channel,
    listeners: &[(String, String)],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let own = tools.filter(|tool| tool.entry.system == keys::SYSTEM);
    for tool in own {
        let Some(written) = tool.entry.value.get(keys::TARGET_SUBJECT).and_then(Value::as_str)
        else {
            continue;
        };
        let context = Context {
            project_id: channel.project.clone(),
            channel_id: channel.channel.clone(),
            // Whoever it is.
            agent_id: "*".into(),
            ..Context::default()
        };
        let to = subject::render_subject(written, &context).text;
        let Some(subject) = Subject::parse(&to).filter(Subject::is_tool_command) else { continue };
        let services = listening::services(listeners, &subject.to_string());
        let Some(oddity) = listening::oddity(&services, &to) else { continue };
        let code = if services.is_empty() { UNHEARD } else { HEARD_TWICE };
        Report::new(code, Severity::Warning, &mut findings).add_finding(
            &tool.entry,
            member_pointer(keys::TARGET_SUBJECT),
            oddity,
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{context::Mode, entry::FileId},
        syntax::source::{Format, Source},
        systems::read,
    };

    #[test]
    fn one_service_for_each_is_right() {
        let text = ["lamp.{agent_id}", "door.on", "gate.on", "short"].map(|rest| {
            format!(
                "tool_name: t\ntarget_subject: cg.v1r4.{{project_id}}.{{channel_id}}.cmd.tool.{rest}\nafter_execution: suspend\n"
            )
        });
        let (file, source) =
            (FileId::new("t.yaml"), Source::parse(Format::Yaml, text.join("---\n")).unwrap());
        let catalog = read::read_catalog([(&file, &source)], Mode::Document);
        let rows = [("a", "lamp"), ("b", "gate"), ("c", "gate")];
        let rows = rows
            .map(|(name, target)| (name.to_owned(), format!("cg.v1r4.*.*.cmd.tool.{target}.*")));
        let found = check_listeners(
            catalog.tools.iter().map(AsRef::as_ref),
            &Channel::new("lab", "public"),
            &rows,
        );
        let told: Vec<_> =
            found.iter().map(|finding| (finding.code, finding.message.as_str())).collect();
        assert_eq!(
            told[0],
            (
                UNHEARD,
                "no consumer covers cg.v1r4.lab.public.cmd.tool.door.on: its service isn't running, or listens elsewhere"
            )
        );
        assert!(
            told[1].0 == HEARD_TWICE && told[1].1.contains("(b, c)") && told.len() == 2,
            "{told:?}"
        );
    }
}

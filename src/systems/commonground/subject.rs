//! Subjects: `cg.{version}.{project}.{channel}.{category}.{component}.{target}.{suffix}`, taken
//! apart, printed, matched, filled in.

use std::fmt;

use super::{context::Context, template};

/// The only version there is: the line is closed, later ones speak another protocol.
pub(crate) const VERSION: &str = "v1r4";

/// The variables that the dispatcher fills into a tool's `target_subject`.
pub(crate) const SUBJECT_VARIABLES: [&str; 3] = ["project_id", "channel_id", "agent_id"];

/// A subject taken apart as CommonGround does it: everything from the eighth token on is the
/// suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub version: String,
    pub project_id: String,
    pub channel_id: String,
    /// `cmd`, `evt` or `str`.
    pub category: String,
    pub component: String,
    pub target: String,
    /// May hold dots; services take one token only.
    pub suffix: String,
}

impl Subject {
    /// `None` where there are fewer than eight tokens or the first is not `cg`; nothing else is
    /// checked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut tokens = text.splitn(8, '.');
        (tokens.next() == Some("cg")).then_some(())?;
        let mut next = || tokens.next().map(str::to_owned);
        Some(Self {
            version: next()?,
            project_id: next()?,
            channel_id: next()?,
            category: next()?,
            component: next()?,
            target: next()?,
            suffix: next()?,
        })
    }

    /// A tool's command in a channel.
    #[must_use]
    pub fn tool_command(project: &str, channel: &str, target: &str, suffix: &str) -> Self {
        Self::from_parts(project, channel, ["cmd", "tool", target, suffix])
    }

    /// What a UI sends its actions to.
    #[must_use]
    pub fn ui_action(project: &str, channel: &str) -> Self {
        Self::from_parts(project, channel, ["cmd", "sys", "ui", "action"])
    }

    /// Where the UI worker acknowledges actions.
    #[must_use]
    pub fn ui_ack(project: &str, channel: &str) -> Self {
        Self::from_parts(project, channel, ["evt", "sys", "ui", "action_ack"])
    }

    /// The bell of the worker that an agent runs on.
    #[must_use]
    pub fn agent_wakeup(project: &str, channel: &str, worker_target: &str) -> Self {
        Self::from_parts(project, channel, ["cmd", "agent", worker_target, "wakeup"])
    }

    fn from_parts(
        project: &str,
        channel: &str,
        [category, component, target, suffix]: [&str; 4],
    ) -> Self {
        Self {
            version: VERSION.into(),
            project_id: project.into(),
            channel_id: channel.into(),
            category: category.into(),
            component: component.into(),
            target: target.into(),
            suffix: suffix.into(),
        }
    }

    /// The stream that keeps messages of this subject; `None` for token streams and other versions,
    /// which nothing keeps, and for empty tokens, which nothing can be sent to.
    #[must_use]
    pub fn stream(&self) -> Option<String> {
        let kept = matches!(self.category.as_str(), "cmd" | "evt")
            && self.version == VERSION
            && can_be_sent_to(&self.to_string());
        kept.then(|| format!("cg_{}_{}", self.category, self.version))
    }

    /// Whether it is a command to a tool service.
    #[must_use]
    pub fn is_tool_command(&self) -> bool {
        self.category == "cmd" && self.component == "tool"
    }

    /// What a service listens on to hear this and every other command of the same target, in every
    /// channel.
    #[must_use]
    pub fn service_filter(&self) -> String {
        format!("cg.{}.*.*.{}.{}.{}.*", self.version, self.category, self.component, self.target)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, project_id, channel_id, category, component, target, suffix } = self;
        write!(f, "cg.{version}.{project_id}.{channel_id}.{category}.{component}.{target}.{suffix}")
    }
}

/// Everything of a channel, token streams too.
#[must_use]
pub(crate) fn channel_filter(project: &str, channel: &str) -> String {
    format!("cg.{VERSION}.{project}.{channel}.>")
}

/// Whether NATS takes a message for a subject: every token has letters, and no spaces.
#[must_use]
pub(crate) fn can_be_sent_to(subject: &str) -> bool {
    subject
        .split('.')
        .all(|token| !token.is_empty() && !token.contains([' ', '\t', '\r', '\n', '\x0c']))
}

/// Whether some subject is received by both filters; a plain subject is a filter of itself alone.
#[must_use]
pub fn overlap(one: &str, other: &str) -> bool {
    if ![one, other].into_iter().all(can_be_sent_to) {
        return false;
    }
    let (mut one, mut other) = (one.split('.'), other.split('.'));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(">"), Some(_)) | (Some(_), Some(">")) => return true,
            (Some(a), Some(b)) if a == b || a == "*" || b == "*" => {}
            _ => return false,
        }
    }
}

/// A tool's `target_subject` as the dispatcher sends to it: only project, channel and agent are
/// filled in.
#[must_use]
pub fn render_subject(template: &str, context: &Context) -> template::FilledText {
    template::fill_only(template, context, &SUBJECT_VARIABLES)
}

/// Why the dispatcher refuses to send to a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undispatched {
    Invalid,
    /// An event, or a token of a model's answer.
    NoCommand,
    /// The bell of a worker, which only CommonGround itself rings.
    Wakeup,
    Project,
    Channel,
}

impl Undispatched {
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Invalid => "invalid subject",
            Self::NoCommand => "not a command",
            Self::Wakeup => "wakeup forbidden",
            Self::Project => "project mismatch",
            Self::Channel => "channel mismatch",
        }
    }
}

/// The dispatcher's check: the subject parses, is one of commands but not of a worker's bell, and
/// in the caller's own project and channel.
///
/// # Errors
/// The first that does not hold.
pub fn check_dispatch(
    subject: &str,
    project: &str,
    channel: &str,
) -> Result<Subject, Undispatched> {
    let subject = Subject::parse(subject).ok_or(Undispatched::Invalid)?;
    if subject.category != "cmd" {
        return Err(Undispatched::NoCommand);
    }
    if subject.component == "agent" && subject.suffix == "wakeup" {
        return Err(Undispatched::Wakeup);
    }
    if subject.project_id != project {
        return Err(Undispatched::Project);
    }
    if subject.channel_id == channel { Ok(subject) } else { Err(Undispatched::Channel) }
}

/// What is wrong with an id that becomes a token of a subject; CommonGround itself puts it there
/// unescaped and unchecked.
#[must_use]
pub(crate) fn id_fault(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("is empty".into());
    }
    let odd = id.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))?;
    Some(match odd {
        '.' => "has a dot, which cuts it into two tokens of the subject".into(),
        '*' | '>' => format!("has {odd:?}, a wildcard of NATS"),
        odd if odd.is_whitespace() => "has a space, which a subject can't have".into(),
        odd => format!("has {odd:?}; use letters, digits, _ and - only"),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn filters_overlap_where_one_subject_fits_both() {
        let service = Subject::tool_command("p", "c", "lamp", "call").service_filter();
        assert_eq!(service, "cg.v1r4.*.*.cmd.tool.lamp.*");
        for (other, hears) in [
            ("cg.v1r4.p.c.cmd.tool.lamp.switch", true),
            ("cg.v1r4.p.c.cmd.tool.lamp.switch.now", false),
            ("cg.v1r4.p.c.cmd.tool.lamp", false),
            ("cg.v1r4.p.c.cmd.tool.door.switch", false),
            ("cg.v1r4.*.*.cmd.*.*.>", true),
            ("cg.>", true),
        ] {
            assert_eq!(overlap(&service, other), hears, "{other}");
            assert_eq!(overlap(other, &service), hears, "{other}, the other way round");
        }
        assert!(!overlap("cg.>", "cg"), "\">\" stands for one token at least");
    }

    #[test]
    fn ids_that_break_subjects_are_named() {
        assert_eq!(id_fault("ui_dbg-2"), None);
        for (id, about) in
            [("", "empty"), ("a.b", "dot"), ("*", "wildcard"), ("a b", "space"), ("ä", "letters")]
        {
            let fault = id_fault(id).unwrap();
            assert!(fault.contains(about), "{id}: {fault}");
        }
    }

    #[test]
    fn bells_and_events_are_refused_each_with_its_word() {
        let words = |rest: &str| {
            check_dispatch(&format!("cg.v1r4.demo.public.{rest}"), "demo", "public")
                .map_err(Undispatched::message)
                .err()
        };
        assert_eq!(words("cmd.agent.worker_generic.wakeup"), Some("wakeup forbidden"));
        assert_eq!(words("evt.agent.bob.task"), Some("not a command"));
        assert_eq!(words("str.agent.bob.chunk"), Some("not a command"));
        assert_eq!(words("cmd.agent.bob.stop"), None);
        assert_eq!(words("cmd.tool.lamp.wakeup"), None);
    }

    #[test]
    fn older_versions_and_empty_tokens_parse_and_are_kept_nowhere() {
        for text in [
            "cg.v1r3.demo.public.cmd.tool.lamp.switch",
            "cg.v1r4.demo..cmd.tool.lamp.switch",
            "cg.v1r4.demo.public.cmd.tool.lamp.",
        ] {
            let subject = Subject::parse(text).unwrap();
            assert_eq!((subject.stream(), subject.to_string().as_str()), (None, text));
        }
        let service = Subject::tool_command("p", "c", "lamp", "call").service_filter();
        assert!(!overlap(&service, "cg.v1r4.demo..cmd.tool.lamp.switch"));
    }

    #[test]
    fn another_channel_is_refused_too() {
        let subject = "cg.v1r4.demo.public.cmd.tool.lamp.switch";
        assert_eq!(check_dispatch(subject, "demo", "u_7"), Err(Undispatched::Channel));
    }

    proptest! {
        #[test]
        fn a_subject_prints_as_it_was_parsed(text in "cg(\\.[a-z*>]{0,3}){7,10}") {
            prop_assert_eq!(Subject::parse(&text).unwrap().to_string(), text);
        }
    }
}

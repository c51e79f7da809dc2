//! What a check is: a row with a code, a severity, a sentence, and the function that looks.

use super::context::LintContext;
use crate::{
    model::{
        context::Mode,
        entry::{Entry, EntryId},
        finding::{EntryEdit, Finding, Fix, Severity, Site},
        service::Service,
        shown::visible_text,
        tool::Tool,
    },
    schema::{literal::Literal, pointer::Pointer},
    syntax::edit::Edit,
};

/// A row in a table of checks.
pub struct Check {
    /// Stable: scripts name it.
    pub code: &'static str,
    pub severity: CheckLevel,
    /// One sentence: what it finds, and why that matters.
    pub about: &'static str,
    pub run: Run,
}

/// What a check looks at, and the function that does.
pub enum Run {
    /// Each entry alone.
    Entry(fn(&LintContext<'_>, &Entry, &mut Report<'_>)),
    /// Each tool alone.
    Tool(fn(&LintContext<'_>, &Tool, &mut Report<'_>)),
    /// Each service alone.
    Service(fn(&LintContext<'_>, &Service, &mut Report<'_>)),
    /// The whole catalog at once.
    All(fn(&LintContext<'_>, &mut Report<'_>)),
}

/// How bad a finding is, by mode; `None` where the check does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLevel {
    pub document: Option<Severity>,
    pub as_deployed: Option<Severity>,
}

impl CheckLevel {
    pub const ERROR: Self = Self::both_modes(Severity::Error);
    pub const WARNING: Self = Self::both_modes(Severity::Warning);
    pub const NOTE: Self = Self::both_modes(Severity::Note);

    const fn both_modes(severity: Severity) -> Self {
        Self { document: Some(severity), as_deployed: Some(severity) }
    }

    /// One severity in each mode.
    #[must_use]
    pub const fn by_mode(document: Severity, as_deployed: Severity) -> Self {
        Self { document: Some(document), as_deployed: Some(as_deployed) }
    }

    /// Only in as-deployed mode.
    #[must_use]
    pub const fn only_as_deployed(severity: Severity) -> Self {
        Self { document: None, as_deployed: Some(severity) }
    }

    #[must_use]
    pub fn in_mode(self, mode: Mode) -> Option<Severity> {
        match mode {
            Mode::Document => self.document,
            Mode::AsDeployed => self.as_deployed,
        }
    }
}

/// Takes a check's findings.
pub struct Report<'r> {
    code: &'static str,
    severity: Severity,
    findings: &'r mut Vec<Finding>,
}

impl<'r> Report<'r> {
    #[must_use]
    pub fn new(code: &'static str, severity: Severity, findings: &'r mut Vec<Finding>) -> Self {
        Self { code, severity, findings }
    }

    /// A finding at a pointer of an entry. Line and column are the entry's until the exact place is
    /// filled in.
    pub fn add_finding(
        &mut self,
        entry: &Entry,
        pointer: Pointer,
        message: impl Into<String>,
    ) -> NewFinding<'_> {
        let (message, site) = (safe_text(&message.into()), site_in(entry, pointer));
        self.findings.push(Finding::new(self.code, self.severity, message, site));
        NewFinding { entry: entry.id.clone(), finding: self.findings.last_mut(), is_safe: false }
    }
}

fn site_in(entry: &Entry, pointer: Pointer) -> Site {
    Site {
        file: entry.id.file().clone(),
        entry: Some(entry.id.clone()),
        pointer,
        line: entry.line,
        column: entry.column,
    }
}

/// A finding just made, to give it a fix.
pub struct NewFinding<'f> {
    entry: EntryId,
    finding: Option<&'f mut Finding>,
    is_safe: bool,
}

impl NewFinding<'_> {
    /// The fix that follows keeps what is meant, and loses nothing that was written.
    #[must_use]
    pub fn safely(self) -> Self {
        Self { is_safe: true, ..self }
    }

    /// The finding is about another place, too; with what is to be said there.
    pub fn relate(&mut self, entry: &Entry, pointer: Pointer, message: impl AsRef<str>) {
        if let Some(finding) = &mut self.finding {
            finding.relate(site_in(entry, pointer), safe_text(message.as_ref()));
        }
    }

    /// A fix by edits of the entry that the finding is in.
    pub fn fix_edits(self, label: impl Into<String>, edits: impl IntoIterator<Item = Edit>) {
        let edits =
            edits.into_iter().map(|edit| EntryEdit { entry: self.entry.clone(), edit }).collect();
        if let Some(finding) = self.finding {
            let is_safe = self.is_safe;
            finding.fix = Some(Fix { label: safe_text(&label.into()), edits, is_safe });
        }
    }

    /// A fix that puts a value at the finding's pointer.
    pub fn fix_set(self, label: impl Into<String>, to: impl Into<Literal>) {
        let Some(at) = self.finding.as_ref().map(|finding| finding.site.pointer.clone()) else {
            return;
        };
        self.fix_edits(label, [Edit::Set { at, to: to.into() }]);
    }

    /// A fix that takes out what is at the finding's pointer.
    pub fn fix_remove(self, label: impl Into<String>) {
        let Some(at) = self.finding.as_ref().map(|finding| finding.site.pointer.clone()) else {
            return;
        };
        self.fix_edits(label, [Edit::Remove { at }]);
    }

    /// A fix that gives the member at the finding's pointer another key.
    pub fn fix_rename(self, key: impl Into<String>) {
        let key = key.into();
        let Some(at) = self.finding.as_ref().map(|finding| finding.site.pointer.clone()) else {
            return;
        };
        self.fix_edits(format!("rename to \"{key}\""), [Edit::Rename { at, key }]);
    }
}

/// Words that may be shown anywhere: no control characters, and no passwords of addresses that a
/// message quotes.
#[must_use]
pub(crate) fn safe_text(words: &str) -> String {
    visible_text(&without_passwords(words)).into_owned()
}

/// The same text with `user:…@` for every `user:password@` that follows `://`.
fn without_passwords(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once("://") {
        shown.push_str(head);
        shown.push_str("://");
        let end = tail.find(['"', ' ']).unwrap_or(tail.len());
        rest = match tail[..end]
            .rsplit_once('@')
            .and_then(|(user, _)| Some((user.split_once(':')?, user.len())))
        {
            Some(((user, _), at)) => {
                shown.push_str(user);
                shown.push_str(":…");
                &tail[at..]
            }
            None => tail,
        };
    }
    shown + rest
}

/// The place of a member of an entry.
#[must_use]
pub fn member_pointer(key: &str) -> Pointer {
    Pointer::root().child(key)
}

/// "; did you mean …?" for a near name, else nothing.
#[must_use]
pub(crate) fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_hold_neither_passwords_nor_control_characters() {
        assert_eq!(
            safe_text("the queue \"nats://u:hunter2@h/x\" and a://b:c@d, a://b@c:d e\u{1b}[2J"),
            "the queue \"nats://u:…@h/x\" and a://b:…@d, a://b@c:d e␛[2J"
        );
        assert_eq!(safe_text("nats://u:p@ss@h x://"), "nats://u:…@h x://");
        assert_eq!(safe_text("nats://u:with/slash@h"), "nats://u:…@h");
        assert_eq!(safe_text("plain"), "plain");
    }
}

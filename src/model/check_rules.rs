//! What a workspace says of findings: which it doesn't want, and how much others matter.

use super::{
    entry::FileId,
    finding::{Finding, Severity},
    path_pattern::matches_name,
};

/// The table `[check]` of a workspace's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckRules {
    /// In the order in which they are written; the last that is about a finding counts.
    pub rules: Vec<CheckRule>,
    /// Keys of descriptors that are the workspace's own: no finding says that they are unknown.
    pub extra_keys: Vec<String>,
}

/// How findings of some codes are taken, in some files or in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRule {
    /// A code, all codes of a family (`identity.*`), or all (`*`).
    pub codes: String,
    /// A path of the workspace as [`matches_path`] reads it; `None`: everywhere.
    pub files: Option<String>,
    /// `None`: they are not shown.
    pub severity: Option<Severity>,
}

impl CheckRules {
    /// Findings as the workspace wants them.
    pub fn apply(&self, findings: &mut Vec<Finding>) {
        if *self == Self::default() {
            return;
        }
        findings.retain_mut(|finding| {
            if self.is_own_key(finding) {
                return false;
            }
            let rule = self.rules.iter().rev().find(|rule| rule.is_about(finding));
            match rule.map(|rule| rule.severity) {
                None => true,
                Some(Some(severity)) => {
                    finding.severity = severity;
                    true
                }
                Some(None) => false,
            }
        });
    }

    fn is_own_key(&self, finding: &Finding) -> bool {
        let key = finding.site.pointer.last();
        finding.site.entry.is_some()
            && finding.code.ends_with(".unknown-key")
            && key.is_some_and(|key| self.extra_keys.iter().any(|own| own == key))
    }
}

impl CheckRule {
    fn is_about(&self, finding: &Finding) -> bool {
        matches_code(&self.codes, finding.code)
            && self.files.as_ref().is_none_or(|files| matches_path(files, &finding.site.file))
    }
}

/// Whether a code is one of those that are meant.
#[must_use]
pub fn matches_code(codes: &str, code: &str) -> bool {
    match codes.strip_suffix('*') {
        Some("") => true,
        Some(family) => family.ends_with('.') && code.starts_with(family),
        None => codes == code,
    }
}

/// Whether a file of the workspace is meant by a path: the file itself, a folder with all that is in
/// it, or either with `*` for any letters of one name and `**` for any folders.
#[must_use]
pub fn matches_path(path: &str, file: &FileId) -> bool {
    let wanted: Vec<&str> = path.trim_matches('/').split('/').collect();
    let names: Vec<&str> = file.as_str().split('/').collect();
    matches_names(&wanted, &names)
}

fn matches_names(wanted: &[&str], names: &[&str]) -> bool {
    match (wanted, names) {
        // What is below a folder is meant, too.
        ([], _) => true,
        (["**", rest @ ..], _) => {
            (0..=names.len()).any(|skipped| matches_names(rest, &names[skipped..]))
        }
        ([first, rest @ ..], [name, below @ ..]) => {
            matches_name(first, name) && matches_names(rest, below)
        }
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::finding::Site, schema::pointer::Pointer};

    #[test]
    fn paths_are_files_folders_and_patterns() {
        let matches = |path: &str, file: &str| matches_path(path, &FileId::new(file));
        for (path, file) in [
            ("a.yaml", "a.yaml"),
            ("crm", "crm/tools/a.yaml"),
            ("crm/", "crm/a.yaml"),
            ("crm/*.yaml", "crm/a.yaml"),
            ("*/tools", "crm/tools/deep/a.yaml"),
            ("**/old", "x/y/old/a.yaml"),
            ("**/*.json", "a.json"),
            ("**", "a.json"),
            ("g*e*", "grüße/a.json"),
        ] {
            assert!(matches(path, file), "{path} {file}");
        }
        for (path, file) in [
            ("a.yaml", "b/a.yaml"),
            ("crm", "crm2/a.yaml"),
            ("crm/*.yaml", "crm/deep/a.yaml"),
            ("*.yaml", "a.json"),
            ("**/old", "x/older/a.yaml"),
        ] {
            assert!(!matches(path, file), "{path} {file}");
        }
    }

    fn finding(code: &'static str, file: &str) -> Finding {
        Finding::new(
            code,
            Severity::Warning,
            String::new(),
            Site {
                file: FileId::new(file),
                entry: None,
                pointer: Pointer::root(),
                line: 1,
                column: 1,
            },
        )
    }

    #[test]
    fn the_last_rule_that_is_about_a_finding_counts() {
        let rule = |codes: &str, files: Option<&str>, severity| CheckRule {
            codes: codes.into(),
            files: files.map(str::to_owned),
            severity,
        };
        let rules = CheckRules {
            rules: vec![
                rule("*", None, Some(Severity::Note)),
                rule("identity.*", None, Some(Severity::Error)),
                rule("identity.twins", None, None),
                rule("identity.*", Some("old"), None),
            ],
            extra_keys: Vec::new(),
        };
        let mut found = vec![
            finding("states.unused", "a.yaml"),
            finding("identity.twins", "a.yaml"),
            finding("identity.duplicate-name", "a.yaml"),
            finding("identity.duplicate-name", "old/a.yaml"),
        ];
        rules.apply(&mut found);
        let left: Vec<_> = found.iter().map(|found| (found.code, found.severity)).collect();
        assert_eq!(
            left,
            [("states.unused", Severity::Note), ("identity.duplicate-name", Severity::Error),]
        );
    }
}

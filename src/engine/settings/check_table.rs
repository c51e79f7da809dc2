//! The table `[check]`: findings that a workspace doesn't want, or takes otherwise.

use super::table::{Reader, Table};
use crate::{
    engine::{lint::check::did_you_mean, workflow::similar},
    model::{
        check_rules::{CheckRule, CheckRules, matches_code},
        finding::Severity,
    },
    schema::ordering::PutInOrder,
};

const EXTRA_KEYS: &str = "extra-keys";
const FILES: &str = "files";

/// Families of codes that no table of checks lists: of texts, files and settings, and of what servers
/// say.
const OTHER_FAMILIES: [&str; 7] =
    ["case", "file", "schema", "server", "settings", "subject", "syntax"];

/// How a finding is taken, by the word for it; `None`: it isn't shown.
const LEVELS: [(&str, Option<Severity>); 4] = [
    ("off", None),
    ("note", Some(Severity::Note)),
    ("warning", Some(Severity::Warning)),
    ("error", Some(Severity::Error)),
];

/// What the table says; `known` lists the codes of the tables of checks, to find misspelt ones.
pub(super) fn read_rules(
    reader: &mut Reader,
    top: &Table<'_>,
    known: &dyn Fn() -> Vec<&'static str>,
) -> CheckRules {
    let Some(table) = reader.read_table(top, "check") else { return CheckRules::default() };
    let known = &known();
    let extra_keys = reader.read_texts(&table, EXTRA_KEYS).unwrap_or_default();
    let mut rules = read_levels(reader, &table, None, known);
    if let Some(files) = reader.read_table(&table, FILES) {
        for path in files.members.keys() {
            if let Some(of_path) = reader.read_table(&files, path) {
                rules.extend(read_levels(reader, &of_path, Some(path), known));
            }
        }
    }
    CheckRules { rules, extra_keys }
}

fn read_levels(
    reader: &mut Reader,
    table: &Table<'_>,
    files: Option<&String>,
    known: &[&str],
) -> Vec<CheckRule> {
    let own = [EXTRA_KEYS, FILES];
    let mut codes: Vec<&String> = table
        .members
        .keys()
        .filter(|key| files.is_some() || !own.contains(&key.as_str()))
        .collect();
    // What is said of more codes counts less, wherever it is written.
    codes.order_by_key(|codes| (!codes.ends_with('*'), codes.len()));
    let mut rules = Vec::new();
    for codes in codes {
        let family = |code: &str| code.split('.').next().unwrap_or_default().to_owned();
        let is_other = OTHER_FAMILIES.contains(&family(codes).as_str());
        if !is_other && !known.iter().any(|code| matches_code(codes, code)) {
            let hint = did_you_mean(similar::nearest_name(codes, known.iter().copied()));
            reader.add_finding(
                Severity::Warning,
                "settings.unknown-code",
                &table.at.child(codes.as_str()),
                format!("no check has the code \"{}\"{hint}", codes.escape_debug()),
            );
        }
        if let Some(severity) = reader.read_choice(table, codes, &LEVELS) {
            rules.push(CheckRule { codes: codes.clone(), files: files.cloned(), severity });
        }
    }
    rules
}

//! Warns of new files whose names other systems can't have: a key may hold what no file name may.

use crate::{
    app::{documents::Change, notices::NoticeKind, state::State},
    model::{clock::Millis, entry::FileId},
};

/// Characters that Windows has in no file name.
const ODD: &[char] = &['?', '*', ':', '<', '>', '"', '|'];

/// Names that are devices on Windows, whatever comes after a dot.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// Says which of the files that changes have made has a name that is no name elsewhere.
pub(super) fn warn_of_odd_names(state: &mut State, changes: &[Change], now: Millis) {
    for change in changes {
        let Change::Create { file, .. } = change else { continue };
        if let Some(why) = odd_name(file).filter(|_| state.documents.has(file)) {
            state.notices.push(NoticeKind::Warning, format!("{file}: {why}"), now);
        }
    }
}

/// Why Windows has no file of that name.
fn odd_name(file: &FileId) -> Option<String> {
    let name = file.as_str().rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let is_port = (stem.starts_with("com") || stem.starts_with("lpt"))
        && stem.len() == 4
        && stem.ends_with(|digit: char| matches!(digit, '1'..='9'));
    let reason = match name.find(ODD).and_then(|at| name[at..].chars().next()) {
        Some(odd) => format!("a file name with {odd}, and commands may misread it"),
        None if DEVICES.contains(&stem.as_str()) || is_port => format!("a file called {stem}"),
        None => return None,
    };
    Some(format!("Windows can't have {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_odd_that_other_systems_cannot_have() {
        let is_odd = |name: &str| odd_name(&FileId::new(name)).is_some();
        for name in ["?.json", "tools/a*b.json", "con.json", "COM1.yaml", "a:b.json"] {
            assert!(is_odd(name), "{name}");
        }
        for name in ["weather.json", "get_weather-2.json", "tools/look up.json", "console.json"] {
            assert!(!is_odd(name), "{name}");
        }
    }
}

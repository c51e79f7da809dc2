//! The user's `config.toml`: theme, editor, keys, notifications; and keeping what is chosen.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    engine::settings::table::{Reader, Table},
    model::{
        duration::{EXAMPLES, parse_duration},
        entry::FileId,
        finding::{Finding, Severity},
        notification::{NotificationSettings, NotificationWay},
        problem::{Problem, ProblemKind},
        settings::UserSettings,
    },
    schema::pointer::Pointer,
    store::files::{self, OutsideLinks},
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

/// Reads the file; without one, everything is as it comes.
///
/// # Errors
/// When it is there and cannot be read.
pub(crate) fn load_settings(path: &Path) -> Result<(UserSettings, Vec<Finding>), Problem> {
    match files::read_text(path) {
        Ok(read) => Ok(parse_settings(&FileId::new(path.display().to_string()), &read.text)),
        Err(problem) if problem.kind == ProblemKind::Missing => Ok(Default::default()),
        Err(problem) => Err(problem),
    }
}

/// What a text says, and what is wrong in it.
#[must_use]
pub(crate) fn parse_settings(file: &FileId, text: &str) -> (UserSettings, Vec<Finding>) {
    let (mut reader, root) = Reader::open_toml(file.clone(), text);
    let top = Table { members: &root, at: Pointer::root() };
    reader.check_keys(&top, &UserSettings::KEYS);
    let mut settings = UserSettings {
        theme: reader.read_text(&top, "theme"),
        ascii: reader.read_flag(&top, "ascii").unwrap_or_default(),
        editor: reader.read_text(&top, "editor").filter(|editor| !editor.trim().is_empty()),
        ..UserSettings::default()
    };
    if let Some(keys) = reader.read_table(&top, "keys") {
        for (action, value) in keys.members {
            let one = value.as_str().map(|key| vec![key.to_owned()]);
            if let Some(list) = one.or_else(|| reader.read_texts(&keys, action)) {
                settings.keys.insert(action.clone(), list);
            }
        }
    }
    if let Some(table) = reader.read_table(&top, "notifications") {
        settings.notifications = read_notifications(&mut reader, &table);
    }
    (settings, reader.findings)
}

/// All is on that the table doesn't switch off.
fn read_notifications(reader: &mut Reader, table: &Table<'_>) -> NotificationSettings {
    reader.check_keys(table, &["on", "calls", "alerts", "tests", "questions", "way"]);
    let usual = NotificationSettings { on: true, ..NotificationSettings::default() };
    let mut flag = |key| reader.read_flag(table, key).unwrap_or(true);
    let [on, alerts, tests, questions] = ["on", "alerts", "tests", "questions"].map(&mut flag);
    let calls = match table.members.get("calls") {
        None | Some(Value::Bool(true)) => usual.calls,
        Some(Value::Bool(false)) => None,
        Some(other) => {
            let least = other.as_str().and_then(parse_duration);
            if least.is_none() {
                let words = format!("calls must be a time such as {EXAMPLES}, or false");
                let at = table.at.child("calls");
                reader.add_finding(Severity::Error, "settings.wrong-type", &at, words);
            }
            least.map_or(usual.calls, |least| u64::try_from(least.as_millis()).ok())
        }
    };
    let way = reader.read_choice(table, "way", NotificationWay::WORDS).unwrap_or_default();
    NotificationSettings { on, calls, alerts, tests, questions, way }
}

/// The user's own themes, by name and text, in the order of their names; and what could not be
/// read.
#[must_use]
pub(crate) fn load_themes(folder: &Path) -> (Vec<(String, String)>, Vec<Problem>) {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        paths.filter(|path| Format::from_path(path) == Some(Format::Toml)).collect();
    paths.sort();
    let (mut themes, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let name =
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        match files::read_text(&path) {
            Ok(read) => themes.push((name, read.text.to_string())),
            Err(problem) => problems.push(problem),
        }
    }
    (themes, problems)
}

/// A choice that the program itself keeps in the file.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    Theme(String),
    Notifications { on: bool },
}

impl Choice {
    fn name(&self) -> &'static str {
        match self {
            Self::Theme(_) => "theme",
            Self::Notifications { .. } => "choice of notifications",
        }
    }

    fn edit(&self) -> Edit {
        let root = Pointer::root();
        match self {
            Self::Theme(theme) => Edit::Set { at: root.child("theme"), to: theme.as_str().into() },
            Self::Notifications { on } => {
                Edit::Set { at: root.child("notifications").child("on"), to: (*on).into() }
            }
        }
    }
}

/// Remembers a choice in the file; all else in it stays, byte for byte.
///
/// # Errors
/// When the file is not TOML, or cannot be written.
pub(crate) fn keep_choice(path: &Path, choice: &Choice) -> Result<(), Problem> {
    let doing = || format!("remembering the {} in {}", choice.name(), path.display());
    let unfit = |cause: String| {
        Problem::new(ProblemKind::Input, doing(), cause)
            .with_remedy("fix the file, then choose again")
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| files::io_problem(&doing(), &error))?;
    // Settings are often kept elsewhere and linked here.
    files::edit_file(folder, path, OutsideLinks::Allow, |text| {
        let source = Source::parse(Format::Toml, text.unwrap_or_default())
            .map_err(|error| unfit(error.to_string()))?;
        let (after, _) =
            source.apply(0, &choice.edit()).map_err(|error| unfit(error.to_string()))?;
        Ok(after.text().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_lists_or_one() {
        let text = "theme = 'light'\nedtor = 'hx'\n[keys]\nsave = ['ctrl+s', 'F2']\nquit = 'q'\nundo = 3\n";
        let (settings, findings) = parse_settings(&FileId::new("config.toml"), text);
        assert_eq!((settings.theme.as_deref(), settings.ascii), (Some("light"), false));
        assert!(parse_settings(&FileId::new("config.toml"), "ascii = true").0.ascii);
        assert_eq!(settings.keys["save"], ["ctrl+s", "F2"]);
        assert_eq!(settings.keys["quit"], ["q"]);
        let told: Vec<_> =
            findings.iter().map(|finding| (finding.site.line, finding.message.as_str())).collect();
        assert_eq!(
            told,
            [
                (2, "unknown key \"edtor\"; did you mean \"editor\"?"),
                (6, "keys.undo must be a list of texts: [\"one\", \"two\"]")
            ]
        );
    }

    #[test]
    fn the_theme_is_kept_and_the_rest_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("toolcrib/config.toml");
        let keep_theme = |theme: &str| keep_choice(&path, &Choice::Theme(theme.into()));
        keep_theme("light").unwrap();
        assert_eq!(load_settings(&path).unwrap().0.theme.as_deref(), Some("light"));
        let text = "# mine\r\ntheme = \"dark\" # at night\r\n\r\n[keys]\r\nsave = [ 'F2' ]\r\n";
        fs::write(&path, text).unwrap();
        keep_theme("light").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("\"dark\"", "\"light\""));
        fs::write(&path, "theme = ").unwrap();
        let problem = keep_theme("dark").unwrap_err();
        assert!(problem.cause.contains("line 1"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theme = ");
    }

    #[test]
    fn notifications_are_off_without_their_table_and_on_with_it() {
        let parse = |text: &str| parse_settings(&FileId::new("config.toml"), text);
        let of = |text: &str| parse(text).0.notifications;
        assert!(!of("theme = 'dark'").on);
        assert_eq!(
            of("[notifications]"),
            NotificationSettings { on: true, ..NotificationSettings::default() }
        );
        let some = of("[notifications]\ncalls = '1m'\nalerts = false\nway = 'desktop'");
        assert_eq!((some.on, some.calls, some.alerts), (true, Some(60_000), false));
        assert_eq!((some.tests, some.way), (true, NotificationWay::Desktop));
        assert_eq!(of("[notifications]\ncalls = false").calls, None);
        assert!(!of("notifications = {on = false}").on);

        let text = "[notifications]\nalarts = true\ncalls = 'soon'\ntests = 1\nway = 'mail'";
        let (settings, findings) = parse(text);
        let found: Vec<_> =
            findings.iter().map(|finding| (finding.site.line, finding.message.as_str())).collect();
        assert_eq!(
            found,
            [
                (2, "unknown key \"alarts\"; did you mean \"alerts\"?"),
                (4, "notifications.tests must be true or false"),
                (3, "calls must be a time such as 500ms, 30s, 2m, 1h or 3d, or false"),
                (5, "way must be one of \"terminal\", \"desktop\", \"bell\"; \"mail\" is not"),
            ]
        );
        assert_eq!(settings.notifications.calls, Some(10_000));
    }

    #[test]
    fn switching_notifications_changes_one_line() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("config.toml");
        let keep = |on| keep_choice(&path, &Choice::Notifications { on }).unwrap();
        let is_on = || load_settings(&path).unwrap().0.notifications.on;
        keep(true);
        assert!(is_on());
        keep(false);
        assert!(!is_on());
        let text = "theme = 'dark'\n\n[notifications] # mine\ncalls = '1m'\n\n[keys]\nquit = 'q'\n";
        fs::write(&path, text).unwrap();
        keep(false);
        let kept = fs::read_to_string(&path).unwrap();
        assert_eq!(kept, text.replace("calls = '1m'\n", "calls = '1m'\non = false\n"));
    }
}

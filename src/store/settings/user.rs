//! The user's `config.toml`: theme, editor, keys; and keeping the choice of a theme.

use std::{fs, path::Path};

use crate::{
    engine::settings::table::{Reader, Table},
    model::{
        entry::FileId,
        finding::Finding,
        problem::{Problem, ProblemKind},
        settings::UserSettings,
    },
    schema::pointer::Pointer,
    store::files::{self, Expected, OutsideLinks},
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
    reader.check_keys(&top, &["theme", "editor", "keys"]);
    let mut settings = UserSettings {
        theme: reader.read_text(&top, "theme"),
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
    (settings, reader.findings)
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

/// Remembers the theme in the file; all else in it stays, byte for byte.
///
/// # Errors
/// When the file is not TOML, or cannot be written.
pub(crate) fn keep_theme(path: &Path, theme: &str) -> Result<(), Problem> {
    let doing = || format!("remembering the theme in {}", path.display());
    let (text, expected) = match files::read_text(path) {
        Ok(read) => (read.text, Expected::Same(read.stamp)),
        Err(problem) if problem.kind == ProblemKind::Missing => ("".into(), Expected::Absent),
        Err(problem) => return Err(problem),
    };
    let unfit = |cause: String| {
        Problem::new(ProblemKind::Input, doing(), cause)
            .with_remedy("fix the file, then choose the theme again")
    };
    let source = Source::parse(Format::Toml, text).map_err(|error| unfit(error.to_string()))?;
    let edit = Edit::Set { at: Pointer::root().child("theme"), to: theme.into() };
    let (source, _) = source.apply(0, &edit).map_err(|error| unfit(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| files::io_problem(&doing(), &error))?;
    // Settings are often kept elsewhere and linked here.
    let saved = files::save_file(folder, path, source.text(), expected, OutsideLinks::Allow);
    saved.map(drop).map_err(|refused| refused.problem().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_lists_or_one() {
        let text = "theme = 'light'\nedtor = 'hx'\n[keys]\nsave = ['ctrl+s', 'F2']\nquit = 'q'\nundo = 3\n";
        let (settings, findings) = parse_settings(&FileId::new("config.toml"), text);
        assert_eq!(settings.theme.as_deref(), Some("light"));
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
        keep_theme(&path, "light").unwrap();
        assert_eq!(load_settings(&path).unwrap().0.theme.as_deref(), Some("light"));
        let text = "# mine\r\ntheme = \"dark\" # at night\r\n\r\n[keys]\r\nsave = [ 'F2' ]\r\n";
        fs::write(&path, text).unwrap();
        keep_theme(&path, "light").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("\"dark\"", "\"light\""));
        fs::write(&path, "theme = ").unwrap();
        let problem = keep_theme(&path, "dark").unwrap_err();
        assert!(problem.cause.contains("line 1"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theme = ");
    }
}

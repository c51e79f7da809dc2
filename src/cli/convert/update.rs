//! `convert --update`: takes a new version of tools into the files that hold them already.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    fates::{is_lossy, print_fates, tool_json},
    gates,
    target_files::{FoundTool, ToolFiles},
    writing::{FileChange, new_files, save_all},
};
use crate::{
    app::compose::plan::list_names,
    cli::{
        changes::{change_json, print_change},
        ending::{CommandResult, Ending},
        global::Global,
        out::CommandOutput,
    },
    engine::portable::{baggage::Baggage, fate::Fate},
    model::problem::{Problem, ProblemKind},
    schema::count::count_text,
    systems::{
        changes::sort_changes,
        convert,
        facets::{
            kept_tools::{ToolChange, count_words},
            portable::{KeyedTool, PortableFile, plain_key},
        },
        target::Target,
        update::{NewVersion, UpdatedTool, update_fates, update_tool},
    },
};

/// How tools are updated.
pub(super) struct Options<'o> {
    /// The file or folder that holds them.
    pub path: &'o Path,
    /// The file that the new version is of, where that is all of it.
    pub source: Option<&'o str>,
    pub is_lossless: bool,
    pub is_dry: bool,
}

/// A tool of the source, and what becomes of it.
struct Taken<'t> {
    packed: &'t Baggage,
    keyed: &'t KeyedTool,
    fates: Vec<Fate>,
    /// The row of the tool that it is there; `None`: it is new.
    there: Option<usize>,
    changes: Vec<ToolChange>,
}

impl Taken<'_> {
    fn state(&self) -> &'static str {
        match (self.there, self.changes.is_empty()) {
            (None, _) => "new",
            (Some(_), true) => "same",
            (Some(_), false) => "changed",
        }
    }

    fn to_json(&self) -> Value {
        let mut value = tool_json(&self.packed.tool.name, &self.fates);
        value["state"] = self.state().into();
        value["changes"] = self.changes.iter().map(change_json).collect();
        value
    }
}

/// Takes the tools into those that are there, after saying what changes.
pub(super) fn update_tools(
    packed: &[Baggage],
    target: Target,
    options: &Options<'_>,
    global: &Global,
    out: &mut CommandOutput,
) -> CommandResult {
    let mut files = ToolFiles::find(options.path, target, global)?;
    let keyed = target.key_tools(packed);
    let matched = match_tools(&keyed, packed, &files.tools)?;
    let fates = convert::all_fates(packed, target);
    let says_answers = packed.iter().any(|one| one.tool.output.is_some());
    let mut all = Vec::new();
    for (row, fates) in fates.into_iter().enumerate() {
        let (packed, keyed) = (&packed[row], &keyed[row]);
        let Some((there, is_by_key)) = matched[row] else {
            all.push(Taken { packed, keyed, fates, there: None, changes: Vec::new() });
            continue;
        };
        let version = NewVersion { packed, keyed, says_answers, is_by_key };
        let found = &files.tools[there].there;
        let UpdatedTool { value, changes } = update_tool(target, found, version, files.mode);
        let fates = update_fates(found, &value, version, &fates, files.mode);
        files.put(there, &value)?;
        all.push(Taken { packed, keyed, fates, there: Some(there), changes });
    }
    let added = add_new(&all, target, options.path, &mut files)?;
    let mut changes = files.finish(target)?;
    changes.extend(added);
    let is_lossy = options.is_lossless && all.iter().any(|one| is_lossy(&one.fates));
    let why_not = match (is_lossy, options.is_dry) {
        (true, _) => Some("--lossless"),
        (_, true) => Some("--dry-run"),
        _ => None,
    };
    say_changes(&all, &files, target, options, global, out)?;
    if global.json {
        let shown: Vec<&str> = changes.iter().map(|change| change.shown.as_str()).collect();
        out.print_json(&json!({
            "tools": all.iter().map(Taken::to_json).collect::<Vec<_>>(),
            "files": shown,
            "left": left_names(&all, &files),
            "written": why_not.is_none(),
        }))?;
    }
    if let Some(why) = why_not {
        out.print_status(format_args!("nothing was written: {why}"));
        return Ok(if is_lossy { Ending::Found } else { Ending::Done });
    }
    write_changes(&changes, &all, &files, global, out)?;
    Ok(Ending::Done)
}

fn write_changes(
    changes: &[FileChange],
    all: &[Taken<'_>],
    files: &ToolFiles,
    global: &Global,
    out: &CommandOutput,
) -> Result<(), Problem> {
    save_all(changes)?;
    for change in changes {
        let word = if change.before.is_some() { "updated" } else { "wrote" };
        out.print_status(format_args!("{word} {}", change.shown));
    }
    // What is known of groups is in the settings, also where the file stays as it is.
    let kept = all.iter().filter_map(|one| Some(files.tools[one.there?].file));
    let mut written: Vec<PathBuf> = kept.map(|file| files.files[file].path.clone()).collect();
    written.extend(changes.iter().map(|change| change.path.clone()));
    let keyed: Vec<KeyedTool> = all.iter().map(|one| one.keyed.clone()).collect();
    gates::write_gates(&keyed, &written, global, out)
}

/// The row of the tool that each is there, and whether only its key says so.
fn match_tools(
    keyed: &[KeyedTool],
    packed: &[Baggage],
    there: &[FoundTool],
) -> Result<Vec<Option<(usize, bool)>>, Problem> {
    type Matches = fn(&KeyedTool, &Baggage, &FoundTool) -> bool;
    const MATCHES: [(Matches, bool); 3] = [
        (|keyed, _, found| found.there.tool.tool.name == keyed.tool.name, false),
        (|_, packed, found| found.there.tool.tool.name == packed.tool.name, false),
        (|keyed, _, found| plain_key(own_key(found)) == plain_key(&keyed.key), true),
    ];
    let mut matched = vec![None; keyed.len()];
    for (matches, is_by_key) in MATCHES {
        for (row, (keyed, packed)) in keyed.iter().zip(packed).enumerate() {
            if matched[row].is_some() {
                continue;
            }
            let is_taken = |there: &usize| {
                matched.iter().flatten().any(|(taken, _): &(usize, bool)| taken == there)
            };
            let rows = (0..there.len()).filter(|row| !is_taken(row));
            let fitting: Vec<usize> =
                rows.filter(|row| matches(keyed, packed, &there[*row])).collect();
            match fitting.as_slice() {
                [] => {}
                [one] => matched[row] = Some((*one, is_by_key)),
                [one, other, ..] => return Err(ambiguous(packed, &there[*one], &there[*other])),
            }
        }
    }
    Ok(matched)
}

/// The key without what holds the tool (`SERVER/NAME`).
fn own_key(found: &FoundTool) -> &str {
    let key = &found.there.tool.key;
    key.rsplit_once('/').map_or(key.as_str(), |(_, key)| key)
}

fn ambiguous(packed: &Baggage, one: &FoundTool, other: &FoundTool) -> Problem {
    let place = |found: &FoundTool| format!("{} in {}", found.there.tool.label(), found.place.file);
    let cause = format!("{} is there twice: {} and {}", packed.tool.name, place(one), place(other));
    Problem::new(ProblemKind::Input, "updating tools", cause)
        .with_remedy("name the file of one of them with --out")
}

/// Adds the tools that are not there yet: where others of their kind are, else as new files, which
/// are the answer.
fn add_new(
    all: &[Taken<'_>],
    target: Target,
    path: &Path,
    files: &mut ToolFiles,
) -> Result<Vec<FileChange>, Problem> {
    let new = all.iter().filter(|one| one.there.is_none());
    let (keyed, packed): (Vec<KeyedTool>, Vec<Baggage>) =
        new.map(|one| (one.keyed.clone(), one.packed.clone())).unzip();
    if keyed.is_empty() {
        return Ok(Vec::new());
    }
    let mut apart: Vec<PortableFile> = Vec::new();
    for file in target.write_keyed(&keyed, &packed) {
        if !files.add(&file.value)? {
            apart.push(file);
        }
    }
    let names = keyed.iter().map(|one| one.tool.name.as_str());
    if path.is_file() && !apart.is_empty() {
        let names = list_names(names);
        let cause = format!("{} has no place for more tools, and new are {names}", path.display());
        return Err(Problem::new(ProblemKind::Input, "updating tools", cause)
            .with_remedy("name the tools to update behind their file, or a folder with --out"));
    }
    let apart = new_files(path, &apart)?;
    if let Some(known) = apart.iter().find(|change| change.path.exists()) {
        let cause = format!("{} is there already, and holds none of these tools", known.shown);
        return Err(Problem::new(ProblemKind::Input, "updating tools", cause)
            .with_remedy("move it away, or name another folder with --out"));
    }
    Ok(apart)
}

/// Says what changes of each tool, and what becomes of the fields of new ones; with `--lossless` of
/// all.
fn say_changes(
    all: &[Taken<'_>],
    files: &ToolFiles,
    target: Target,
    options: &Options<'_>,
    global: &Global,
    out: &mut CommandOutput,
) -> std::io::Result<()> {
    for one in all {
        if one.there.is_none() || options.is_lossless {
            print_fates(&format!("{} → {}", one.packed.tool.name, target.title()), &one.fates, out);
        }
    }
    let mut changes: Vec<ToolChange> = Vec::new();
    for one in all {
        if let Some(there) = one.there.filter(|_| !global.json) {
            let file = &files.files[files.tools[there].file].shown;
            one.changes.iter().try_for_each(|change| print_change(out, file, change))?;
        }
        changes.extend(one.changes.iter().cloned());
    }
    sort_changes(&mut changes);
    let count = |state: &str| all.iter().filter(|one| one.state() == state).count();
    let words = match changes.is_empty() {
        true => "no changes".to_owned(),
        false => count_words(&changes),
    };
    let new = match count("new") {
        0 => String::new(),
        new => format!("; {} new", count_text(new, "tool", "tools")),
    };
    out.print_status(format_args!("{}: {words}{new}", options.path.display()));
    let left = left_names(all, files);
    if let Some(source) = options.source.filter(|_| !left.is_empty()) {
        let it = if left.len() == 1 { "left as it is" } else { "left as they are" };
        let names = list_names(left.iter().map(String::as_str));
        out.print_status(format_args!("not in {source}, {it}: {names}"));
    }
    Ok(())
}

/// The names of tools that are there and not in the source.
fn left_names(all: &[Taken<'_>], files: &ToolFiles) -> Vec<String> {
    let is_left = |row: &usize| all.iter().all(|one| one.there != Some(*row));
    let rows = (0..files.tools.len()).filter(is_left);
    rows.map(|row| files.tools[row].there.tool.tool.name.clone()).collect()
}

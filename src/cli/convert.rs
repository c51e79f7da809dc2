//! `toolcrib convert`: carries tools to another system or format, after saying what becomes of each
//! field; and puts OpenSearch entries in another shape.

mod gates;

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    request::RequestArgs,
};
use crate::{
    engine::{
        filter::available_tools,
        portable::{
            baggage::Baggage,
            fate::{Fate, FateKind},
        },
    },
    model::problem::{Problem, ProblemKind},
    store::files::{self, Expected, OutsideLinks},
    syntax::{
        place::SyntaxError,
        print::print_document,
        source::{Format, Source},
    },
    systems::{
        convert,
        facets::{portable::PortableFile, shapes::Shapes},
        table::shapes,
        target::Target,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Tools of the workspace; or a file, or - for standard input, with an OpenAPI document or a list
    /// of functions, and names of tools in it. Also OpenSearch tools and agents: JSON, with `"""`
    /// around long texts and lines such as `POST /path` before it
    #[arg(value_name = "TOOL|FILE|-", required_unless_present_any = ["all", "groups", "state"])]
    what: Vec<String>,

    /// Every tool of the workspace; with --groups or --state instead, those that such a request gets
    #[arg(long, conflicts_with_all = ["what", "groups", "state", "user"])]
    all: bool,

    #[command(flatten)]
    request: RequestArgs,

    /// The target: trustgraph, commonground, opensearch, unique, mcp; openai, anthropic, langchain,
    /// openapi. For OpenSearch entries also steps (tool_steps), dynamic (DynamicTool) or agent (a flow
    /// agent); by default plain JSON
    #[arg(long, value_name = "TARGET")]
    to: Option<String>,

    /// Write a file (its end says the format), or files into a folder; by default to stdout
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Write nothing and exit with 1 if anything is changed or lost
    #[arg(long)]
    lossless: bool,
}

impl Convert {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if self.what.is_empty() {
            let target = self.to.as_deref().and_then(Target::by_word);
            let target = target.ok_or_else(|| self.unknown_target())?;
            return self.carry(&self.pack_available(global, out)?, target, global, out);
        }
        if self.request.is_given() {
            let cause = "tools are named, and a request is given";
            return Err(Problem::new(ProblemKind::Input, "converting", cause)
                .with_remedy("leave the names out for the tools that the request gets")
                .into());
        }
        let (first, rest) =
            self.what.split_first().map_or(("-", &[][..]), |(first, rest)| (first.as_str(), rest));
        let target = self.to.as_deref().and_then(Target::by_word);
        if first != "-" && !Path::new(first).is_file() {
            let target = target.ok_or_else(|| self.unknown_target())?;
            let packed = pack_named(&self.what, global, out)?;
            return self.carry(&packed, target, global, out);
        }
        let text = read_text(first)?;
        let is_shape = |word: &str| shapes().is_some_and(|all| all.shape_words().contains(&word));
        let Some(target) = target else {
            // Plain JSON and the shapes are OpenSearch's.
            return match self.to.as_deref() {
                Some(word) if !is_shape(word) => Err(self.unknown_target().into()),
                _ => self.reshape(first, &text, out),
            };
        };
        let (packed, unread) = read_tools(first, &text)?;
        unread.iter().for_each(|words| out.warn(words));
        self.carry(&chosen(packed, rest)?, target, global, out)
    }

    /// All tools of the workspace, or those that the request gets.
    fn pack_available(
        &self,
        global: &Global,
        out: &CommandOutput,
    ) -> Result<Vec<Baggage>, Problem> {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let rows = match self.request.is_given() {
            true => {
                let context = self.request.resolve_request(&opened, out).context;
                available_tools(&opened.tools, &context)
            }
            false => (0..opened.catalog.tools.len()).collect(),
        };
        let tools = rows.into_iter().filter_map(|row| opened.catalog.tools.get(row));
        let packed: Vec<Baggage> =
            tools.filter_map(|tool| convert::pack_tool(tool, opened.catalog.mode)).collect();
        match packed.is_empty() {
            true => {
                let cause = "there is no tool to convert";
                Err(Problem::new(ProblemKind::Missing, "converting", cause)
                    .with_remedy("`toolcrib tools` lists tools, and says why some are hidden"))
            }
            false => Ok(packed),
        }
    }

    fn unknown_target(&self) -> Problem {
        let words: Vec<&str> = Target::all().iter().map(Target::word).collect();
        let cause = match &self.to {
            None => "it isn't said to what".to_owned(),
            Some(word) => format!("there is no system or format \"{word}\""),
        };
        Problem::new(ProblemKind::Input, "converting", cause).with_remedy(format!(
            "--to is one of {}; of OpenSearch entries in a file also {}",
            words.join(", "),
            shapes().map_or_else(String::new, |all| all.shape_words().join(", "))
        ))
    }

    /// Says what becomes of each field, then writes.
    fn carry(
        &self,
        packed: &[Baggage],
        target: Target,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let all: Vec<(&Baggage, Vec<Fate>)> =
            packed.iter().zip(convert::all_fates(packed, target)).collect();
        for (one, fates) in &all {
            let head = format!("{} → {}", one.tool.name, target.title());
            out.print_status(out.tint(Tint::Bold, &head));
            fate_lines(fates).iter().for_each(|(tint, line)| {
                let line = out.safe_text(line).into_owned();
                out.print_status(tint.map_or(line.clone(), |tint| out.tint(tint, &line)));
            });
        }
        let is_lossy = all
            .iter()
            .flat_map(|(_, fates)| fates)
            .any(|fate| matches!(fate.kind, FateKind::Changed | FateKind::Lost));
        if self.lossless && is_lossy {
            out.print_status("nothing was written: --lossless");
            return Ok(Ending::Found);
        }
        let keyed = target.key_tools(packed);
        let files = target.write_keyed(&keyed, packed);
        match &self.out {
            Some(path) => {
                let written = write_files(path, &files, out)?;
                gates::write_gates(&keyed, &written, global, out)?;
            }
            None if global.json => out.print_json(&report(&all, &files))?,
            None => print_files(&files, out)?,
        }
        if self.out.is_some() && global.json {
            out.print_json(&report(&all, &[]))?;
        }
        Ok(Ending::Done)
    }

    /// OpenSearch entries as they were pasted, in another shape.
    fn reshape(&self, file: &str, text: &str, out: &mut CommandOutput) -> CommandResult {
        let doing = || format!("reading {file}");
        let Some(system) = shapes() else {
            return Err(Problem::new(ProblemKind::Input, doing(), "no system has shapes").into());
        };
        let entries = system
            .read_pasted(text)
            .map_err(|why| Problem::new(ProblemKind::Input, doing(), why))?;
        let mut converted = Vec::with_capacity(entries.len());
        for entry in entries {
            converted.push(self.convert_one(system, entry, out)?);
        }
        let value = match converted.as_mut_slice() {
            [one] => one.take(),
            _ => Value::Array(converted),
        };
        out.print_raw(&format!("{value:#}\n"))?;
        Ok(Ending::Done)
    }

    fn convert_one(
        &self,
        system: &dyn Shapes,
        entry: Value,
        out: &CommandOutput,
    ) -> Result<Value, Problem> {
        let Some(shape) = &self.to else { return Ok(entry) };
        let name = entry.get("name").and_then(Value::as_str).unwrap_or("an entry").to_owned();
        let (entry, remarks) = system.convert_entry(&entry, shape).map_err(|why| {
            Problem::new(ProblemKind::Input, format!("converting {name}"), why)
                .with_remedy(format!("the shapes are {}", system.shape_words().join(", ")))
        })?;
        for remark in remarks {
            out.print_status(format!("{name}: {remark}"));
        }
        Ok(entry)
    }
}

/// Tools of the workspace.
fn pack_named(
    names: &[String],
    global: &Global,
    out: &CommandOutput,
) -> Result<Vec<Baggage>, Problem> {
    let opened = OpenWorkspace::read_aloud(global, out)?;
    let pack = |name: &String| {
        let tool = opened.tool(name)?;
        convert::pack_tool(tool, opened.catalog.mode).ok_or_else(|| {
            Problem::new(ProblemKind::Input, "converting", format!("{name} has no system"))
        })
    };
    names.iter().map(pack).collect()
}

/// Those of these names; all where no name is given.
fn chosen(packed: Vec<Baggage>, names: &[String]) -> Result<Vec<Baggage>, Problem> {
    let known: Vec<String> = packed.iter().map(|one| one.tool.name.clone()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let cause = format!("there is no tool \"{name}\" in it");
        return Err(Problem::new(ProblemKind::Missing, "converting", cause)
            .with_remedy(format!("it has {}", known.join(", "))));
    }
    let is_chosen = |one: &Baggage| names.is_empty() || names.contains(&one.tool.name);
    Ok(packed.into_iter().filter(is_chosen).collect())
}

/// A line for each kind of fate; those with words have one each.
fn fate_lines(fates: &[Fate]) -> Vec<(Option<Tint>, String)> {
    let mut lines = Vec::new();
    for kind in FateKind::ALL {
        let tint = match kind {
            FateKind::Carried => Some(Tint::Good),
            FateKind::Changed => Some(Tint::Odd),
            FateKind::Lost => Some(Tint::Bad),
            FateKind::Assumed => None,
        };
        let own: Vec<&Fate> = fates.iter().filter(|fate| fate.kind == kind).collect();
        let (plain, worded): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|fate| fate.words.is_empty());
        let head = format!("  {} {:8}", kind.sign(), kind.as_str());
        if !plain.is_empty() {
            let names: Vec<&str> = plain.iter().map(|fate| fate.field.as_str()).collect();
            lines.push((tint, format!("{head} {}", names.join(", "))));
        }
        for fate in worded {
            lines.push((tint, format!("{head} {}: {}", fate.field, fate.words)));
        }
    }
    lines
}

fn report(all: &[(&Baggage, Vec<Fate>)], files: &[PortableFile]) -> Value {
    let fate =
        |fate: &Fate| json!({"fate": fate.kind.as_str(), "field": fate.field, "words": fate.words});
    let tool = |(one, fates): &(&Baggage, Vec<Fate>)| json!({"tool": one.tool.name, "fields": fates.iter().map(fate).collect::<Vec<_>>()});
    json!({
        "tools": all.iter().map(tool).collect::<Vec<_>>(),
        "files": files.iter().map(|file| json!({"path": file.path, "value": file.value})).collect::<Vec<_>>(),
    })
}

fn print_files(files: &[PortableFile], out: &mut CommandOutput) -> std::io::Result<()> {
    match files {
        [one] => out.print_raw(&file_text(Path::new(&one.path), &one.value)),
        all => {
            let values: Value = all.iter().map(|file| file.value.clone()).collect();
            out.print_raw(&format!("{values:#}\n"))
        }
    }
}

/// The text of a file in the format that its end says.
fn file_text(path: &Path, value: &Value) -> String {
    match Format::from_path(path) {
        Some(Format::Yaml) => print_document(Format::Yaml, value),
        _ => format!("{value:#}\n"),
    }
}

/// Writes one file under that name, or all of them into a folder; what is there stays. Where one
/// can't be written, none is.
fn write_files(
    path: &Path,
    files: &[PortableFile],
    out: &CommandOutput,
) -> Result<Vec<PathBuf>, Problem> {
    let is_file = path.extension().is_some();
    if let (true, [_, _, ..]) = (is_file, files) {
        let cause =
            format!("there are {} files to write, and {} is one", files.len(), path.display());
        return Err(Problem::new(ProblemKind::Input, "converting", cause)
            .with_remedy("name a folder with --out"));
    }
    let place = |file: &PortableFile| if is_file { path.to_owned() } else { path.join(&file.path) };
    let places: Vec<PathBuf> = files.iter().map(place).collect();
    if let Some(to) = places.iter().find(|to| to.exists()) {
        let cause = format!("{} is there already", to.display());
        return Err(Problem::new(ProblemKind::Input, "converting", cause)
            .with_remedy("name another file with --out"));
    }
    let mut written: Vec<PathBuf> = Vec::new();
    for (to, file) in places.iter().zip(files) {
        let saved = write_file(to, file);
        if saved.is_err() {
            for path in &written {
                _ = fs::remove_file(path);
            }
        }
        written.push(saved?);
    }
    for to in places {
        out.print_status(format_args!("wrote {}", to.display()));
    }
    Ok(written)
}

fn write_file(to: &Path, file: &PortableFile) -> Result<PathBuf, Problem> {
    let whole = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
    let root = whole.parent().unwrap_or(&whole);
    fs::create_dir_all(root).map_err(|error| {
        let doing = format!("making {}", root.display());
        Problem::new(ProblemKind::File, doing, error.to_string())
    })?;
    let text = file_text(to, &file.value);
    files::save_file(root, &whole, &text, Expected::Absent, OutsideLinks::Refuse)
        .map_err(|refused| refused.problem().clone())?;
    Ok(whole)
}

/// The tools of a document, and what of it isn't read.
fn read_tools(file: &str, text: &str) -> Result<(Vec<Baggage>, Vec<String>), Problem> {
    let refused =
        |cause: String| Problem::new(ProblemKind::Input, format!("reading {file}"), cause);
    let value = read_value(file, text).map_err(|error| refused(error.to_string()))?;
    if let Some(version) = value.get("swagger") {
        let version = version.as_str().map_or_else(|| version.to_string(), str::to_owned);
        return Err(refused(format!("it is Swagger {version}, and only OpenAPI 3 is read"))
            .with_remedy("convert it to OpenAPI 3 first, for example at converter.swagger.io"));
    }
    let (packed, unread) = convert::pack_document(&value).ok_or_else(|| {
        refused("it is neither an OpenAPI document nor a list of functions".to_owned())
    })?;
    if packed.is_empty() {
        let cause = unread.into_iter().next_back();
        return Err(refused(cause.unwrap_or_else(|| "it has no operations".to_owned())));
    }
    Ok((packed, unread))
}

/// The value of a document in JSON or YAML: in the format that its name says, else the one that its
/// text looks like.
fn read_value(file: &str, text: &str) -> Result<Value, SyntaxError> {
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let named = Format::from_path(Path::new(file));
    let likely = if looks_like_json { Format::Json } else { Format::Yaml };
    let format = named.unwrap_or(likely);
    let parse = |format| {
        let source = Source::parse(format, text)?;
        Ok(source.value(0).map_or(Value::Null, |value| Value::clone(value)))
    };
    let read = parse(format);
    let is_broken_json = looks_like_json && matches!(named, None | Some(Format::Json));
    match &read {
        Ok(value) if !value.is_string() => read,
        Err(_) if is_broken_json => read,
        // A name can be wrong.
        _ => [Format::Json, Format::Yaml]
            .into_iter()
            .filter_map(|other| parse(other).ok())
            .find(|value| value.is_object() || value.is_array())
            .map_or(read, Ok),
    }
}

fn read_text(file: &str) -> Result<String, Problem> {
    let read = if file == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(file)
    };
    read.map_err(|error| {
        Problem::new(ProblemKind::Input, format!("reading {file}"), error.to_string()).with_remedy(
            "give a file with an OpenAPI document, a list of functions or OpenSearch tools, or - \
             for standard input",
        )
    })
}

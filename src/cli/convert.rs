//! `toolcrib convert`: carries tools to another system or format, after saying what becomes of each
//! field; and puts OpenSearch entries in another shape.

mod fates;
mod gates;
mod numbers;
mod target_files;
mod update;
mod writing;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use self::{
    fates::{is_lossy, print_fates, tool_json},
    numbers::Spellings,
    writing::{file_text, place_of, write_files},
};
use super::{
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    request::RequestArgs,
    tool_files::{STDIN, read_text, read_tools},
};
use crate::{
    engine::{
        filter::available_tools,
        portable::{baggage::Baggage, fate::Fate},
    },
    model::{
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    syntax::source::Format as TextFormat,
    systems::{
        convert,
        facets::{
            portable::{KeyedTool, PortableFile},
            shapes::Shapes,
        },
        table::shapes,
        target::Target,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Tools of the workspace; or a file, or - for standard input, with an OpenAPI document, a list of
    /// functions, a JSON Schema with a title or Python functions, and names of tools in it. Also
    /// OpenSearch tools and agents: JSON, with `"""` around long texts and lines such as `POST /path`
    /// before it
    #[arg(value_name = "TOOL|FILE|-", required_unless_present_any = ["all", "groups", "state"])]
    what: Vec<String>,

    /// Every tool of the workspace; with --groups or --state instead, those that such a request gets
    #[arg(long, conflicts_with_all = ["what", "groups", "state", "user"])]
    all: bool,

    #[command(flatten)]
    request: RequestArgs,

    /// The target: trustgraph, commonground, opensearch, unique, mcp; openai, anthropic, gemini,
    /// langchain, openapi. For OpenSearch entries also steps (tool_steps), dynamic (DynamicTool) or agent (a flow
    /// agent); by default plain JSON
    #[arg(long, value_name = "TARGET")]
    to: Option<String>,

    /// Write a file (its end says the format), or files into a folder; by default to stdout
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Write nothing and exit with 1 if anything is changed or lost
    #[arg(long)]
    lossless: bool,

    /// Take the new version into the tools that are in --out already: what it says differently is
    /// changed there, and all else stays
    #[arg(long, requires = "out")]
    update: bool,

    /// With --update: show what would change, and write nothing
    #[arg(long, requires = "update")]
    dry_run: bool,
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
        let (first, rest) = self
            .what
            .split_first()
            .map_or((STDIN, &[][..]), |(first, rest)| (first.as_str(), rest));
        let target = self.to.as_deref().and_then(Target::by_word);
        if first != STDIN && !Path::new(first).is_file() {
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
        let (packed, unread) = read_tools(first, &text, rest)?;
        unread.iter().for_each(|words| out.warn(words));
        let numbers = Spellings::of_text(first, &text);
        self.carry(&Packed { tools: chosen(packed, rest)?, numbers }, target, global, out)
    }

    /// All tools of the workspace, or those that the request gets.
    fn pack_available(&self, global: &Global, out: &CommandOutput) -> Result<Packed, Problem> {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let rows = match self.request.is_given() {
            true => {
                let context = self.request.resolve_request(&opened, out).context;
                available_tools(&opened.tools, &context)
            }
            false => (0..opened.catalog.tools.len()).collect(),
        };
        let mut packed = Packed::default();
        for tool in rows.into_iter().filter_map(|row| opened.catalog.tools.get(row)) {
            if let Some(baggage) = convert::pack_tool(tool, opened.catalog.mode) {
                packed.add_tool(baggage, tool, &opened);
            }
        }
        match packed.tools.is_empty() {
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
        Packed { tools: packed, numbers }: &Packed,
        target: Target,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let keyed = target.key_tools(packed);
        for KeyedTool { tool, .. } in &keyed {
            for words in target.refusals(tool) {
                out.warn(format_args!("{}: {words}", tool.name));
            }
        }
        if let Some(path) = self.out.as_deref().filter(|path| self.update && path.exists()) {
            let options = update::Options {
                path,
                source: self.whole_source(),
                is_lossless: self.lossless,
                is_dry: self.dry_run,
            };
            return update::update_tools(packed, target, &options, global, out);
        }
        let all: Vec<(&Baggage, Vec<Fate>)> =
            packed.iter().zip(convert::all_fates(packed, target)).collect();
        for (one, fates) in &all {
            print_fates(&format!("{} → {}", one.tool.name, target.title()), fates, out);
        }
        if let Some(words) = target.where_called(packed) {
            out.print_status(words);
        }
        if self.lossless && all.iter().any(|(_, fates)| is_lossy(fates)) {
            out.print_status("nothing was written: --lossless");
            return Ok(Ending::Found);
        }
        let mut files = target.write_keyed(&keyed, packed);
        files.iter_mut().for_each(|file| numbers.spell_numbers(&mut file.value));
        match &self.out {
            Some(_) if self.dry_run => out.print_status("nothing was written: --dry-run"),
            Some(path) => {
                for file in &mut files {
                    let place = place_of(path, file);
                    target.name_file(&mut file.value, &place);
                }
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

    /// The file of which all tools are converted.
    fn whole_source(&self) -> Option<&str> {
        match self.what.as_slice() {
            [file] if file == STDIN || Path::new(file).is_file() => Some(file),
            _ => None,
        }
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
fn pack_named(names: &[String], global: &Global, out: &CommandOutput) -> Result<Packed, Problem> {
    let opened = OpenWorkspace::read_aloud(global, out)?;
    let mut packed = Packed::default();
    for name in names {
        let tool = opened.tool(name)?;
        let baggage = convert::pack_tool(tool, opened.catalog.mode).ok_or_else(|| {
            Problem::new(ProblemKind::Input, "converting", format!("{name} has no system"))
        })?;
        packed.add_tool(baggage, tool, &opened);
    }
    Ok(packed)
}

/// Tools, and how their source writes numbers.
#[derive(Default)]
struct Packed {
    tools: Vec<Baggage>,
    numbers: Spellings,
}

impl Packed {
    fn add_tool(&mut self, packed: Baggage, tool: &Tool, opened: &OpenWorkspace) {
        let place = tool.entry.id.place();
        // They are in order; where not, all are looked through.
        let files = &opened.files;
        let found = files.binary_search_by(|read| read.file.cmp(&place.file));
        let found = found.ok().and_then(|row| files.get(row));
        let file = found.or_else(|| files.iter().find(|read| read.file == place.file));
        if let Some(source) = file.and_then(|read| read.source.as_ref().ok()) {
            self.numbers.add_document(source, place.document, &place.at);
        }
        self.tools.push(packed);
    }
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

fn report(all: &[(&Baggage, Vec<Fate>)], files: &[PortableFile]) -> Value {
    let tool = |(one, fates): &(&Baggage, Vec<Fate>)| tool_json(&one.tool.name, fates);
    json!({
        "tools": all.iter().map(tool).collect::<Vec<_>>(),
        "files": files.iter().map(|file| json!({"path": file.path, "value": file.value})).collect::<Vec<_>>(),
    })
}

fn print_files(files: &[PortableFile], out: &mut CommandOutput) -> std::io::Result<()> {
    let is_yaml = |file: &PortableFile| {
        TextFormat::from_path(Path::new(&file.path)) == Some(TextFormat::Yaml)
    };
    let text = |file: &PortableFile| file_text(Path::new(&file.path), &file.value);
    match files {
        [one] => out.print_raw(&text(one)),
        // Their readers take a file for each: as documents of YAML they can be cut apart.
        all if all.iter().all(is_yaml) => {
            out.print_raw(&all.iter().map(text).collect::<Vec<_>>().join("---\n"))
        }
        all => {
            let values: Value = all.iter().map(|file| file.value.clone()).collect();
            out.print_raw(&format!("{values:#}\n"))
        }
    }
}

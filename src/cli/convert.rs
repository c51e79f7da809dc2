//! `toolcrib convert`: puts entries in another shape, and reads those that were pasted from
//! documentation.

use std::{fs, io::Read as _};

use clap::Args;
use serde_json::Value;

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
};
use crate::{
    model::problem::{Problem, ProblemKind},
    systems::{facets::shapes::Shapes, table::shapes},
};

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// A file with OpenSearch tools or agents, or - for standard input: JSON, also with `"""`
    /// around long texts and lines such as `POST /path` before it
    #[arg(value_name = "FILE|-")]
    file: String,

    /// The target format: steps (tool_steps), dynamic (DynamicTool) or agent (a flow agent); by
    /// default plain JSON
    #[arg(long, value_name = "SHAPE")]
    to: Option<String>,
}

impl Convert {
    pub fn run(&self, out: &mut CommandOutput) -> CommandResult {
        let text = self.read_text()?;
        let doing = || format!("reading {}", self.file);
        let Some(system) = shapes() else {
            return Err(Problem::new(ProblemKind::Input, doing(), "no system has shapes").into());
        };
        let entries = system
            .read_pasted(&text)
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

    fn read_text(&self) -> Result<String, Problem> {
        let read = if self.file == "-" {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        } else {
            fs::read_to_string(&self.file)
        };
        read.map_err(|error| {
            Problem::new(ProblemKind::Input, format!("reading {}", self.file), error.to_string())
                .with_remedy("give a file with OpenSearch tools or agents, or - for standard input")
        })
    }
}

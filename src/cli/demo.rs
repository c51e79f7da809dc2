//! `toolcrib demo`: opens a copy of the shipped demo, where everything can be tried.

use std::path::PathBuf;

use clap::Args;

use super::{
    ending::Ended,
    global::Global,
    opened::OpenWorkspace,
    workbench::{self, Purpose},
};
use crate::{
    model::problem::{Problem, ProblemKind},
    store::{paths::Paths, samples},
    syntax::source::{Format, Source},
};

/// Arguments for the demo's tools, so that the first call is a key away.
const EXAMPLES: &[(&str, &str)] = &[
    ("query-customers", r#"{"question": "What are the top customer complaints?"}"#),
    ("query-products", r#"{"question": "What guarantee do the products have?"}"#),
    ("calculator", r#"{"expression": "(41 + 22) / 2"}"#),
    ("tell-joke", r#"{"topic": "programming"}"#),
];

#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// Take a new copy; else it is as you left it
    #[arg(long)]
    fresh: bool,
}

impl Demo {
    pub fn run(&self, global: &Global) -> Ended {
        if global.workspace.is_some() {
            let problem =
                Problem::new(ProblemKind::Input, "opening the demo", "it brings its own workspace");
            return Err(problem
                .with_remedy("leave --workspace out, or open that folder with `toolcrib DIR`")
                .into());
        }
        let folder = self.prepare_folder(&Paths::of_user()?)?;
        let opened = OpenWorkspace::read_workspace(global, Some(&folder))?;
        let example = |(key, json): &(&str, &str)| {
            let tool = opened.catalog.tool_called(key)?;
            Some((tool.id().clone(), Source::parse(Format::Json, *json).ok()?))
        };
        workbench::run_workbench(
            global,
            Some(&folder),
            Purpose::Demo(EXAMPLES.iter().filter_map(example).collect()),
        )
    }

    /// The demo's folder. A copy that is there is kept: what the user changed in it is theirs, so a
    /// new one gets a folder of its own.
    fn prepare_folder(&self, paths: &Paths) -> Result<PathBuf, Problem> {
        let sample = samples::by_name("demo").ok_or_else(|| {
            Problem::new(
                ProblemKind::Missing,
                "opening the demo",
                "this program was built without it",
            )
        })?;
        let home = paths.cache.join("demo").join(env!("CARGO_PKG_VERSION"));
        let folders = (1_usize..).map(|number| home.join(number.to_string()).join("demo"));
        let mut last = None;
        let mut next = home.clone();
        for folder in folders {
            next.clone_from(&folder);
            if !folder.is_dir() {
                break;
            }
            last = Some(folder);
        }
        match last {
            Some(folder) if !self.fresh => Ok(folder),
            _ => samples::copy_sample(sample, &next).map(|()| next),
        }
    }
}

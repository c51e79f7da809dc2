//! `toolcrib demo`: opens a copy of the shipped demo, or of another sample, where everything can be
//! tried.

use std::path::PathBuf;

use clap::{Args, builder::PossibleValuesParser};

use super::{
    ending::CommandResult,
    form::Form,
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    stand_in::StandIn,
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
    ("answer_from_books", r#"{"question": "wind"}"#),
];

/// The sample that the tour leads through.
const TOUR_SAMPLE: &str = "demo";

/// The sample that is a schema and a document: it is shown in a form.
const FORM_SAMPLE: &str = "gallery";

/// The stub by which a sample's own server is answered for.
const CLUSTER_STUB: &str = "stubs/cluster.yaml";

fn sample_names() -> PossibleValuesParser {
    PossibleValuesParser::new(samples::SAMPLES.iter().map(|sample| sample.name))
}

#[derive(Args, Debug)]
pub(crate) struct Demo {
    /// The sample to open, with its connections answered by its stubs, if it has any; tools without
    /// a service, as those of commonground and spec-workflow, can be mocked
    #[arg(long, value_name = "NAME", default_value = "demo", value_parser = sample_names())]
    sample: String,

    /// The same as --sample
    #[arg(value_name = "SAMPLE", value_parser = sample_names(), conflicts_with = "sample")]
    named: Option<String>,

    /// Make a new copy; by default it is as you left it
    #[arg(long)]
    fresh: bool,
}

impl Demo {
    fn sample(&self) -> &str {
        self.named.as_deref().unwrap_or(&self.sample)
    }

    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if global.workspace.is_some() {
            let problem = Problem::new(
                ProblemKind::Input,
                "opening the demo",
                "the demo has its own \
                    workspace",
            );
            return Err(problem
                .with_remedy("omit --workspace, or open that folder with `toolcrib DIR`")
                .into());
        }
        let folder = self.prepare_folder(&Paths::of_user()?)?;
        if self.sample() == FORM_SAMPLE {
            let (schema, document) = (folder.join("schema.json"), folder.join("instance.yaml"));
            return Form::of_document(schema, document).run(global, out);
        }
        let opened = OpenWorkspace::read_workspace(global, Some(&folder))?;
        let stub = folder.join(CLUSTER_STUB);
        let is_remote = !opened.settings.connections.current().is_embedded();
        let stand_in = match global.connection.is_none() && is_remote && stub.is_file() {
            true => Some(StandIn::start(&opened, &stub, out)?),
            false => None,
        };
        let example = |(key, json): &(&str, &str)| {
            let tool = opened.catalog.tool_called(key)?;
            Some((tool.id().clone(), Source::parse(Format::Json, *json).ok()?))
        };
        workbench::run_workbench(
            global,
            Some(&folder),
            Purpose::Demo {
                // The tour is about the tools of this sample.
                has_tour: self.sample() == TOUR_SAMPLE,
                arguments: EXAMPLES.iter().filter_map(example).collect(),
                connection: stand_in.as_ref().map(|stand_in| Box::new(stand_in.connection.clone())),
            },
        )
    }

    /// The demo's folder. A copy that is there is kept: what the user changed in it is theirs, so a
    /// new one gets a folder of its own.
    fn prepare_folder(&self, paths: &Paths) -> Result<PathBuf, Problem> {
        let sample = samples::by_name(self.sample()).ok_or_else(|| {
            Problem::new(
                ProblemKind::Missing,
                "opening the demo",
                "this program was built without it",
            )
        })?;
        let home = paths.cache.join("demo").join(env!("CARGO_PKG_VERSION"));
        let folders = (1_usize..).map(|number| home.join(number.to_string()).join(self.sample()));
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

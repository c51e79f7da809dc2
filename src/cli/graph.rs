//! `toolcrib graph`: the workflow as a picture or as data.

use clap::{Args, ValueEnum};
use unicode_width::UnicodeWidthStr as _;

use super::{
    ending::{Ended, Ending},
    global::Global,
    opened::Opened,
    out::Out,
    request::RequestArgs,
    wrap::WIDTH,
};
use crate::engine::{
    export::{Format, Subject},
    layout::diagram::Direction,
    workflow::graph::Workflow,
};

#[derive(Args, Debug)]
pub struct Graph {
    #[command(flatten)]
    request: RequestArgs,

    /// What is written
    #[arg(long, value_enum, default_value_t = FormatWord::Text, conflicts_with = "json")]
    format: FormatWord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatWord {
    Text,
    /// For Graphviz
    Dot,
    Mermaid,
    Svg,
    Json,
}

impl From<FormatWord> for Format {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Text => Self::Text,
            FormatWord::Dot => Self::Dot,
            FormatWord::Mermaid => Self::Mermaid,
            FormatWord::Svg => Self::Svg,
            FormatWord::Json => Self::Json,
        }
    }
}

impl Graph {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read_aloud(global, out)?;
        let asked = self.request.ask(&opened, out);
        let workflow = Workflow::new(&opened.tools, &asked.context).including(&opened.settings.states);
        let analysis = workflow.analysis();
        let subject = Subject {
            workflow: &workflow,
            analysis: &analysis,
            tools: &opened.tools,
            current: Some(workflow.start()),
            direction: Direction::LeftToRight,
            measure: |text| text.width(),
        };
        let format = if global.json { Format::Json } else { self.format.into() };
        let wide = subject.write(format);
        // A picture that does not fit beside itself is drawn downwards.
        let fits = format != Format::Text || wide.lines().all(|line| line.width() <= WIDTH);
        out.raw(&if fits { wide } else { Subject { direction: Direction::TopDown, ..subject }.write(format) })?;
        Ok(Ending::Done)
    }
}

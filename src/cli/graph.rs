//! `toolcrib graph`: the workflow as a picture or as data.

use clap::{Args, ValueEnum};
use unicode_width::UnicodeWidthStr as _;

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    request::RequestArgs,
    wrap::WIDTH,
};
use crate::engine::{
    export::{Format, Subject},
    layout::{
        diagram::Direction,
        extent::Scale,
        states::{Detail, DrawnTools},
    },
    workflow::graph::Workflow,
};

#[derive(Args, Debug)]
pub(crate) struct Graph {
    #[command(flatten)]
    request: RequestArgs,

    /// The output format
    #[arg(long, value_enum, default_value_t = FormatWord::Text, conflicts_with = "json")]
    format: FormatWord,

    /// Which states to show, in text and SVG
    #[arg(long, value_enum, default_value_t = ViewWord::All)]
    view: ViewWord,

    /// Which arrows to show; by default all, or only the requested ones if there are more than 300
    /// tools
    #[arg(long, value_enum)]
    arrows: Option<ArrowsWord>,

    /// How much of each state to show, in text and SVG
    #[arg(long, value_enum, default_value_t = DetailWord::Usual)]
    detail: DetailWord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ViewWord {
    All,
    /// Cycles and separate parts as one box each
    Folded,
    /// Those near the current state
    Near,
    /// All, folded or near, depending on their number
    Fitting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ArrowsWord {
    /// Those of tools whose groups are requested
    Asked,
    /// Those of other tools too, as dashed lines
    All,
}

impl From<ArrowsWord> for DrawnTools {
    fn from(word: ArrowsWord) -> Self {
        match word {
            ArrowsWord::Asked => Self::Asked,
            ArrowsWord::All => Self::All,
        }
    }
}

impl From<ViewWord> for Scale {
    fn from(word: ViewWord) -> Self {
        match word {
            ViewWord::All => Self::All,
            ViewWord::Folded => Self::Folded,
            ViewWord::Near => Self::Near,
            ViewWord::Fitting => Self::Fitting,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DetailWord {
    /// A symbol for each state
    Dots,
    /// Names
    Less,
    /// Names, numbers of tools, tools on the arrows
    Usual,
    /// The tools of each state too
    More,
}

impl From<DetailWord> for Detail {
    fn from(word: DetailWord) -> Self {
        match word {
            DetailWord::Dots => Self::Dots,
            DetailWord::Less => Self::Less,
            DetailWord::Usual => Self::Usual,
            DetailWord::More => Self::More,
        }
    }
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
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_ruled(global, None, out)?;
        let asked = self.request.resolve_request(&opened, out);
        let workflow =
            Workflow::new(&opened.tools, &asked.context).with_states(&opened.settings.states);
        let analysis = workflow.analysis();
        let subject = Subject {
            workflow: &workflow,
            analysis: &analysis,
            tools: &opened.tools,
            current: Some(workflow.start()),
            direction: Direction::LeftToRight,
            scale: self.view.into(),
            drawn: self
                .arrows
                .map_or_else(|| DrawnTools::for_tool_count(opened.tools.len()), Into::into),
            detail: self.detail.into(),
            measure: |text| text.width(),
        };
        let format = if global.json { Format::Json } else { self.format.into() };
        let wide = subject.render(format);
        // A picture that does not fit beside itself is drawn downwards.
        let fits = format != Format::Text || wide.lines().all(|line| line.width() <= WIDTH);
        out.print_raw(&if fits {
            wide
        } else {
            Subject { direction: Direction::TopDown, ..subject }.render(format)
        })?;
        if format == Format::Text {
            let start = &workflow.states()[workflow.start()];
            out.print_status(format_args!("groups {}, state {start}", asked.groups_text()));
        }
        Ok(Ending::Done)
    }
}

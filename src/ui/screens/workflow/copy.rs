//! What can be taken elsewhere: the run as a scenario, an audit record or counters; the graph as
//! text or a picture.

use super::{facts::Facts, keep};
use crate::{
    app::{message::Message, state::State},
    engine::{
        export::{Format, Subject},
        layout::{
            diagram::Direction,
            extent::Scale,
            states::{Detail, DrawnTools},
        },
        simulate::{audit, metrics},
    },
    ui::{
        canvas::{text_width, visible_text},
        overlays::menu::{Item, Menu},
        view::Reply,
    },
};

/// Something to copy: what it is called, what it is for, its text.
type Copy = (&'static str, &'static str, String);

/// Asks what to copy.
pub(crate) fn copy_menu(facts: &Facts, state: &State) -> Reply {
    let copies: Vec<Copy> =
        run_copies(facts, state).into_iter().chain(graph_copies(facts)).collect();
    let item = |(title, detail, _): &Copy| Item {
        title: (*title).into(),
        detail: (*detail).into(),
        ..Item::default()
    };
    let items = copies.iter().map(item).collect();
    let copy = move |row: usize| match copies.get(row) {
        Some((what, _, text)) => {
            Reply::send(Message::Copy { what: (*what).to_owned(), text: text.clone() })
        }
        None => Reply::Handled,
    };
    Reply::Open(Box::new(Menu::with_replies("Copy", items, copy)))
}

fn run_copies(facts: &Facts, state: &State) -> [Copy; 3] {
    let (run, tools) = (&state.workflow.simulation, facts.tools());
    let scenario = keep::scenario_text(state, "a run");
    let id = format!("run-{}", run.start_time().0);
    let record = audit::audit_record(run, tools, &state.workflow.profiles, &id);
    [
        ("scenario", "the steps, with the results as expectations", scenario),
        ("audit record", "the run, with the document's names", format!("{record:#}\n")),
        (
            "counters",
            "the document's metrics, in Prometheus format",
            metrics::render_metrics(run, tools, &state.workflow.profiles),
        ),
    ]
}

fn graph_copies(facts: &Facts) -> impl Iterator<Item = Copy> {
    let titled = |format| match format {
        Format::Text => ("graph as text", "with box characters"),
        Format::Dot => ("graph as DOT", "for Graphviz"),
        Format::Mermaid => ("graph as Mermaid", "for Markdown"),
        Format::Svg => ("graph as SVG", "a picture"),
        Format::Json => ("graph as JSON", "states, edges and findings"),
    };
    Format::ALL.into_iter().map(move |format| {
        let subject = Subject {
            workflow: &facts.workflow,
            analysis: &facts.analysis,
            tools: facts.tools(),
            current: facts.current,
            direction: Direction::LeftToRight,
            // Never so much that a key would have to wait.
            scale: Scale::Fitting,
            drawn: DrawnTools::for_tool_count(facts.tools().len()),
            detail: Detail::Usual,
            measure: |text| text_width(&visible_text(text)),
        };
        let (title, detail) = titled(format);
        (title, detail, subject.render(format))
    })
}

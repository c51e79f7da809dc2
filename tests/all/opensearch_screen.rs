//! OpenSearch's tools on the screen: templates filled in below their fields, filters tried on
//! sample answers.

use ratatui::style::Color;
use toolcrib::app::message::ScreenId;

use crate::support::workbench::Workbench;

fn tools_screen() -> Workbench {
    Workbench::sample("opensearch", 200, 60).on(ScreenId::Tools)
}

/// The colour in which a text stands on the screen.
fn colour_of(bench: &Workbench, text: &str) -> Color {
    let (column, row) = bench.find(text);
    bench.buffer()[(column, row)].fg
}

/// Types into the field of that name under Try, and leaves it.
fn give(bench: &mut Workbench, field: &str, text: &str) {
    // A press on a text begins to edit it.
    bench.clicks(field);
    bench.types(text);
    bench.keys("ctrl+enter esc");
}

#[test]
fn a_template_shows_below_it_what_it_becomes() {
    let mut bench = tools_screen();
    assert!(bench.shows("→ /books/_search"), "the default stands in\n{}", bench.screen());
    assert!(bench.shows("no sample for question: give it under Try"), "{}", bench.screen());
    bench.keys("t");
    assert!(bench.shows("■ request  ■ tool  ■ default"), "{}", bench.screen());
    give(&mut bench, "question text", "wind");
    let screen = bench.screen();
    assert!(screen.contains(r#"→ {"query": {"match": {"text": "wind"}},"#), "{screen}");
    assert!(!screen.contains("no sample for question"), "{screen}");

    let (value, default) = (colour_of(&bench, "wind\"}}"), colour_of(&bench, "books/_search"));
    let (request, standard) = (colour_of(&bench, "■ request"), colour_of(&bench, "■ default"));
    assert_eq!((value, default), (request, standard));
    assert_ne!(value, default);
    // What stands for a name that nothing gives is told apart from both, and from the template.
    let marked = colour_of(&bench, "■ not");
    let in_view = bench.buffer().content().iter().filter(|cell| cell.fg == marked);
    let text: String = in_view.map(ratatui::buffer::Cell::symbol).collect();
    assert!(text.contains("${parameters.search.output}"), "{text}");

    // The samples are the arguments of Invoke, and are undone like those.
    assert_eq!(
        bench.state.arguments_of(&bench.state.selected.clone().unwrap())["question"],
        "wind"
    );
    bench.keys("u");
    assert!(bench.shows("no sample for question"), "{}", bench.screen());
}

#[test]
fn a_value_that_breaks_a_body_is_told_where_it_does() {
    let mut bench = tools_screen();
    bench.keys("t");
    give(&mut bench, "question text", "say \"hi\"");
    let screen = bench.screen();
    assert!(screen.contains("the value of question holds a quote"), "{screen}");
    assert!(screen.contains("this is not JSON"), "{screen}");
}

#[test]
fn filters_and_later_steps_work_on_a_sample_answer() {
    let mut bench = tools_screen();
    assert!(bench.shows("search.output is there once step 1 has run"), "{}", bench.screen());
    bench.keys("t");
    give(
        &mut bench,
        "search   text",
        r#"{"hits": {"hits": [{"_source": {"text": "a \"gale\""}}]}}"#,
    );
    let screen = bench.screen();
    assert!(screen.contains(r#"→ ["a \"gale\""]"#), "what the filter picks\n{screen}");
    assert!(screen.contains(r#"later steps get it escaped: [\"a \\\"gale"#), "{screen}");
    assert!(!screen.contains("search.output is there once"), "{screen}");
    let output = colour_of(&bench, r#"[\"a \\\"gale\\\"\"]", "question"#);
    assert_eq!(output, colour_of(&bench, "■ step output"));
}

#[test]
fn what_has_no_templates_has_nothing_to_try() {
    let mut bench = Workbench::sample("spec-workflow", 120, 36).on(ScreenId::Tools);
    assert!(!bench.shows("Try"), "{}", bench.screen());
    bench.keys("t");
    assert!(bench.shows("no templates, filters or steps to try"), "{}", bench.screen());
}

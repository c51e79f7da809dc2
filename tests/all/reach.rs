//! Whatever a schema allows can be filled in, and whatever was loaded stays as it was: random
//! schemas, random values.

#[path = "reach/random.rs"]
mod random;

use std::{cell::RefCell, sync::Arc};

use proptest::{
    prelude::*,
    test_runner::{Config, TestCaseError, TestRunner},
};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::Value;
use toolcrib::{
    schema::{blank::blank_value, tree::Schema, validate::Checker},
    ui::{
        form::view::{Form, FormReply},
        theme,
    },
};

use crate::support::{
    filler::Filler,
    instances::{invalid, judge, valid},
    luck::Luck,
};

/// Leaves of a value: everything that is no list and no object.
pub fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(leaves).sum::<usize>().max(1),
        Value::Array(items) => items.iter().map(leaves).sum::<usize>().max(1),
        _ => 1,
    }
}

/// What a new document of the schema begins with.
pub fn start(schema: &Arc<Value>) -> Value {
    let opened = Checker::compile_lenient(schema);
    let tree = Schema::new(opened.schema);
    blank_value(&tree, opened.checker.as_ref(), &tree.root_node().key)
}

#[derive(Default)]
struct Count {
    filled: usize,
    leaves: usize,
    steps: usize,
    raw: Vec<String>,
    spoilt: usize,
}

#[test]
fn every_value_is_reached_by_form_edits_alone() {
    let count = RefCell::new(Count::default());
    let styles = theme::available_themes(&[]).0[0].styles.clone();
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(250);
    let mut runner = TestRunner::new(Config {
        cases,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..Config::default()
    });
    let again = std::env::var("REACH_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let run = runner.run(&(0_usize..4, any::<u64>()), |(size, seed)| {
        let (size, seed) = again.map_or((size, seed), |seed| (1, seed));
        let mut luck = Luck::new(seed);
        let schema = Arc::new(random::schema(&mut luck, size));
        let judge = judge(&schema);
        let Some(wanted) = valid(&schema, &judge, &mut luck) else { return Ok(()) };
        let failed = |words: String| {
            TestCaseError::fail(format!("{words}\nschema {schema}\nwanted {wanted}"))
        };

        // Loading and leaving changes nothing, and there are no errors.
        let mut form = Form::new(Arc::clone(&schema));
        form.sync_value(&Arc::new(wanted.clone()));
        if !form.schema_findings().is_empty() || !form.issues().is_empty() {
            return Err(failed(format!(
                "loaded: {:?} {:?}",
                form.schema_findings(),
                form.issues()
            )));
        }
        for row in 0..form.fields().len() {
            if matches!(form.turn_to(row), FormReply::Edits(_)) {
                return Err(failed(format!("row {row} changed the value when it was left")));
            }
        }
        let area = Rect::new(0, 0, 80, 24);
        form.draw(&mut Buffer::empty(area), area, &styles, true);
        prop_assert_eq!(&**form.value(), &wanted);

        // From nothing to the value, by what a user can do.
        let mut filler = Filler::new(&schema, start(&schema), &wanted);
        filler.fill_all(&wanted).map_err(|words| failed(format!("filling in: {words}")))?;
        if !filler.form.issues().is_empty() {
            return Err(failed(format!("filled in: {:?}", filler.form.issues())));
        }

        // What is spoilt is told, at a place of the value.
        let spoilt = invalid(&wanted, &judge, &mut luck);
        if let Some(spoilt) = &spoilt {
            form.sync_value(&Arc::new(spoilt.clone()));
            let seen = form.issues().first().is_some_and(|issue| !issue.words.is_empty());
            if !seen {
                return Err(failed(format!("no issue of {spoilt}")));
            }
            form.draw(&mut Buffer::empty(area), area, &styles, true);
        }
        let mut count = count.borrow_mut();
        count.filled += 1;
        count.leaves += leaves(&wanted);
        count.steps += filler.steps;
        count.raw.append(&mut filler.raw);
        count.spoilt += usize::from(spoilt.is_some());
        Ok(())
    });
    let count = count.into_inner();
    println!(
        "{} of {cases} random schemas: {} leaves filled in by {} steps, {} places as JSON; {} spoilt values told",
        count.filled,
        count.leaves,
        count.steps,
        count.raw.len(),
        count.spoilt
    );
    for raw in count.raw.iter().take(12) {
        println!("  as JSON: {raw}");
    }
    run.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(count.filled as u32 * 10 > cases * 8, "values are found for most schemas");
    assert!(count.raw.len() * 20 < count.leaves, "JSON is the exception");
}

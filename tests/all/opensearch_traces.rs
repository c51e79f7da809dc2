//! A run of steps is a call as any other: kept in the history, compared, sent again, a case and a
//! stub.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolcrib::{
    app::message::ScreenId,
    model::{
        call::{EventKind, Outcome},
        entry::FileId,
        stage::Stage,
    },
};

use crate::support::{
    place::{Place, Ran},
    serving::Serving,
    workbench::Workbench,
};

/// The sample in a folder of its own, and a cluster beside it that answers by its stub.
struct Sample {
    place: Place,
    _serving: Serving,
    address: String,
}

impl Sample {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/opensearch");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let names = ["toolcrib.toml", "tools/answer-from-books.json", "stubs/cluster.yaml"];
        let texts = names.map(read);
        let files: Vec<(&str, &str)> =
            names.into_iter().zip(texts.iter().map(String::as_str)).collect();
        Self::serve(Place::with(&files), "stubs/cluster.yaml")
    }

    fn serve(place: Place, stub: &str) -> Self {
        let mut serving =
            Serving::start(&place, "cluster", &["--stub", stub, "--listen", "127.0.0.1:0"]);
        let address = serving.address();
        Self { place, _serving: serving, address }
    }

    /// The same with another stub in the place of the one that answers.
    fn answered_by(self, stub: &str) -> Self {
        Self::serve(self.place, stub)
    }

    fn run(&self, command: &str, words: &[&str]) -> Ran {
        self.place.run(&[&[command, "--connection", &self.address], words].concat())
    }

    fn ask(&self, words: &[&str]) -> Ran {
        self.run("call", &[&["answer_from_books"], words].concat())
    }

    fn history(&self, words: &[&str]) -> Ran {
        self.place.run(&[&["history"], words].concat())
    }

    /// The ids of the calls that are kept, the newest first.
    fn kept_ids(&self) -> Vec<String> {
        let listed = self.history(&["--json"]).json();
        let ids = listed.as_array().unwrap().iter();
        ids.map(|call| call["id"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn two_runs_are_compared_step_by_step() {
    let sample = Sample::start();
    sample.ask(&["question=wind"]).ended(0, &[]);
    sample.ask(&["question=storm"]).ended(1, &[]);
    let ids = sample.kept_ids();
    let compared = sample.history(&["compare", &ids[1], &ids[0], "--json"]).json();
    let steps = compared["steps"].as_array().unwrap();
    assert_eq!((&steps[0]["name"], &steps[1]["name"]), (&json!("search"), &json!("answer")));
    let differs = |step: &Value| -> Vec<String> {
        let found = step["differences"].as_array().unwrap().iter();
        found.map(|one| one["what"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(differs(&steps[0]), ["body", "answer", "stores"]);
    assert_eq!(differs(&steps[1]), ["body", "status", "answer", "stores", "problem"]);
    let status = &steps[1]["differences"][1];
    assert_eq!((&status["before"], &status["after"]), (&json!("200"), &json!("503")));

    let printed = sample.history(&["compare", &ids[1], &ids[0]]);
    for words in ["step 1 search: differs", "+ status: 503", "HTTP 503: Error from remote service"]
    {
        assert!(printed.data.contains(words), "{words:?} is not in:\n{}", printed.data);
    }
    // Of a run of some steps, the others were not made.
    sample.ask(&["question=wind", "--until", "search"]).ended(0, &[]);
    let ids = sample.kept_ids();
    let partly = sample.history(&["compare", &ids[2], &ids[0]]);
    assert!(partly.data.contains("step 1 search: the same"), "{}", partly.data);
    assert!(partly.data.contains("step 2 answer: only the first made it"), "{}", partly.data);
}

#[test]
fn a_run_is_shown_and_replayed_with_its_steps() {
    let sample = Sample::start();
    sample.ask(&["question=storm"]).ended(1, &[]);
    let shown = sample.history(&["show", "last"]);
    for words in ["step 1 of 2, search", "step 2 of 2, answer answered 503", "failed"] {
        assert!(shown.data.contains(words), "{words:?} is not in:\n{}", shown.data);
    }
    let replayed = sample.history(&["replay", "last", "--speed", "0", "--json"]).events();
    let failed =
        replayed.iter().find(|event| event["stage"] == "step-answer" && event["body"]["step"] == 2);
    let failed = &failed.expect("the answer of step 2")["body"];
    assert_eq!(failed["status"], 503);
    assert!(failed["raw"].as_str().unwrap().contains("overloaded"), "the raw answer is kept");
}

#[test]
fn a_stub_of_runs_answers_each_step_as_it_was_answered() {
    let sample = Sample::start();
    sample.ask(&["question=wind"]).ended(0, &[]);
    sample.ask(&["question=storm"]).ended(1, &[]);
    let kept = "stubs/kept.yaml";
    sample.history(&["export", "--stub", "--output", kept]).ended(0, &["rules in"]);
    let text = fs::read_to_string(sample.place.here.join(kept)).unwrap();
    for words in ["/books/_search", "/_plugins/_ml/models/llm/_predict", "blows where it likes"] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }

    let again = sample.answered_by(kept);
    assert_eq!(again.ask(&["question=wind"]).data, "Wind is air that moves.");
    again.ask(&["question=storm"]).ended(1, &["step 2 of 2, answer: HTTP 503", "overloaded"]);
    // What nobody asked then has no answer.
    again.ask(&["question=rain"]).ended(1, &["no rule of the stub matches"]);
}

fn stage(name: &str, body: &Value) -> EventKind {
    EventKind::Stage(Stage {
        name: name.into(),
        words: name.into(),
        body: body.to_string().into(),
        frame: None,
    })
}

fn answered_step(number: u64, name: &str, text: &str) -> [(u64, EventKind); 2] {
    let answer = json!({
        "step": number, "name": name, "status": 200, "raw": text, "output": text,
        "processed": null, "filtered": text, "stored_as": format!("{name}.output"),
        "stored": text, "escaped_twice": text, "remarks": [],
    });
    let request = json!({
        "step": number, "name": name, "method": "POST", "path": format!("/{name}"),
        "body": "{\"q\": 1}",
    });
    [(1, stage("step-request", &request)), (2, stage("step-answer", &answer))]
}

fn end() -> (u64, EventKind) {
    (3, EventKind::End { outcome: Outcome::Succeeded, problem: None })
}

/// Invoke, where the search has found something and the model was then run alone.
fn second_step_alone() -> Workbench {
    let mut bench = Workbench::sample("opensearch", 200, 60).on(ScreenId::Invoke);
    bench.clicks("question");
    bench.types("wind");
    bench.keys("esc");
    bench.clicks("1 search");
    bench.keys("t");
    bench.happens(answered_step(1, "search", "Wind is air that moves from high to low."));
    bench.happens([end()]);
    bench.keys("down t");
    bench.happens(answered_step(2, "answer", "It moves."));
    let chunk = EventKind::Chunk { text: "It moves.".into(), bytes: 9 };
    bench.happens([(2, chunk), end()]);
    bench
}

/// The text of the only new file in a folder.
fn text_in(bench: &Workbench, folder: &str) -> String {
    let is_new = |file: &FileId| {
        file.as_str().starts_with(folder) && !file.as_str().ends_with("/cluster.yaml")
    };
    let mut found = bench.state.documents.iter().filter(|(file, _)| is_new(file));
    let (_, document) = found.next().unwrap_or_else(|| panic!("nothing in {folder}"));
    assert!(found.next().is_none());
    document.text.to_string()
}

#[test]
fn a_case_of_one_step_runs_that_step_on_what_was_stored() {
    let mut bench = second_step_alone();
    bench.keys("tab K enter");
    let kept = text_in(&bench, "cases/");
    assert!(kept.contains("from: answer") && kept.contains("until: answer"), "{kept}");

    let sample = Sample::start();
    fs::create_dir_all(sample.place.here.join("cases")).unwrap();
    let case = sample.place.here.join("cases/alone.yaml");
    // The sample's own stub says it in other words.
    fs::write(&case, kept.replace("It moves.", "Wind is air that moves.")).unwrap();
    sample.run("test", &[]).ended(0, &["1 case passed"]);
    let ids = sample.kept_ids();
    let shown = sample.history(&["show", &ids[0]]);
    assert!(!shown.data.contains("step 1 of 2"), "only the second step ran\n{}", shown.data);

    fs::write(&case, kept.replace("from: answer", "from: nowhere")).unwrap();
    let wrong = sample.run("test", &[]);
    assert!(wrong.data.contains("nowhere is no step"), "{}", wrong.data);
}

#[test]
fn a_run_of_one_step_is_resent_as_it_was() {
    let mut bench = second_step_alone();
    let body = |bench: &Workbench| {
        bench.state.invoke.calls.iter().next_back().unwrap().request.body.clone()
    };
    let before = body(&bench);
    bench.keys("R");
    assert_eq!(bench.state.invoke.calls.iter().count(), 3);
    assert_eq!(body(&bench), before);
}

#[test]
fn a_stub_of_a_run_on_the_screen_has_each_path() {
    let mut bench = second_step_alone();
    bench.keys("tab @keep-stub enter");
    let kept = text_in(&bench, "stubs/");
    assert!(kept.contains("request-queue: /answer") && kept.contains("It moves."), "{kept}");
    assert!(!kept.contains("/search"), "that step was not run\n{kept}");
}

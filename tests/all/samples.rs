//! The shipped samples: what they hold, what is found in them, and their scenarios.

use std::collections::BTreeMap;

use toolcrib::{
    engine::scenario::{script::Scenario, trial},
    model::{
        catalog::Catalog,
        clock::Millis,
        context::{Mode, Profile},
        entry::FileId,
        finding::Severity,
    },
    store::samples::{SAMPLES, Sample, by_name},
    syntax::source::{Format, Source},
    systems::{findings, read},
};

fn sources(sample: &Sample) -> BTreeMap<FileId, Source> {
    let files = sample.files.iter().map(|(path, text)| (FileId::new(*path), *text));
    let files =
        files.filter_map(|(file, text)| Some((Format::from_path(file.path())?, file, text)));
    files.map(|(format, file, text)| (file, Source::parse(format, text).unwrap())).collect()
}

fn catalog(sources: &BTreeMap<FileId, Source>, mode: Mode) -> Catalog {
    read::read_catalog(sources.iter(), mode)
}

/// The findings as `check` prints them, notes counted only.
fn report(sample: &Sample, mode: Mode) -> String {
    let sources = sources(sample);
    let catalog = catalog(&sources, mode);
    let mut found = findings::catalog_findings(&catalog, |file| sources.get(file));
    found.extend(
        sources.iter().flat_map(|(file, source)| findings::of_text(&catalog, file, Ok(source))),
    );
    let (notes, rest): (Vec<_>, Vec<_>) =
        found.iter().partition(|finding| finding.severity == Severity::Note);
    let lines = rest.iter().map(|finding| {
        let site = &finding.site;
        format!(
            "{}:{}:{} {} {} — {}\n",
            site.file,
            site.line,
            site.column,
            finding.severity.as_str(),
            finding.code,
            finding.message
        )
    });
    lines.chain([format!("and {} notes", notes.len())]).collect()
}

#[test]
fn samples_have_what_their_readme_says() {
    let counts = |name: &str| {
        let sources = sources(by_name(name).unwrap());
        let catalog = catalog(&sources, Mode::Document);
        (catalog.tools.len(), catalog.services.len(), catalog.others.len())
    };
    assert_eq!(counts("demo"), (4, 3, 0));
    assert_eq!(counts("bench"), (4, 3, 0));
    assert_eq!(counts("first-call"), (1, 1, 0));
    assert_eq!(counts("services"), (4, 3, 0));
    assert_eq!(counts("spec-workflow"), (5, 0, 0));
    assert_eq!(counts("commonground"), (5, 0, 0));
    assert_eq!(counts("unique"), (5, 0, 2));
    assert_eq!(counts("search-proxy"), (3, 0, 1));
    assert_eq!(counts("opensearch"), (4, 0, 0));
    assert_eq!(counts("gallery"), (0, 0, 0));
}

#[test]
fn no_sample_has_an_error() {
    for sample in SAMPLES {
        let report = report(sample, Mode::Document);
        assert!(!report.contains(" error "), "{report}");
    }
    for name in ["demo", "bench", "first-call", "services", "unique", "search-proxy", "gallery"] {
        for mode in [Mode::Document, Mode::AsDeployed] {
            assert_eq!(report(by_name(name).unwrap(), mode), "and 0 notes", "{name}");
        }
    }
}

#[test]
fn the_documents_own_configuration_is_found_wanting() {
    let sample = by_name("spec-workflow").unwrap();
    insta::assert_snapshot!("spec-workflow by the document", report(sample, Mode::Document));
    insta::assert_snapshot!("spec-workflow as deployed", report(sample, Mode::AsDeployed));
}

#[test]
fn the_documents_scenarios_hold() {
    let sources = sources(by_name("spec-workflow").unwrap());
    let catalog = catalog(&sources, Mode::Document);
    let settings = sources[&FileId::new("toolcrib.toml")].value(0).unwrap().clone();
    let profiles: Vec<Profile> = settings["profiles"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(user, groups)| {
            let allowed_groups = groups
                .as_array()
                .unwrap()
                .iter()
                .map(|group| group.as_str().unwrap().into())
                .collect();
            Profile { user: user.as_str().into(), allowed_groups }
        })
        .collect();
    let scenarios: Vec<_> =
        sources.iter().filter(|(file, _)| file.as_str().starts_with("scenarios/")).collect();
    assert_eq!(scenarios.len(), 4);
    for (file, source) in scenarios {
        let scenario = Scenario::from_value(source.value(0).unwrap()).unwrap();
        let trial =
            trial::run_scenario(&scenario, &catalog.tools, &profiles, catalog.mode, Millis(0));
        assert!(trial.has_passed(), "{file}: {:#}", trial.to_json());
        assert!(trial.unknown_groups.is_empty(), "{file}: {:?}", trial.unknown_groups);
        assert_eq!(trial.steps.len(), scenario.steps.len());
    }
}

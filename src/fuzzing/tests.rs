//! Every reader on its corpus, and on what mutations make of it.

use std::{env, fs, path::PathBuf};

use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestError, TestRunner},
};

use super::{READERS, Reader};
use mutations::{Mutation, mutate};

mod mutations;

/// Mutated texts for each reader, where `TOOLCRIB_READER_CASES` says no other number.
const CASES: u32 = 48;

/// The seeds of a reader, by the names of their files.
fn corpus(reader: &Reader) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(reader.name);
    let entries = fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{} has no seeds", folder.display());
    seeds
}

/// The readers of one of four parts, or the one that `TOOLCRIB_READER` names.
fn readers(part: usize) -> impl Iterator<Item = &'static Reader> {
    let named = env::var("TOOLCRIB_READER").ok();
    let of_part = READERS.iter().enumerate().filter(move |(row, _)| row % 4 == part);
    let is_named = move |reader: &&Reader| named.as_ref().is_none_or(|named| reader.name == named);
    of_part.map(|(_, reader)| reader).filter(is_named)
}

/// Reads the corpus of each reader of a part, and texts that are made of it.
fn read_odd_texts(part: usize) {
    let cases = env::var("TOOLCRIB_READER_CASES").ok().and_then(|cases| cases.parse().ok());
    for reader in readers(part) {
        let seeds = corpus(reader);
        for (path, seed) in &seeds {
            eprintln!("{path}");
            reader.read(seed);
        }
        let config = ProptestConfig {
            cases: cases.unwrap_or(CASES),
            failure_persistence: None,
            max_shrink_iters: 2_000,
            ..ProptestConfig::default()
        };
        let odd = (any::<prop::sample::Index>(), prop::collection::vec(any::<Mutation>(), 1..6));
        let text = |(seed, mutations): &(prop::sample::Index, Vec<Mutation>)| {
            let (_, seed) = seed.get(&seeds);
            mutations.iter().fold(seed.clone(), |bytes, mutation| mutate(bytes, mutation, &seeds))
        };
        let done = TestRunner::new(config).run(&odd, |case| {
            let bytes = text(&case);
            let read = std::panic::catch_unwind(|| reader.read(&bytes));
            read.map_err(|panic| TestCaseError::fail(panic_words(&*panic)))
        });
        match done {
            Ok(()) => {}
            Err(TestError::Fail(reason, case)) => {
                let bytes = text(&case);
                panic!("{}: {reason}\n{:?}", reader.name, String::from_utf8_lossy(&bytes));
            }
            Err(error) => panic!("{}: {error}", reader.name),
        }
    }
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
}

#[test]
fn readers_take_odd_texts_1() {
    read_odd_texts(0);
}

#[test]
fn readers_take_odd_texts_2() {
    read_odd_texts(1);
}

#[test]
fn readers_take_odd_texts_3() {
    read_odd_texts(2);
}

#[test]
fn readers_take_odd_texts_4() {
    read_odd_texts(3);
}

#[test]
fn every_corpus_has_its_reader() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = READERS.iter().filter(|reader| reader.name == name).count();
        assert_eq!(known, 1, "fuzz/corpus/{name}");
    }
}

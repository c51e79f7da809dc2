//! Answers questions from a small collection of documents: the best by BM25, in pieces that can be
//! seen to stream.

use std::collections::HashMap;

use super::{
    collections::{COLLECTIONS, Document},
    sample::{Answer, Asking, Fault, text_member},
};
use crate::schema::ordering::PutInOrder;

/// How many documents an answer draws on.
const BEST: usize = 3;
/// How many words a piece of the answer has.
const WORDS: usize = 4;

/// Words that say nothing about what is asked.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "had", "has",
    "have", "how", "i", "in", "is", "it", "many", "me", "most", "much", "my", "of", "on", "or",
    "our", "that", "the", "their", "there", "they", "this", "to", "top", "was", "we", "what",
    "when", "where", "which", "who", "why", "will", "with", "you", "your",
];

/// Answers the argument `question` from the configured `collection`.
pub(crate) fn answer_request(asking: &Asking<'_>) -> Answer {
    let names: Vec<&str> = COLLECTIONS.iter().map(|(name, _)| *name).collect();
    let there_are = names.join(" and ");
    let wanted = text_member(asking.config, "collection").ok_or_else(|| {
        Fault::new("missing-configuration", format!("set the collection; there are {there_are}"))
    })?;
    let (name, documents) =
        COLLECTIONS.iter().find(|(name, _)| *name == wanted).ok_or_else(|| {
            Fault::new(
                "unknown-collection",
                format!("there is no collection \"{wanted}\"; there are {there_are}"),
            )
        })?;
    let question = text_member(asking.arguments, "question")
        .ok_or_else(|| Fault::new("missing-argument", format!("ask a question about {name}")))?;
    Ok(split_chunks(&compose_answer(name, &question, &best_documents(&question, documents))))
}

fn compose_answer(name: &str, question: &str, found: &[&Document]) -> String {
    let Some((first, others)) = found.split_first() else {
        return format!("Nothing in the collection \"{name}\" speaks of \"{question}\".");
    };
    let mut answer = first.text.to_owned();
    for other in others {
        answer.push_str("\n\n");
        answer.push_str(other.text);
    }
    let titles: Vec<&str> = found.iter().map(|document| document.title).collect();
    format!("{answer}\n\nFrom {name}: {}.", titles.join("; "))
}

/// The documents that fit best, best first; only those that share a word with the question.
fn best_documents<'d>(question: &str, documents: &'d [Document]) -> Vec<&'d Document> {
    let texts: Vec<Vec<String>> = documents
        .iter()
        .map(|document| search_terms(&format!("{} {}", document.title, document.text)))
        .collect();
    let mut scored: Vec<(f64, &Document)> = bm25_scores(&search_terms(question), &texts)
        .into_iter()
        .zip(documents)
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.order_by(|(one, _), (other, _)| other.total_cmp(one));
    let bar = scored.first().map_or(0.0, |(score, _)| score / 2.0);
    scored
        .into_iter()
        .take(BEST)
        .filter(|(score, _)| *score >= bar)
        .map(|(_, document)| document)
        .collect()
}

/// BM25 with its usual constants.
fn bm25_scores(question: &[String], texts: &[Vec<String>]) -> Vec<f64> {
    const K: f64 = 1.2;
    const B: f64 = 0.75;
    let count = texts.len() as f64;
    let average = texts.iter().map(Vec::len).sum::<usize>() as f64 / count.max(1.0);
    let mut holding: HashMap<&str, f64> = HashMap::new();
    for term in question {
        let with = texts.iter().filter(|text| text.contains(term)).count();
        holding.insert(term, with as f64);
    }
    let score = |text: &Vec<String>| {
        let of = |(term, with): (&&str, &f64)| {
            let often = text.iter().filter(|word| word == term).count() as f64;
            let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
            rarity * often * (K + 1.0) / (often + K * (1.0 - B + B * text.len() as f64 / average))
        };
        holding.iter().map(of).sum()
    };
    texts.iter().map(score).collect()
}

/// The words that count, without their endings.
fn search_terms(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    words
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word).to_owned())
        .collect()
}

fn stem(word: &str) -> &str {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 3);
    cut("ies")
        .or_else(|| cut("ing"))
        .or_else(|| cut("ed"))
        .or_else(|| cut("es"))
        .or_else(|| cut("s"))
        .or_else(|| cut("y"))
        .unwrap_or(word)
}

/// The text cut after every few words; joined, it is the text again.
fn split_chunks(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    words.chunks(WORDS).map(<[&str]>::concat).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn ask(collection: &Value, question: &str) -> Answer {
        let mut config = Map::new();
        config.insert("collection".into(), collection.clone());
        let mut arguments = Map::new();
        arguments.insert("question".into(), question.into());
        answer_request(&Asking { user: "alice", config: &config, arguments: &arguments })
    }

    #[test]
    fn a_question_finds_its_document_and_streams() {
        let pieces = ask(&json!("customers"), "What are the top customer complaints?").unwrap();
        assert!(pieces.len() > 5, "{pieces:?}");
        assert!(
            pieces
                .concat()
                .starts_with("The three complaints heard most often are late deliveries"),
            "{}",
            pieces.concat()
        );
        assert!(
            ask(&json!("products"), "Which tent is lightest?").unwrap().concat().contains("1.4 kg")
        );
    }

    #[test]
    fn each_collection_has_its_own_documents() {
        let answer = ask(&json!("products"), "complaints").unwrap().concat();
        assert_eq!(answer, "Nothing in the collection \"products\" speaks of \"complaints\".");
    }

    #[test]
    fn an_unknown_collection_is_an_error_that_names_those_there_are() {
        let fault = ask(&json!("suppliers"), "x").unwrap_err();
        assert_eq!(fault.kind, "unknown-collection");
        assert!(fault.message.contains("customers and products"));
        assert_eq!(ask(&Value::Null, "x").unwrap_err().kind, "missing-configuration");
        assert_eq!(ask(&json!("customers"), " ").unwrap_err().kind, "missing-argument");
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_text(text in "\\PC{0,200}") {
            prop_assert_eq!(split_chunks(&text).concat(), text);
        }

        #[test]
        fn any_question_has_an_answer(question in "[^ ]\\PC{0,60}") {
            prop_assume!(!question.trim().is_empty());
            prop_assert!(ask(&json!("customers"), &question).is_ok());
        }
    }
}

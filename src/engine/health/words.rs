//! Texts as words to compare, and as tokens to count.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use crate::{engine::model_view::TokenEstimate, model::tool::Function};

/// Words without a meaning of their own.
const EMPTY: [&str; 22] = [
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "it", "its", "of", "on",
    "or", "that", "the", "this", "to", "with", "tool",
];

/// None of them is longer.
const LONGEST_EMPTY: usize = 4;

/// What is kept for each word, which is a hash already.
pub(super) type WordMap<T> = HashMap<u64, T, BuildHasherDefault<WordHasher>>;

/// Takes a word's hash as it is.
#[derive(Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// First words of names that mean the same to a model.
const SYNONYMS: [&[&str]; 6] = [
    &["get", "fetch", "read", "retrieve", "load"],
    &["search", "find", "query", "lookup"],
    &["delete", "remove", "drop", "erase"],
    &["create", "add", "insert", "make", "new"],
    &["update", "edit", "modify", "change"],
    &["run", "execute", "invoke", "start"],
];

/// Cuts texts into words, and counts how many descriptions have each.
#[derive(Default)]
pub(super) struct WordCounter {
    counts: WordMap<u32>,
    word: String,
    text: String,
}

impl WordCounter {
    /// What a name says: its words in order, the plural as the singular, synonyms as one, sorted so
    /// that their order doesn't matter.
    pub fn name_words(&mut self, name: &str) -> Vec<u64> {
        let mut found = Vec::new();
        for_each_word(name, &mut self.word, |word| {
            let same = SYNONYMS.iter().find(|set| set.contains(&word)).map_or(word, |set| set[0]);
            found.push(hash_word(same));
        });
        found.sort_unstable();
        found
    }

    /// The words of a description, each once.
    pub fn text_words(&mut self, text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        for_each_word(text, &mut self.word, |word| {
            if word.len() > LONGEST_EMPTY || !EMPTY.contains(&word) {
                found.push(hash_word(word));
            }
        });
        found.sort_unstable();
        found.dedup();
        for word in &found {
            *self.counts.entry(*word).or_default() += 1;
        }
        found
    }

    /// How many descriptions have the word.
    pub fn count(&self, word: u64) -> u32 {
        self.counts.get(&word).copied().unwrap_or(0)
    }

    /// The estimate for a tool as OpenAI's API gets it.
    pub fn token_count(&mut self, function: &Function) -> usize {
        // The same text as a rendered tool, without a copy of the parameters.
        let text = &mut self.text;
        text.clear();
        let part = |value: &str| serde_json::to_string(value).unwrap_or_default();
        *text += r#"{"type":"function","function":{"name":"#;
        *text += &part(&function.name);
        *text += r#","description":"#;
        *text += &part(&function.description);
        *text += r#","parameters":"#;
        *text += &function.parameters.to_string();
        if let Some(strict) = function.strict {
            *text += &format!(r#","strict":{strict}"#);
        }
        *text += "}}";
        TokenEstimate::from_text(text).0
    }
}

/// Shows each word of a text in lower case: runs of letters and digits, cut where a capital follows
/// a small letter, without the plural's s.
fn for_each_word(text: &str, word: &mut String, mut see: impl FnMut(&str)) {
    let mut end = |word: &mut String| {
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
        if !word.is_empty() {
            see(word);
        }
        word.clear();
    };
    word.clear();
    let mut before_is_lower = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            end(word);
        } else {
            if before_is_lower && letter.is_uppercase() {
                end(word);
            }
            if letter.is_ascii() {
                word.push(letter.to_ascii_lowercase());
            } else {
                word.extend(letter.to_lowercase());
            }
        }
        before_is_lower = letter.is_lowercase();
    }
    end(word);
}

/// FNV-1a: the same in every run, so that findings come in the same order.
fn hash_word(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::model_view::Client;

    #[test]
    fn a_name_says_the_same_in_any_order_spelling_and_synonym() {
        let mut words = WordCounter::default();
        let mut name = |text: &str| words.name_words(text);
        let wanted = name("delete_user");
        for same in ["deleteUser", "remove-users", "user.delete", "Users_Remove"] {
            assert_eq!(name(same), wanted, "{same}");
        }
        for other in ["delete_users_all", "get_user", "delete", "deleteuser"] {
            assert_ne!(name(other), wanted, "{other}");
        }
    }

    #[test]
    fn a_text_has_each_word_once_and_none_that_says_nothing() {
        let mut words = WordCounter::default();
        let all = words.text_words("Reads the files, and reads a FILE again");
        assert_eq!(all.len(), 3, "read, file, again");
        assert!(all.iter().all(|word| words.count(*word) == 1));
        words.text_words("a file");
        assert_eq!(all.iter().filter(|word| words.count(**word) == 2).count(), 1);
    }

    #[test]
    fn no_word_without_a_meaning_is_longer_than_is_looked_at() {
        assert_eq!(EMPTY.iter().map(|word| word.len()).max(), Some(LONGEST_EMPTY));
    }

    #[test]
    fn tokens_are_counted_as_the_model_view_counts_them() {
        let parameters = json!({"type": "object", "properties": {"topic": {"type": "string"}}});
        let plain = Function::new("tell-joke", "Tells a \"joke\"\nof sorts", parameters);
        for strict in [None, Some(true), Some(false)] {
            let function = Function { strict, ..plain.clone() };
            assert_eq!(
                WordCounter::default().token_count(&function),
                TokenEstimate::of_tool(&function, Client::OpenAi).0
            );
        }
    }
}

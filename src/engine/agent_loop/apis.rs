//! The table of APIs.

use super::{anthropic::Anthropic, api::ModelApi, openai::OpenAi};

/// Every API, the usual one first.
pub static APIS: [&dyn ModelApi; 2] = [&OpenAi, &Anthropic];

/// The API of that word.
#[must_use]
pub fn api_of_word(word: &str) -> Option<&'static dyn ModelApi> {
    APIS.into_iter().find(|api| api.word() == word)
}

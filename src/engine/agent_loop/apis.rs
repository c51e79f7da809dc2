//! The table of APIs.

use super::{anthropic::Anthropic, api::ModelApi, mock_model::MockModel, openai::OpenAi};

/// Every API, the usual one first.
pub static APIS: [&dyn ModelApi; 2] = [&OpenAi, &Anthropic];

/// The mock model, which makes its replies here. Connections in settings never lead to it.
pub static MOCK: &dyn ModelApi = &MockModel;

/// The API of that word.
#[must_use]
pub fn api_of_word(word: &str) -> Option<&'static dyn ModelApi> {
    APIS.into_iter().find(|api| api.word() == word)
}

//! What becomes of a step's output: the text that is shown, and what later steps see of it.

use serde_json::Value;

use super::{
    java,
    json_path::{JsonPath, read_document},
};

/// An output on its way to the steps after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOutput {
    /// The text that a user sees.
    pub filtered: String,
    /// What is kept under `<tool>.output`: the text, escaped once.
    pub stored: String,
    /// Why the filter did nothing, where there is one and it did not.
    pub unfiltered: Option<String>,
}

impl StoredOutput {
    /// What a connector's body gets of it, which escapes it a second time.
    #[must_use]
    pub fn escaped_twice(&self) -> String {
        if super::strict_json::is_structured(&self.stored) {
            return self.stored.clone();
        }
        java::escape_json(&self.stored)
    }
}

/// Filters an output and escapes it. A filter that picks nothing leaves the whole output.
#[must_use]
pub fn store_output(output: &Value, output_filter: Option<&str>) -> StoredOutput {
    let text = java::output_text(output);
    let (filtered, unfiltered) = match output_filter.map(|filter| filter_text(&text, filter)) {
        None => (text, None),
        Some(Ok(filtered)) => (filtered, None),
        Some(Err(why)) => (text, Some(why)),
    };
    StoredOutput { stored: java::escape_json(&filtered), filtered, unfiltered }
}

fn filter_text(text: &str, filter: &str) -> Result<String, String> {
    let path = JsonPath::parse(filter)?;
    let value = read_document(text)
        .ok_or_else(|| format!("the output isn't JSON, so {filter} selects nothing"))?;
    let picked =
        path.read(&value).ok_or_else(|| format!("{filter} selects nothing in the output"))?;
    Ok(java::output_text(&picked))
}

//! The answer of an agent that the cluster ran: its entries, as text.

use serde_json::{Value, json};

/// What an agent answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentAnswer {
    /// What it says, entry after entry.
    pub text: String,
    /// The conversation and the message in it, where it keeps one.
    pub memory_id: Option<String>,
    pub message_id: Option<String>,
}

/// Reads a response: `inference_results[].output[]`, each entry with `result` or `dataAsMap`. What
/// is none of that is the answer as it is.
#[must_use]
pub fn read_answer(response: &Value) -> AgentAnswer {
    let mut answer = AgentAnswer::default();
    let mut texts: Vec<(String, String)> = Vec::new();
    let results = response["inference_results"].as_array();
    for entry in
        results.into_iter().flatten().filter_map(|result| result["output"].as_array()).flatten()
    {
        let name = entry["name"].as_str().unwrap_or_default();
        let text = entry_text(entry);
        match name {
            "memory_id" => answer.memory_id = Some(text),
            "parent_message_id" | "parent_interaction_id" => answer.message_id = Some(text),
            _ => texts.push((name.to_owned(), text)),
        }
    }
    answer.text = match texts.as_slice() {
        [] => response.to_string(),
        [(_, text)] => text.clone(),
        many => {
            let named: Vec<Value> =
                many.iter().map(|(name, text)| json!({"name": name, "result": text})).collect();
            Value::Array(named).to_string()
        }
    };
    answer
}

/// What an entry says: its text, else what its data holds.
#[must_use]
pub fn entry_text(entry: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(result) = entry.get("result") {
        return text(result);
    }
    let Some(data) = entry.get("dataAsMap") else { return entry.to_string() };
    match data.get("response").or_else(|| data.get("output")) {
        Some(response) => text(response),
        None => data.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_the_answer() {
        let one = json!({"inference_results": [{"output": [
            {"name": "memory_id", "result": "m1"}, {"name": "parent_message_id", "result": "p1"},
            {"name": "llm", "result": "The answer"},
        ]}]});
        let answer = read_answer(&one);
        assert_eq!((answer.text.as_str(), answer.memory_id.as_deref()), ("The answer", Some("m1")));
        assert_eq!(answer.message_id.as_deref(), Some("p1"));
        let data = json!({"inference_results": [{"output": [{"name": "response", "dataAsMap": {"response": "yes"}}]}]});
        assert_eq!(read_answer(&data).text, "yes");
        assert_eq!(read_answer(&json!({"a": 1})).text, r#"{"a":1}"#);
    }
}

//! How a call did as a test: kept with the call, as the last stage on its way.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{entry::FileId, stage::Stage};

/// An expectation that doesn't hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The key in the case: `outcome`, `json`, …
    pub what: String,
    pub expected: String,
    /// How the answer differs, in words that go on after "but".
    pub difference: String,
}

/// What a case made of the answer to its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    pub file: FileId,
    /// What does not hold; none: the case passed.
    pub unmet: Vec<Unmet>,
}

impl CaseResult {
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.unmet.is_empty()
    }

    /// The stage that keeps it with the call.
    #[must_use]
    pub fn to_stage(&self) -> Stage {
        let first = self.unmet.first().map(|unmet| {
            let difference = unmet.difference.lines().next().unwrap_or_default();
            format!(": {}: expected {}: {difference}", unmet.what, unmet.expected)
        });
        let end = if self.has_passed() { "passed" } else { "failed" };
        let unmet = |unmet: &Unmet| json!({"what": unmet.what, "expected": unmet.expected, "difference": unmet.difference});
        let body = json!({
            "file": self.file.as_str(),
            "unmet": self.unmet.iter().map(unmet).collect::<Value>(),
        });
        Stage {
            name: Stage::CASE.into(),
            words: format!("{} {end}{}", self.file, first.unwrap_or_default()),
            body: Arc::from(body.to_string()),
            frame: None,
        }
    }

    /// What a stage keeps of it; `None` where it is another stage.
    #[must_use]
    pub fn from_stage(stage: &Stage) -> Option<Self> {
        if &*stage.name != Stage::CASE {
            return None;
        }
        let body: Value = serde_json::from_str(&stage.body).ok()?;
        let unmet = |value: &Value| {
            let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
            Some(Unmet {
                what: text("what")?,
                expected: text("expected")?,
                difference: text("difference")?,
            })
        };
        Some(Self {
            file: FileId::new(body.get("file")?.as_str()?),
            unmet: body.get("unmet")?.as_array()?.iter().filter_map(unmet).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_with_a_call_is_read_again() {
        let unmet = Unmet {
            what: "chunks".into(),
            expected: "2 or more".into(),
            difference: "1 came".into(),
        };
        for unmet in [Vec::new(), vec![unmet]] {
            let result = CaseResult { file: FileId::new("cases/a.yaml"), unmet };
            let stage = result.to_stage();
            assert_eq!(stage.words.contains("cases/a.yaml passed"), result.has_passed());
            assert_eq!(CaseResult::from_stage(&stage), Some(result));
        }
    }
}

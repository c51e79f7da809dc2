//! How the arguments that a model gives become those that a tool gets, where a system puts in,
//! takes out or overwrites some.

use serde_json::{Map, Value};

/// The way of each argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merging {
    /// In the order of the parameters, then of what else is given or put in.
    pub rows: Vec<Merged>,
    /// What the values were filled in from: each variable that they name, with what it has here.
    pub variables: Vec<(String, Option<String>)>,
    /// What holds of the whole, in sentences.
    pub notes: Vec<String>,
}

/// One argument on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    pub name: String,
    /// Whether the model is notified of it.
    pub shown: bool,
    pub given: Option<Value>,
    pub origin: Origin,
    /// What the tool gets; `None`: nothing of that name.
    pub got: Option<Value>,
    /// Variables in it that stay as written: unknown, or without a value here.
    pub unfilled: Vec<String>,
}

/// Where what a tool gets comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    Given,
    /// Put in, since nothing was given; as its author wrote it.
    Default(Value),
    /// Whatever was given; as its author wrote it.
    Fixed(Value),
    /// The service reads this variable of its environment; what was given is dropped.
    Environment(String),
    /// Neither given nor put in.
    Absent,
}

impl Merging {
    /// Of a tool that gets just what is given.
    #[must_use]
    pub fn untouched(given: &Map<String, Value>) -> Self {
        let row = |(name, value): (&String, &Value)| Merged {
            name: name.clone(),
            shown: true,
            given: Some(value.clone()),
            origin: Origin::Given,
            got: Some(value.clone()),
            unfilled: Vec::new(),
        };
        Self { rows: given.iter().map(row).collect(), ..Self::default() }
    }
}

impl Merging {
    /// Whether anything is put in, taken out or overwritten.
    #[must_use]
    pub fn is_at_work(&self) -> bool {
        self.rows.iter().any(|row| !matches!(row.origin, Origin::Given | Origin::Absent))
    }
}

impl Origin {
    /// The word for it: `given`, `default`, `fixed`, `env`, `–`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Default(_) => "default",
            Self::Fixed(_) => "fixed",
            Self::Environment(_) => "env",
            Self::Absent => "–",
        }
    }
}

impl Merged {
    /// Whether something was given that the tool does not get.
    #[must_use]
    pub fn is_overruled(&self) -> bool {
        self.given.is_some() && self.given != self.got
    }

    /// What the tool gets, in few words: the value as JSON, the variable of the environment, or
    /// nothing.
    #[must_use]
    pub fn received_text(&self) -> String {
        match (&self.origin, &self.got) {
            (_, Some(value)) => value.to_string(),
            (Origin::Environment(variable), None) => format!("${variable}"),
            (_, None) => "nothing".to_owned(),
        }
    }

    /// What is worth knowing beside that, in few words; empty where it is nothing.
    #[must_use]
    pub fn remark(&self) -> String {
        let mut parts = Vec::new();
        if !self.shown {
            parts.push("models don't see it".to_owned());
        }
        if let (true, Some(given)) = (self.is_overruled(), &self.given) {
            parts.push(format!("given {given} is dropped"));
        }
        if let (Origin::Environment(variable), Some(_)) = (&self.origin, &self.got) {
            parts.push(format!("a sample for ${variable}"));
        }
        let written = match &self.origin {
            Origin::Default(written) | Origin::Fixed(written) => Some(written),
            _ => None,
        };
        if let Some(written) = written.filter(|written| self.got.as_ref() != Some(written)) {
            parts.push(format!("written {written}"));
        }
        if !self.unfilled.is_empty() {
            let names: Vec<String> =
                self.unfilled.iter().map(|name| format!("{{{name}}}")).collect();
            parts.push(format!("{} not filled in", names.join(", ")));
        }
        parts.join("; ")
    }
}

//! What is wrong with a value: the validator's errors, each at its own field and in plain words.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    messages,
    node::Types,
    phrase::{join_alternatives, value_text},
    pointer::Pointer,
};

/// An issue of a value: where, and in words that follow the field's name: `is required`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    pub at: Pointer,
    pub words: String,
    /// The keyword that says so.
    pub keyword: String,
}

/// More issues than these are not listed.
pub(crate) const MOST_ISSUES: usize = 500;

/// Answers which branch of a union counts: for the value at a place, by the schema's pointer to the
/// list of branches.
pub(crate) type ChooseBranch<'c> = dyn Fn(&Pointer, &str) -> Option<usize> + 'c;

pub(super) struct Issues<'c> {
    pub(super) found: Vec<Issue>,
    chosen: &'c ChooseBranch<'c>,
}

impl<'c> Issues<'c> {
    pub(super) fn new(chosen: &'c ChooseBranch<'c>) -> Self {
        Self { found: Vec::new(), chosen }
    }

    fn add_issue(&mut self, at: Pointer, words: String, keyword: &str) {
        if self.found.len() < MOST_ISSUES
            && !self.found.iter().rev().take(50).any(|known| known.at == at && known.words == words)
        {
            self.found.push(Issue { at, words, keyword: keyword.to_owned() });
        }
    }

    /// The issues that an error results in.
    pub(super) fn add_error(&mut self, error: &ValidationError<'_>) {
        let at = Pointer::parse(error.instance_path().as_str()).unwrap_or_default();
        let kind = error.kind();
        let keyword = kind.keyword();
        match kind {
            ValidationErrorKind::Required { property } => {
                self.add_issue(
                    at.child(value_text(property)),
                    messages::error_message(kind),
                    keyword,
                );
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.add_issue(at.child(name.clone()), messages::error_message(kind), keyword);
                }
            }
            ValidationErrorKind::PropertyNames { error } => {
                let name = error.instance().as_str().map(ToOwned::to_owned);
                self.add_issue(
                    name.map_or_else(|| at.clone(), |name| at.child(name)),
                    messages::error_message(kind),
                    keyword,
                );
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                self.take_union(&at, (keyword, error.schema_path().as_str()), context);
            }
            _ => self.add_issue(at, messages::error_message(kind), keyword),
        }
    }

    /// A value that fits no branch: what the chosen one misses, else what all want together, else
    /// what the nearest one misses.
    fn take_union(
        &mut self,
        at: &Pointer,
        (keyword, union): (&str, &str),
        branches: &[Vec<ValidationError<'static>>],
    ) {
        let chosen = (self.chosen)(at, union)
            .and_then(|chosen| branches.get(chosen))
            .filter(|errors| !errors.is_empty());
        if let Some(errors) = chosen {
            for error in errors {
                self.add_error(error);
            }
            return;
        }
        let place = at.to_string();
        let is_own = |error: &ValidationError<'_>| error.instance_path().as_str() == place;
        let wanted = branches
            .iter()
            .map(|errors| BranchNeeds::from_errors(errors, &is_own))
            .collect::<Vec<_>>();
        if let Some(words) = BranchNeeds::combined_message(&wanted) {
            self.add_issue(at.clone(), words, keyword);
            return;
        }
        let nearest = branches.iter().zip(&wanted).filter(|(errors, _)| !errors.is_empty());
        let nearest =
            nearest.min_by_key(|(errors, wanted)| (wanted.is_far(errors, &place), errors.len()));
        let Some((errors, _)) = nearest else {
            self.add_issue(at.clone(), "matches none of the alternatives".into(), keyword);
            return;
        };
        for error in errors {
            self.add_error(error);
        }
    }
}

/// What a branch of a union wants of the value itself.
enum BranchNeeds {
    Types(Types),
    Values(Vec<Value>),
    Members(Vec<String>),
    More,
}

impl BranchNeeds {
    fn from_errors(
        errors: &[ValidationError<'static>],
        is_own: &impl Fn(&ValidationError<'_>) -> bool,
    ) -> Self {
        use ValidationErrorKind as Kind;
        if !errors.iter().all(is_own) {
            return Self::More;
        }
        let members = errors.iter().map(|error| match error.kind() {
            Kind::Required { property } => Some(value_text(property)),
            _ => None,
        });
        if let Some(members) = members.collect::<Option<Vec<_>>>() {
            return Self::Members(members);
        }
        for error in errors {
            match error.kind() {
                Kind::Type { kind } => return Self::Types(messages::allowed_types(kind)),
                Kind::Constant { expected_value } => {
                    return Self::Values(vec![(**expected_value).clone()]);
                }
                Kind::Enum { options } => {
                    return Self::Values(options.as_array().cloned().unwrap_or_default());
                }
                _ => {}
            }
        }
        Self::More
    }

    fn combined_message(all: &[Self]) -> Option<String> {
        let members = all.iter().map(|wanted| match wanted {
            Self::Members(names) => Some(names.join(" and ")),
            _ => None,
        });
        if let Some(names) = members.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty()) {
            return Some(format!("needs {}", join_alternatives(names.iter().map(String::as_str))));
        }
        let mut types = Types::NONE;
        let mut values = Vec::new();
        for wanted in all {
            match wanted {
                Self::Types(more) => types = types.union(*more),
                Self::Values(more) => values.extend(more),
                Self::Members(_) | Self::More => return None,
            }
        }
        match (types.is_empty(), values.is_empty()) {
            (true, true) => None,
            (false, true) => Some(messages::wrong_type(types)),
            (true, false) => Some(messages::one_of(&values)),
            (false, false) => {
                Some(format!("{}, or {}", messages::one_of(&values), types.to_words()))
            }
        }
    }

    /// 2 for another type than the value has, 1 where the member that distinguishes branches
    /// differs.
    fn is_far(&self, errors: &[ValidationError<'static>], place: &str) -> u8 {
        if matches!(self, Self::Types(_)) {
            return 2;
        }
        let tag = |error: &ValidationError<'_>| {
            let depth = |path: &str| path.matches('/').count();
            matches!(
                error.kind(),
                ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. }
            ) && depth(error.instance_path().as_str()) <= depth(place) + 1
        };
        u8::from(errors.iter().any(tag))
    }
}

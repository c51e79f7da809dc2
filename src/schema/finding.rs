//! What is wrong with a schema itself.

use super::pointer::Pointer;

/// What is wrong with a schema itself; the pointers are within the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema is not valid at \"{at}\": {words}")]
pub struct SchemaFinding {
    pub at: Pointer,
    pub words: String,
    /// The schema whose keyword it is about: that of the field which it concerns.
    pub schema: Pointer,
    /// Values are checked less than the schema asks for.
    pub unchecked: bool,
}

/// What a form adds to the words of a flaw that it leaves out.
pub(super) const IGNORED: &str = "; it is ignored";

impl SchemaFinding {
    /// The same for whom nothing is left out.
    #[must_use]
    pub fn into_flaw(self) -> Self {
        let words = self.words.strip_suffix(IGNORED).map(str::to_owned);
        Self { words: words.unwrap_or(self.words), ..self }
    }
}

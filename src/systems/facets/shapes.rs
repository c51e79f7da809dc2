//! Entries that come in several shapes, and text that is not quite a file's.

use serde_json::Value;

/// Reads entries that were pasted from elsewhere, and puts them in another shape.
pub trait Shapes: Sync {
    /// The words of the shapes.
    fn shape_words(&self) -> Vec<&'static str>;

    /// The entries in a text that may not be JSON by the letter.
    ///
    /// # Errors
    /// When it cannot be read, with where.
    fn read_pasted(&self, text: &str) -> Result<Vec<Value>, String>;

    /// An entry in the shape of that word, and what is not as before.
    ///
    /// # Errors
    /// When it cannot be put in that shape, or there is no such shape.
    fn convert_entry(&self, entry: &Value, shape: &str) -> Result<(Value, Vec<String>), String>;
}

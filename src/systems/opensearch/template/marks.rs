//! What a placeholder is made of.

/// What it begins with, by where its value comes from.
pub const PARAMETERS: &str = "${parameters.";
pub const CREDENTIAL: &str = "${credential.";
/// What it ends with.
pub const SUFFIX: char = '}';
/// What parts a name from its default.
pub const DEFAULT_MARK: &str = ":-";

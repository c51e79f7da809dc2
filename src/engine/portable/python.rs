//! Tools of Python functions, read from their text: nothing is run. What can't be read is an error
//! that names its line.
//!
//! | file | reads |
//! | --- | --- |
//! | [`functions`] | functions of a text, their decorators and arguments |
//! | [`docstring`] | what a docstring says of a function and of its arguments |
//! | [`types`] | annotations and `Field(…)` as JSON Schema |
//! | [`expression`] | annotations, defaults and calls, as they are written |
//! | [`tokens`] | lines of tokens |

mod docstring;
mod expression;
pub mod functions;
mod tokens;
mod types;

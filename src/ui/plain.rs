//! Plain mode: the same screens, actions and dialogs as lines of text and questions, for screen
//! readers and for scripts.
//!
//! [`session`] is a session: a line in, messages and lines out. [`commands`] finds what a line
//! names: a command of plain mode, or an action of the screens' tables by its title or id.
//! [`dialog`] asks what an overlay asks. [`fields`] shows the fields of a form, [`editing`] asks and
//! sets them.
//! [`verbs`] does commands that only plain mode has, [`pending`] what waits for a change of the state.
//! [`lists`] says what a screen shows, [`showing`] prints that, and [`calls`] what comes of a call. [`words`] names commands
//! where a screen names keys. Nothing here draws, and nothing here reads or prints: `runtime/plain`
//! does.

pub mod calls;
pub mod commands;
pub mod dialog;
pub mod editing;
pub mod fields;
pub mod lists;
pub mod pending;
pub mod session;
pub mod showing;
pub mod verbs;
pub mod words;

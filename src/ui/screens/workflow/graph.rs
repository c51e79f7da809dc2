//! The states as a picture that is walked with keys and mouse.
//!
//! [`pane`] holds what the user chose to see and answers keys, [`mouse`] the mouse; [`choose`] says
//! how much is shown, [`fit`] what has room. [`layout`] is the layout that comes of it, kept until something it depends on
//! changes; [`hit_target`] says what is at a cell of it, in the workflow's own terms.
//! [`travel`] finds the next state in a direction, [`seek`] a state or tool by name, [`walk`] takes
//! steps. [`foot`] says what is chosen. [`paint`] puts the picture on the screen, [`name_key`]
//! the names of numbered states below it, [`minimap`] all of it small, [`legend`] explains the
//! signs.

mod choose;
mod fit;
mod foot;
mod hit_target;
mod layout;
mod legend;
mod minimap;
mod mouse;
mod name_key;
mod paint;
mod pane;
mod seek;
mod travel;
mod walk;

pub(crate) use hit_target::{ArrowEnd, HitTarget};
pub(crate) use pane::{Graph, Zoom};

//! The layout: boxes and arrows placed in cells, layer by layer, so that no arrow runs through a
//! box or over a label.
//!
//! A [`diagram`] says what to draw. [`rank`] breaks cycles and puts boxes in layers. [`items`] cuts
//! each arrow into pieces, one for each layer it passes, its label being one of them, so that
//! labels and passing arrows take room like boxes do. [`order`] sorts each layer for few crossings,
//! [`place`] gives each piece its row, [`route`] draws the pieces through the channels between
//! layers, and [`picture`] is what comes of it. [`extent`] chooses the states to show, [`states`]
//! makes a diagram of them with their [`marks`], [`chain`] one of steps that run in order; [`hit`]
//! says what is at a cell of its picture. [`labels`] writes those that are left out or cut where
//! there is room after all.
//!
//! All of it is deterministic: the same diagram gives the same picture. Inside, `along` is the
//! direction of the layers, `across` the other.

pub mod chain;
pub mod diagram;
pub mod extent;
pub mod hit;
mod items;
pub mod labels;
pub mod lay;
pub mod marks;
mod order;
pub mod picture;
mod place;
mod rank;
mod route;
pub mod states;

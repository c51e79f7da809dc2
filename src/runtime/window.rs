//! A window of its own: the same program without a terminal.
//!
//! The system wants windows on the main thread, so the program (its event loop, and all that
//! runs) is on another. It hands each drawing over whole, and gets what the user does;
//! [`link`] is between the two. The window turns a drawing into pixels itself: [`paint`] draws
//! the rows that changed, [`glyphs`] what is in a cell, [`boxes`] lines and blocks, [`fonts`]
//! finds the font, [`bidi`] the order of text that is read from right to left, [`arabic`] the shapes
//! of its letters. [`keys`] and [`mod@pointer`] say what keys and mouse mean, [`app`] ties all to the
//! system's window.

mod app;
mod arabic;
mod bidi;
mod boxes;
mod cells;
mod clipboard;
mod colours;
mod dropped;
mod fonts;
mod glyphs;
pub(crate) mod host;
mod icon;
mod keys;
mod link;
mod paint;
mod pointer;
mod portal;
pub(crate) mod run;

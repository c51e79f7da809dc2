//! Tools and agents as lists of steps, run by ourselves: what each step sees, what it sends, and
//! what later steps get of its answer.
//!
//! [`plan`] reads the steps of an entry, [`prepare`] renders one, [`answer`] reads what came back.
//! [`order`] is a run as it is asked for, [`state`] what is known between steps. Nothing here sends
//! anything.

pub mod answer;
pub mod order;
pub mod plan;
pub mod prepare;
pub mod state;

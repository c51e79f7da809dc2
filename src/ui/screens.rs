//! The screens, one row each.

pub mod form;
pub mod history;
pub mod invoke;
pub mod tools;
pub mod watch;
pub mod workflow;

use super::view::Screen;
use crate::app::{actions::Act, message::ScreenId};

/// A row of the table.
pub struct ScreenRow {
    pub id: ScreenId,
    /// The action that shows it; its title is the screen's name.
    pub act: Act,
    pub make: fn() -> Box<dyn Screen>,
}

/// Every screen, in the order of the top line.
pub const SCREENS: &[ScreenRow] = &[
    ScreenRow { id: ScreenId::Tools, act: Act::ShowTools, make: || Box::<tools::Tools>::default() },
    ScreenRow { id: ScreenId::Workflow, act: Act::ShowWorkflow, make: || Box::<workflow::WorkflowScreen>::default() },
    ScreenRow { id: ScreenId::Invoke, act: Act::ShowInvoke, make: invoke::invoke },
    ScreenRow { id: ScreenId::Watch, act: Act::ShowWatch, make: || Box::<watch::WatchScreen>::default() },
    ScreenRow { id: ScreenId::History, act: Act::ShowHistory, make: || Box::<history::History>::default() },
];

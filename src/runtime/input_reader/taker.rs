//! Where the reading of a terminal puts what it reads.

use std::{io, sync::mpsc::SyncSender, time::Duration};

use tokio::sync::{Notify, watch};

use crate::app::input::{Focus, Input};

/// How long something incomplete waits for the rest of it, at most.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) type Read = io::Result<Input>;

/// Where inputs go as they are read.
pub(crate) struct Taker<'t> {
    pub inputs: &'t SyncSender<Read>,
    pub arrived: &'t Notify,
    pub focus: &'t watch::Sender<Focus>,
}

impl Taker<'_> {
    /// Hands an input on; false where nobody takes inputs any more.
    pub fn forward_input(&self, input: Input) -> bool {
        let taken = self.inputs.send(Ok(input)).is_ok();
        self.arrived.notify_one();
        taken
    }

    /// The user turns to the terminal, or away from it.
    pub fn forward_focus(&self, focus: Focus) {
        self.focus.send_replace(focus);
    }
}

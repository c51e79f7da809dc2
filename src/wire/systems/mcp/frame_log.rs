//! The frames of a connection, in and out, for who looks at them: the first ones are kept, so that
//! nobody comes too late for how it was opened.

use std::{
    collections::VecDeque,
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use tokio::time::Instant;

use crate::{
    model::traffic::{DIRECTION, FRAMES},
    wire::{
        systems::facets::inspector::AT,
        transport::{
            message::{Incoming, Packet, SENT_AT},
            message_queue::QueueSender,
        },
    },
};

/// How many of the first frames are kept, and how large one of them may be.
const KEPT: usize = 64;
const LARGEST: usize = 1024 * 1024;

/// Which way something went.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Out,
    In,
    /// A line of standard error.
    Words,
}

pub(crate) struct FrameLog {
    began: Instant,
    first: VecDeque<Packet>,
    observers: Vec<QueueSender>,
}

impl Default for FrameLog {
    fn default() -> Self {
        Self { began: Instant::now(), first: VecDeque::new(), observers: Vec::new() }
    }
}

impl FrameLog {
    pub fn note(&mut self, direction: Direction, text: &str) {
        let is_kept = self.first.len() < KEPT && text.len() <= LARGEST;
        if self.observers.is_empty() && !is_kept {
            return;
        }
        let word = match direction {
            Direction::Out => "out",
            Direction::In => "in",
            Direction::Words => "stderr",
        };
        let at = self.began.elapsed().as_micros().to_string();
        let when = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let packet = Packet {
            subject: Some(FRAMES.to_owned()),
            reply: None,
            headers: vec![
                (DIRECTION.to_owned(), word.to_owned()),
                (AT.to_owned(), at),
                (SENT_AT.to_owned(), when.as_millis().to_string()),
            ],
            body: Bytes::copy_from_slice(text.as_bytes()),
        };
        if is_kept {
            self.first.push_back(packet.clone());
        }
        self.observers.retain(|to| to.try_push(Incoming::Packet(packet.clone())).is_ok());
    }

    /// Reports an observer what was kept, and all that goes by from now on.
    pub fn observe(&mut self, to: QueueSender) {
        let told =
            self.first.iter().all(|packet| to.try_push(Incoming::Packet(packet.clone())).is_ok());
        if told {
            self.observers.push(to);
        }
    }
}

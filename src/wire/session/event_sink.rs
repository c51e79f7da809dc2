//! Where a call puts its events, each with its time.

use std::{borrow::Cow, sync::Arc, time::Duration};

use tokio::{sync::mpsc, time::Instant};

use crate::{
    engine::{
        mask::Mask,
        stream_redactor::{RedactedPieces, StreamEnd},
    },
    model::{
        call::{CallError, Event, EventKind, Headers, Outcome, StrayCause},
        size,
        stage::{FrameWay, Stage, without_data},
    },
    wire::{
        now::{elapsed_ms, ms_between},
        queue::{self, Closed},
        secrets::Secrets,
        transport::message::{Packet, cut_wire},
    },
};

/// How much of a stray's body is kept.
const STRAY: usize = 4096;

/// Nobody takes events any more: the call ends without another.
pub struct SinkClosed;

/// How a call ended.
pub(crate) type CallEnd = (Outcome, Option<CallError>);

/// Takes events, and waits while nobody takes them out.
pub struct EventSink {
    /// When the call began.
    pub began: Instant,
    /// When its connection was open: time limits count from here. Until then, when the call began.
    pub opened: Instant,
    /// When the last event was reported; before any was, when the call began.
    pub last: Instant,
    /// How long this call had to wait until its events were taken.
    pub held: Duration,
    events: mpsc::Sender<Event>,
    /// What no event but the answer itself may repeat.
    pub secrets: Option<Secrets>,
    /// The name of the last stage: mostly it is that of the next one too.
    last_name: Arc<str>,
    /// The headers that were reported last, of each way.
    last_headers: [Vec<(String, String)>; 2],
    /// What came over the wire just now, and when.
    noted_wire: Option<(u64, String)>,
    /// The chunks that came so, in which a secret may be split.
    pieces: RedactedPieces,
}

impl EventSink {
    /// The clock of the events starts now.
    pub fn new(events: mpsc::Sender<Event>) -> Self {
        let began = Instant::now();
        Self {
            began,
            opened: began,
            last: began,
            held: Duration::ZERO,
            events,
            secrets: None,
            last_name: "".into(),
            last_headers: Default::default(),
            noted_wire: None,
            pieces: RedactedPieces::default(),
        }
    }

    /// Another one for what is reported of the same call beside it.
    #[must_use]
    pub fn aside(&self) -> Self {
        let (began, opened, secrets) = (self.began, self.opened, self.secrets.clone());
        Self { began, opened, secrets, ..Self::new(self.events.clone()) }
    }

    pub async fn emit(&mut self, kind: EventKind) -> Result<(), SinkClosed> {
        if matches!(kind, EventKind::End { .. }) {
            self.emit_noted_wire().await?;
        }
        // Of millions of events the clock is read once each.
        self.last = Instant::now();
        self.emit_at(ms_between(self.began, self.last), kind).await
    }

    async fn emit_at(&mut self, at_ms: u64, kind: EventKind) -> Result<(), SinkClosed> {
        let kind = match &self.secrets {
            Some(secrets) => {
                if let EventKind::Chunk { text, .. } = &kind
                    && self.noted_wire.is_some()
                {
                    note_chunk(&mut self.pieces, text, secrets);
                }
                // Of a secret that a chunk began, what comes next may be the rest.
                let is_begun = self.pieces.oldest_pending().is_some();
                let has_hidden = is_wire(&kind) && (self.pieces.take_hidden() || is_begun);
                hide_secrets(kind, secrets, has_hidden)
            }
            None => kind,
        };
        let event = Event { at_ms, kind };
        let weight = event.payload_len();
        // Mostly there is room, and nothing is held.
        let Err(event) = queue::try_send_weighted(&self.events, event, weight) else {
            return Ok(());
        };
        let held_since = Instant::now();
        let told =
            queue::send_weighted(&self.events, event, weight).await.map_err(|Closed| SinkClosed);
        self.held += held_since.elapsed();
        told
    }

    /// Reports how far the call has come; `body` is JSON, or empty.
    pub async fn emit_stage(
        &mut self,
        name: &str,
        words: impl Into<String>,
        body: impl Into<Arc<str>>,
    ) -> Result<(), SinkClosed> {
        let name = self.shared_name(name);
        let stage = Stage { name, words: words.into(), body: body.into(), frame: None };
        self.emit(EventKind::Stage(stage)).await
    }

    /// The same with a frame as it crossed the wire.
    pub async fn emit_frame(
        &mut self,
        way: FrameWay,
        (name, words): (&str, String),
        body: impl Into<Arc<str>>,
    ) -> Result<(), SinkClosed> {
        let name = self.shared_name(name);
        let stage = Stage { name, words, body: body.into(), frame: Some(way) };
        self.emit(EventKind::Stage(stage)).await
    }

    /// Reports what crossed the wire, to the byte.
    pub async fn emit_wire(
        &mut self,
        way: FrameWay,
        lines: impl Into<String>,
    ) -> Result<(), SinkClosed> {
        let at_ms = elapsed_ms(self.began);
        self.emit_wire_at(at_ms, way, cut_wire(lines.into())).await
    }

    /// Notes what came over the wire, to be reported by [`Self::emit_noted_wire`], or before the
    /// end: after what it says. So whoever masks a secret that is split over several chunks knows by
    /// then whether one is in it.
    pub fn note_wire(&mut self, lines: String) {
        self.noted_wire = Some((elapsed_ms(self.began), lines));
    }

    pub async fn emit_noted_wire(&mut self) -> Result<(), SinkClosed> {
        match self.noted_wire.take() {
            Some((at_ms, lines)) => self.emit_wire_at(at_ms, FrameWay::In, lines).await,
            None => Ok(()),
        }
    }

    async fn emit_wire_at(
        &mut self,
        at_ms: u64,
        way: FrameWay,
        lines: String,
    ) -> Result<(), SinkClosed> {
        let words =
            format!("{} {}", way.sign(), size::format_size(size::whole_length(&lines) as u64));
        let name = self.shared_name(Stage::WIRE);
        let stage = Stage { name, words, body: lines.into(), frame: Some(way) };
        self.emit_at(at_ms, EventKind::Stage(stage)).await
    }

    /// Reports a message that is no part of the answer: how it begins, and its headers without their
    /// secrets.
    pub async fn emit_stray(
        &mut self,
        cause: StrayCause,
        id: Option<String>,
        packet: &Packet,
    ) -> Result<(), SinkClosed> {
        let kept = &packet.body[..packet.body.len().min(STRAY)];
        let body = String::from_utf8_lossy(kept);
        let body = match kept.len() < packet.body.len() {
            true => size::cut_text(&body, packet.body.len()),
            false => body.into_owned(),
        };
        let came: Vec<_> = packet.visible_headers().cloned().collect();
        let headers: Headers = Mask::default().mask_headers(&came).collect();
        self.emit(EventKind::Stray { cause, id, headers, body: body.into() }).await
    }

    /// Reports headers, without their secrets, unless they are those of the message before that went
    /// the same way; a message without any says nothing about them.
    pub async fn emit_headers<'h>(
        &mut self,
        way: FrameWay,
        headers: impl IntoIterator<Item = &'h (String, String)>,
    ) -> Result<(), SinkClosed> {
        let headers: Vec<_> = headers.into_iter().collect();
        let last = &mut self.last_headers[way as usize];
        // Of most messages they are the same.
        if headers.is_empty() || last.iter().eq(headers.iter().copied()) {
            return Ok(());
        }
        let headers: Vec<_> = headers.into_iter().cloned().collect();
        let shown = Mask::default().mask_headers(&headers).collect();
        *last = headers;
        self.emit(EventKind::Headers { way, headers: shown }).await
    }

    fn shared_name(&mut self, name: &str) -> Arc<str> {
        if *self.last_name != *name {
            self.last_name = name.into();
        }
        Arc::clone(&self.last_name)
    }

    /// Ends when nobody takes events any more.
    pub async fn closed(&self) {
        self.events.closed().await;
    }
}

fn is_wire(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Stage(stage) if stage.is_wire())
}

/// Notes of a chunk that came over the wire whether a secret that was used begins in it, is in it,
/// or ends in it.
fn note_chunk(pieces: &mut RedactedPieces, text: &str, secrets: &Secrets) {
    let mask = secrets.mask().of_known();
    if mask.value_count() == 0 {
        return;
    }
    let seen = pieces.redact_next(&mask, [text], StreamEnd::MayCome).pieces;
    if seen.concat() != text {
        pieces.note_hidden();
    }
}

/// A body without the start of a secret where it is cut.
fn hide_cut(body: &mut Arc<str>, mask: &Mask) {
    if let Some((start, rest)) = size::split_cut(body) {
        let left = mask.without_begun(start);
        if left.len() < start.len() {
            *body = format!("{left}{rest}").into();
        }
    }
}

/// The same without the secrets that were used. The answer stays as it came. What crossed the wire
/// is without its data where something is hidden in that.
fn hide_secrets(kind: EventKind, secrets: &Secrets, has_hidden: bool) -> EventKind {
    let mask = secrets.mask();
    let hide = |text: &mut Arc<str>| {
        if let Cow::Owned(hidden) = mask.mask_known(text) {
            *text = hidden.into();
        }
    };
    let hide_words = |words: &mut String| {
        if let Cow::Owned(hidden) = mask.mask_known(words) {
            *words = hidden;
        }
    };
    match kind {
        EventKind::End { outcome, problem: Some(problem) } => {
            EventKind::End { outcome, problem: Some(secrets.hidden_in(problem)) }
        }
        EventKind::Stage(mut stage)
            if ![Stage::RESULT, Stage::STRUCTURED].contains(&&*stage.name) =>
        {
            if has_hidden {
                stage.body = without_data(&stage.body).into();
            }
            hide_words(&mut stage.words);
            if stage.is_wire() {
                hide_cut(&mut stage.body, &mask);
            }
            hide(&mut stage.body);
            EventKind::Stage(stage)
        }
        EventKind::Headers { way, headers } => {
            EventKind::Headers { way, headers: mask_values(&headers, &mask) }
        }
        EventKind::Stray { cause, id, headers, mut body } => {
            hide_cut(&mut body, &mask);
            hide(&mut body);
            EventKind::Stray { cause, id, headers: mask_values(&headers, &mask), body }
        }
        EventKind::Notice(mut words) => {
            hide_words(&mut words);
            EventKind::Notice(words)
        }
        other => other,
    }
}

fn mask_values(headers: &[(String, String)], mask: &Mask) -> Headers {
    let headers = headers.iter().map(|(name, value)| {
        let value = mask.mask_known(value).into_owned();
        (name.clone(), value)
    });
    headers.collect()
}

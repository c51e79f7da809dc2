//! `toolcrib watch`: follows what passes on a bus, or shows a saved trace, as lines or as JSON.

use std::{path::PathBuf, pin::pin, sync::Arc, time::Duration};

use clap::Args;
use serde_json::{Value, json};
use tokio::time::sleep_until;

use super::{
    arguments::parse_duration,
    cards::{CardReader, NamedCard},
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    signals::{interrupted, wait_for},
};
use crate::{
    engine::traffic::{
        conversation::Conversation,
        filter::{self, Filter},
        record::{Record, RecordBounds, Ring},
        span::StartTime,
        trace::{self, Head},
    },
    model::{
        call::CallError,
        clock::Millis,
        connection::Connection,
        id::shown_id,
        problem::{Problem, ProblemKind},
        traffic::{Decoded, ObservedMessage, Part, Tapped, WatchedItem},
    },
    runtime::{
        now::{each_second, now_millis, resolve_since},
        registry,
    },
    schema::count::count_text,
    store::{
        secrets,
        traces::{self, TraceFile},
    },
    systems::{
        facets::observer::Place,
        watched::{self, TrafficWitness},
    },
    wire::{
        card_source::{self, Read},
        registry::Registry,
        tap::Tap,
        transport::message::Address,
    },
};

/// So many messages are written before the user is received again.
const SLICE: usize = 256;

/// So long those cards are waited for that are on their way when the watch ends.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Args, Debug)]
pub(crate) struct Watch {
    /// What to listen to: queues such as request:tg:joke, or subjects, exchanges and topics of the
    /// broker; on NATS with wildcards. By default the queues of the workspace's services
    #[arg(value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// Show only what matches: words, is:failed, >500ms, id:…, on:SUBJECT, state:…; - before a word
    /// negates it
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse, allow_hyphen_values = true)]
    filter: Option<Filter>,

    /// Report when a conversation matches this filter, and exit with code 1 if one did; written
    /// as a filter
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse, allow_hyphen_values = true)]
    alert: Vec<Filter>,

    /// Start with messages stored since then: 10m, 2h, a time of day such as 14:05, or a moment
    /// such as 2026-01-01T12:00 or 2026-01-01T12:00:00Z (NATS with JetStream)
    #[arg(long, value_name = "TIME", value_parser = StartTime::parse, conflicts_with = "open")]
    since: Option<StartTime>,

    /// Also show messages without news, such as a watchdog's
    #[arg(long)]
    all: bool,

    /// Read the cards that messages name from the system's API, and compare the labels of each call
    /// and its result (CommonGround)
    #[arg(long, conflicts_with = "open")]
    cards: bool,

    /// Exit after this time: 500ms, 30s, 2m
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// Exit after this many messages; with --for, exit with 4 if fewer arrived
    #[arg(long, value_name = "N")]
    count: Option<u64>,

    /// Save all messages as a trace in a new file
    #[arg(long, value_name = "FILE", conflicts_with = "open")]
    save: Option<PathBuf>,

    /// Show a saved trace, without connecting
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subjects", "time"])]
    open: Option<PathBuf>,
}

impl Watch {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let mut record = Record::new(RecordBounds::default());
        let refused = |cause: String| {
            Problem::new(ProblemKind::Input, "watching", cause).with_remedy(filter::HELP)
        };
        record.show_routine(self.all);
        record.set_view(self.filter.clone().unwrap_or_default()).map_err(refused)?;
        self.alert.iter().try_for_each(|alert| record.watch_for(alert.clone())).map_err(refused)?;
        if let Some(path) = &self.open {
            return self.print_trace(path, record, global, out);
        }
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let connection = opened.settings.connections.current();
        if connection.is_embedded() {
            let problem = Problem::new(
                ProblemKind::Input,
                "watching",
                "the embedded connection has no bus to watch",
            );
            return Err(problem
                .with_remedy("choose one with --connection, such as nats://127.0.0.1:4222")
                .into());
        }
        let places = match self.subjects.as_slice() {
            [] => watched::default_places(&opened.catalog, &connection)?,
            subjects => subjects
                .iter()
                .map(|subject| watched::parse_place(subject, connection.transport()))
                .collect::<Result<_, _>>()?,
        };
        let head = Head {
            connection: connection.name.clone(),
            transport: connection.transport().as_str().into(),
            subjects: places.iter().map(|place| place.name.clone()).collect(),
        };
        let known = opened.settings.connections.known;
        let file = self
            .save
            .as_deref()
            .map(|path| TraceFile::create(path, &head, secrets::build_mask(&known)))
            .transpose()?;
        let cards =
            self.cards.then(|| self.reader(&connection, &known, global.json)).transpose()?;
        let teller = ObservedPrinter {
            out,
            json: global.json,
            record,
            witness: TrafficWitness::default(),
            began: None,
            told: 0,
            rang: 0,
            cards,
        };
        wait_for(
            "watching",
            self.follow_messages(
                &Source { connection, known, places, head, since: self.since },
                file,
                teller,
            ),
        )
    }

    fn reader(
        &self,
        connection: &Connection,
        known: &[Connection],
        json: bool,
    ) -> Result<CardReader, Problem> {
        // What is not set is said before anything is received.
        watched::any_card_source(connection)?;
        Ok(CardReader::new(connection.clone(), secrets::build_mask(known), json))
    }

    async fn follow_messages(
        &self,
        source: &Source,
        mut file: Option<TraceFile>,
        mut teller: ObservedPrinter<'_>,
    ) -> CommandResult {
        let registry = registry::of_system();
        let mut interrupt = pin!(interrupted());
        let mut tap = tokio::select! {
            () = &mut interrupt => return Ok(Ending::Interrupted),
            tap = source.open_tap(&registry) => tap.map_err(|problem| watch_problem(&source.connection, problem))?,
        };
        let end = self.time.map(|time| tokio::time::Instant::now() + time);
        let timer = async {
            match end {
                Some(end) => sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        let mut timer = pin!(timer);
        card_source::load_rosters(
            &mut teller.witness,
            &source.connection,
            &secrets::build_mask(&source.known),
        )
        .await;
        teller.print_start(&source.head, "listening on")?;
        // However much is received, time goes by.
        let mut seconds = each_second();
        let ending = loop {
            let heard = tokio::select! {
                biased;
                () = &mut interrupt => break if self.count.is_some() { Ending::Interrupted } else { Ending::Done },
                () = &mut timer => break if self.count.is_some() { Ending::TimedOut } else { Ending::Done },
                _ = seconds.tick(), if teller.has_alerts() => {
                    teller.tick()?;
                    continue;
                }
                heard = tap.next(SLICE) => heard,
                read = teller.next_cards() => {
                    teller.print_cards(read)?;
                    continue;
                }
            };
            let rest = self.count.map_or(u64::MAX, |count| count - teller.told);
            teller.handle_messages(heard, rest, file.as_mut())?;
            if let Some(file) = file.as_mut().filter(|_| tap.is_empty()) {
                file.flush()?;
            }
            if self.count.is_some_and(|count| teller.told >= count) {
                break Ending::Done;
            }
        };
        tap.close().await;
        if let Some(file) = &mut file {
            file.finish()?;
        }
        if ending != Ending::Interrupted {
            let rest = teller.rest_of_cards();
            tokio::select! {
                biased;
                // A second time: the first one may have ended the watch.
                () = interrupted() => {}
                _ = tokio::time::timeout(PATIENCE, rest) => {}
            }
        }
        teller.print_end(ending)
    }

    /// Shows a trace: of each conversation that is meant all its messages.
    fn print_trace(
        &self,
        path: &std::path::Path,
        mut record: Record,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let mut rings = Vec::new();
        let mut witness = TrafficWitness::default();
        let mut began = None;
        let head = traces::read_trace(path, |tapped| {
            began.get_or_insert(tapped.heard_at());
            rings.extend(record.add_witnessed(witness.observe_message(tapped)));
        })?;
        // What was open when the last message came had waited until then.
        rings.extend(record.tick(record.latest_time()));
        let mut teller = ObservedPrinter {
            out,
            json: global.json,
            record: Record::default(),
            witness: TrafficWitness::default(),
            began,
            told: 0,
            rang: rings.len(),
            cards: None,
        };
        teller.print_start(&head, "received on")?;
        let most = self.count.unwrap_or(u64::MAX);
        let mut lines = Vec::new();
        let mut number = record.let_go();
        for tapped in record.to_tapped() {
            if let Tapped::ObservedMessage(crossing) = &tapped {
                number += 1;
                let message = record.message(number);
                let shown = message.and_then(|message| {
                    record.conversation(record_row(&record, message.conversation)?)
                });
                if let Some(conversation) = shown
                    && teller.told < most
                {
                    teller.print_message(
                        crossing,
                        &watched::classify_message(crossing),
                        conversation,
                        &mut lines,
                    )?;
                }
            } else {
                teller.print_notice(&tapped, &mut lines);
            }
        }
        for ring in &rings {
            teller.print_alert(&record, *ring, &mut lines);
        }
        teller.out.json_lines(&lines)?;
        if record.let_go() > 0 {
            teller.out.warn(format_args!(
                "the first {} messages didn't fit in memory and aren't shown",
                record.let_go()
            ));
        }
        teller.record = record;
        teller.print_end(Ending::Done)
    }
}

/// A conversation's number, when the filter shows it.
fn record_row(record: &Record, number: u64) -> Option<u64> {
    record.row_of(number).map(|_| number)
}

fn watch_problem(connection: &Connection, problem: CallError) -> StopReason {
    problem.while_doing(format!("watching {}", connection.name)).into()
}

/// What is listened to.
struct Source {
    connection: Connection,
    /// All connections whose secrets might pass.
    known: Vec<Connection>,
    places: Vec<Place>,
    head: Head,
    since: Option<StartTime>,
}

impl Source {
    async fn open_tap(&self, registry: &Registry) -> Result<Tap, CallError> {
        let address = |place: &Place| Address { name: place.name.clone(), kept: place.kept };
        let addresses: Vec<Address> = self.places.iter().map(address).collect();
        let since = self.since.map(resolve_since).transpose()?;
        Tap::open_since(
            registry.open_bus(&self.connection).await?,
            &addresses,
            secrets::build_mask(&self.known),
            since,
        )
        .await
    }
}

/// Reports what is received to whoever reads the output.
struct ObservedPrinter<'t> {
    out: &'t mut CommandOutput,
    json: bool,
    record: Record,
    witness: TrafficWitness,
    /// When the first message came.
    began: Option<Millis>,
    /// Messages that were written.
    told: u64,
    rang: usize,
    /// Reads the cards that are named, where that is asked for.
    cards: Option<CardReader>,
}

impl ObservedPrinter<'_> {
    fn print_start(&mut self, head: &Head, doing: &str) -> Result<(), StopReason> {
        match self.json {
            true => self.out.json_line(&trace::head_line(head))?,
            false => self.out.print_status(format_args!(
                "{doing} {} at {}",
                head.subjects.join(", "),
                head.connection
            )),
        }
        Ok(())
    }

    /// Cards that came; waits for them.
    async fn next_cards(&mut self) -> Vec<(NamedCard, Read)> {
        match &mut self.cards {
            Some(cards) => cards.next().await,
            None => std::future::pending().await,
        }
    }

    fn print_cards(&mut self, read: Vec<(NamedCard, Read)>) -> Result<(), StopReason> {
        let Some(cards) = &mut self.cards else { return Ok(()) };
        read.into_iter().try_for_each(|read| cards.print_card(read, &mut self.record, self.out))?;
        Ok(self.out.flush()?)
    }

    /// Those that are still on their way.
    async fn rest_of_cards(&mut self) -> Result<(), StopReason> {
        while self.cards.as_ref().is_some_and(|cards| !cards.is_idle()) {
            let read = self.next_cards().await;
            self.print_cards(read)?;
        }
        Ok(())
    }

    /// Something may ring because time goes by.
    fn has_alerts(&self) -> bool {
        !self.record.alerts().is_empty()
    }

    fn tick(&mut self) -> Result<(), StopReason> {
        let rings = self.record.tick(now_millis());
        self.print_alerts(rings, Vec::new())
    }

    /// Takes in what was received, and reports it as much as may still be reported.
    fn handle_messages(
        &mut self,
        heard: Vec<Tapped>,
        rest: u64,
        mut file: Option<&mut TraceFile>,
    ) -> Result<(), StopReason> {
        let mut lines = Vec::new();
        let most = self.told.saturating_add(rest);
        let mut all = Vec::new();
        for tapped in heard {
            if let Some(file) = &mut file {
                file.write_tapped(tapped.clone())?;
            }
            self.began.get_or_insert(tapped.heard_at());
            match self.witness.observe_message(tapped.clone()) {
                WatchedItem::ObservedMessage(crossing, reading) => {
                    let rings = self.record.add_witnessed(WatchedItem::ObservedMessage(
                        Arc::clone(&crossing),
                        reading.clone(),
                    ));
                    let number = self
                        .record
                        .message(self.record.heard_count())
                        .map(|message| message.conversation);
                    let shown = number.and_then(|number| record_row(&self.record, number));
                    if let Some(conversation) =
                        shown.and_then(|number| self.record.conversation(number)).cloned()
                    {
                        self.print_message(&crossing, &reading, &conversation, &mut lines)?;
                        if let Some(cards) = &mut self.cards {
                            cards.request_cards(
                                reading.system,
                                conversation.number,
                                &reading.cards,
                            );
                        }
                    }
                    all.extend(rings);
                    if self.told >= most {
                        break;
                    }
                }
                other => {
                    self.print_notice(&tapped, &mut lines);
                    self.record.add_witnessed(other);
                }
            }
        }
        self.print_alerts(all, lines)
    }

    fn print_alerts(&mut self, rings: Vec<Ring>, mut lines: Vec<Value>) -> Result<(), StopReason> {
        self.rang += rings.len();
        let record = std::mem::take(&mut self.record);
        rings.into_iter().for_each(|ring| self.print_alert(&record, ring, &mut lines));
        self.record = record;
        self.out.json_lines(&lines)?;
        Ok(self.out.flush()?)
    }

    fn print_alert(&mut self, record: &Record, ring: Ring, lines: &mut Vec<Value>) {
        let Some(alert) = record.alerts().get(ring.alert) else { return };
        let conversation = record.conversation(ring.conversation);
        let id = conversation.and_then(|conversation| conversation.id.as_deref());
        let subject = conversation.map(|conversation| &*conversation.subject);
        match self.json {
            true => lines.push(json!({
                "event": "alert", "at_ms": record.latest_time().0, "alert": alert.filter.to_string(),
                "conversation": ring.conversation, "id": id, "subject": subject,
            })),
            false => self.out.print_status(format_args!(
                "alert \"{}\": conversation {} on {}{}",
                alert.filter,
                ring.conversation,
                subject.unwrap_or_default(),
                id.map_or_else(String::new, |id| format!(", id {id}")),
            )),
        }
    }

    fn print_notice(&mut self, tapped: &Tapped, lines: &mut Vec<Value>) {
        if self.json {
            return lines.push(trace::tapped_line(tapped));
        }
        match tapped {
            Tapped::Gap { messages: Some(messages), .. } => {
                self.out.warn(format_args!(
                    "{messages} messages were dropped because they arrived faster than they were \
                    read"
                ));
            }
            Tapped::Gap { .. } => self
                .out
                .warn("messages were dropped because they arrived faster than they were read"),
            Tapped::Notice { words, .. } => self.out.print_status(words),
            Tapped::ObservedMessage(_) => {}
        }
    }

    fn print_message(
        &mut self,
        crossing: &ObservedMessage,
        reading: &Decoded,
        conversation: &Conversation,
        lines: &mut Vec<Value>,
    ) -> Result<(), StopReason> {
        self.told += 1;
        if self.json {
            lines.push(trace::decoded_line(crossing, reading, conversation));
            return Ok(());
        }
        let began = *self.began.get_or_insert(crossing.at);
        let at = crossing.at.since(began);
        let tint = match &reading.part {
            Part::Error(_) | Part::Unreadable(_) | Part::Outcome(Some(_)) => Tint::Bad,
            Part::Request | Part::Step => Tint::Bold,
            Part::Answer { last: true } | Part::Outcome(None) => Tint::Good,
            _ => Tint::Dim,
        };
        let id = shown_id(conversation.id.as_deref().unwrap_or("–"));
        let label = format!("{:<11}", self.out.safe_text(&reading.label));
        let time = self.out.tint(Tint::Dim, &format!("+{:>4}.{:03}", at / 1_000, at % 1_000));
        let state = reading
            .state
            .as_deref()
            .map_or_else(String::new, |state| format!("[{}] ", self.out.safe_text(state)));
        let text = reading.text.replace('\n', " ");
        let line = format!(
            "{time}  {:<8}  {}  {}  {state}{}",
            self.out.safe_text(id),
            self.out.tint(tint, &label),
            self.out.safe_text(&crossing.subject),
            self.out.safe_text(&text)
        );
        self.out.print_line(line)?;
        for remark in &reading.remarks {
            let remark = format!("{:>20}⚠ {}", "", self.out.safe_text(remark));
            self.out.print_line(self.out.tint(Tint::Odd, &remark))?;
        }
        Ok(())
    }

    fn print_end(&mut self, ending: Ending) -> CommandResult {
        self.out.flush()?;
        let (heard, missed) = (self.record.heard_count(), self.record.missed_count());
        let gaps = if missed > 0 { format!(", {missed} missed") } else { String::new() };
        if self.record.routine_count() > 0 && !self.record.shows_routine() {
            self.out.print_detail(format_args!(
                "{} messages without content are hidden; --all shows them",
                self.record.routine_count()
            ));
        }
        let conversations = count_text(self.record.len(), "conversation", "conversations");
        self.out.print_detail(format_args!("{heard} messages in {conversations}{gaps}"));
        Ok(if ending == Ending::Done && self.rang > 0 { Ending::Found } else { ending })
    }
}

//! Calls against a scripted transport, in virtual time.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;

use super::*;
use crate::{
    model::{
        call::{Call, CallError, CallId},
        clock::Millis,
        entry::{EntryId, EntryPlace, FileId},
        error_kind::ErrorKind,
        transport::TransportKind,
    },
    schema::pointer::Pointer,
    systems::trustgraph::reply,
    wire::{
        systems::trustgraph::exchange::TrustGraphExchange,
        transport::{
            bus::{BusFuture, SubscriptionShare},
            connection_event::ConnectionEvents,
            message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
        },
    },
};

const ID: &str = "r-1";

/// What the other side does.
#[derive(Clone, Debug)]
enum Does {
    /// A message on the response subject, or in the inbox, with that id.
    Shared(Option<&'static str>, Vec<u8>),
    Inbox(Option<&'static str>, Vec<u8>),
    NoResponders,
    Waits(u64),
    Breaks,
    Says(&'static str),
    Overflows,
}

fn piece(text: &str) -> Does {
    Does::Shared(Some(ID), reply::chunk_body(text, false).into())
}

fn last(text: &str) -> Does {
    Does::Shared(Some(ID), reply::chunk_body(text, true).into())
}

struct Fake {
    script: Mutex<Vec<Does>>,
    refusal: Option<CallError>,
    capacity: usize,
    feeders: Arc<Mutex<Vec<(String, QueueSender)>>>,
    sent: Mutex<Vec<Outgoing>>,
    news: Arc<ConnectionEvents>,
}

impl Fake {
    fn new(script: Vec<Does>) -> Self {
        let news = Arc::new(ConnectionEvents::new("fake://here".into()));
        news.mark_connected();
        Self {
            script: Mutex::new(script),
            refusal: None,
            capacity: CAPACITY,
            feeders: Arc::default(),
            sent: Mutex::default(),
            news,
        }
    }

    fn play_script(&self) {
        let script = std::mem::take(&mut *self.script.lock().unwrap());
        let (feeders, news) = (Arc::clone(&self.feeders), Arc::clone(&self.news));
        tokio::spawn(async move {
            let feed = |subject: &str, heard: Incoming| {
                let feeders = feeders.lock().unwrap();
                let _ = feeders
                    .iter()
                    .find(|(of, _)| of == subject)
                    .map(|(_, feeder)| feeder.try_push(heard));
            };
            let packet = |id: Option<&str>, body: Vec<u8>| {
                let headers = id.map(|id| ("id".to_owned(), id.to_owned())).into_iter().collect();
                Incoming::Packet(Packet { subject: None, reply: None, headers, body: body.into() })
            };
            for does in script {
                match does {
                    Does::Shared(id, body) => feed("tg.response.joke", packet(id, body)),
                    Does::Inbox(id, body) => feed("inbox", packet(id, body)),
                    Does::NoResponders => feed("inbox", Incoming::NoResponders),
                    Does::Waits(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                    Does::Breaks => news.mark_broken(),
                    Does::Says(words) => news.send_notice(words.to_owned()),
                    Does::Overflows => news.count_overflow(),
                }
            }
        });
    }
}

impl Bus for Fake {
    fn transport(&self) -> TransportKind {
        TransportKind::Nats
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        String::new()
    }

    fn parse_receipt(&self, packet: &Packet) -> Option<Receipt> {
        let kept = Receipt::Kept { stream: "TG".into(), sequence: 7, duplicate: false };
        (&packet.body[..] == b"kept").then_some(kept)
    }

    fn subscribe<'a>(
        &'a self,
        at: &'a Address,
        _: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        Box::pin(async move {
            let (feeder, line) = message_queue(self.capacity);
            self.feeders.lock().unwrap().push((at.name.clone(), feeder));
            Ok(line)
        })
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move {
            if let Some(problem) = &self.refusal {
                return Err(problem.clone());
            }
            self.sent.lock().unwrap().push(message);
            self.play_script();
            Ok(())
        })
    }

    fn new_inbox(&self) -> Option<Address> {
        Some(Address::ephemeral("inbox"))
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}

fn request() -> Request {
    let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::default());
    Request {
        tool: EntryId::new(place),
        system: "trustgraph",
        name: "tell-joke".into(),
        to: "non-persistent://tg/request/joke".into(),
        reply: Some("non-persistent://tg/response/joke".into()),
        headers: vec![("id".into(), ID.into())],
        correlation: ID.into(),
        arguments: "{}".into(),
        body: r#"{"user":"alice","config":"{}","arguments":"{}"}"#.into(),
        mock: None,
    }
}

fn limits() -> Limits {
    let seconds = Duration::from_secs;
    Limits {
        first: seconds(30),
        idle: seconds(10),
        total: seconds(600),
        linger: seconds(2),
        answer: 1_000_000,
        ..Limits::default()
    }
}

async fn events_of(bus: &Fake, request: Request, limits: Limits) -> Vec<Event> {
    let (sender, mut receiver) = mpsc::channel(4);
    let collect = async {
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            events.push(event);
        }
        events
    };
    let ((), events) = tokio::join!(
        begin_call(request, limits, sender).run_exchange(bus, &TrustGraphExchange),
        collect
    );
    let ends = events.iter().filter(|event| matches!(event.kind, EventKind::End { .. })).count();
    assert_eq!(ends, 1, "a call ends exactly once: {events:?}");
    events
}

async fn run_script(script: Vec<Does>) -> Vec<Event> {
    events_of(&Fake::new(script), request(), limits()).await
}

fn text(events: &[Event]) -> String {
    let of = |event: &Event| match &event.kind {
        EventKind::Chunk { text, .. } => Some(text.to_string()),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

fn stray_causes(events: &[Event]) -> Vec<StrayCause> {
    let of = |event: &Event| match &event.kind {
        EventKind::Stray { cause, .. } => Some(*cause),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

/// Outcome, the problem's kind, and when.
fn end_event(events: &[Event]) -> (Outcome, String, u64) {
    let of = |event: &Event| match &event.kind {
        EventKind::End { outcome, problem } => {
            if let Some(problem) = problem {
                assert!(!problem.message.is_empty() && !problem.remedy.is_empty(), "{problem:?}");
            }
            Some((
                *outcome,
                problem.as_ref().map_or_else(String::new, |problem| problem.kind.to_string()),
                event.at_ms,
            ))
        }
        _ => None,
    };
    events.iter().find_map(of).unwrap()
}

fn assert_lost(events: &[Event], kind: &str) {
    let (outcome, found, _) = end_event(events);
    assert_eq!((outcome, found.as_str()), (Outcome::Lost, kind), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn the_request_goes_out_with_its_header_and_an_inbox() {
    let bus = Fake::new(vec![last("x")]);
    let events = events_of(&bus, request(), limits()).await;
    let sent = bus.sent.lock().unwrap()[0].clone();
    assert_eq!(
        (sent.to, sent.reply),
        (Address::ephemeral("tg.request.joke"), Some(Address::ephemeral("inbox")))
    );
    assert_eq!(sent.headers, [("id".to_owned(), ID.to_owned())]);
    assert_eq!(events[0].kind, EventKind::Sent { bytes: sent.body.len() });
}

#[tokio::test(start_paused = true)]
async fn pieces_come_with_their_times_and_end_well() {
    let events = run_script(vec![
        Does::Waits(38),
        piece("The three"),
        Does::Waits(33),
        piece(""),
        piece(" complaints"),
        last("."),
    ])
    .await;
    assert_eq!(text(&events), "The three complaints.");
    let times: Vec<u64> = events.iter().map(|event| event.at_ms).collect();
    assert_eq!(times, [0, 38, 38, 71, 71, 71]);
    assert_eq!(end_event(&events), (Outcome::Succeeded, String::new(), 71));
}

#[tokio::test(start_paused = true)]
async fn an_empty_piece_before_the_text_is_no_piece_of_its_own() {
    let events = run_script(vec![piece(""), piece("a"), piece(""), last("b")]).await;
    let pieces: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Chunk { text, .. } => Some(&**text),
            _ => None,
        })
        .collect();
    assert_eq!((pieces, stray_causes(&events)), (vec!["a", "b"], Vec::new()));
    assert_eq!(text(&run_script(vec![piece(""), last("")]).await), "");
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_inbox_needs_no_id() {
    let inbox = |text: &str, last| Does::Inbox(None, reply::chunk_body(text, last).into());
    assert_eq!(text(&run_script(vec![inbox("a", false), inbox("b", true)]).await), "ab");
    let with_id =
        run_script(vec![Does::Inbox(Some(ID), reply::chunk_body("c", true).into())]).await;
    assert_eq!(text(&with_id), "c");
    let receipt = Does::Inbox(None, br#"{"stream":"TG","seq":1}"#.to_vec());
    let events = run_script(vec![receipt, last("d")]).await;
    assert_eq!((text(&events).as_str(), stray_causes(&events)), ("d", vec![StrayCause::NoId]));
}

#[tokio::test(start_paused = true)]
async fn a_receipt_is_told_before_and_after_the_answer() {
    let receipt = || Does::Inbox(None, b"kept".to_vec());
    for script in [vec![receipt(), last("d")], vec![last("d"), Does::Waits(5), receipt()]] {
        let events = run_script(script).await;
        let stage = events.iter().find_map(|event| match &event.kind {
            EventKind::Stage(stage) => {
                Some((stage.name.to_string(), stage.words.contains("message 7")))
            }
            _ => None,
        });
        assert_eq!(
            (text(&events).as_str(), stage, stray_causes(&events)),
            ("d", Some(("kept".to_owned(), true)), Vec::new())
        );
        let mut call = Call::new(CallId(1), request(), "local", Millis(0));
        events.into_iter().for_each(|event| call.apply_event(event));
        assert!(
            call.events.iter().any(|event| matches!(event.kind, EventKind::Stage(_))),
            "a call keeps it whenever it comes"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_on_both_ways_counts_once() {
    let copy = |text: &str, last| Does::Inbox(Some(ID), reply::chunk_body(text, last).into());
    let events = run_script(vec![
        piece("a"),
        copy("a", false),
        piece("b"),
        copy("b", false),
        last("c"),
        copy("c", true),
    ])
    .await;
    assert_eq!(text(&events), "abc");
    assert_eq!(stray_causes(&events), [StrayCause::Duplicate; 3]);
}

#[tokio::test(start_paused = true)]
async fn strays_are_kept_and_never_mixed_in() {
    let other = |id| Does::Shared(id, reply::chunk_body("not yours", true).into());
    let late = Does::Shared(Some(ID), reply::chunk_body("late", true).into());
    let script = vec![
        other(Some("r-9")),
        piece("yo"),
        other(Some("unknown")),
        other(None),
        last("urs"),
        last("urs"),
        late,
    ];
    let events = run_script(script).await;
    assert_eq!(text(&events), "yours");
    use StrayCause::{Duplicate, ForeignId, Late, NoId, UnknownId};
    assert_eq!(stray_causes(&events), [ForeignId, UnknownId, NoId, Duplicate, Late]);
    assert_eq!(end_event(&events).0, Outcome::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_never_began_says_so_whichever_limit_was_met() {
    let short = Limits { total: Duration::from_secs(3), ..limits() };
    let silent = events_of(&Fake::new(vec![Does::Waits(9_000)]), request(), short).await;
    assert_eq!(end_event(&silent), (Outcome::TimedOut, "timed-out-first".into(), 3_000));
    let begun = events_of(&Fake::new(vec![piece("x"), Does::Waits(9_000)]), request(), short).await;
    assert_eq!(end_event(&begun), (Outcome::TimedOut, "timed-out-total".into(), 3_000));
}

#[tokio::test(start_paused = true)]
async fn headers_are_told_when_they_come_and_when_they_change_and_strays_keep_their_own() {
    let inbox = |id, text: &str, last| Does::Inbox(id, reply::chunk_body(text, last).into());
    let foreign = inbox(Some("r-9"), "not yours", true);
    let script = vec![
        foreign,
        inbox(None, "a", false),
        inbox(Some(ID), "b", false),
        inbox(Some(ID), "c", false),
        inbox(Some(ID), "", true),
    ];
    let events = run_script(script).await;
    let of = |event: &Event| match &event.kind {
        EventKind::Headers { headers, .. } => Some(headers.to_vec()),
        EventKind::Stray { headers, .. } => Some(
            [("stray".to_owned(), String::new())].into_iter().chain(headers.to_vec()).collect(),
        ),
        _ => None,
    };
    let told: Vec<Vec<(String, String)>> = events.iter().filter_map(of).collect();
    let id = |id: &str| ("id".to_owned(), id.to_owned());
    assert_eq!(told, [vec![("stray".to_owned(), String::new()), id("r-9")], vec![id(ID)]]);
    let before =
        events.iter().position(|event| matches!(event.kind, EventKind::Headers { .. })).unwrap();
    assert_eq!(text(&events[..before]), "a", "they stand before the piece that they came with");
}

#[tokio::test(start_paused = true)]
async fn strays_after_the_linger_are_not_waited_for() {
    let events = run_script(vec![
        last("x"),
        Does::Waits(1_900),
        piece("late"),
        Does::Waits(200),
        piece("too late"),
    ])
    .await;
    assert_eq!(stray_causes(&events), [StrayCause::Late]);
}

#[tokio::test(start_paused = true)]
async fn a_long_stray_is_cut_and_says_so() {
    let events = run_script(vec![Does::Shared(Some("r-9"), vec![b'x'; 10_000]), last("")]).await;
    let body = events.iter().find_map(|event| match &event.kind {
        EventKind::Stray { body, .. } => Some(body.clone()),
        _ => None,
    });
    let body = body.unwrap();
    assert!(body.len() < 5_000 && body.ends_with("(10000 bytes in all)"), "{body}");
}

#[tokio::test(start_paused = true)]
async fn the_services_error_fails_the_call() {
    let events = run_script(vec![
        piece("half"),
        Does::Shared(Some(ID), reply::error_body("tool-service-error", "bad input").into()),
    ])
    .await;
    assert_eq!(text(&events), "half");
    assert_eq!(
        (end_event(&events).0, end_event(&events).1.as_str()),
        (Outcome::Failed, "tool-service-error")
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_loses_the_call_and_is_kept() {
    for (body, kind) in [
        (&b"nonsense"[..], "not-json"),
        (b"{\"response\":\"\xff\"}", "not-utf8"),
        (b"[]", "not-a-reply"),
    ] {
        let events = run_script(vec![Does::Shared(Some(ID), body.to_vec())]).await;
        assert_lost(&events, kind);
        assert_eq!(stray_causes(&events), [StrayCause::Unreadable]);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_there_is_told_at_once() {
    let events = run_script(vec![Does::NoResponders]).await;
    assert_lost(&events, "no-responders");
    assert_eq!(end_event(&events).2, 0);
}

#[tokio::test(start_paused = true)]
async fn each_time_out_is_its_own() {
    let timed_out = |kind: &str, at| (Outcome::TimedOut, kind.to_owned(), at);
    assert_eq!(end_event(&run_script(vec![]).await), timed_out("timed-out-first", 30_000));
    assert_eq!(
        end_event(&run_script(vec![Does::Waits(29_000), piece("x")]).await),
        timed_out("timed-out-idle", 39_000)
    );
    let endless: Vec<Does> = (0..200).flat_map(|_| [piece("x"), Does::Waits(5_000)]).collect();
    assert_eq!(end_event(&run_script(endless).await), timed_out("timed-out-total", 600_000));
}

#[tokio::test(start_paused = true)]
async fn other_callers_replies_do_not_keep_a_silent_call_alive() {
    let flood = (0..1_000)
        .flat_map(|_| [Does::Shared(Some("r-9"), b"{}".to_vec()), Does::Waits(100)])
        .collect();
    assert_eq!(end_event(&run_script(flood).await).1, "timed-out-first");
}

#[tokio::test(start_paused = true)]
async fn silence_after_the_id_unknown_has_its_reason() {
    let events = run_script(vec![Does::Shared(Some("unknown"), b"{}".to_vec())]).await;
    let told = events
        .iter()
        .any(|event| matches!(&event.kind, EventKind::End { problem: Some(problem), .. } if problem.remedy.contains("unknown")));
    assert!(told, "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_loses_the_call_after_what_had_come() {
    let events = run_script(vec![piece("a"), Does::Breaks, piece("b")]).await;
    assert_lost(&events, "connection-lost");
    assert_eq!(text(&events), "ab");
    assert_eq!(text(&run_script(vec![piece("a"), Does::Breaks, last("b")]).await), "ab");
}

#[tokio::test(start_paused = true)]
async fn words_of_the_server_are_told_and_a_refusal_ends_the_call() {
    let events =
        run_script(vec![Does::Says("the server is about to shut down"), Does::Waits(1), last("x")])
            .await;
    assert!(events.iter().any(
        |event| matches!(&event.kind, EventKind::Notice(words) if words.contains("shut down"))
    ));
    assert_lost(
        &run_script(vec![Does::Says(
            "nats: Permissions Violation for Publish to \"tg.request.joke\"",
        )])
        .await,
        "refused",
    );
    let elsewhere = run_script(vec![
        Does::Says("nats: Permissions Violation for Publish to \"other\""),
        Does::Waits(1),
        last("x"),
    ])
    .await;
    assert_eq!(end_event(&elsewhere).0, Outcome::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn what_was_let_go_is_counted_and_the_answer_is_not_called_whole() {
    let bus = Fake {
        capacity: 1_000,
        ..Fake::new((0..20).map(|_| piece("xxxxx")).chain([last("")]).collect())
    };
    let events = events_of(&bus, request(), limits()).await;
    assert_lost(&events, "slow-consumer");
    let told = events.iter().find_map(|event| match &event.kind {
        EventKind::End { problem, .. } => problem.clone(),
        _ => None,
    });
    assert!(told.unwrap().message.contains("18 messages"), "{events:?}");
    assert!(
        events
            .iter()
            .any(|event| matches!(&event.kind, EventKind::Notice(words) if words == messages::GAP))
    );
    assert_lost(&run_script(vec![piece("a"), Does::Overflows, last("b")]).await, "slow-consumer");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_fast_is_said_to_be_before_any_of_it_is_lost() {
    let bus = Fake {
        capacity: 8_000,
        ..Fake::new((0..20).map(|_| piece("xxxxx")).chain([last("")]).collect())
    };
    let events = events_of(&bus, request(), limits()).await;
    assert_eq!(end_event(&events).0, Outcome::Succeeded);
    let is_notice = |event: &&Event| match &event.kind {
        EventKind::Notice(words) => words.contains("faster than they are read"),
        _ => false,
    };
    assert_eq!(events.iter().filter(is_notice).count(), 1, "{events:?}");
    let before = events.iter().take_while(|event| !is_notice(event));
    let is_chunk = |event: &&Event| matches!(event.kind, EventKind::Chunk { .. });
    assert_eq!(before.filter(is_chunk).count(), 1, "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_its_largest_size() {
    let events = events_of(
        &Fake::new(vec![piece("12345"), piece("67890"), piece("more")]),
        request(),
        Limits { answer: 8, ..limits() },
    )
    .await;
    assert_lost(&events, "answer-too-large");
    assert_eq!(text(&events), "1234567890");
}

#[tokio::test(start_paused = true)]
async fn a_message_larger_than_an_answer_may_be_is_not_read() {
    let large = "x".repeat(80_000);
    let events = events_of(
        &Fake::new(vec![piece("12345"), last(&large)]),
        request(),
        Limits { answer: 8_000, ..limits() },
    )
    .await;
    assert_lost(&events, "answer-too-large");
    assert_eq!(text(&events), "12345", "what came before is kept");
    // Whole, but past the limit.
    let events = events_of(
        &Fake::new(vec![piece("12345"), last("67890")]),
        request(),
        Limits { answer: 8, ..limits() },
    )
    .await;
    assert_lost(&events, "answer-too-large");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_leave_says_why() {
    let refusal = CallError { kind: ErrorKind::TooLarge, message: "m".into(), remedy: "r".into() };
    let events =
        events_of(&Fake { refusal: Some(refusal), ..Fake::new(vec![]) }, request(), limits()).await;
    assert_lost(&events, "too-large");
    assert!(!events.iter().any(|event| matches!(event.kind, EventKind::Sent { .. })));
    assert_lost(
        &events_of(&Fake::new(vec![]), Request { to: "nats://a.*".into(), ..request() }, limits())
            .await,
        "bad-subject",
    );
    let same = Request { reply: Some(request().to), ..request() };
    assert_lost(&events_of(&Fake::new(vec![]), same, limits()).await, "bad-subject");
}

#[tokio::test(start_paused = true)]
async fn time_in_which_nobody_takes_events_does_not_count_as_silence() {
    let script = (0..20).map(|_| piece("x")).chain([Does::Waits(45_000), last("y")]).collect();
    let bus = Fake::new(script);
    let (sender, mut receiver) = mpsc::channel(1);
    let slow = async {
        tokio::time::sleep(Duration::from_secs(40)).await;
        let mut events = Vec::new();
        while let Some(event) = receiver.recv().await {
            events.push(event);
        }
        events
    };
    let ((), events) = tokio::join!(
        begin_call(request(), limits(), sender).run_exchange(&bus, &TrustGraphExchange),
        slow
    );
    assert_eq!(end_event(&events), (Outcome::Succeeded, String::new(), 45_000));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_call_ends_its_subscriptions() {
    let bus = Fake::new(vec![piece("x")]);
    let (sender, mut receiver) = mpsc::channel(4);
    {
        let mut call = Box::pin(
            begin_call(request(), limits(), sender).run_exchange(&bus, &TrustGraphExchange),
        );
        let chunk = async {
            while let Some(event) = receiver.recv().await {
                if matches!(event.kind, EventKind::Chunk { .. }) {
                    break;
                }
            }
        };
        tokio::select! { () = &mut call => panic!("the call ended by itself"), () = chunk => {} }
    }
    assert!(bus.feeders.lock().unwrap().iter().all(|(_, feeder)| feeder.is_closed()));
    assert_eq!(receiver.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_hears_ends() {
    let bus = Fake::new((0..100).map(|_| piece("x")).collect());
    let (sender, receiver) = mpsc::channel(1);
    drop(receiver);
    begin_call(request(), limits(), sender).run_exchange(&bus, &TrustGraphExchange).await;
    assert!(bus.feeders.lock().unwrap().iter().all(|(_, feeder)| feeder.is_closed()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_in_are_text_out(pieces in proptest::collection::vec((any::<String>(), any::<bool>(), 0_u64..2_000), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let mut script = Vec::new();
        for (row, (text, noise, wait)) in pieces.iter().enumerate() {
            script.push(Does::Waits(*wait));
            if *noise {
                script.push(Does::Shared(Some("r-9"), reply::chunk_body(text, true).into()));
            }
            script.push(Does::Shared(Some(ID), reply::chunk_body(text, row + 1 == pieces.len()).into()));
        }
        let events = runtime.block_on(run_script(script));
        let expected: String = pieces.iter().map(|(text, ..)| text.as_str()).collect();
        prop_assert_eq!(text(&events), expected);
        prop_assert_eq!(end_event(&events).0, Outcome::Succeeded);
    }
}

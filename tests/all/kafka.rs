//! Calls over a real broker that speaks Kafka's protocol, to services that are not ours in language
//! or library, TrustGraph's own among them; and through a gate before it, for what that broker does
//! not do.

use std::{sync::Arc, time::Duration};

use rskafka::{
    client::partition::{Compression, UnknownTopicHandling},
    record::Record,
};
use tokio::{io::AsyncWriteExt, net::TcpListener, sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    model::{
        call::{Event, EventKind, Limits, Outcome, Request},
        connection::{Connection, ConnectionState, Credentials, SecretAt, Tls},
        transport::TransportKind,
    },
    wire::{
        registry::Registry,
        systems::trustgraph::{beside, offers, serving::Serving},
        transport::{
            bus::SubscriptionShare,
            message::{Address, Incoming as OnLine, Outgoing},
        },
    },
};

use crate::{
    stubs::the_sample_answers_on,
    support::{
        battery::{self, Broker, from_service, responder},
        calls::{HUNG, call_with, joke, joke_of, limits},
        certificates::Certificates,
        kafka::KafkaBroker,
        kafka_gate::Gated,
        services::{JokeService, free_port},
    },
};

impl Broker for KafkaBroker {
    fn connection(&self) -> Connection {
        Self::connection(self)
    }

    fn url_for_others(&self) -> String {
        self.url()
    }

    fn signal(&self, name: &str) {
        Self::signal(self, name);
    }

    fn kill(&mut self) {
        Self::kill(self);
    }

    fn restart(&mut self) {
        Self::restart(self);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trustgraphs_own_service_answers() {
    let broker = KafkaBroker::start();
    let _service = JokeService::on_kafka(broker.address());
    let heard = call_with(&Registry::default(), &broker.connection(), joke(), limits()).await;
    assert!(
        heard.text().starts_with("Here's a ") && heard.text().contains(" for you:"),
        "{:?}",
        heard.0
    );
    assert_eq!((heard.end().0, heard.pieces(), heard.strays().len()), (Outcome::Succeeded, 1, 0));
    let broken = Request { body: r#"{"config": "{not json"}"#.into(), ..joke() };
    let heard = call_with(&Registry::default(), &broker.connection(), broken, limits()).await;
    assert_eq!(
        (heard.end().0, heard.problem().kind.as_str()),
        (Outcome::Failed, "tool-service-error")
    );
    assert_eq!(
        heard.strays().len(),
        0,
        "a new caller hears nothing of what was before it: {:?}",
        heard.0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_as_they_should_be_and_not() {
    let broker = KafkaBroker::start();
    battery::replies_as_they_should_be_and_not(&broker).await;
    let short = Duration::from_millis(400);
    let silent = battery::silence_and_endless_answers(&broker, [short, 5 * short, 5 * short]).await;
    assert!(silent.problem().remedy.contains("Kafka keeps the request"), "{:?}", silent.problem());
}

#[tokio::test(flavor = "multi_thread")]
async fn large_answers_arrive_whole() {
    let broker = KafkaBroker::start();
    let heard = from_service(&broker, "large", limits()).await;
    assert_eq!(
        (heard.end().0, heard.pieces(), heard.text().len()),
        (Outcome::Succeeded, 5, 20_000_000),
        "{:?}",
        heard.end()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_larger_than_may_be_ends_the_connection() {
    let broker = KafkaBroker::start();
    let (registry, connection) =
        (Registry::default(), Connection { largest_answer: 1024 * 1024, ..broker.connection() });
    let bus = registry.open_bus(&connection).await.unwrap();
    let _responder = responder(&broker, "large");
    let heard = call_with(&registry, &connection, joke_of("large"), limits()).await;
    heard.assert_lost("too-large");
    let problem = heard.problem();
    assert!(problem.message.contains("announced a message of more than 2.0 MB"), "{problem:?}");
    assert_eq!(bus.close_reason(), Some(problem));
    assert!(
        registry.open_bus(&connection).await.unwrap().close_reason().is_none(),
        "the next one who asks gets another"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_compressed_without_a_library_in_c_is_read() {
    let broker = KafkaBroker::start();
    let bus = Registry::default().open_bus(&broker.connection()).await.unwrap();
    let mut line =
        bus.subscribe(&Address::ephemeral("packed"), SubscriptionShare::Each).await.unwrap();
    let client =
        rskafka::client::ClientBuilder::new(vec![broker.address().into()]).build().await.unwrap();
    let packed = client.partition_client("packed", 0, UnknownTopicHandling::Retry).await.unwrap();
    for kind in [Compression::Gzip, Compression::Snappy] {
        let body = format!("{kind:?} ").repeat(1_000).into_bytes();
        let record = Record {
            key: None,
            value: Some(body.clone()),
            headers: [("id".to_owned(), b"7f1c".to_vec())].into(),
            timestamp: rskafka::chrono::DateTime::from_timestamp_millis(1).unwrap(),
        };
        packed.produce(vec![record], kind).await.unwrap();
        let heard = timeout(HUNG, line.next()).await.unwrap();
        let Some(OnLine::Packet(packet)) = heard else { panic!("{heard:?}") };
        assert_eq!(
            (&*packet.body, &*packet.headers),
            (&*body, &[("id".to_owned(), "7f1c".to_owned())][..]),
            "{kind:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_leaves_the_connection_to_others() {
    let broker = KafkaBroker::start();
    let (registry, connection) = (Registry::default(), broker.connection());
    let (_endless, _other) = (responder(&broker, "endless"), responder(&broker, "response"));
    let (sender, mut receiver) = mpsc::channel::<Event>(16);
    let first = async {
        while let Some(event) = receiver.recv().await {
            if matches!(event.kind, EventKind::Chunk { .. }) {
                return true;
            }
        }
        false
    };
    let calling = registry.run_call(&connection, joke_of("endless"), limits(), sender);
    let cancelled = timeout(HUNG, async {
        tokio::select! { () = calling => false, began = first => began }
    })
    .await
    .unwrap();
    assert!(cancelled, "the answer had begun, and had not ended");
    let heard = call_with(&registry, &connection, joke_of("response"), limits()).await;
    assert_eq!(
        (heard.text().as_str(), heard.end().0),
        ("Hello alice, llamas as a pun.", Outcome::Succeeded)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn our_services_answer_a_foreign_caller() {
    battery::our_services_answer_a_foreign_caller(&KafkaBroker::start()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stubs_answer() {
    let broker = KafkaBroker::start();
    the_sample_answers_on(&Registry::default(), &broker.connection()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_topic_with_many_partitions_all_is_heard_and_each_answer_in_its_order() {
    const IDS: usize = 12;
    let broker = KafkaBroker::start();
    let client =
        rskafka::client::ClientBuilder::new(vec![broker.address().into()]).build().await.unwrap();
    client.controller_client().unwrap().create_topic("many", 4, 1, 5_000).await.unwrap();
    let bus = Registry::default().open_bus(&broker.connection()).await.unwrap();
    let many = Address::ephemeral("many");
    let (mut one, mut other) = (
        bus.subscribe(&many, SubscriptionShare::OneOf("g")).await.unwrap(),
        bus.subscribe(&many, SubscriptionShare::Observer).await.unwrap(),
    );
    let message = |id: usize, piece: usize| Outgoing {
        to: many.clone(),
        reply: None,
        headers: vec![("id".into(), id.to_string())],
        body: piece.to_string().into(),
        expires: None,
    };
    for piece in 0..3 {
        for id in 0..IDS {
            bus.send(message(id, piece)).await.unwrap();
        }
    }
    for line in [&mut one, &mut other] {
        let mut heard = vec![Vec::new(); IDS];
        for _ in 0..3 * IDS {
            let Some(OnLine::Packet(packet)) = timeout(HUNG, line.next()).await.unwrap() else {
                panic!("the line ended")
            };
            let id: usize =
                packet.headers.iter().find(|(name, _)| name == "id").unwrap().1.parse().unwrap();
            heard[id].push(String::from_utf8(packet.body.to_vec()).unwrap());
        }
        assert!(heard.iter().all(|pieces| pieces == &["0", "1", "2"]), "{heard:?}");
    }

    // Who watches gets the time of each record; none is later than now.
    let partition = client
        .partition_client("many", 0, rskafka::client::partition::UnknownTopicHandling::Error)
        .await
        .unwrap();
    let (early, never) = (1_577_836_800_123, 4_102_444_800_000);
    for millis in [early, never] {
        let record = rskafka::record::Record {
            key: None,
            value: Some(b"late".to_vec()),
            headers: std::collections::BTreeMap::new(),
            timestamp: rskafka::chrono::DateTime::from_timestamp_millis(millis).unwrap(),
        };
        let whole = rskafka::client::partition::Compression::NoCompression;
        partition.produce(vec![record], whole).await.unwrap();
    }
    let mut times = Vec::new();
    for line in [&mut one, &mut other] {
        for _ in 0..2 {
            let Some(OnLine::Packet(mut packet)) = timeout(HUNG, line.next()).await.unwrap() else {
                panic!("the line ended")
            };
            times.push(packet.take_sent_at().map(|at| at.0));
        }
    }
    assert_eq!(times[..3], [None, None, Some(early as u64)]);
    assert!(times[3].is_some_and(|at| at > early as u64 && at < never as u64), "{times:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_stops_is_killed_and_comes_back() {
    let mut broker = KafkaBroker::start();
    let (registry, connection) = (Registry::default(), broker.connection());
    let mut states = registry.connection_states();
    let serving =
        Serving::start(registry.open_bus(&connection).await.unwrap(), offers::sample_services())
            .await
            .unwrap();
    let running = tokio::spawn(serving.run(None, CancellationToken::new()));
    battery::stopped_and_killed_during_a_stream(&mut broker, &registry).await;
    let down = |state: Option<&ConnectionState>| {
        matches!(state, Some(ConnectionState::Reconnecting { .. }))
    };
    let broke = states.wait_for(|states| down(states.get("test")));
    timeout(HUNG, broke).await.expect("it does not tell that the connection broke").unwrap();
    battery::is_gone(&broker, &registry).await;
    // The service makes its topics anew, which this broker has forgotten.
    let patient = Limits { first: Duration::from_secs(1), ..limits() };
    battery::comes_back(
        &mut broker,
        &registry,
        &mut states,
        (patient, &["timed-out-first", "no-responders"]),
    )
    .await;
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_cannot_be_sent_say_why() {
    let broker = KafkaBroker::start();
    let registry = Registry::default();
    let nobody = call_with(&registry, &broker.connection(), joke_of("nobody"), limits()).await;
    nobody.assert_lost("no-responders");
    assert!(
        nobody.problem().message.contains("has no topic tg.request.nobody"),
        "{:?}",
        nobody.problem()
    );
    let again = call_with(&registry, &broker.connection(), joke_of("nobody"), limits()).await;
    again.assert_lost("no-responders");
    for to in ["non-persistent://tg/request/joke", "nats://tg.request.joke"] {
        let heard = call_with(
            &registry,
            &broker.connection(),
            Request { to: to.into(), ..joke() },
            limits(),
        )
        .await;
        heard.assert_lost("bad-subject");
        assert!(heard.problem().remedy.contains("request:tg:joke"), "{:?}", heard.problem());
    }
    let odd = Request { to: "request:tg:two jokes".into(), ..joke() };
    let heard = call_with(&registry, &broker.connection(), odd, limits()).await;
    heard.assert_lost("bad-subject");
    assert!(heard.problem().message.contains("letters, digits"), "{:?}", heard.problem());
    let inboxless = Request { reply: None, ..joke() };
    call_with(&registry, &broker.connection(), inboxless, limits())
        .await
        .assert_lost("no-way-back");
    let greeting = registry.test_connection(&broker.connection()).await.unwrap();
    assert!(greeting.contains(&broker.url()) && greeting.contains("topics"), "{greeting}");
    let token = Credentials::Token { token: SecretAt::Variable("T".into()) };
    let problem = registry
        .test_connection(&Connection { credentials: token, ..broker.connection() })
        .await
        .unwrap_err()
        .to_string();
    assert!(problem.contains("password"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_sends_us_where_it_cannot_be_reached_is_told_of() {
    let nowhere = format!("127.0.0.1:{}", free_port());
    let broker = KafkaBroker::advertising(&nowhere);
    let bus = Registry::default().open_bus(&broker.connection()).await.unwrap();
    // A call to a topic that isn't there gets no further; whoever listens makes it.
    let at = Address::ephemeral("tg.request.joke");
    let problem = bus.subscribe(&at, SubscriptionShare::Each).await.err().unwrap();
    assert_eq!(problem.kind.as_str(), "no-server");
    assert!(
        problem.message.contains(&nowhere) && problem.remedy.contains("advertised.listeners"),
        "{problem:?}"
    );
}

#[tokio::test]
async fn what_is_not_kafka_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let connection = Connection::from_address(
        TransportKind::Kafka,
        "fake",
        format!("kafka://{}", listener.local_addr().unwrap()),
    );
    let web = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream
    };
    let registry = Registry::default();
    let (tested, _stream) =
        timeout(HUNG, async { tokio::join!(registry.test_connection(&connection), web) })
            .await
            .unwrap();
    let told = tested.unwrap_err().to_string();
    assert!(told.contains("didn't answer like Kafka"), "{told}");
}

fn knowing(password: &'static str) -> Registry {
    Registry::new(Arc::new(move |name| (name == "SECRET").then(|| password.to_owned())))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_opens_the_gate() {
    let gate = Gated::guarded().await;
    let credentials = Credentials::Password {
        user: "alice".into(),
        password: SecretAt::Variable("SECRET".into()),
    };
    let connection = Connection {
        credentials,
        ..Connection::from_address(TransportKind::Kafka, "test", gate.url("kafka", "localhost"))
    };
    let registry = knowing("s3cret");
    the_sample_answers_on(&registry, &connection).await;
    let told = knowing("wr0ng").test_connection(&connection).await.unwrap_err().to_string();
    assert!(told.contains("rejected the credentials") && !told.contains("wr0ng"), "{told}");
    let nobody = Connection { credentials: Credentials::None, ..connection };
    let told = registry.test_connection(&nobody).await.unwrap_err().to_string();
    assert!(told.contains("it may want a user and password"), "{told}");
    let broker = KafkaBroker::guarded();
    let told = registry.test_connection(&broker.connection()).await.unwrap_err().to_string();
    assert!(told.contains("it may want a user and password"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn encryption() {
    let files = Certificates::naming(&["localhost"]);
    let gate = Gated::encrypted(&files).await;
    let connection = |host: &str, ca: String| Connection {
        tls: Tls { required: true, ca_file: Some(ca), ..Tls::default() },
        ..Connection::from_address(TransportKind::Kafka, "test", gate.url("kafka+ssl", host))
    };
    let registry = Registry::default();
    the_sample_answers_on(&registry, &connection("localhost", files.file("ca.pem"))).await;
    battery::certificates_are_verified(&registry, &files, connection).await;
    let unencrypted =
        Connection::from_address(TransportKind::Kafka, "test", gate.url("kafka", "localhost"));
    let unencrypted = registry.test_connection(&unencrypted).await.unwrap_err().to_string();
    assert!(unencrypted.contains("didn't answer like Kafka"), "{unencrypted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_serves_beside_another_is_warned() {
    let broker = KafkaBroker::start();
    let jokes: Vec<_> = offers::sample_services()
        .into_iter()
        .filter(|offer| offer.name == "joke-service")
        .collect();
    let look = async || {
        let bus = Registry::default().open_bus(&broker.connection()).await.unwrap();
        beside::conflict_warnings(&*bus, &jokes).await
    };
    assert_eq!(look().await, [""; 0]);
    {
        let _service = JokeService::on_kafka(broker.address());
        let warned = look().await;
        assert!(
            matches!(&warned[..], [one] if one.contains("a service already answers on tg.request.joke")),
            "{warned:?}"
        );
    }
    let registry = Registry::default();
    let serving =
        Serving::start(registry.open_bus(&broker.connection()).await.unwrap(), jokes.clone())
            .await
            .unwrap();
    let (stop, (report, mut reports)) = (CancellationToken::new(), mpsc::channel(16));
    let running = tokio::spawn(serving.run(Some(report), stop.clone()));
    let warned = look().await;
    assert!(
        matches!(&warned[..], [one] if one.contains("another `toolcrib serve` already answers on tg.request.joke")),
        "{warned:?}"
    );
    stop.cancel();
    timeout(HUNG, running).await.unwrap().unwrap();
    assert!(reports.recv().await.is_none(), "nobody called");
}

//! Calls over a real RabbitMQ broker, to services that are not ours in language or library,
//! TrustGraph's own among them.
//!
//! The broker takes ten seconds to start, so one serves all that leaves it in peace, each with a
//! topic of its own.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    model::{
        call::{CallError, Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState, Credentials, Tls},
        stub::{Rule, StubAnswer, StubService},
    },
    wire::{
        registry::Registry,
        systems::{
            facets::decided::AnswerSource,
            trustgraph::{
                beside,
                offers::{self, ServedService},
                serving::Serving,
            },
        },
    },
};

use crate::{
    stubs::the_sample_answers_on,
    support::{
        battery::{self, Broker, from_service, responder},
        calls::{HUNG, call_and, call_with, joke_of, limits, sent, two},
        certificates::Certificates,
        rabbitmq::{LARGEST, PASSWORD, Rabbit},
        services::JokeService,
    },
};

fn registry() -> Registry {
    knowing(PASSWORD)
}

fn knowing(secret: &'static str) -> Registry {
    Registry::new(Arc::new(move |name| (name == "SECRET").then(|| secret.to_owned())))
}

impl Broker for Rabbit {
    fn registry(&self) -> Registry {
        registry()
    }

    fn connection(&self) -> Connection {
        Self::connection(self)
    }

    fn url_for_others(&self) -> String {
        Self::url_for_others(self)
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
async fn a_broker_in_peace() {
    let files = Certificates::naming(&["localhost"]);
    let broker = Rabbit::start(&files);
    a_request_that_timed_out_is_gone(&broker).await;
    whoever_serves_beside_a_real_service_is_warned(&broker).await;
    trustgraphs_own_service_answers(&broker).await;
    battery::replies_as_they_should_be_and_not(&broker).await;
    battery::a_late_reply_is_a_stray(&broker).await;
    a_service_that_could_not_read_the_request(&broker).await;
    battery::silence_and_endless_answers(&broker, [Duration::from_millis(400); 3]).await;
    large_and_long_answers_arrive_whole(&broker).await;
    nobody_listening(&broker).await;
    requests_that_the_broker_refuses(&broker).await;
    credentials(&broker).await;
    encryption(&broker, &files).await;
    our_services_answer_a_foreign_caller(&broker).await;
    the_sample_answers_on(&registry(), &broker.connection()).await;
    a_killed_service_leaves_the_call_to_its_limit(&broker).await;
    addresses_of_another_broker_are_refused_with_the_right_ones(&broker).await;
}

/// A service whose queue outlives it finds nothing of the calls that nobody waits for any more.
async fn a_request_that_timed_out_is_gone(broker: &Rabbit) {
    let registry = registry();
    let offer = |topic: &str| ServedService {
        name: topic.into(),
        request: format!("request:tg:{topic}"),
        response: Some(format!("response:tg:{topic}")),
        by: AnswerSource::Stub(Arc::new(StubService {
            rules: vec![Rule { name: "any".into(), ..Rule::default() }],
            ..StubService::default()
        })),
    };
    let serve = async || {
        let bus = registry.open_bus(&broker.connection()).await.unwrap();
        let serving = Serving::start(bus, vec![offer("late")]).await.unwrap();
        let (stop, (report, reports)) = (CancellationToken::new(), mpsc::channel(16));
        (tokio::spawn(serving.run(Some(report), stop.clone())), stop, reports)
    };
    let (running, stop, reports) = serve().await;
    stop.cancel();
    timeout(HUNG, running).await.unwrap().unwrap();
    drop(reports);
    let short = Limits { first: Duration::from_millis(400), ..limits() };
    let missed = call_with(&registry, &broker.connection(), joke_of("late"), short).await;
    assert_eq!(missed.problem().kind.as_str(), "timed-out-first");
    let (running, stop, mut reports) = serve().await;
    let again = Request {
        correlation: "again".into(),
        headers: vec![("id".into(), "again".into())],
        ..joke_of("late")
    };
    let heard = call_with(&registry, &broker.connection(), again, limits()).await;
    assert_eq!(heard.end().0, Outcome::Succeeded, "{:?}", heard.0);
    stop.cancel();
    timeout(HUNG, running).await.unwrap().unwrap();
    let mut answered = Vec::new();
    while let Some(report) = reports.recv().await {
        answered.push(report.id);
    }
    assert_eq!(answered, ["again"]);
}

async fn whoever_serves_beside_a_real_service_is_warned(broker: &Rabbit) {
    let jokes: Vec<_> = offers::sample_services()
        .into_iter()
        .filter(|offer| offer.name == "joke-service")
        .collect();
    let bus = registry().open_bus(&broker.connection()).await.unwrap();
    assert_eq!(beside::conflict_warnings(&*bus, &jokes).await, [""; 0]);
    let service = JokeService::on_rabbitmq(broker.port());
    let warned = beside::conflict_warnings(&*bus, &jokes).await;
    assert!(
        matches!(&warned[..], [one] if one.contains("a service already answers on tg.request.joke")),
        "{warned:?}"
    );
    drop(service);
}

async fn trustgraphs_own_service_answers(broker: &Rabbit) {
    let service = JokeService::on_rabbitmq(broker.port());
    let heard = call_with(&registry(), &broker.connection(), joke_of("joke"), limits()).await;
    assert!(
        heard.text().starts_with("Here's a ") && heard.text().contains(" for you:"),
        "{:?}",
        heard.0
    );
    assert_eq!((heard.end().0, heard.pieces()), (Outcome::Succeeded, 1));
    let broken = Request { body: r#"{"config": "{not json"}"#.into(), ..joke_of("joke") };
    let heard = call_with(&registry(), &broker.connection(), broken, limits()).await;
    assert_eq!(
        (heard.end().0, heard.problem().kind.as_str()),
        (Outcome::Failed, "tool-service-error")
    );
    drop(service);
}

async fn a_service_that_could_not_read_the_request(broker: &Rabbit) {
    let short = Limits { first: Duration::from_millis(500), ..limits() };
    let heard = from_service(broker, "unknown-id", short).await;
    assert_eq!(
        (heard.problem().kind.as_str(), heard.strays()),
        ("timed-out-first", vec![StrayCause::UnknownId])
    );
}

async fn large_and_long_answers_arrive_whole(broker: &Rabbit) {
    let huge = from_service(broker, "huge", limits()).await;
    assert_eq!(
        (huge.end().0, huge.pieces(), huge.text().len()),
        (Outcome::Succeeded, 200, 100_000_000)
    );
    let many = from_service(broker, "many", limits()).await;
    let expected: String = (0..20_000).map(|row| format!("{row} ")).collect();
    assert!(many.end().0 == Outcome::Succeeded && many.text() == expected, "{:?}", many.end());
}

async fn nobody_listening(broker: &Rabbit) {
    let heard = call_with(&registry(), &broker.connection(), joke_of("nobody"), limits()).await;
    heard.assert_lost("no-responders");
    assert!(
        heard.problem().message.contains("no exchange tg.request.nobody"),
        "{:?}",
        heard.problem()
    );
    // A call that can't be sent leaves nothing at the broker.
    let back = Request {
        to: "request:tg:nobody".into(),
        reply: Some("response:tg:elsewhere".into()),
        ..joke_of("nobody")
    };
    call_with(&registry(), &broker.connection(), back, limits()).await.assert_lost("no-responders");
    let of_nobody = Request { to: "response:tg:nobody".into(), ..joke_of("elsewhere") };
    let heard = call_with(&registry(), &broker.connection(), of_nobody, limits()).await;
    assert!(
        heard.problem().message.contains("no exchange tg.response.nobody"),
        "{:?}",
        heard.problem()
    );
    drop(responder(broker, "silent"));
    let registry = registry();
    // The responder's queue went with its connection, which the broker may notice only now.
    let heard = loop {
        let short = Limits { first: Duration::from_millis(100), ..limits() };
        let heard = call_with(&registry, &broker.connection(), joke_of("silent"), short).await;
        if heard.problem().kind.as_str() != "timed-out-first" {
            break heard;
        }
    };
    heard.assert_lost("no-responders");
    assert!(heard.problem().message.contains("no queue is bound"), "{:?}", heard.problem());
}

async fn requests_that_the_broker_refuses(broker: &Rabbit) {
    let _responder = responder(broker, "response");
    let registry = registry();
    let large = Request { body: "x".repeat(LARGEST + 1).into(), ..joke_of("response") };
    let heard = call_with(&registry, &broker.connection(), large, limits()).await;
    heard.assert_lost("too-large");
    assert!(heard.problem().message.contains(&LARGEST.to_string()), "{:?}", heard.problem());
    let heard = call_with(&registry, &broker.connection(), joke_of("response"), limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.", "the same connection goes on");

    let answered_on = |topic: &str| Request {
        reply: Some(format!("response:tg:{topic}")),
        ..joke_of("response")
    };
    let forbidden = answered_on("forbidden");
    let heard = call_with(&registry, &broker.connection(), forbidden, limits()).await;
    heard.assert_lost("refused");
    let CallError { message, remedy, .. } = heard.problem();
    assert!(message.contains("allow us to listen on tg.response.forbidden"), "{message}");
    assert!(remedy.contains("permission to configure tg.response.forbidden"), "{remedy}");
    // What somebody else made takes no permission to make it.
    let short = Limits { first: Duration::from_millis(300), ..limits() };
    let heard = call_with(&registry, &broker.connection(), answered_on("made"), short).await;
    assert_eq!(heard.problem().kind.as_str(), "timed-out-first", "{:?}", heard.problem());

    let long = "x".repeat(300);
    call_with(&registry, &broker.connection(), joke_of(&long), limits())
        .await
        .assert_lost("bad-subject");
}

async fn credentials(broker: &Rabbit) {
    let heard = call_with(&knowing("wr0ng"), &broker.connection(), joke_of("joke"), limits()).await;
    heard.assert_lost("refused");
    let shown = format!("{:?}", heard.0);
    assert!(!shown.contains("wr0ng") && !shown.contains(PASSWORD), "{shown}");
    let guest = Connection { credentials: Credentials::None, ..broker.connection() };
    call_with(&registry(), &guest, joke_of("joke"), limits()).await.assert_lost("refused");
    let elsewhere = broker.connection().with_addresses(vec![format!("{}/nowhere", broker.url())]);
    let heard = call_with(&registry(), &elsewhere, joke_of("joke"), limits()).await;
    heard.assert_lost("refused");
    assert!(heard.problem().message.contains("nowhere"), "{:?}", heard.problem());
    let greeting = registry().test_connection(&broker.connection()).await.unwrap();
    assert!(greeting.contains("RabbitMQ") && greeting.contains("virtual host /"), "{greeting}");
}

async fn encryption(broker: &Rabbit, files: &Certificates) {
    let connection = |host: &str, ca: String| Connection {
        tls: Tls { required: true, ca_file: Some(ca), ..Tls::default() },
        ..broker.connection().with_addresses(vec![broker.encrypted_url(host)])
    };
    let tested = async |connection: Connection| {
        registry().test_connection(&connection).await.map_err(|problem| problem.to_string())
    };
    assert!(tested(connection("localhost", files.file("ca.pem"))).await.is_ok());
    battery::certificates_are_verified(&registry(), files, connection).await;
    let plain = connection("127.0.0.1", files.file("ca.pem")).with_addresses(vec![broker.url()]);
    let plain = tested(plain).await.unwrap_err();
    assert!(plain.contains("doesn't use TLS"), "{plain}");
    let unencrypted = broker
        .connection()
        .with_addresses(vec![broker.encrypted_url("127.0.0.1").replace("amqps", "amqp")]);
    let unencrypted = tested(unencrypted).await.unwrap_err();
    assert!(unencrypted.contains("didn't answer like RabbitMQ"), "{unencrypted}");
}

async fn our_services_answer_a_foreign_caller(broker: &Rabbit) {
    let registry = registry();
    let bus = registry.open_bus(&broker.connection()).await.unwrap();
    let rule = Rule {
        name: "any".into(),
        then: StubAnswer { delay: Duration::from_millis(5), ..StubAnswer::default() },
        ..Rule::default()
    };
    let stub = StubService { rules: vec![rule], ..StubService::default() };
    let stubbed = ServedService {
        name: "stubbed".into(),
        request: "request:tg:stubbed".into(),
        response: Some("response:tg:stubbed".into()),
        by: AnswerSource::Stub(Arc::new(stub)),
    };
    let serving =
        Serving::start(bus, [offers::sample_services(), vec![stubbed]].concat()).await.unwrap();
    let (stop, (report, mut reports)) = (CancellationToken::new(), mpsc::channel(16));
    let running = tokio::spawn(serving.run(Some(report), stop.clone()));
    battery::samples_answer(broker).await;
    let stubbed = battery::ask(broker, "stubbed", json!({}), json!({})).await;
    assert_eq!(stubbed, json!({"pieces": 1, "text": "", "error": null, "inbox": []}));
    stop.cancel();
    timeout(HUNG, running).await.expect("serving does not stop").unwrap();
    let mut told = Vec::new();
    while let Some(answered) = reports.recv().await {
        told.push((answered.service, answered.user, answered.problem));
    }
    assert_eq!(
        told,
        ["calculator", "custom-rag", "stubbed"].map(|service| (
            service.to_owned(),
            "alice".to_owned(),
            None
        ))
    );
}

async fn a_killed_service_leaves_the_call_to_its_limit(broker: &Rabbit) {
    let mut responder = responder(broker, "no-end");
    let short = Limits { idle: Duration::from_secs(1), ..limits() };
    let asked = (joke_of("no-end"), short);
    let heard =
        call_and(&registry(), &broker.connection(), asked, two, async || responder.kill()).await;
    assert_eq!(
        (heard.text().as_str(), heard.problem().kind.as_str()),
        ("one two", "timed-out-idle")
    );
}

async fn addresses_of_another_broker_are_refused_with_the_right_ones(broker: &Rabbit) {
    let request = Request { to: "non-persistent://tg/request/joke".into(), ..joke_of("joke") };
    let heard = call_with(&registry(), &broker.connection(), request, limits()).await;
    heard.assert_lost("bad-subject");
    assert!(heard.problem().remedy.contains("request:tg:joke"), "{:?}", heard.problem());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_in_trouble() {
    let files = Certificates::make();
    let mut broker = Rabbit::start(&files);
    let (registry, connection) = (registry(), broker.connection());
    let mut states = registry.connection_states();
    let serving = registry.open_bus(&connection).await.unwrap();
    let offers: Vec<ServedService> =
        offers::sample_services().into_iter().filter(|offer| offer.name == "calculator").collect();
    let serving = Serving::start(serving, offers).await.unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(serving.run(None, stop.clone()));

    stopped_and_going_on(&broker, &registry, &connection).await;
    killed_during_a_stream(&mut broker, &registry, &connection).await;

    let refused = battery::is_gone(&broker, &registry).await;
    assert!(!refused.0.iter().any(sent), "{:?}", refused.0);
    battery::comes_back(&mut broker, &registry, &mut states, (limits(), &["no-responders"])).await;
    stop.cancel();
    timeout(HUNG, running).await.expect("serving does not stop").unwrap();
}

/// A broker that stands still for longer than it may take to confirm, and goes on.
async fn stopped_and_going_on(broker: &Rabbit, registry: &Registry, connection: &Connection) {
    let _responder = responder(broker, "no-end");
    let short = Limits { idle: Duration::from_secs(10), ..limits() };
    let heard = call_and(registry, connection, (joke_of("no-end"), short), two, async || {
        broker.signal("STOP");
        battery::does_not_confirm(registry, connection).await;
    });
    let heard = heard.await;
    assert_eq!(
        (heard.text().as_str(), heard.problem().kind.as_str()),
        ("one two", "timed-out-idle")
    );
    broker.signal("CONT");
    let heard = call_with(registry, connection, joke_of("nobody"), limits()).await;
    assert!(
        ["no-responders", "no-server"].contains(&heard.problem().kind.as_str()),
        "{:?}",
        heard.0
    );
}

async fn killed_during_a_stream(broker: &mut Rabbit, registry: &Registry, connection: &Connection) {
    let responder = responder(broker, "no-end");
    let mut states = registry.connection_states();
    let up = states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
    timeout(HUNG, up).await.expect("it does not reconnect").unwrap();
    let heard =
        call_and(registry, connection, (joke_of("no-end"), limits()), two, async || broker.kill())
            .await;
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text(), "one two");
    drop(responder);
}

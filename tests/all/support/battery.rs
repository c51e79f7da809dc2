//! What holds for calls over every broker that keeps topics; the tests of each broker add what is
//! its own.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    model::{
        call::{Limits, Outcome, Request, StrayCause},
        connection::{Connection, ConnectionState},
    },
    systems::trustgraph::request,
    wire::{
        connector::States,
        registry::Registry,
        systems::trustgraph::{offers, serving::Serving},
    },
};

use super::{
    calls::{HUNG, Heard, call_and, call_with, joke_of, limits, map, two},
    certificates::Certificates,
    services::{Responder, foreign_call},
};

/// A broker that tests have started.
pub trait Broker {
    /// What calls go through; it knows the password where the broker wants one.
    fn registry(&self) -> Registry {
        Registry::default()
    }

    fn connection(&self) -> Connection;

    /// The address with all that other programs need.
    fn url_for_others(&self) -> String;

    /// Where a topic's requests and responses go, as the broker spells it.
    fn places(&self, topic: &str) -> [String; 2] {
        [format!("tg.request.{topic}"), format!("tg.response.{topic}")]
    }

    fn signal(&self, name: &str);

    fn kill(&mut self);

    fn restart(&mut self);
}

pub fn responder(broker: &impl Broker, mode: &str) -> Responder {
    let [request, response] = broker.places(mode);
    Responder::at(&broker.url_for_others(), mode, [&request, &response])
}

/// What a service in that mode gives, on topics of its own.
pub async fn from_service(broker: &impl Broker, mode: &str, limits: Limits) -> Heard {
    let _responder = responder(broker, mode);
    call_with(&broker.registry(), &broker.connection(), joke_of(mode), limits).await
}

pub async fn replies_as_they_should_be_and_not(broker: &impl Broker) {
    let heard = from_service(broker, "response", limits()).await;
    assert_eq!(heard.text(), "Hello alice, llamas as a pun.");
    assert_eq!((heard.pieces(), heard.end().0, heard.strays().len()), (3, Outcome::Succeeded, 0));
    let heard = from_service(broker, "wrong-id-then-right", limits()).await;
    assert_eq!(
        (heard.text().as_str(), heard.strays()),
        ("Hello alice, llamas as a pun.", vec![StrayCause::ForeignId])
    );
    let twice = from_service(broker, "twice", limits()).await;
    assert_eq!((twice.text().as_str(), twice.strays()), ("once", vec![StrayCause::Duplicate]));
    from_service(broker, "not-json", limits()).await.assert_lost("not-json");
    from_service(broker, "not-utf8", limits()).await.assert_lost("not-utf8");
    let heard = from_service(broker, "error", limits()).await;
    assert_eq!(
        (heard.end().0, heard.problem().message.as_str()),
        (Outcome::Failed, "the oven is cold")
    );
}

/// For brokers that bring a reply which follows the end while it is still listened for.
pub async fn a_late_reply_is_a_stray(broker: &impl Broker) {
    let late = from_service(broker, "late", limits()).await;
    assert_eq!((late.text().as_str(), late.strays()), ("in time", vec![StrayCause::Late]));
}

/// Each of the limits is met; gives the call that heard nothing at all.
pub async fn silence_and_endless_answers(
    broker: &impl Broker,
    [first, idle, total]: [Duration; 3],
) -> Heard {
    let cases = [
        ("no-end", Limits { idle, ..limits() }, "timed-out-idle"),
        ("endless", Limits { total, ..limits() }, "timed-out-total"),
        ("silent", Limits { first, ..limits() }, "timed-out-first"),
    ];
    let mut last = None;
    for (mode, limits, kind) in cases {
        let heard = from_service(broker, mode, limits).await;
        assert_eq!(
            (heard.end().0, heard.problem().kind.as_str()),
            (Outcome::TimedOut, kind),
            "{mode}"
        );
        last = Some(heard);
    }
    last.unwrap()
}

/// What a caller that is not ours gets of a service.
pub async fn ask(broker: &impl Broker, topic: &str, config: Value, arguments: Value) -> Value {
    let body = request::request_body("alice", &map(&config), &arguments.to_string()).to_string();
    let (url, [to, from]) = (broker.url_for_others(), broker.places(topic));
    tokio::task::spawn_blocking(move || foreign_call(&url, &to, &from, &body)).await.unwrap()
}

/// Connections to a server whose certificate names `localhost` alone are refused where they lead to
/// another name, or trust another authority; what is said then.
pub async fn certificates_are_verified(
    registry: &Registry,
    files: &Certificates,
    connection: impl Fn(&str, String) -> Connection,
) -> [String; 2] {
    let refusal = async |connection: Connection| {
        registry.test_connection(&connection).await.unwrap_err().to_string()
    };
    let other_name = refusal(connection("127.0.0.1", files.file("ca.pem"))).await;
    assert!(
        other_name.contains("its certificate is not for 127.0.0.1, but for localhost"),
        "{other_name}"
    );
    let stranger = refusal(connection("localhost", Certificates::make().file("ca.pem"))).await;
    assert!(stranger.contains("doesn't trust"), "{stranger}");
    [other_name, stranger]
}

/// The sample services, which are served there, answer a caller that is not ours.
pub async fn samples_answer(broker: &impl Broker) {
    let sum = ask(broker, "calc", json!({}), json!({"expression": "(2 + 3) * 4"})).await;
    assert_eq!(sum, json!({"pieces": 1, "text": "20", "error": null, "inbox": []}));
    let found = ask(
        broker,
        "custom-rag",
        json!({"collection": "customers"}),
        json!({"question": "top complaints?"}),
    )
    .await;
    assert!(
        found["pieces"].as_u64() > Some(5)
            && found["text"].as_str().unwrap().contains("late deliveries"),
        "{found}"
    );
}

pub async fn our_services_answer_a_foreign_caller(broker: &impl Broker) {
    let registry = broker.registry();
    let bus = registry.open_bus(&broker.connection()).await.unwrap();
    let serving = Serving::start(bus, offers::sample_services()).await.unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(serving.run(None, stop.clone()));
    samples_answer(broker).await;
    stop.cancel();
    timeout(HUNG, running).await.expect("serving does not stop").unwrap();
}

/// A broker that stands still confirms nothing; one that dies during a stream ends the call.
pub async fn stopped_and_killed_during_a_stream(broker: &mut impl Broker, registry: &Registry) {
    let (connection, _responder) = (broker.connection(), responder(broker, "no-end"));
    let heard = call_and(registry, &connection, (joke_of("no-end"), limits()), two, async || {
        broker.signal("STOP");
        does_not_confirm(registry, &connection).await;
        broker.signal("CONT");
        broker.kill();
    });
    let heard = heard.await;
    heard.assert_lost("connection-lost");
    assert_eq!(heard.text(), "one two");
}

pub async fn does_not_confirm(registry: &Registry, connection: &Connection) {
    let heard = call_with(registry, connection, joke_of("no-end"), limits()).await;
    heard.assert_lost("no-server");
    assert!(heard.problem().message.contains("did not confirm"), "{:?}", heard.problem());
}

/// After it was killed: who knew it and who did not say the same. Gives what the first one heard.
pub async fn is_gone(broker: &impl Broker, registry: &Registry) -> Heard {
    let refused = call_with(registry, &broker.connection(), joke_of("no-end"), limits()).await;
    refused.assert_lost("no-server");
    let fresh =
        call_with(&broker.registry(), &broker.connection(), joke_of("no-end"), limits()).await;
    fresh.assert_lost("no-server");
    assert!(
        fresh.problem().message.contains(&broker.connection().addresses()[0]),
        "{:?}",
        fresh.problem()
    );
    refused
}

/// It is started again, is connected to again, and the calculator that was served there is heard
/// again, by itself. Until it is, calls end in one of these ways.
pub async fn comes_back(
    broker: &mut impl Broker,
    registry: &Registry,
    states: &mut watch::Receiver<States>,
    (limits, meanwhile): (Limits, &[&str]),
) {
    broker.restart();
    let back = states.wait_for(|states| states.get("test") == Some(&ConnectionState::Connected));
    timeout(HUNG, back).await.expect("it does not reconnect").unwrap();
    let sum = Request {
        body: request::request_body("alice", &map(&json!({})), r#"{"expression": "6 * 7"}"#),
        ..joke_of("calc")
    };
    let heard = loop {
        let heard = call_with(registry, &broker.connection(), sum.clone(), limits).await;
        if heard.end().0 == Outcome::Succeeded {
            break heard;
        }
        assert!(meanwhile.contains(&heard.problem().kind.as_str()), "{:?}", heard.0);
    };
    assert_eq!(heard.text(), "42");
}

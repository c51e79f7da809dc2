//! Plain HTTP: any method, path and headers go out as they are, and whole answers and streams of
//! events come back.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, mpsc},
    thread,
};

use bytes::Bytes;
use toolcrib::{
    model::{connection::Connection, transport::TransportKind},
    wire::{
        registry::Registry,
        transport::{
            bus::{Bus, SubscriptionShare},
            http::marks,
            message::{Address, Incoming, Outgoing, Packet},
            message_queue::QueueReceiver,
        },
    },
};

/// A server that gives these answers, one for each request, and ends; and the requests as they
/// came.
fn server(answers: Vec<String>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/base/", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for answer in answers {
            // A connection that brings no request only asked whether somebody is there.
            let (mut stream, request) = loop {
                let (stream, _) = listener.accept().unwrap();
                let request = read(&mut BufReader::new(&stream));
                if !request.is_empty() {
                    break (stream, request);
                }
            };
            sender.send(request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, requests)
}

fn read(from: &mut impl BufRead) -> String {
    let mut request = String::new();
    while from.read_line(&mut request).unwrap() > 0 && !request.ends_with("\r\n\r\n") {}
    let length = request
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    request + &String::from_utf8(body).unwrap()
}

async fn opened(url: &str) -> Arc<dyn Bus> {
    Registry::default()
        .open_bus(&Connection::from_address(TransportKind::Http, "api", url))
        .await
        .unwrap()
}

async fn asked(
    bus: &dyn Bus,
    path: &str,
    headers: &[(&str, &str)],
    method: Option<&str>,
    body: &'static str,
) -> QueueReceiver {
    let inbox = bus.new_inbox().unwrap();
    let line = bus.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
    let own = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let headers = method.map(marks::method_header).into_iter().chain(own).collect();
    let to = Address::ephemeral(path);
    bus.send(Outgoing {
        to,
        reply: Some(inbox),
        headers,
        body: Bytes::from_static(body.as_bytes()),
        expires: None,
    })
    .await
    .unwrap();
    line
}

async fn packet(line: &mut QueueReceiver) -> Packet {
    match line.next().await {
        Some(Incoming::Packet(packet)) => packet,
        other => panic!("no message came: {other:?}"),
    }
}

fn header<'p>(packet: &'p Packet, name: &str) -> Option<&'p str> {
    packet.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[tokio::test]
async fn a_request_goes_out_as_it_is_said() {
    let gone = "HTTP/1.1 405 Method Not Allowed\r\nallow: POST\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno";
    let taken = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (url, requests) = server(vec![gone.into(), taken.into()]);
    let bus = opened(&url).await;
    let mut line =
        asked(&*bus, "/sessions?x=1&y=a%20b", &[("X-Session", "s-1")], Some("DELETE"), "").await;
    let answer = packet(&mut line).await;
    assert_eq!(
        (marks::response_status(&answer), header(&answer, "allow"), &*answer.body),
        (Some(405), Some("POST"), &b"no"[..])
    );
    let request = requests.recv().unwrap();
    assert!(request.starts_with("DELETE /base/sessions?x=1&y=a%20b HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("x-session: s-1\r\n"), "{request}");
    assert!(
        !request.contains("content-type") && !request.contains("transfer-encoding"),
        "{request}"
    );

    let own = [("Accept", "text/plain"), ("Content-Type", "application/x-ndjson")];
    let mut line = asked(&*bus, "/_bulk", &own, Some("PUT"), "{}\n{}\n").await;
    let answer = packet(&mut line).await;
    assert_eq!((marks::response_status(&answer), answer.body.len()), (Some(202), 0));
    let request = requests.recv().unwrap();
    assert!(
        request.starts_with("PUT /base/_bulk HTTP/1.1\r\n")
            && request.ends_with("\r\n\r\n{}\n{}\n"),
        "{request}"
    );
    for (header, other) in [
        ("accept: text/plain\r\n", "text/event-stream"),
        ("content-type: application/x-ndjson\r\n", "application/json"),
    ] {
        assert!(request.contains(header) && !request.contains(other), "{request}");
    }
}

#[tokio::test]
async fn without_a_method_it_is_json_that_is_posted_and_events_come_one_by_one() {
    let events = ": hello\n\nevent: progress\nid: 7\nretry: 500\ndata: {\"a\": 1}\n\ndata: two\ndata: lines\n\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nx-told: once\r\nconnection: close\r\n\r\n";
    let (url, requests) = server(vec![format!("{head}{events}")]);
    let bus = opened(&url).await;
    let mut line = asked(&*bus, "/mcp", &[], None, "{\"q\": 1.0}").await;
    let first = packet(&mut line).await;
    assert!(marks::is_event(&first));
    assert_eq!(
        (header(&first, ":event"), header(&first, ":id"), header(&first, ":retry")),
        (Some("progress"), Some("7"), Some("500"))
    );
    assert_eq!((header(&first, "x-told"), &*first.body), (Some("once"), &b"{\"a\": 1}"[..]));
    let second = packet(&mut line).await;
    assert_eq!(
        (header(&second, ":event"), header(&second, ":id"), header(&second, "x-told")),
        (Some(""), Some("7"), None)
    );
    assert_eq!(&*second.body, b"two\nlines");
    assert_eq!(line.next().await, Some(Incoming::Ended));
    let request = requests.recv().unwrap();
    assert!(
        request.starts_with("POST /base/mcp HTTP/1.1\r\n")
            && request.ends_with("\r\n\r\n{\"q\": 1.0}"),
        "{request}"
    );
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    assert!(request.contains("accept: application/json, text/event-stream\r\n"), "{request}");
}

/// Its first event may come long after it began, and its last may never end.
#[tokio::test]
async fn a_stream_whose_lines_are_shown_says_when_it_began_and_where_it_was_cut_off() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-told: once\r\nconnection: close\r\n\r\n";
    let (url, _requests) = server(vec![format!("{head}data: one\n\nevent: piece\ndata: tw")]);
    let bus = opened(&url).await;
    let inbox = bus.new_inbox().unwrap();
    let mut line = bus.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
    let message = Outgoing {
        to: Address::ephemeral("/stream"),
        reply: Some(inbox),
        headers: vec![marks::lines_header()],
        body: Bytes::from_static(b"{}"),
        expires: None,
    };
    bus.send(message).await.unwrap();
    let Some(Incoming::Headers(headers)) = line.next().await else { panic!("no headers came") };
    let value = |name: &str| {
        headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    };
    assert_eq!((value(":status"), value("x-told")), (Some("200"), Some("once")));
    assert_eq!(&*packet(&mut line).await.body, b"one");
    let begun = "event: piece\ndata: tw… (21 bytes in all)";
    assert_eq!(line.next().await, Some(Incoming::Wire(begun.to_owned())));
    assert_eq!(line.next().await, Some(Incoming::Ended));
}

#[tokio::test]
async fn what_cannot_be_sent_or_is_not_answered_is_told() {
    let refused = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = format!("http://{}", refused.local_addr().unwrap());
    let bus = opened(&there).await;
    drop(refused);
    let mut line = asked(&*bus, "/", &[], Some("GET"), "").await;
    let Some(Incoming::Failed(problem)) = line.next().await else { panic!("no failure is told") };
    assert!(problem.message.contains("couldn't connect to http://127.0.0.1"), "{problem:?}");
    let inbox = bus.new_inbox().unwrap();
    let _line = bus.subscribe(&inbox, SubscriptionShare::Each).await.unwrap();
    let headers = vec![("X-Bad".to_owned(), "a\r\nb".to_owned())];
    let sent = bus
        .send(Outgoing {
            to: Address::ephemeral("/"),
            reply: Some(inbox),
            headers,
            body: Bytes::new(),
            expires: None,
        })
        .await;
    assert!(sent.unwrap_err().message.contains("X-Bad"));
}

//! Pushes to a gateway that stops in the middle, and to stubs as a gateway.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Map, Value};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Mutex,
};
use toolcrib::{
    model::{
        catalog::Catalog, connection::Connection, context::Mode, entry::FileId,
        transport::TransportKind,
    },
    syntax::source::{Format, Source},
    systems::{
        deployed::push::AbsentEntries,
        read,
        trustgraph::{deployed::push, gateway::table::Table},
    },
    wire::{deployed, registry::Registry},
};

const BEFORE: &str = "tool:\n  old: {type: text-completion, name: old, description: d}\n  ask: {type: text-completion, name: ask, description: d}\n";
const AFTER: &str = "tool:\n  new: {type: text-completion, name: new, description: d}\n  ask: {type: text-completion, name: ask, description: d}\n";

fn catalog(text: &str) -> Catalog {
    read::read_catalog(
        [(&FileId::new("t.yaml"), &Source::parse(Format::Yaml, text).unwrap())],
        Mode::AsDeployed,
    )
}

/// The configuration service of a gateway that closes the connection where one operation is asked
/// of it.
struct Breaking {
    table: Mutex<Table>,
    at: &'static str,
    /// It does not come back.
    stays_away: bool,
    broke: AtomicBool,
}

impl Breaking {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if self.stays_away && self.broke.load(Ordering::SeqCst) {
                continue;
            }
            tokio::spawn(Arc::clone(&self).answer(stream));
        }
    }

    async fn answer(self: Arc<Self>, mut stream: TcpStream) {
        let mut came = Vec::new();
        loop {
            let Some(body) = body(&mut stream, &mut came).await else { return };
            let request: Map<String, Value> = serde_json::from_slice(&body).unwrap();
            if request["operation"] == self.at && !self.broke.swap(true, Ordering::SeqCst) {
                return;
            }
            if self.stays_away && self.broke.load(Ordering::SeqCst) {
                return;
            }
            let answer = self.table.lock().await.answer_request(&request).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                answer.len()
            );
            stream.write_all((head + &answer).as_bytes()).await.unwrap();
        }
    }
}

/// The body of the next request.
async fn body(stream: &mut TcpStream, came: &mut Vec<u8>) -> Option<Vec<u8>> {
    loop {
        let text = String::from_utf8_lossy(came).to_lowercase();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text
                .split("content-length:")
                .nth(1)
                .and_then(|rest| rest.lines().next()?.trim().parse().ok())
                .unwrap_or(0);
            if came.len() >= end + 4 + length {
                let rest = came.split_off(end + 4 + length);
                let body = std::mem::replace(came, rest).split_off(end + 4);
                return Some(body);
            }
        }
        let mut more = [0; 4096];
        match stream.read(&mut more).await {
            Ok(count @ 1..) => came.extend_from_slice(&more[..count]),
            _ => return None,
        }
    }
}

async fn pushed(at: &'static str, stays_away: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let table = Mutex::new(Table::from_catalog(&catalog(BEFORE)));
    let gateway = Arc::new(Breaking { table, at, stays_away, broke: AtomicBool::new(false) });
    let serving = tokio::spawn(gateway.serve(listener));
    let (registry, connection) =
        (Registry::default(), Connection::from_address(TransportKind::Http, "tg", url));
    let items = deployed::read_items(&registry, &connection).await.unwrap();
    let push = push::plan_push(&catalog(AFTER), &items, AbsentEntries::Delete).unwrap();
    let problem = deployed::apply_push(&registry, &connection, &push).await.unwrap_err();
    serving.abort();
    assert!(problem.remedy.contains("push trustgraph --dry-run"), "{problem}");
    problem.cause
}

#[tokio::test]
async fn a_push_that_is_cut_off_says_what_is_there_now() {
    let before = pushed("put", false).await;
    assert!(before.ends_with("; read again since: nothing was written"), "{before}");
    let between = pushed("delete", false).await;
    assert!(
        between.ends_with("; read again since: 1 of 2 changes were written; tool/old still exists"),
        "{between}"
    );
}

#[tokio::test]
async fn a_push_that_is_cut_off_for_good_says_what_was_sent() {
    let before = pushed("put", true).await;
    assert!(
        before.ends_with(
            "can't read the current state; sent and not confirmed: put of tool/new; not sent: \
            delete of tool/old, tool-service/toolcrib-reload"
        ),
        "{before}"
    );
    let between = pushed("delete", true).await;
    assert!(
        between.ends_with("confirmed: put of tool/new; sent and not confirmed: delete of tool/old, tool-service/toolcrib-reload"),
        "{between}"
    );
}

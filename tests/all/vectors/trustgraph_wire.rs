//! Cases about what crosses TrustGraph's bus: requests, replies, queue names.

use serde_json::{Map, Value, json};
use toolcrib::systems::{
    facets::calls::{Message, Reply},
    trustgraph::{queue::Queue, reply, request},
};

use super::same;

fn inner(text: &Value) -> Value {
    serde_json::from_str(text.as_str().unwrap_or_default()).unwrap_or(Value::Null)
}

/// `config` and `arguments` travel as JSON text; the vector compares what they hold.
pub fn request(case: &Value) -> Result<(), String> {
    let map = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let arguments = Value::Object(map(&case["arguments"])).to_string();
    let body: Value =
        serde_json::from_str(&request::request_body("alice", &map(&case["config"]), &arguments))
            .map_err(|e| e.to_string())?;
    let expected = &case["expect"]["body"];
    for field in ["config", "arguments"] {
        same(field, &inner(&body[field]), &inner(&expected[field]))?;
        if expected[field] == "{}" {
            same(field, &body[field], &expected[field])?;
        }
    }
    same(
        "the header that correlates",
        &json!({ request::ID: case["id_"] }),
        &case["expect"]["properties"],
    )
}

/// Reads the frames as the caller of `sent_id` would.
pub fn reply(case: &Value) -> Result<(), String> {
    let (mut chunks, mut error, mut done) = (Vec::new(), Value::Null, false);
    for frame in case["frames"].as_array().into_iter().flatten() {
        let headers: Vec<(String, String)> = frame["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        let body = frame["body"].to_string();
        match reply::decode(
            case["sent_id"].as_str().unwrap_or_default(),
            &Message { headers: &headers, body: body.as_bytes() },
        ) {
            Reply::Chunk { text, last: false } if text.is_empty() => {}
            Reply::Chunk { text, last } => {
                chunks.push(text);
                done |= last;
            }
            Reply::Error(problem) => {
                error = json!({"type": problem.kind.as_str(), "message": problem.message});
                done = true;
            }
            Reply::Stray { .. } => {}
            Reply::Unreadable(problem) | Reply::Refused(problem) => {
                return Err(format!("unreadable: {}", problem.message));
            }
        }
    }
    let got = Map::from_iter([
        ("observation".to_owned(), json!(chunks.concat())),
        ("chunks".to_owned(), json!(chunks)),
        ("error".to_owned(), error),
        ("done".to_owned(), json!(done)),
    ]);
    for (name, expected) in case["expect"].as_object().into_iter().flatten() {
        same(name, &got[name], expected)?;
    }
    Ok(())
}

/// What each broker calls the queue; null where it refuses it.
pub fn queue_name(case: &Value) -> Result<(), String> {
    let queue = Queue::parse(case["queue"].as_str().unwrap_or_default());
    let queue = queue.as_ref().ok();
    let pulsar = queue.and_then(|queue| queue.pulsar_topic().ok());
    let rabbit = queue.and_then(|queue| queue.rabbitmq_exchange().ok());
    let kafka = queue.and_then(|queue| queue.kafka_topic().ok());
    let got = json!({
        "pulsar": pulsar.as_ref().map(|topic| &topic.address),
        "pulsar_subscription": pulsar.as_ref().map(|topic| topic.subscription),
        "rabbitmq_exchange": rabbit.as_ref().map(|rabbit| &rabbit.exchange),
        "rabbitmq_queue": rabbit.as_ref().map(|rabbit| rabbit.queue),
        "persistent_message": rabbit.as_ref().map(|rabbit| rabbit.persistent),
        "kafka_topic": kafka,
    });
    for (name, expected) in case["expect"].as_object().into_iter().flatten() {
        same(name, &got[name], expected)?;
    }
    Ok(())
}

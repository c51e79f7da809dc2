//! NATS micro services: what they answer on `$SRV.INFO`, and what a service of ours answers.
//!
//! A service or an endpoint may send more in its metadata, whose values are texts: `descriptor`
//! holds a document as an announcement has it, `schema` the JSON Schema of an endpoint's requests.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{descriptors, found::Found};
use crate::systems::{
    deployed::item::Item,
    facets::{portable::plain_key, remote_tools::BusEndpoint},
    table,
};

/// The word of this source.
pub const WORD: &str = "nats-micro";

/// The subject of a question; everybody answers it.
#[must_use]
pub fn subject(verb: Verb) -> String {
    format!("$SRV.{}", verb.as_str())
}

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Ping,
    Info,
    Stats,
}

impl Verb {
    pub const ALL: [Self; 3] = [Self::Ping, Self::Info, Self::Stats];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ping => "PING",
            Self::Info => "INFO",
            Self::Stats => "STATS",
        }
    }
}

/// The verb, and the service and instance that a subject asks, where it names them.
#[must_use]
pub fn parse_subject(subject: &str) -> Option<(Verb, Option<&str>, Option<&str>)> {
    let mut parts = subject.strip_prefix("$SRV.")?.splitn(3, '.');
    let word = parts.next()?;
    let verb = Verb::ALL.into_iter().find(|verb| verb.as_str() == word)?;
    Some((verb, parts.next(), parts.next()))
}

/// Members of the metadata that hold a schema of requests, as services spell them.
const SCHEMAS: [&str; 4] = ["schema", "input_schema", "inputSchema", "request_schema"];
const DESCRIPTOR: &str = "descriptor";

fn text_in<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// An instance of a service, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub id: String,
    pub found: Found,
}

/// The instance that an answer on `$SRV.INFO` or `$SRV.PING` is of.
///
/// # Errors
/// When it is no such answer; why is a sentence without its end.
pub fn read_answer(place: &str, body: &[u8]) -> Result<Instance, String> {
    let info: Value = serde_json::from_slice(body)
        .map_err(|error| format!("an answer on {} isn't JSON: {error}", subject(Verb::Info)))?;
    let text = |name: &str| text_in(&info, name).unwrap_or_default().to_owned();
    let name = text("name");
    if name.is_empty() {
        return Err(format!("an answer on {} names no service", subject(Verb::Info)));
    }
    let mut found = Found {
        sources: vec![WORD],
        place: place.to_owned(),
        version: text("version"),
        about: text("description"),
        instances: 1,
        ..Found::default()
    };
    take_descriptor(&mut found, &info);
    let endpoints: Vec<&Value> =
        info.get("endpoints").and_then(Value::as_array).into_iter().flatten().collect();
    for endpoint in &endpoints {
        read_endpoint(&mut found, &name, endpoint, endpoints.len() == 1);
    }
    found.name = name;
    if found.items.is_empty() {
        found.notes.push("It sends no descriptor and no schema in its metadata.".to_owned());
    }
    Ok(Instance { id: text("id"), found })
}

fn read_endpoint(found: &mut Found, service: &str, endpoint: &Value, is_alone: bool) {
    let text = |name: &str| text_in(endpoint, name).unwrap_or_default();
    let (name, subject) = (text("name"), text("subject"));
    found.notes.push(format!("Endpoint {name} on {subject}."));
    if take_descriptor(found, endpoint) {
        return;
    }
    let Some(schema) = request_schema(endpoint) else { return };
    let name = match is_alone {
        true => service.to_owned(),
        false => format!("{service}-{name}"),
    };
    let own = endpoint.get("metadata").and_then(|metadata| text_in(metadata, "description"));
    let description = own.unwrap_or(&found.about).to_owned();
    let described =
        BusEndpoint { name: &name, subject, description: &description, schema: &schema };
    let adopted = table::remote_tools().and_then(|system| system.adopt_endpoint(&described));
    let Some((items, note)) = adopted else { return };
    found.items.extend(items);
    if !found.notes.contains(&note) {
        found.notes.push(note);
    }
}

/// Takes in the entries that the metadata of a service or an endpoint describes.
fn take_descriptor(found: &mut Found, of: &Value) -> bool {
    let Some(text) = of.get("metadata").and_then(|metadata| text_in(metadata, DESCRIPTOR)) else {
        return false;
    };
    let described = serde_json::from_str(text).map(|value| descriptors::read_descriptors(&value));
    let items: Vec<Item> =
        described.unwrap_or_default().into_iter().flat_map(|one| one.items).collect();
    if items.is_empty() {
        found.notes.push("Its descriptor can't be read.".to_owned());
    }
    let new: Vec<Item> = items.into_iter().filter(|item| !found.items.contains(item)).collect();
    found.items.extend(new);
    true
}

/// The schema of an endpoint's requests, in its metadata as a text; some wrap it beside that of
/// their answers.
fn request_schema(endpoint: &Value) -> Option<Value> {
    let metadata = endpoint.get("metadata")?;
    let text = SCHEMAS.iter().find_map(|name| text_in(metadata, name))?;
    let schema: Value = serde_json::from_str(text).ok()?;
    let request = schema.get("request").filter(|request| request.is_object()).cloned();
    Some(request.unwrap_or(schema)).filter(Value::is_object)
}

/// A service of ours, as it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MicroService {
    pub name: String,
    pub id: String,
    pub version: String,
    pub description: String,
    /// Where its requests go.
    pub subject: String,
    /// Who share the requests there.
    pub group: String,
    /// What it announces.
    pub descriptor: Value,
    /// When it started, as RFC 3339 has it.
    pub started: String,
}

/// What a service has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedCounts {
    pub requests: u64,
    pub errors: u64,
    pub last_error: String,
}

impl MicroService {
    /// A name as these services may have one: letters, digits, `-` and `_`.
    #[must_use]
    pub fn plain_name(name: &str) -> String {
        plain_key(name)
    }

    /// Whether a question is for this one.
    #[must_use]
    pub fn is_meant(&self, name: Option<&str>, id: Option<&str>) -> bool {
        name.is_none_or(|name| name == self.name) && id.is_none_or(|id| id == self.id)
    }

    /// The answer to a question.
    #[must_use]
    pub fn answer(&self, verb: Verb, counts: &ServedCounts) -> Value {
        let kind = verb.as_str().to_lowercase();
        let mut answer = json!({
            "type": format!("io.nats.micro.v1.{kind}_response"),
            "name": self.name, "id": self.id, "version": self.version,
            "metadata": {"served-by": "toolcrib"},
        });
        let endpoint = match verb {
            Verb::Ping => return answer,
            Verb::Info => {
                answer["description"] = self.description.as_str().into();
                let metadata = BTreeMap::from([(DESCRIPTOR, self.descriptor.to_string())]);
                json!({"name": "default", "subject": self.subject, "queue_group": self.group, "metadata": metadata})
            }
            Verb::Stats => {
                answer["started"] = self.started.as_str().into();
                json!({
                    "name": "default", "subject": self.subject, "queue_group": self.group,
                    "num_requests": counts.requests, "num_errors": counts.errors, "last_error": counts.last_error,
                    "processing_time": 0, "average_processing_time": 0,
                })
            }
        };
        answer["endpoints"] = json!([endpoint]);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(metadata: &Value, endpoints: &Value) -> Found {
        let info = json!({"type": "io.nats.micro.v1.info_response", "name": "weather", "id": "A", "version": "1.2.0",
            "description": "Weather by city", "metadata": metadata, "endpoints": endpoints});
        read_answer("bus", info.to_string().as_bytes()).unwrap().found
    }

    fn names(found: &Found) -> Vec<String> {
        found.items.iter().map(Item::name).collect()
    }

    #[test]
    fn a_descriptor_or_a_schema_in_the_metadata_becomes_entries() {
        let tool = json!({"tool": {"look": {"type": "text-completion", "name": "look", "description": "Looks"}}});
        let with = |metadata: Value| {
            info(
                &json!(null),
                &json!([{"name": "now", "subject": "weather.now", "metadata": metadata}]),
            )
        };
        assert_eq!(names(&with(json!({"descriptor": tool.to_string()}))), ["tool/look"]);
        let schema = json!({"type": "object", "properties": {"city": {"type": "string", "description": "Which"}}});
        for metadata in [
            json!({"schema": schema.to_string()}),
            json!({"inputSchema": schema.to_string()}),
            json!({"schema": json!({"request": schema, "response": {}}).to_string()}),
        ] {
            let found = with(metadata);
            assert_eq!(names(&found), ["tool-service/weather", "tool/weather"]);
            let service = found.items[0].parse_value().unwrap();
            assert_eq!(service["request-queue"], "nats://weather.now");
            let tool = found.items[1].parse_value().unwrap();
            assert_eq!(tool["description"], "Weather by city");
            assert_eq!(tool["arguments"][0]["name"], "city");
        }
        let two = json!([{"name": "now", "subject": "w.now", "metadata": {"schema": schema.to_string()}}, {"name": "next", "subject": "w.next"}]);
        let found = info(&json!({}), &two);
        assert_eq!(names(&found), ["tool-service/weather-now", "tool/weather-now"]);
        assert!(found.notes.contains(&"Endpoint next on w.next.".to_owned()), "{:?}", found.notes);
    }

    #[test]
    fn a_service_that_sends_neither_is_found_without_entries() {
        let broken = info(&json!({"descriptor": "{"}), &json!([]));
        assert!(broken.notes.iter().any(|note| note.contains("can't be read")), "{broken:?}");
        let plain = info(&json!(null), &json!([{"name": "now", "subject": "weather.now"}]));
        assert_eq!((plain.name.as_str(), plain.version.as_str()), ("weather", "1.2.0"));
        assert!(plain.items.is_empty() && plain.notes[1].contains("no descriptor"), "{plain:?}");
        assert!(read_answer("bus", b"{}").is_err() && read_answer("bus", b"x").is_err());
    }

    #[test]
    fn a_question_names_everybody_a_service_or_an_instance() {
        assert_eq!(parse_subject("$SRV.PING"), Some((Verb::Ping, None, None)));
        assert_eq!(parse_subject("$SRV.INFO.joke"), Some((Verb::Info, Some("joke"), None)));
        assert_eq!(
            parse_subject("$SRV.STATS.joke.X1"),
            Some((Verb::Stats, Some("joke"), Some("X1")))
        );
        assert_eq!((parse_subject("$SRV.SCHEMA"), parse_subject("SRV.PING")), (None, None));
    }

    #[test]
    fn what_a_service_of_ours_answers_is_read_back() {
        let descriptor = json!({"tool": {"look": {"type": "text-completion", "name": "look", "description": "Looks"}}});
        let service = MicroService {
            name: "look".into(),
            id: "X1".into(),
            version: "0.1.0".into(),
            description: "Looks".into(),
            subject: "tg.request.look".into(),
            group: "toolcrib".into(),
            descriptor,
            started: "2026-01-01T00:00:00Z".into(),
        };
        let counts = ServedCounts { requests: 3, errors: 1, last_error: "no rule".into() };
        let answer = |verb| service.answer(verb, &counts);
        assert_eq!(answer(Verb::Ping)["type"], "io.nats.micro.v1.ping_response");
        assert_eq!(answer(Verb::Stats)["endpoints"][0]["num_requests"], 3);
        let found = read_answer("bus", answer(Verb::Info).to_string().as_bytes()).unwrap().found;
        assert_eq!((found.name.as_str(), names(&found)), ("look", vec!["tool/look".to_owned()]));
        assert!(service.is_meant(None, None) && service.is_meant(Some("look"), Some("X1")));
        assert!(
            !service.is_meant(Some("other"), None) && !service.is_meant(Some("look"), Some("Y"))
        );
    }
}

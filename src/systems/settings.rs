//! The workspace's settings, with what every system adds to a connection's.

use serde_json::Value;

use super::{check_codes::check_codes, model_settings, table::every_system};
use crate::{
    engine::settings::{
        connection_form,
        system_settings::{self, SettingsSchema},
        workspace,
    },
    model::{connection::Connection, finding::Finding, settings::WorkspaceSettings},
};

/// What systems need to know of connections, and what is said of models behind them.
fn schemas() -> Vec<&'static SettingsSchema> {
    let of_systems = every_system().iter().filter_map(|system| system.connection_settings());
    of_systems.chain([&model_settings::SETTINGS]).collect()
}

/// What the text of a `toolcrib.toml` says, and everything that is wrong in it.
#[must_use]
pub fn parse_settings(text: &str) -> (WorkspaceSettings, Vec<Finding>) {
    let tables: Vec<&str> =
        every_system().iter().filter_map(|system| system.settings_table()).collect();
    workspace::parse_settings(text, &schemas(), &tables, &check_codes)
}

/// The line that a connection lacks which starts a server and doesn't say of which system that is.
#[must_use]
pub(crate) fn missing_system(connection: &Connection) -> Option<String> {
    system_settings::missing_system(connection, &schemas())
}

/// The schema of the form for a connection's table with this value.
#[must_use]
pub(crate) fn connection_form(table: &Value) -> Value {
    connection_form::connection_schema(table, &schemas())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        engine::settings::connections::KEYS,
        model::{
            connection::{Credentials, Endpoint, SecretAt, Tls},
            transport::TransportKind,
        },
        systems::{commonground::settings::Channel, trustgraph::settings::Gateway},
    };

    fn told(findings: &[Finding]) -> Vec<String> {
        findings
            .iter()
            .map(|finding| format!("{} {} {}", finding.site.line, finding.code, finding.message))
            .collect()
    }

    /// Every key in the spelling that files have had since there are any.
    const SPELLINGS: &str = r#"
connection = "prod"
[connections.prod]
transport = "nats"
servers = ["tls://one:4222", "tls://two:4222"]
user = "svc"
password-variable = "TG_PASSWORD"
ca-file = "/etc/ca.pem"
cert-file = "/etc/cert.pem"
key-file = "/etc/key.pem"
largest-answer = 8
timeout = "2m"
tool-timeouts = { joke = "10m" }
tools = ["joke"]
[connections.prod.commonground]
version = "v1r4"
project = "lab"
channel = "public"
agent = "ann-1"
api = "http://h:2"
postgres-variable = "CG_DSN"
[connections.nkey]
servers = "nats://h"
credentials-file = "a.creds"
tls = true
[connections.tg]
servers = "wss://h:8888"
token-key = "tg"
workspace = "w"
flow = "f"
broker = "bus"
[connections.tg-http]
transport = "http"
servers = "ws://h:8888"
token-variable = "TOKEN"
broker = "kafka://h:9092"
[connections.bus]
servers = "pulsar://h"
[connections.rabbit]
servers = "amqps://h/team"
[connections.embedded]
transport = "embedded"
"#;

    #[test]
    fn misspelt_codes_of_health_are_told() {
        let (_, findings) =
            parse_settings("[check]\n'health.gemini' = 'off'\n'health.gemni' = 'off'\n");
        let expected = "3 settings.unknown-code no check has the code \"health.gemni\"; did you \
            mean \"health.gemini\"?";
        assert_eq!(told(&findings), [expected]);
    }

    #[test]
    fn a_server_that_is_started_says_what_it_is() {
        let head = "[connections.dev]\ncommand = 'x'\n";
        let (settings, findings) = parse_settings(head);
        let expected = "2 settings.no-system this doesn't say what its server is: add system = \
            \"mcp\"";
        assert_eq!(told(&findings), [expected]);
        assert!(settings.connections.find_by_name("dev").is_some());
        let (_, none) = parse_settings(&format!("{head}system = 'mcp'\n"));
        assert_eq!(told(&none), [""; 0]);
    }

    #[test]
    fn files_in_the_spelling_of_before_say_what_they_said() {
        let (settings, findings) = parse_settings(SPELLINGS);
        assert_eq!(told(&findings), [""; 0]);
        let connections = settings.connections;
        let servers = |transport, addresses: &[&str]| Endpoint::Servers {
            transport,
            addresses: addresses.iter().map(|address| (*address).to_owned()).collect(),
        };
        let variable = |name: &str| SecretAt::Variable(name.into());
        let named = |name: &str| connections.find_by_name(name).unwrap().clone();
        let prod = Connection {
            name: "prod".into(),
            endpoint: servers(TransportKind::Nats, &["tls://one:4222", "tls://two:4222"]),
            credentials: Credentials::Password {
                user: "svc".into(),
                password: variable("TG_PASSWORD"),
            },
            tls: Tls {
                required: true,
                ca_file: Some("/etc/ca.pem".into()),
                cert_file: Some("/etc/cert.pem".into()),
                key_file: Some("/etc/key.pem".into()),
            },
            largest_answer: 8 << 20,
            timeout: Some(std::time::Duration::from_secs(120)),
            tool_timeouts: [("joke".to_owned(), std::time::Duration::from_secs(600))].into(),
            ..Connection::embedded()
        };
        let channel = Channel {
            agent: Some("ann-1".into()),
            api: Some("http://h:2".into()),
            postgres: Some(variable("CG_DSN")),
            ..Channel::new("lab", "public")
        };
        assert_eq!(named("prod"), channel.apply_to(prod));
        let secrets: Vec<_> = named("prod").secrets().cloned().collect();
        assert_eq!(secrets, [variable("TG_PASSWORD"), variable("CG_DSN")]);
        let nkey = named("nkey");
        assert_eq!(
            (nkey.credentials, nkey.tls.required),
            (Credentials::File { path: "a.creds".into() }, true)
        );
        let tg = named("tg");
        assert_eq!(tg.endpoint, servers(TransportKind::WebSocket, &["wss://h:8888"]));
        assert_eq!(tg.credentials, Credentials::Token { token: SecretAt::KeyStore("tg".into()) });
        let broker = Some(named("bus"));
        assert_eq!(
            Gateway::from_connection(&tg),
            Gateway { workspace: Some("w".into()), flow: "f".into(), broker }
        );
        let http = named("tg-http");
        assert_eq!(http.endpoint, servers(TransportKind::Http, &["ws://h:8888"]));
        let gateway = Gateway::from_connection(&http);
        assert_eq!(
            (gateway.flow.as_str(), gateway.broker.map(|broker| broker.transport())),
            ("default", Some(TransportKind::Kafka))
        );
        assert_eq!(named("bus").endpoint, servers(TransportKind::Pulsar, &["pulsar://h"]));
        assert_eq!(named("rabbit").endpoint, servers(TransportKind::RabbitMq, &["amqps://h/team"]));
        assert!(named("embedded").is_embedded());
        assert_eq!(connections.of_tools.get("joke").map(String::as_str), Some("prod"));
    }

    #[test]
    fn a_channel_of_commonground_is_part_of_its_connection() {
        let head = "[connections.cg]\nservers = 'nats://h:1'\n[connections.cg.commonground]\n";
        let read = |rest: &str| {
            let (settings, findings) = parse_settings(&format!("{head}{rest}"));
            (settings.connections.find_by_name("cg").cloned(), told(&findings))
        };
        let (cg, none) = read(
            "project = 'lab'\nchannel = 'public'\nagent = 'ann-1'\napi = 'http://h:2'\npostgres-variable = 'CG_DSN'\n",
        );
        let channel = Channel::from_connection(&cg.unwrap()).unwrap();
        assert_eq!(
            (none.len(), channel.version.as_str(), channel.project.as_str()),
            (0, "v1r4", "lab")
        );
        let rest = (channel.agent.as_deref(), channel.api.as_deref(), channel.postgres);
        assert_eq!(
            rest,
            (Some("ann-1"), Some("http://h:2"), Some(SecretAt::Variable("CG_DSN".into())))
        );
        for (text, expected) in [
            ("project = 'lab'\n", "3 settings.no-channel CommonGround is called in a channel"),
            ("project = 'a.b'\nchannel = 'c'\n", "4 settings.id project is part of every subject"),
            ("project = 'a'\nchannel = '*'\n", "5 settings.id channel is part of every subject"),
            ("project = 'a'\nchannel = 'c'\napi = 'nats://h'\n", "6 settings.api api must be"),
            (
                "project = 'a'\nchannel = 'c'\napi = 'http://u:hunter2@h'\n",
                "6 settings.api api must be",
            ),
        ] {
            let (cg, told) = read(text);
            assert!(
                cg.is_none() && told.len() == 1 && told[0].starts_with(expected),
                "{expected}\nin {told:#?}"
            );
            assert!(!told[0].contains("hunter2"));
        }
        let (cg, _) = read("project = 'a'\nchannel = 'c'\npostgres-key = 'lab'\n");
        assert_eq!(
            Channel::from_connection(&cg.unwrap()).unwrap().postgres,
            Some(SecretAt::KeyStore("lab".into()))
        );
        let (cg, told) = read(
            "project = 'a'\nchannel = 'c'\npostgres = 'postgres://u:hunter2@h'\nchanel = 'd'\n",
        );
        assert!(
            cg.is_some() && told.len() == 2 && told[0].contains("postgres-variable"),
            "{told:#?}"
        );
    }

    #[test]
    fn a_gateway_names_the_broker_behind_it() {
        let text = "[connections.tg]\nservers = 'ws://h:1'\nbroker = 'bus'\n[connections.bus]\nservers = 'pulsar://h:2'\n\
                    [connections.other]\nservers = 'ws://h:3'\nbroker = 'tg'\n[connections.far]\nservers = 'ws://h:4'\nbroker = 'kafka://h:5'\n\
                    [connections.lost]\nservers = 'ws://h:6'\nbroker = 'bis'\n";
        let (settings, findings) = parse_settings(text);
        let broker = |name: &str| {
            Gateway::from_connection(settings.connections.find_by_name(name).unwrap())
                .broker
                .map(|broker| broker.name)
        };
        assert_eq!(
            (broker("tg").as_deref(), broker("far").as_deref()),
            (Some("bus"), Some("kafka://h:5"))
        );
        assert_eq!((broker("other"), broker("lost")), (None, None));
        let told = told(&findings);
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(
            told[0].contains("\"tg\" leads to a gateway over WebSocket, not to a broker"),
            "{told:#?}"
        );
        assert!(told[1].contains("did you mean \"bus\""), "{told:#?}");
    }

    #[test]
    fn what_counts_elsewhere_is_told_and_not_lost() {
        let (settings, findings) =
            parse_settings("[connections.mq]\nservers = 'amqp://h'\nflow = 'f'\nworkspace = 3\n");
        let told = told(&findings);
        assert!(
            told[0].starts_with("4 settings.no-gateway workspace only applies behind a gateway, which transport rabbitmq"),
            "{told:#?}"
        );
        assert!(
            told.iter().any(|told| told.starts_with("3 settings.no-gateway flow only applies")),
            "{told:#?}"
        );
        assert!(
            told.iter().any(|told| told.contains("workspace must be a text in quotes")),
            "{told:#?}"
        );
        assert_eq!(
            Gateway::from_connection(settings.connections.find_by_name("mq").unwrap()).flow,
            "f"
        );
    }

    fn offered(table: &Value) -> Vec<String> {
        connection_form(table)["properties"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn a_form_offers_what_counts_for_the_transport_and_what_is_there() {
        let has = |table: Value, key: &str| offered(&table).iter().any(|offered| offered == key);
        assert!(has(json!({"servers": ["nats://h:1"]}), "commonground"));
        assert!(!has(json!({"servers": "https://h:1"}), "commonground"));
        assert!(has(json!({"servers": "https://h:1"}), "flow"));
        assert!(!has(json!({"servers": "amqp://h"}), "flow"));
        assert!(
            has(json!({"servers": "amqp://h", "flow": "x"}), "flow"),
            "what is there is never hidden"
        );
        assert!(!has(json!({"transport": "embedded"}), "user"));
    }

    #[test]
    fn a_form_offers_the_settings_of_the_system_that_the_connection_leads_to() {
        let with = |own: Value| {
            let mut table = json!({"servers": "https://h:1"});
            table.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
            let of_systems = ["system", "era", "client-id", "flow", "opensearch", "search-proxy"];
            let offered = offered(&table);
            of_systems.into_iter().filter(|key| offered.iter().any(|other| other == key)).collect()
        };
        let of: [(Value, Vec<&str>); 4] = [
            (json!({}), vec!["system", "flow", "opensearch", "search-proxy"]),
            (json!({"system": "mcp"}), vec!["system", "era", "client-id"]),
            (json!({"opensearch": {}}), vec!["opensearch"]),
            (json!({"flow": "f"}), vec!["flow"]),
        ];
        for (own, expected) in of {
            let offered: Vec<&str> = with(own.clone());
            assert_eq!(offered, expected, "{own}");
        }
    }

    #[test]
    fn a_server_that_is_started_is_not_offered_what_needs_an_address() {
        let has = |table: Value, key: &str| offered(&table).iter().any(|offered| offered == key);
        assert!(has(json!({"command": "npx", "system": "mcp"}), "era"));
        assert!(!has(json!({"command": "npx", "system": "mcp"}), "client-id"));
        assert!(has(json!({"servers": "https://h/mcp", "system": "mcp"}), "client-id"));
        assert!(has(json!({"command": "npx", "client-id": "x"}), "client-id"), "it is there");
    }

    #[test]
    fn every_key_that_is_read_is_offered_somewhere() {
        let tables = [
            json!({}),
            json!({"servers": "nats://h"}),
            json!({"servers": "https://h"}),
            json!({"servers": "https://h", "system": "mcp"}),
            json!({"command": "npx"}),
        ];
        let all: Vec<String> = tables.iter().flat_map(offered).collect();
        let added = schemas().into_iter().flat_map(SettingsSchema::keys_beside);
        let known: Vec<String> = KEYS.iter().map(|key| (*key).to_owned()).chain(added).collect();
        let missing: Vec<_> = known.iter().filter(|key| !all.contains(key)).collect();
        assert_eq!(missing, [""; 0]);
    }
}

//! The workspace's `toolcrib.toml`: mode, context, user profiles, custom groups, connections,
//! variables, files of JSON Schemas, prices of models.

use serde_json::Value;

use super::{
    check_table, connections,
    system_settings::SettingsSchema,
    table::{Reader, Table},
    variables::{VARIABLES, VARIABLES_KEY, note_templates, read_variables},
};
use crate::{
    engine::{
        agent_loop::price::{PRICES, read_prices},
        groups::CustomGroups,
        lint::check::did_you_mean,
        workflow::similar,
    },
    model::{
        connections::Connections,
        context::{Context, Mode, Profile},
        entry::FileId,
        finding::{Finding, Severity},
        health::{Budget, HealthSettings, ModelApi},
        settings::{SETTINGS, UserSettings, WorkspaceSettings},
    },
    schema::pointer::Pointer,
};

const KEYS: [&str; 14] = [
    "name",
    "mode",
    "connection",
    "context",
    "profiles",
    "groups",
    "states",
    "connections",
    VARIABLES,
    VARIABLES_KEY,
    "schemas",
    "check",
    "health",
    PRICES,
];

const MODES: [(&str, Mode); 3] = [
    ("document", Mode::Document),
    ("as-deployed", Mode::AsDeployed),
    ("as deployed", Mode::AsDeployed),
];

/// What a text says, and everything that is wrong in it; `systems` is what systems need to know of
/// connections, `tables` are those that systems read themselves.
#[must_use]
pub(crate) fn parse_settings(
    text: &str,
    systems: &[&SettingsSchema],
    tables: &[&str],
    codes: &dyn Fn() -> Vec<&'static str>,
) -> (WorkspaceSettings, Vec<Finding>) {
    let (mut reader, root) = Reader::open_toml(FileId::new(SETTINGS), text);
    let top = Table { members: &root, at: Pointer::root() };
    reader.check_keys(&top, &[&KEYS, tables, &UserSettings::KEYS].concat());
    for key in UserSettings::KEYS.iter().filter(|key| root.contains_key(**key)) {
        let words = format!(
            "{key} goes into your own settings, toolcrib's config.toml, and not into a workspace's"
        );
        reader.add_finding(Severity::Warning, "settings.unknown-key", &top.at.child(*key), words);
    }
    let mut settings = WorkspaceSettings {
        name: reader.read_text(&top, "name").filter(|name| !name.trim().is_empty()),
        mode: reader.read_choice(&top, "mode", &MODES).unwrap_or_default(),
        context: read_context(&mut reader, &top),
        profiles: read_profiles(&mut reader, &top),
        states: reader.read_names(&top, "states").unwrap_or_default(),
        ..WorkspaceSettings::default()
    };
    if let Some(groups) = read_groups(&mut reader, &top) {
        settings.groups = groups;
    }
    settings.check = check_table::read_rules(&mut reader, &top, codes);
    settings.health = read_health(&mut reader, &top, &settings.context);
    settings.health.custom_groups = settings.groups.clone();
    if let Some(table) = reader.read_table(&top, "schemas") {
        let files = table
            .members
            .keys()
            .filter_map(|url| Some((url.clone(), reader.read_text(&table, url)?)));
        settings.schemas = files.collect();
    }
    settings.prices = read_prices(&mut reader, &top);
    settings.connections = read_connections(&mut reader, &top, systems);
    read_usual(&mut reader, &top, &mut settings.connections);
    (settings, reader.findings)
}

/// The workspace's own groups, as they are written; `None`: it has none that can be read.
fn read_groups(reader: &mut Reader, top: &Table<'_>) -> Option<Value> {
    let groups = top.members.get("groups")?;
    match CustomGroups::from_value(groups) {
        Ok(_) => Some(groups.clone()),
        Err(issue) => {
            let at = top.at.child("groups").join(&issue.at);
            reader.add_finding(Severity::Error, "settings.groups", &at, issue.message);
            None
        }
    }
}

/// The connections, those that systems find within others, and the variables of all.
fn read_connections(
    reader: &mut Reader,
    top: &Table<'_>,
    systems: &[&SettingsSchema],
) -> Connections {
    let mut connections = Connections::default();
    if let Some(tables) = reader.read_table(top, "connections") {
        for name in tables.members.keys() {
            let Some(table) = reader.read_table(&tables, name) else { continue };
            let read = connections::read_connection(reader, name, &table, systems);
            if let Some(connection) = read {
                connections.insert(connection);
                connections::read_tools(reader, name, &table, &mut connections);
            }
        }
        for (name, value) in tables.members {
            if value.is_object()
                && let Some(table) = reader.read_table(&tables, name)
            {
                for system in systems {
                    system.find_connections(reader, name, &table, &mut connections);
                }
            }
        }
    }
    for key in ["connections", VARIABLES] {
        if let Some(value) = top.members.get(key) {
            note_templates(reader, &top.at.child(key), value);
        }
    }
    connections.share_variables(read_variables(reader, top));
    connections
}

/// Which of them calls go through.
fn read_usual(reader: &mut Reader, top: &Table<'_>, connections: &mut Connections) {
    let Some(usual) = reader.read_text(top, "connection") else { return };
    if connections.find_by_name(&usual).is_some() {
        connections.usual = usual;
        return;
    }
    let words = match connections::find_connection(connections, &usual) {
        Ok(_) => "name a connection, and give its address under [connections.NAME]".to_owned(),
        Err(problem) => format!("{}; {}", problem.cause, problem.remedy),
    };
    let at = top.at.child("connection");
    reader.add_finding(Severity::Error, "settings.connection", &at, words);
}

fn read_context(reader: &mut Reader, top: &Table<'_>) -> Context {
    let Some(table) = reader.read_table(top, "context") else { return Context::default() };
    reader.check_keys(&table, &["user", "groups", "state"]);
    Context {
        user: reader.read_text(&table, "user").map(Into::into),
        groups: reader.read_names(&table, "groups"),
        state: reader.read_text(&table, "state").map(Into::into),
    }
}

/// `[profiles] NAME = [groups]`, or `[profiles.NAME] allowed-groups = [groups]`.
fn read_profiles(reader: &mut Reader, top: &Table<'_>) -> Vec<Profile> {
    let Some(tables) = reader.read_table(top, "profiles") else { return Vec::new() };
    let mut profiles = Vec::new();
    for (user, value) in tables.members {
        let allowed_groups = if value.is_object() {
            let Some(table) = reader.read_table(&tables, user) else { continue };
            reader.check_keys(&table, &["allowed-groups"]);
            if !table.members.contains_key("allowed-groups") {
                let message = format!(
                    "profile \"{}\" has no allowed-groups, so it may request no groups",
                    user.escape_debug()
                );
                reader.add_finding(Severity::Warning, "settings.empty-profile", &table.at, message);
            }
            reader.read_names(&table, "allowed-groups").unwrap_or_default()
        } else {
            let Some(names) = reader.read_names(&tables, user) else { continue };
            names
        };
        profiles.push(Profile { user: user.as_str().into(), allowed_groups });
    }
    profiles
}

/// `[health]`; the table alone switches its findings on.
fn read_health(reader: &mut Reader, top: &Table<'_>, context: &Context) -> HealthSettings {
    let mut health = HealthSettings { groups: context.groups.clone(), ..Default::default() };
    let Some(table) = reader.read_table(top, "health") else { return health };
    reader.check_keys(&table, &["enabled", "tool-tokens", "state-tokens", "alike", "apis"]);
    health.enabled = reader.read_flag(&table, "enabled").unwrap_or(true);
    for (key, budget) in
        [("tool-tokens", &mut health.tool_tokens), ("state-tokens", &mut health.state_tokens)]
    {
        if let Some(tokens) = reader.read_count(&table, key) {
            let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
            *budget = Budget { tokens, is_given: true };
        }
    }
    if let Some(percent) = reader.read_count(&table, "alike") {
        match usize::try_from(percent).ok().filter(|percent| *percent <= 100) {
            Some(percent) => health.alike = percent,
            None => reader.note_wrong_type(&table.at.child("alike"), "a percentage up to 100"),
        }
    }
    if let Some(words) = reader.read_texts(&table, "apis") {
        let known = |word: &String| ModelApi::ALL.into_iter().find(|api| api.as_str() == word);
        for (row, word) in words.iter().enumerate() {
            if known(word).is_none() {
                let all: Vec<&str> = ModelApi::ALL.into_iter().map(ModelApi::as_str).collect();
                let hint = did_you_mean(similar::nearest_name(word, all.iter().copied()));
                reader.add_finding(
                    Severity::Error,
                    "settings.unknown-word",
                    &table.at.child("apis").item(row),
                    format!("the APIs are {}{hint}", all.join(", ")),
                );
            }
        }
        health.are_apis_given = true;
        health.apis = words.iter().filter_map(known).collect();
    }
    health
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::{
        connection::{Connection, Credentials, RequestVariable, SecretAt, SettingValue},
        transport::TransportKind,
    };

    fn read_alone(text: &str) -> (WorkspaceSettings, Vec<Finding>) {
        parse_settings(text, &[], &[], &|| vec!["identity.twins", "identity.duplicate-name"])
    }

    fn told(findings: &[Finding]) -> Vec<String> {
        findings
            .iter()
            .map(|finding| format!("{} {} {}", finding.site.line, finding.code, finding.message))
            .collect()
    }

    #[test]
    fn a_whole_file_is_read() {
        let text = r#"
name = "shop"
mode = "as-deployed"
connection = "prod"
[context]
user = "ann"
groups = ["a", "b"]
state = "start"
[profiles]
ann = ["a", "b"]
[profiles.bob]
allowed-groups = ["*"]
[groups]
money = ["stock"]
[groups.knowledge]
read = ["search"]
[connections.local]
servers = "nats://127.0.0.1:4222"
[connections.prod]
transport = "nats"
servers = ["tls://one:4222", "tls://two:4222"]
user = "svc"
password-variable = "TG_PASSWORD"
ca-file = "/etc/ca.pem"
"#;
        let (settings, findings) = read_alone(text);
        assert_eq!(told(&findings), [""; 0]);
        assert_eq!((settings.name.as_deref(), settings.mode), (Some("shop"), Mode::AsDeployed));
        assert_eq!(settings.context.groups(), ["a".into(), "b".into()]);
        assert_eq!(settings.profiles.len(), 2);
        assert_eq!(&*settings.profiles[1].allowed_groups[0], "*");
        assert_eq!(settings.groups, json!({"money": ["stock"], "knowledge": {"read": ["search"]}}));
        let names: Vec<_> =
            settings.connections.known.iter().map(|connection| connection.name.as_str()).collect();
        assert_eq!(
            (names, &*settings.connections.usual),
            (vec!["embedded", "local", "prod"], "prod")
        );
        let prod = &settings.connections.known[2];
        assert!(prod.tls.required && prod.tls.ca_file.is_some());
        assert_eq!(
            prod.credentials,
            Credentials::Password {
                user: "svc".into(),
                password: SecretAt::Variable("TG_PASSWORD".into())
            }
        );
        assert_eq!(settings.connections.known[1].transport(), TransportKind::Nats);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_counts() {
        let (settings, findings) = read_alone(
            "[check]\n'identity.twins' = 'off'\n'identity.*' = 'error'\n'identity.twin' = 'off'\n\
             'file.not-read' = 'off'\nextra-keys = ['owner']\n[check.files.'old/**']\n'*' = 'loud'\n",
        );
        assert_eq!(
            told(&findings),
            [
                "4 settings.unknown-code no check has the code \"identity.twin\"; did you mean \
                 \"identity.twins\"?",
                "8 settings.unknown-word * must be one of \"off\", \"note\", \"warning\", \
                 \"error\"; \"loud\" is not",
            ]
        );
        let codes = settings.check.rules.iter().map(|rule| rule.codes.as_str());
        let expected = ["identity.*", "identity.twin", "file.not-read", "identity.twins"];
        assert_eq!(codes.collect::<Vec<_>>(), expected);
        assert_eq!(settings.check.extra_keys, ["owner"]);
        let (_, findings) = read_alone("ascii = true\n[keys]\nsave = 'F2'\n");
        assert_eq!(
            told(&findings),
            ["ascii", "keys"].map(|key| {
                let line = if key == "ascii" { 1 } else { 2 };
                format!(
                    "{line} settings.unknown-key {key} goes into your own settings, toolcrib's \
                     config.toml, and not into a workspace's"
                )
            })
        );
        let text = r#"mod = "document"
mode = "deployed"
connection = "lokal"
context = 3
name = "n"
[profiles]
ann = "a"
[profiles.bob]
alowed-groups = []
[groups]
g = [1]
[connections.local]
server = "nats://a"
[connections.leaky]
servers = ["nats://ann:hunter2@host"]
[connections.pass]
servers = ["nats://host"]
password = "hunter2"
user = "x"
[connections.fine]
servers = ["nats://host"]
"#;
        let (settings, findings) = read_alone(text);
        let told = told(&findings);
        for expected in [
            "1 settings.unknown-key unknown key \"mod\"; did you mean \"mode\"?",
            "2 settings.unknown-word mode must be one of \"document\", \"as-deployed\", \"as deployed\"; \"deployed\" is not",
            "4 settings.wrong-type context must be a table",
            "7 settings.wrong-type profiles.ann must be a list of texts",
            "9 settings.unknown-key unknown key \"alowed-groups\"; did you mean \"allowed-groups\"?",
            "8 settings.empty-profile profile \"bob\"",
            "11 settings.groups a member must be the name",
            "13 settings.unknown-key unknown key \"server\"; did you mean \"servers\"?",
            "15 settings.secret an address here must not hold a user or password",
            "18 settings.secret secrets don't belong in this file",
            "16 settings.credentials set only one kind of credentials",
            "3 settings.connection there is no connection \"lokal\"; did you mean \"local\"?",
        ] {
            assert!(told.iter().any(|line| line.starts_with(expected)), "{expected}\nin {told:#?}");
        }
        assert_eq!(told.len(), 12, "{told:#?}");
        assert!(!told.join("").contains("hunter2"));
        assert_eq!(settings.name.as_deref(), Some("n"));
        let names: Vec<_> =
            settings.connections.known.iter().map(|connection| connection.name.as_str()).collect();
        assert_eq!(
            (names, &*settings.connections.usual),
            (vec!["embedded", "local", "fine"], "embedded")
        );
        let broken = read_alone("a = 1\nb = \n").1;
        assert_eq!(
            (broken[0].code, broken[0].site.line, broken[0].severity),
            ("syntax.not-well-formed", 2, Severity::Error)
        );
    }

    #[test]
    fn headers_are_read_and_what_no_request_can_have_is_said() {
        let read = |address: &str, rest: &str| {
            let (settings, findings) =
                read_alone(&format!("[connections.c]\nservers = '{address}'\n{rest}"));
            let connection = settings.connections.find_by_name("c");
            let headers = connection.map(|known| known.headers.clone()).unwrap_or_default();
            (headers, told(&findings))
        };
        let secret = |at| SettingValue::Secret(at);
        let (headers, none) = read(
            "https://h",
            "headers = { X-Tenant = 'acme', X-Api-Key = '$KEY' }\nheaders-key = { Cookie = 'c' }\n",
        );
        let expected = [
            ("Cookie", secret(SecretAt::KeyStore("c".into()))),
            ("X-Api-Key", secret(SecretAt::Variable("KEY".into()))),
            ("X-Tenant", SettingValue::Text("acme".into())),
        ];
        assert_eq!(none, Vec::<String>::new());
        assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value)).into());
        for (rest, expected) in [
            ("headers = { X-Api-Key = 'hunter2' }\n", "settings.secret secrets don't belong"),
            ("headers = { Cookie = 'hunter2' }\n", "settings.secret secrets don't belong"),
            ("headers = { X-A = 'sk-hunter2hunter2hunter2hunter2' }\n", "settings.secret secrets"),
            ("headers = { 'X Y' = 'a' }\n", "settings.header \"X Y\" can't be the name"),
            ("headers = { host = 'a' }\n", "settings.header toolcrib sets the header host itself"),
            ("headers = { X-A = \"a\\nb\" }\n", "settings.header the header X-A has characters"),
            (
                "headers = { x-a = 'a' }\nheaders-key = { X-A = 'b' }\n",
                "settings.header the header",
            ),
            (
                "token-key = 'a'\nheaders = { Authorization = '$A' }\n",
                "settings.credentials set either the header Authorization",
            ),
            ("headers = { X-Service-Key = 'hunter2' }\n", "settings.secret secrets don't belong"),
            ("headers = { X-A = '' }\n", "settings.header the header X-A has no value"),
            ("headers = { X-A = 'Key $KEY' }\n", "settings.header the header X-A has a variable"),
            ("headers = { X-A = '${KEY}' }\n", "settings.secret this can't be the name of an"),
            ("headers = { X-A = '$' }\n", "settings.secret this can't be the name of an"),
            (
                "headers = { X-A = 'a' }\nheaders-key = { X-A = 'b' }\n",
                "settings.header the header",
            ),
            ("headers-key = { X-A = '' }\n", "settings.secret name the secret"),
            ("token-key = 'sk-hunter2hunter2hunter2hunter2'\n", "settings.secret this looks like"),
            ("token-variable = 'my key'\n", "settings.secret this can't be the name of an"),
            ("headers = { X-A = 1 }\n", "settings.wrong-type connections.c.headers.X-A must be"),
        ] {
            let (_, told) = read("https://h", rest);
            let is_it = told.len() == 1 && told[0].contains(expected);
            assert!(is_it && !told[0].contains("hunter2"), "{expected}\nin {told:#?}");
        }
        let (_, told) = read("nats://h:1", "headers = { X-A = 'a' }\n");
        assert!(told[0].contains("NATS sends no headers of HTTP"), "{told:#?}");
    }

    #[test]
    fn a_connection_has_its_own_variables_and_those_of_the_workspace() {
        let (settings, findings) = read_alone(
            "[variables]\nshop = 'all'\nlimit = 5\n[connections.dev]\nservers = 'http://h'\n\
             [connections.dev.variables]\nshop = 'dev'\n",
        );
        assert_eq!(told(&findings), [""; 0]);
        let shop = |connection: Option<&Connection>| connection?.variables.get("shop").cloned();
        let shown = |text: &str| Some(RequestVariable::Shown(json!(text)));
        let connections = settings.connections;
        let [dev, embedded] = ["dev", "embedded"].map(|name| connections.find_by_name(name));
        assert_eq!([shop(dev), shop(embedded)], [shown("dev"), shown("all")]);
        assert!(dev.is_some_and(|dev| dev.variables.contains_key("limit")));
        let typed = connections::find_connection(&connections, "http://other").unwrap();
        assert_eq!(shop(Some(&typed)), shown("all"));
    }

    #[test]
    fn a_secret_lies_in_a_variable_or_in_the_key_store() {
        let read = |rest: &str| {
            let (settings, findings) =
                read_alone(&format!("[connections.c]\nservers = 'nats://h:1'\n{rest}"));
            (
                settings.connections.find_by_name("c").map(|known| known.credentials.clone()),
                told(&findings),
            )
        };
        let at = || SecretAt::KeyStore("bus".into());
        assert_eq!(
            read("token-key = 'bus'\n"),
            (Some(Credentials::Token { token: at() }), Vec::new())
        );
        let password = Credentials::Password { user: "ann".into(), password: at() };
        assert_eq!(read("user = 'ann'\npassword-key = 'bus'\n"), (Some(password), Vec::new()));
        for (text, expected) in [
            (
                "token-key = 'a'\ntoken-variable = 'B'\n",
                "1 settings.credentials token can only be in one place",
            ),
            ("token-key = ''\n", "1 settings.credentials name the place of token"),
            (
                "token-key = 'a'\nuser = 'ann'\n",
                "1 settings.credentials set only one kind of credentials",
            ),
        ] {
            let (credentials, told) = read(text);
            assert!(
                credentials.is_none() && told.len() == 1 && told[0].starts_with(expected),
                "{expected}\nin {told:#?}"
            );
        }
        let (_, told) = read("token = 'hunter2'\n");
        assert!(told[0].contains("token-variable") && told[0].contains("token-key"), "{told:#?}");
    }

    #[test]
    fn a_connection_is_chosen_by_name_or_address() {
        let (settings, _) =
            read_alone("connection = 'local'\n[connections.local]\nservers = 'nats://h:1'\n");
        let choose = |wanted: &str| connections::find_connection(&settings.connections, wanted);
        assert_eq!(settings.connections.current().name, "local");
        assert_eq!(choose("embedded").unwrap().transport(), TransportKind::Embedded);
        let there = choose("tls://there:4222").unwrap();
        assert_eq!((there.addresses().len(), there.tls.required), (1, true));
        assert!(choose("locale").unwrap_err().remedy.contains("\"local\""));
        assert!(choose("ftp://x").unwrap_err().remedy.contains("nats://"));
        assert!(!format!("{:?}", choose("nats://u:hunter2@x").unwrap_err()).contains("hunter2"));
    }

    #[test]
    fn a_tool_is_given_to_one_connection() {
        let text = "connection = 'local'\n[connections.local]\nservers = 'nats://h:1'\n[connections.embedded]\ntools = ['joke', 'Sum']\n[connections.far]\nservers = 'nats://h:2'\ntools = ['far', 'joke']\n";
        let (settings, findings) = read_alone(text);
        let told = told(&findings);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(
            told[0].starts_with(
                "8 settings.two-connections calls of \"joke\" already use connection \"embedded\""
            ),
            "{told:#?}"
        );
        let of_tools = settings.connections.of_tools.into_iter().collect::<Vec<_>>();
        let own = |tool: &str, name: &str| (tool.to_owned(), name.to_owned());
        assert_eq!(of_tools, [own("Sum", "embedded"), own("far", "far"), own("joke", "embedded")]);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(lines in prop::collection::vec(prop::sample::select(LINES.to_vec()), 0..12), odd in ".{0,12}") {
            let text = [&lines.join("\n"), &*odd].concat();
            let (settings, findings) = read_alone(&text);
            prop_assert!(settings.connections.find_by_name(&settings.connections.usual).is_some());
            prop_assert!(settings.connections.of_tools.values().all(|name| settings.connections.find_by_name(name).is_some()));
            prop_assert!(settings.groups.is_object());
            prop_assert!(!findings.iter().any(|finding| finding.message.contains("hunter2")));
        }
    }

    /// Lines that make sense in some order, and some that never do.
    const LINES: [&str; 24] = [
        "name = 'n'",
        "mode = 'document'",
        "mode = 3",
        "connection = 'c'",
        "context = []",
        "[context]",
        "groups = ['a']",
        "groups = 'a'",
        "state = 1",
        "[profiles]",
        "ann = ['a', 1]",
        "[profiles.bob]",
        "[groups]",
        "g = ['a']",
        "[groups.h.i]",
        "[connections.c]",
        "servers = ['nats://ann:hunter2@h']",
        "servers = 'nats://h'",
        "transport = 'embedded'",
        "token = 'hunter2'",
        "password-variable = 'P'",
        "tools = ['a']",
        "[connections.embedded]",
        "[[connections]]",
    ];
}

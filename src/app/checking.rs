//! Checking a workspace: at once while it is small, else apart from the keys.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use crate::{
    engine::{groups::CustomGroups, lint},
    model::{
        catalog::Catalog,
        check_rules::CheckRules,
        connections::{Connections, Listeners},
        context::Name,
        entry::FileId,
        finding::{Finding, Findings},
        health::HealthSettings,
        problem::Problem,
        settings::SETTINGS,
    },
    syntax::source::{Source, SyntaxError},
    systems::{
        findings,
        health::health_findings,
        run_files::{missing_tool, run_findings, unread_finding},
        unknown_names::{Known, unknown_names},
    },
};

/// Up to this many entries, in as many files, are checked at once, within a key's time.
pub(crate) const AT_ONCE: usize = 32;

/// A workspace at one moment, to be checked while the keys go on.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Which asking this is: only the answer to the newest counts.
    pub turn: u64,
    pub catalog: Arc<Catalog>,
    /// The texts that the catalog comes from.
    pub files: Vec<(FileId, Result<Source, SyntaxError>)>,
    pub there: CallDestinations,
    /// What the health of the tools is measured by, where it is to be seen.
    pub health: Option<HealthSettings>,
    pub rules: CheckRules,
    pub disk: FromDisk,
}

/// What is known of files beside their texts.
#[derive(Clone, Debug, Default)]
pub struct FromDisk {
    /// The files that couldn't be read, when they were last.
    pub unread: Vec<(FileId, Problem)>,
    /// Addresses of JSON Schemas with their files, as the settings map them.
    pub schemas: Vec<(String, String)>,
    /// Where documents don't match the JSON Schemas that they name, which are in files, too.
    pub documents: Vec<Finding>,
}

/// Whether findings on the health of the tools are shown, and by which measures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthView {
    pub settings: HealthSettings,
    /// What the user chose; else the settings say it.
    pub chosen: Option<bool>,
}

impl HealthView {
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.chosen.unwrap_or(self.settings.enabled)
    }

    /// The measures, where the findings are shown.
    #[must_use]
    pub fn shown(&self) -> Option<&HealthSettings> {
        self.is_shown().then_some(&self.settings)
    }
}

/// Where calls go, as far as it is known.
#[derive(Clone, Debug)]
pub struct CallDestinations {
    pub connections: Connections,
    pub listeners: Listeners,
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
    }
}

impl Snapshot {
    /// The texts that could be parsed.
    #[must_use]
    pub fn sources(&self) -> HashMap<&FileId, &Source> {
        self.files.iter().filter_map(|(file, source)| Some((file, source.as_ref().ok()?))).collect()
    }

    /// All findings, sorted by place.
    #[must_use]
    pub fn collect_findings(&self) -> Findings {
        findings_of(
            &self.catalog,
            &self.there,
            self.health.as_ref(),
            &self.rules,
            &self.disk,
            self.files.iter().map(|(file, source)| (file, source.as_ref())),
        )
    }
}

/// All findings of a catalog, of the texts that it comes from, and of where its calls go, sorted by
/// place.
pub(crate) fn findings_of<'s>(
    catalog: &Catalog,
    there: &CallDestinations,
    health: Option<&HealthSettings>,
    rules: &CheckRules,
    disk: &FromDisk,
    files: impl Iterator<Item = (&'s FileId, Result<&'s Source, &'s SyntaxError>)>,
) -> Findings {
    let files: HashMap<_, _> = files.collect();
    let source = |file: &FileId| files.get(file).and_then(|source| source.ok());
    let mut all = findings::catalog_findings(catalog, source);
    if let Some(settings) = health {
        let found = health_findings(catalog, settings, &all, source);
        all.extend(found);
    }
    all.extend(findings::connection_findings(
        catalog,
        &there.connections,
        &there.listeners,
        source,
    ));
    let missing = |tool: &str| missing_tool(catalog, tool);
    for (file, source) in &files {
        // What is read of 10,000 texts isn't kept.
        let look = source.map(Source::for_a_look);
        all.extend(findings::of_text(catalog, file, look.as_ref().map_err(|error| *error)));
        if let Ok(source) = &look {
            all.extend(run_findings(file, source, catalog, &there.connections, missing));
        }
    }
    let read = files.iter().filter_map(|(file, source)| Some((*file, source.ok()?)));
    all.extend(name_findings(catalog, read, &missing));
    all.extend(disk.unread.iter().map(|(file, problem)| unread_finding(file, problem)));
    all.extend(disk.documents.iter().cloned());
    rules.apply(&mut all);
    lint::sort_findings(&mut all);
    // What is worst is at the top of the list.
    all.sort_by_key(|finding| finding.severity);
    // They stay until the next check.
    all.shrink_to_fit();
    all.into()
}

/// Names in cases, scenarios and the settings that nothing here has.
fn name_findings<'s>(
    catalog: &Catalog,
    files: impl Iterator<Item = (&'s FileId, &'s Source)> + Clone,
    missing_tool: &dyn Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let settings = files.clone().find(|(file, _)| file.as_str() == SETTINGS);
    let settings = settings.and_then(|(_, source)| source.value(0));
    let groups = settings.and_then(|settings| settings.get("groups")).unwrap_or(&Value::Null);
    let own = CustomGroups::from_value(groups).unwrap_or_default();
    let tools = own.expand_tools(&catalog.tools).tools;
    let states = settings.and_then(|settings| settings.get("states")?.as_array());
    let states: Vec<Name> =
        states.into_iter().flatten().filter_map(Value::as_str).map(Name::from).collect();
    let known = Known { catalog, tools: &tools, groups, states: &states, missing_tool };
    files.flat_map(|(file, source)| unknown_names(file, source, &known)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            documents::Change,
            effect::Effect,
            message::{Condition, ConnectionMessage, DocumentMessage, Health, Loaded, Message},
            state::{Start, State},
            update::update,
        },
        model::{
            clock::Millis,
            connection::Connection,
            finding::{Severity, Site},
            problem::ProblemKind,
            transport::TransportKind,
        },
        schema::pointer::Pointer,
        syntax::source::Format,
        systems::commonground::settings::Channel,
    };

    /// A workspace of so many tools, one of them with an unknown type, read and settled; and what
    /// was asked for.
    fn opened(count: usize) -> (State, Vec<Effect>) {
        let mut state = State::new(Start::default());
        let loaded = |row: usize| {
            let kind = if row == 0 { "nonsense" } else { "text-completion" };
            let text: Arc<str> = format!(
                r#"{{"type": "{kind}", "name": "t{row}", "description": "d{row}", "group": ["a"]}}"#
            )
            .into();
            (
                FileId::new(format!("t{row:04}.json")),
                Loaded { source: Source::parse(Format::Json, text.clone()), text, held: None },
            )
        };
        let files: Vec<_> = (0..count).map(loaded).collect();
        let names = files.iter().map(|(file, _)| file.clone()).collect();
        let mut effects =
            update(&mut state, Message::Document(DocumentMessage::Loaded(files)), Millis(1));
        effects.extend(update(
            &mut state,
            Message::Document(DocumentMessage::LoadEnded {
                names,
                skipped: Vec::new(),
                unread: Vec::new(),
            }),
            Millis(2),
        ));
        (state, effects)
    }

    /// What is checked once changes have come to rest, where that was asked for.
    fn checks(state: &mut State, effects: Vec<Effect>) -> Vec<Snapshot> {
        let (mut effects, mut checks) = (effects, Vec::new());
        while let Some(effect) = effects.pop() {
            match effect {
                Effect::CheckSoon => effects.extend(update(
                    state,
                    Message::Document(DocumentMessage::CheckDue),
                    Millis(3),
                )),
                Effect::Check(snapshot) => checks.push(*snapshot),
                _ => {}
            }
        }
        checks
    }

    fn break_a_file(state: &mut State) -> Vec<Effect> {
        let change = Change::Text { file: FileId::new("t0001.json"), text: "{".into() };
        update(
            state,
            Message::Document(DocumentMessage::Change {
                label: "break".into(),
                changes: vec![change],
            }),
            Millis(3),
        )
    }

    /// A workspace of one file with these connections, read and settled; and what was asked for.
    fn with(name: &str, text: &str, known: Vec<Connection>) -> (State, Vec<Effect>) {
        let usual = known[0].name.clone();
        let connections = Connections { known, usual, ..Connections::default() };
        let mut state = State::new(Start { connections, ..Start::default() });
        let (file, text) = (FileId::new(name), Arc::<str>::from(text));
        let source = Source::parse(Format::from_path(file.path()).unwrap(), text.clone());
        update(
            &mut state,
            Message::Document(DocumentMessage::Loaded(vec![(
                file.clone(),
                Loaded { source, text, held: None },
            )])),
            Millis(1),
        );
        let effects = update(
            &mut state,
            Message::Document(DocumentMessage::LoadEnded {
                names: vec![file],
                skipped: Vec::new(),
                unread: Vec::new(),
            }),
            Millis(2),
        );
        (state, effects)
    }

    #[test]
    fn what_is_wrong_where_calls_go_follows_the_connection() {
        let service = r#"{"id": "s", "request-queue": "non-persistent://tg/request/s", "response-queue": "response:tg:s"}"#;
        let rabbit = Connection::from_address(TransportKind::RabbitMq, "mq", "amqp://h");
        let (mut state, _) =
            with("s.json", service, vec![Connection::nats("lab", "nats://h"), rabbit]);
        let uncarried = |state: &State| {
            state.findings.iter().any(|finding| finding.code == "service.queue-uncarried")
        };
        assert!(!uncarried(&state));
        update(
            &mut state,
            Message::Connection(ConnectionMessage::Use(Some("mq".into()))),
            Millis(3),
        );
        assert!(uncarried(&state));
        update(&mut state, Message::Connection(ConnectionMessage::Use(None)), Millis(4));
        assert!(!uncarried(&state));
    }

    #[test]
    fn who_listens_is_asked_once_the_connection_is_open_for_another_reason_and_shows_who_does_not()
    {
        let tool =
            "tool_name: door\ntarget_subject: cg.v1r4.{project_id}.{channel_id}.cmd.tool.door.on\n";
        let connection = Channel::new("lab", "public").apply_to(Connection::nats("cg", "nats://h"));
        let (mut state, opened) = with("door.yaml", tool, vec![connection]);
        let asks = |effects: &[Effect]| {
            effects.iter().filter(|effect| matches!(effect, Effect::AskListeners(_))).count()
        };
        assert_eq!(asks(&opened), 0, "a workspace that opens connects to nothing");
        let is = |health| {
            Message::Connection(ConnectionMessage::Condition {
                connection: "cg".into(),
                condition: Condition { words: String::new(), health },
            })
        };
        assert_eq!(asks(&update(&mut state, is(Health::Busy), Millis(3))), 0);
        assert_eq!(asks(&update(&mut state, is(Health::Good), Millis(4))), 1);
        assert_eq!(asks(&update(&mut state, is(Health::Good), Millis(5))), 0);
        assert_eq!(
            asks(&update(&mut state, Message::Document(DocumentMessage::Reload), Millis(6))),
            1
        );
        let unheard =
            |state: &State| state.findings.iter().any(|finding| finding.code == "subject.unheard");
        assert!(!unheard(&state), "nothing is said of what was not asked");
        for (filter, expected) in
            [("cg.v1r4.*.*.cmd.tool.lamp.*", true), ("cg.v1r4.*.*.cmd.tool.door.*", false)]
        {
            let listeners: Arc<[_]> = [("worker".to_owned(), filter.to_owned())].into();
            update(
                &mut state,
                Message::Connection(ConnectionMessage::Listeners {
                    connection: "cg".into(),
                    listeners,
                }),
                Millis(7),
            );
            assert_eq!(unheard(&state), expected, "{filter}");
        }
    }

    /// Whether the findings shown are older than the catalog.
    fn is_behind(state: &State) -> bool {
        state.checking.turn != state.checking.answered
    }

    #[test]
    fn a_small_workspace_is_checked_at_once() {
        let (mut state, effects) = opened(3);
        assert_eq!(
            (checks(&mut state, effects), state.findings.len(), is_behind(&state)),
            (vec![], 1, false)
        );
        let effects = break_a_file(&mut state);
        assert_eq!(checks(&mut state, effects), []);
        assert_eq!(state.findings.len(), 2);
    }

    #[test]
    fn a_large_workspace_is_checked_apart_and_only_the_newest_answer_counts() {
        let (mut state, effects) = opened(AT_ONCE + 1);
        let [first] = checks(&mut state, effects).try_into().unwrap();
        assert!(state.findings.is_empty() && is_behind(&state));
        let effects = break_a_file(&mut state);
        assert_eq!(checks(&mut state, effects), [], "one check at a time");
        let answer = |snapshot: &Snapshot| {
            Message::Document(DocumentMessage::Checked {
                turn: snapshot.turn,
                findings: Arc::new(snapshot.collect_findings()),
            })
        };

        let effects = update(&mut state, answer(&first), Millis(4));
        assert!(state.findings.is_empty(), "an old answer came in");
        let [second] = checks(&mut state, effects).try_into().unwrap();
        update(&mut state, answer(&second), Millis(5));
        let codes: Vec<_> = state.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(
            codes,
            ["syntax.not-well-formed", "type.unknown"],
            "what the broken file held before is still checked"
        );
        assert!(!is_behind(&state));
        let effects = update(&mut state, Message::NoticeSeen, Millis(6));
        assert_eq!(checks(&mut state, effects), [], "nothing is due");
    }

    #[test]
    fn what_was_found_by_a_schema_goes_once_no_document_names_one() {
        let lab = Connection::nats("lab", "nats://h");
        let (mut state, effects) = with("a.json", r#"{"$schema": "./s.json"}"#, vec![lab]);
        let [check] = checks(&mut state, effects).try_into().unwrap();
        let (file, pointer) = (FileId::new("a.json"), Pointer::root());
        let site = Site { file: file.clone(), entry: None, pointer, line: 1, column: 1 };
        let found = Finding::new("schema.required", Severity::Error, "is required".into(), site);
        let findings = Arc::new(Findings::from(vec![found]));
        let checked = DocumentMessage::Checked { turn: check.turn, findings };
        update(&mut state, Message::Document(checked), Millis(4));
        let mut count_after = |text: &str| {
            let changes = vec![Change::Text { file: file.clone(), text: text.into() }];
            let change = DocumentMessage::Change { label: "edit".into(), changes };
            update(&mut state, Message::Document(change), Millis(5));
            state.findings.iter().filter(|finding| finding.code == "schema.required").count()
        };
        assert_eq!(count_after(r#"{"$schema": "./s.json", "a": 1}"#), 1, "the next check decides");
        assert_eq!(count_after(r#"{"a": 1}"#), 0);
    }

    #[test]
    fn a_file_that_could_not_be_read_is_found_until_it_is_gone() {
        let (mut state, _) = opened(1);
        let file = FileId::new("odd.json");
        let names = vec![FileId::new("t0000.json"), file.clone()];
        let problem = Problem::new(ProblemKind::File, "reading odd.json", "it isn't UTF-8");
        let (skipped, unread) = (Vec::new(), vec![(file.clone(), problem)]);
        let ended = DocumentMessage::LoadEnded { names, skipped, unread };
        let gone = DocumentMessage::DiskChanged { file: file.clone(), text: None };
        for (message, count) in [(ended, 1), (gone, 0)] {
            update(&mut state, Message::Document(message), Millis(3));
            let of_it = state.findings.iter().filter(|finding| finding.site.file == file);
            assert_eq!(of_it.count(), count);
        }
    }

    #[test]
    fn a_workspace_of_many_cases_is_checked_apart() {
        let (mut state, _) = opened(3);
        let create = |row: usize| Change::Create {
            file: FileId::new(format!("cases/{row}.yaml")),
            text: "call: t1\n".into(),
        };
        let changes = (0..AT_ONCE).map(create).collect();
        let made = DocumentMessage::Change { label: "make".into(), changes };
        let effects = update(&mut state, Message::Document(made), Millis(3));
        assert_eq!(checks(&mut state, effects).len(), 1);
    }

    #[test]
    fn what_a_check_reads_of_texts_at_rest_is_not_held() {
        let (mut state, effects) = opened(AT_ONCE + 1);
        checks(&mut state, effects);
        state.checking.under_way = false;
        // What is found of one of two tools of the same name has the other as another place.
        let twin =
            r#"{"type": "text-completion", "name": "t1", "description": "d", "group": ["a"]}"#;
        let changes = vec![Change::Text { file: FileId::new("t0002.json"), text: twin.into() }];
        let twice = DocumentMessage::Change { label: "twice".into(), changes };
        let effects = update(&mut state, Message::Document(twice), Millis(3));
        let [mut snapshot] = checks(&mut state, effects).try_into().unwrap();
        for (_, source) in &mut snapshot.files {
            *source = source.as_ref().map(Source::at_rest).map_err(Clone::clone);
        }
        let findings = snapshot.collect_findings();
        assert!(findings.iter().any(|finding| !finding.related.is_empty()), "{findings:?}");
        let rests = |source: &Result<Source, SyntaxError>| source.as_ref().unwrap().is_at_rest();
        assert!(snapshot.files.iter().all(|(_, source)| rests(source)));
    }

    #[test]
    fn findings_that_are_shown_no_more_are_let_go_apart() {
        let (mut state, effects) = opened(AT_ONCE + 1);
        let [first] = checks(&mut state, effects).try_into().unwrap();
        let shown = Arc::new(first.collect_findings());
        let answer = Message::Document(DocumentMessage::Checked {
            turn: first.turn,
            findings: Arc::clone(&shown),
        });
        update(&mut state, answer, Millis(4));
        let effects = break_a_file(&mut state);
        let [second] = checks(&mut state, effects).try_into().unwrap();
        let findings = Arc::new(second.collect_findings());
        for (turn, given) in [(first.turn, &findings), (second.turn, &shown)] {
            let answer = Message::Document(DocumentMessage::Checked {
                turn,
                findings: Arc::clone(&findings),
            });
            let effects = update(&mut state, answer, Millis(5));
            let gone = effects.iter().find_map(|effect| match effect {
                Effect::LetGo(findings) => Some(findings),
                _ => None,
            });
            assert!(Arc::ptr_eq(gone.unwrap(), given), "an answer that is too late, then the old");
        }
    }

    #[test]
    fn changes_that_follow_each_other_are_checked_once_they_rest() {
        let (mut state, effects) = opened(AT_ONCE + 1);
        assert_eq!(effects.iter().filter(|effect| **effect == Effect::CheckSoon).count(), 1);
        for text in ["{", "{}", "[", "[]"] {
            let change = Change::Text { file: FileId::new("t0001.json"), text: text.into() };
            let changes = vec![change];
            update(
                &mut state,
                Message::Document(DocumentMessage::Change { label: "type".into(), changes }),
                Millis(3),
            );
            assert_eq!(
                update(&mut state, Message::Document(DocumentMessage::CheckDue), Millis(3)),
                [Effect::CheckSoon]
            );
        }
        let due = update(&mut state, Message::Document(DocumentMessage::CheckDue), Millis(3));
        assert!(matches!(due.as_slice(), [Effect::Check(_)]), "{due:?}");
    }

    #[test]
    fn what_changes_before_a_check_begins_is_checked_with_it() {
        let (mut state, effects) = opened(AT_ONCE + 1);
        assert_eq!(
            break_a_file(&mut state).iter().filter(|effect| **effect == Effect::CheckSoon).count(),
            0
        );
        assert_eq!(
            Arc::strong_count(&state.catalog),
            1,
            "nothing makes the next change copy the catalog"
        );
        let [only] = checks(&mut state, effects).try_into().unwrap();
        update(
            &mut state,
            Message::Document(DocumentMessage::Checked {
                turn: only.turn,
                findings: Arc::new(only.collect_findings()),
            }),
            Millis(4),
        );
        assert_eq!((state.findings.len(), is_behind(&state)), (2, false));
    }
}

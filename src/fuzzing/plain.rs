//! What is typed in plain mode.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    app::{
        effect::Effect,
        message::{DocumentMessage, Loaded, Message},
        state::{Start, State},
        update::update,
    },
    model::{clock::Millis, entry::FileId},
    syntax::source::{Format, Source},
    ui::{actions, plain::session::Session},
};

const TOOLS: &str = include_str!("../../samples/demo/tools.yaml");

/// So many lines of a text are taken.
const MOST_LINES: usize = 40;

/// So often the screens may ask for something themselves after a line.
const ROUNDS: usize = 64;

/// Any lines are taken on any screen and in any dialog, until one of them ends the program. Nothing
/// that they ask for is performed.
pub(super) fn read_lines(text: &str) {
    let keymap = actions::build_keymap(&BTreeMap::new()).0.in_words();
    let mut state = State::new(Start { keymap, ..Start::default() });
    let (file, text_of_file): (_, Arc<str>) = (FileId::new("tools.yaml"), TOOLS.into());
    let source = Source::parse(Format::Yaml, Arc::clone(&text_of_file));
    let loaded = Loaded { text: text_of_file, source, held: None };
    let (names, skipped) = (vec![file.clone()], Vec::new());
    send(
        &mut state,
        vec![
            Message::Document(DocumentMessage::Loaded(vec![(file, loaded)])),
            Message::Document(DocumentMessage::LoadEnded { names, skipped, unread: Vec::new() }),
        ],
    );
    let mut session = Session::new(&state);
    for line in text.lines().take(MOST_LINES) {
        let asked = session.take_line(line, &state);
        if send(&mut state, asked) {
            return;
        }
        for _ in 0..ROUNDS {
            let asked = session.follow_up(true, &state);
            for line in session.take_output() {
                assert!(!line.contains('\u{1b}'), "{line:?} would act on a terminal");
            }
            if asked.is_empty() {
                break;
            }
            if send(&mut state, asked) {
                return;
            }
        }
        session.prompt(&state);
    }
}

/// Whether the program ends with it.
fn send(state: &mut State, messages: Vec<Message>) -> bool {
    let mut ends = false;
    for message in messages {
        let effects = update(state, message, Millis(1_000));
        ends |= effects.iter().any(|effect| matches!(effect, Effect::Quit));
    }
    ends
}

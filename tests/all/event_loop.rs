//! The event loop without a terminal: what it does in which order, and how it ends.

use std::{collections::VecDeque, io};

use ratatui::{Terminal, backend::TestBackend};
use tokio::sync::mpsc;
use toolcrib::{
    app::{effect::Effect, input::Input, state::State},
    runtime::event_loop::{EventLoop, ExitReason, Flow, Host, HostEvent},
    ui::root::Root,
};

use crate::support::workbench::Workbench;

/// A host that notes what is asked of it.
struct Noting {
    terminal: Terminal<TestBackend>,
    events: VecDeque<HostEvent>,
    /// What happened, in its order.
    done: Vec<String>,
    /// So many drawings come well; the next one fails so.
    fails: Option<(usize, i32)>,
}

impl Host for Noting {
    fn draw(&mut self, root: &mut Root, state: &State) -> io::Result<()> {
        self.terminal.draw(|frame| root.draw(frame, state)).unwrap();
        let drawn = self.done.iter().filter(|done| *done == "draw").count();
        self.done.push("draw".into());
        match self.fails {
            Some((count, error)) if drawn >= count => Err(io::Error::from_raw_os_error(error)),
            _ => Ok(()),
        }
    }

    async fn next_event(&mut self) -> io::Result<HostEvent> {
        match self.events.pop_front() {
            Some(event) => Ok(event),
            None => std::future::pending().await,
        }
    }

    fn has_event(&mut self) -> bool {
        !self.events.is_empty()
    }

    fn perform(&mut self, effect: Effect) -> io::Result<Flow> {
        let flow = if effect == Effect::Quit { Flow::Quit } else { Flow::Continue };
        match effect {
            Effect::Save { text, .. } => {
                self.done.push(format!("save {}", first_line(&text.unwrap())));
            }
            Effect::Journal(texts) => {
                self.done.extend(
                    texts.values().map(|unsaved| {
                        format!("journal {}", first_line(unsaved.text.whole_text()))
                    }),
                );
            }
            _ => {}
        }
        Ok(flow)
    }

    async fn finish(&mut self, state: &State) {
        self.done.push(format!("finish with {} unsaved", state.documents.unsaved_texts().len()));
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| line.contains("name:")).unwrap_or_default().trim()
}

/// Runs the loop over a form whose keys are all there at once.
fn run(keys: &str, fails: Option<(usize, i32)>) -> (io::Result<ExitReason>, Vec<String>) {
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#;
    let form = || Workbench::form(schema, None, 100, 30);
    let mut drawn = form();
    drawn.draw();
    let (column, row) = drawn.find("name");
    let (state, root) = form().into_parts();
    let events = keys.split_whitespace().map(|word| match word {
        "close" => HostEvent::Close,
        "middle" => HostEvent::PasteAt((column + 12, row), "mid".into()),
        "middle-elsewhere" => HostEvent::PasteAt((0, 0), "elsewhere".into()),
        key => HostEvent::Input(Input::Key(key.parse().unwrap())),
    });
    let events = events.collect();
    let (sender, messages) = mpsc::channel(8);
    let terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
    let host = Noting { terminal, events, done: Vec::new(), fails };
    let mut event_loop = EventLoop { state, root, host, messages };
    // The clock stands still, so that nothing depends on how fast this machine is.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let ended = runtime.block_on(event_loop.run(Vec::new()));
    drop(sender);
    (ended, event_loop.host.done)
}

#[test]
fn a_save_and_the_journal_wait_for_no_picture() {
    let (ended, done) = run("enter a b ctrl+s c d ctrl+c d", None);
    assert_eq!(ended.unwrap(), ExitReason::Left);
    let effects: Vec<&str> = done.iter().map(String::as_str).collect();
    let wanted = [
        "draw",
        "draw",
        "journal name: a",
        "journal name: ab",
        "save name: ab",
        "draw",
        "journal name: abc",
        "journal name: abcd",
        "draw",
    ];
    assert_eq!(effects, wanted);
}

#[test]
fn the_middle_button_pastes_into_the_text_that_it_is_pressed_on_and_nowhere_else() {
    let (ended, done) = run("middle-elsewhere middle ctrl+s ctrl+c d", None);
    assert_eq!(ended.unwrap(), ExitReason::Left);
    let done: Vec<&str> = done.iter().map(String::as_str).filter(|it| *it != "draw").collect();
    assert_eq!(done, ["journal name: mid", "save name: mid"]);
}

#[test]
fn a_terminal_that_has_gone_ends_it_quietly_and_what_is_unsaved_is_kept() {
    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;
    let (ended, done) = run("enter a", Some((2, EIO)));
    assert_eq!(ended.unwrap(), ExitReason::Told);
    assert_eq!(done.last().map(String::as_str), Some("finish with 1 unsaved"));
    let (ended, done) = run("enter a", Some((2, ENOSPC)));
    assert_eq!(ended.unwrap_err().raw_os_error(), Some(ENOSPC), "what can be said is said");
    assert_eq!(done.last().map(String::as_str), Some("finish with 1 unsaved"));
}

#[test]
fn a_window_is_closed_as_the_program_is_left() {
    let (ended, done) = run("close", None);
    assert_eq!(ended.unwrap(), ExitReason::Left, "nothing is unsaved");
    assert_eq!(done, ["draw"]);
    let (ended, done) = run("enter a close d", None);
    assert_eq!(ended.unwrap(), ExitReason::Left, "the question is answered: leave without saving");
    assert_eq!(done, ["draw", "draw", "journal name: a", "draw"]);
}

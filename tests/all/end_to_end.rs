//! The real program in a terminal: what a user does, by keys and by mouse, and what is on the
//! screen and on disk then.

use std::{fs, path::Path};

use tempfile::TempDir;
use vt100::Color;

use crate::support::terminal::{Terminal, toolcrib};

/// The text of a sample's file as it is shipped.
fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path)).unwrap()
}

/// A folder with `tools.yaml` of the sample workflow in it.
fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tools.yaml"), shipped("spec-workflow/tools.yaml")).unwrap();
    folder
}

fn saved(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("tools.yaml")).unwrap()
}

fn open(folder: &TempDir) -> Terminal {
    let terminal = toolcrib([folder.path()]).start();
    terminal.wait_for("5 warnings");
    terminal
}

/// Opens the sample workflow and puts a letter behind the name of its first tool.
fn edited(folder: &TempDir) -> Terminal {
    let mut terminal = open(folder);
    edit_name(&mut terminal);
    terminal
}

fn edit_name(terminal: &mut Terminal) {
    terminal.press(["tab", "enter", "end"]);
    terminal.type_text("2");
    terminal.press(["enter"]);
    terminal.wait_for("name: \"Knowledge Graph Query2\"");
}

fn leave(mut terminal: Terminal) {
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    terminal.assert_given_back();
}

#[test]
fn a_folder_opens_with_its_tools_a_form_and_the_file() {
    let folder = workspace();
    let terminal = open(&folder);
    terminal.wait_for("reset-workflow");
    terminal.wait_for("name *");
    terminal.wait_for("name: \"Knowledge Graph Query\"");
    leave(terminal);
}

#[test]
fn an_edit_changes_only_its_line_on_disk() {
    let folder = workspace();
    let mut terminal = edited(&folder);
    assert_eq!(
        saved(&folder),
        shipped("spec-workflow/tools.yaml"),
        "nothing is written before it is saved"
    );
    terminal.press(["s"]);
    terminal.wait_for("Saved");
    let wanted = shipped("spec-workflow/tools.yaml")
        .replace("\"Knowledge Graph Query\"", "\"Knowledge Graph Query2\"");
    assert_eq!(saved(&folder), wanted);
    leave(terminal);
}

#[test]
fn an_edit_is_taken_back_and_made_again() {
    let folder = workspace();
    let mut terminal = edited(&folder);
    terminal.press(["u"]);
    terminal.wait_gone("Knowledge Graph Query2");
    terminal.press(["ctrl+r"]);
    terminal.wait_for("name: \"Knowledge Graph Query2\"");
    terminal.press(["u"]);
    terminal.wait_gone("Knowledge Graph Query2");
    leave(terminal);
}

#[cfg(unix)]
#[test]
fn a_value_is_edited_as_json_in_the_users_editor_which_opens_again_while_it_is_none() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = workspace();
    let editor = folder.path().join("editor.sh");
    // The first time it breaks the value, and then it makes another one.
    let script = "#!/bin/sh\ncase \"$1\" in *.json) ;; *) exit 3 ;; esac\n\
        if grep -q broken \"$1\"; then echo '[\"mended\"]' > \"$1\"; else echo '[broken' > \"$1\"; fi\n";
    fs::write(&editor, script).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let mut terminal = toolcrib([folder.path()]).size(120, 40).variable("EDITOR", &editor).start();
    terminal.wait_for("knowledge-query");
    terminal.press(["tab", "down", "down", "down"]);
    terminal.press(["E"]);
    terminal.wait_for("mended");
    terminal.press(["u"]);
    terminal.wait_gone("mended");
    leave(terminal);
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_stop_gives_the_terminal_back_until_it_goes_on() {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let folder = workspace();
    let mut terminal = edited(&folder);
    terminal.signal("TSTP");
    let process = Pid::from_raw(terminal.process().try_into().unwrap()).unwrap();
    waitid(WaitId::Pid(process), WaitIdOptions::STOPPED).unwrap();
    assert!(!terminal.contents().contains("Knowledge Graph Query2"), "the terminal is given back");
    terminal.signal("CONT");
    terminal.wait_for("Knowledge Graph Query2");
    terminal.press(["u"]);
    terminal.wait_gone("Knowledge Graph Query2");
    leave(terminal);
}

#[test]
fn leaving_with_unsaved_changes_asks_first() {
    let folder = workspace();
    let mut terminal = edited(&folder);
    terminal.press(["q"]);
    terminal.wait_for("Quit?");
    terminal.press(["esc"]);
    terminal.wait_gone("Quit?");
    terminal.wait_for("name: \"Knowledge Graph Query2\"");
    terminal.press(["u"]);
    terminal.wait_gone("Knowledge Graph Query2");
    leave(terminal);
}

#[test]
fn find_narrows_the_list_as_one_types() {
    let folder = workspace();
    let mut terminal = open(&folder);
    terminal.press(["/"]);
    terminal.type_text("reset");
    terminal.wait_gone("○ graph-update");
    terminal.wait_for("reset-workflow");
    terminal.press(["esc"]);
    terminal.wait_for("graph-update");
    leave(terminal);
}

#[test]
fn every_action_is_in_the_palette_by_name() {
    let folder = workspace();
    let mut terminal = open(&folder);
    terminal.press(["ctrl+p"]);
    terminal.wait_for("Commands");
    terminal.type_text("notices");
    terminal.wait_gone("previous pane");
    terminal.wait_for("Show the notices");
    terminal.press(["enter"]);
    terminal.wait_gone("Commands");
    terminal.wait_for("Notices");
    terminal.press(["esc"]);
    terminal.wait_gone("Notices");
    leave(terminal);
}

#[test]
fn help_lists_the_keys_that_work_here() {
    let folder = workspace();
    let mut terminal = open(&folder);
    terminal.press(["?"]);
    for text in ["Help", "Make a new tool or service"] {
        terminal.wait_for(text);
    }
    terminal.press(["esc"]);
    terminal.wait_gone("Help");
    leave(terminal);
}

/// The colours of a text's first letter: foreground and background.
fn colours(terminal: &Terminal, text: &str) -> (Color, Color) {
    let (column, row) = terminal.find(text);
    terminal
        .look(|screen| screen.cell(row, column).map(|cell| (cell.fgcolor(), cell.bgcolor())))
        .unwrap()
}

#[test]
fn the_theme_is_changed_and_kept() {
    let (folder, home) = (workspace(), tempfile::tempdir().unwrap());
    let mut terminal = toolcrib([folder.path()]).home(home.path()).start();
    terminal.wait_for("knowledge-query");
    let before = colours(&terminal, "toolcrib");
    terminal.press(["@next-theme", "down", "enter"]);
    terminal.wait_for("Theme: light");
    let after = colours(&terminal, "toolcrib");
    assert_ne!(before, after);
    leave(terminal);

    let again = toolcrib([folder.path()]).home(home.path()).start();
    again.wait_for("knowledge-query");
    assert_eq!(colours(&again, "toolcrib"), after);
    leave(again);
}

#[test]
fn no_color_means_no_colour() {
    let folder = workspace();
    let terminal = toolcrib([folder.path()]).variable("NO_COLOR", "1").start();
    terminal.wait_for("knowledge-query");
    terminal.look(|screen| {
        let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let cell = screen.cell(row, column).unwrap();
            assert_eq!(
                (cell.fgcolor(), cell.bgcolor()),
                (Color::Default, Color::Default),
                "at {column}, {row}"
            );
        }
    });
    leave(terminal);
}

#[test]
fn any_size_is_lived_through() {
    let folder = workspace();
    let terminal = open(&folder);
    for size in [
        (1, 1),
        (2, 40),
        (500, 200),
        (59, 15),
        (60, 16),
        (300, 2),
        (3, 3),
        (80, 24),
        (61, 200),
        (500, 1),
        (99, 30),
    ] {
        terminal.resize(size.0, size.1);
    }
    terminal.resize(50, 10);
    terminal.wait_for("60 × 16");
    for size in [(60, 16), (80, 24), (120, 36), (500, 200)] {
        terminal.resize(size.0, size.1);
        terminal.wait_for("knowledge-query");
        terminal.wait_for("? help");
    }
    leave(terminal);
}

#[test]
fn keys_typed_ahead_all_arrive() {
    let folder = workspace();
    let mut terminal = open(&folder);
    // More than a terminal hands over at once, with the last of them ending the program.
    terminal.write(&b"\x1b[B\x1b[A".repeat(400));
    terminal.press(["ctrl+q"]);
    assert!(terminal.wait_end().success());
    terminal.assert_given_back();
}

/// What a terminal may send before it sends the rest, if ever.
const INCOMPLETE: [&[u8]; 6] = [
    b"\x1b[",
    b"\xc3",
    b"\x1b[<0;10",
    b"\x1b[200~the start of a long paste",
    b"\x1bO",
    b"\x1b[1;5",
];

#[test]
fn an_input_that_is_not_complete_holds_nothing_up() {
    for bytes in INCOMPLETE {
        let folder = workspace();
        let mut terminal = open(&folder);
        terminal.write(bytes);
        terminal.resize(100, 30);
        terminal.wait_for("? help");
        terminal
            .wait_until("all of the new size", |screen| screen.contents().lines().count() == 30);
        let changed =
            shipped("spec-workflow/tools.yaml").replace("knowledge-query:", "renamed-query:");
        fs::write(folder.path().join("tools.yaml"), changed).unwrap();
        terminal.wait_for("renamed-query");
        terminal.signal("TERM");
        assert_eq!(terminal.wait_end().exit_code(), 130);
        terminal.assert_given_back();
    }
}

#[test]
fn an_answer_streams_on_while_an_input_is_not_complete_and_later_keys_count() {
    for bytes in INCOMPLETE {
        println!("{}", bytes.escape_ascii());
        let mut terminal = toolcrib(["demo"]).start();
        terminal.wait_for("query-customers");
        terminal.press(["3", "f6"]);
        terminal.wait_for("streaming");
        terminal.write(bytes);
        // It streams for much longer than the rest of an input is waited for.
        terminal.wait_for("succeeded");
        terminal.press(["esc", "2"]);
        terminal.wait_for("Request");
        leave(terminal);
    }
}

#[test]
fn saved_work_is_not_offered_and_newer_work_is_with_how_it_differs() {
    let (folder, home) = (workspace(), tempfile::tempdir().unwrap());
    let start = || {
        let terminal = toolcrib([folder.path()]).home(home.path()).start();
        terminal.wait_for("knowledge-query");
        terminal
    };
    let mut terminal = start();
    edit_name(&mut terminal);
    wait_for_journal(home.path(), "Knowledge Graph Query2");
    let journal = journal_of(home.path());
    let unsaved = fs::read(&journal).unwrap();
    terminal.press(["s"]);
    terminal.wait_for("Saved");
    terminal.signal("KILL");
    terminal.wait_end();
    // As if it had been killed before the journal was cleared: it holds what is saved.
    fs::write(&journal, &unsaved).unwrap();
    fs::write(folder.path().join(".toolcrib-left.tmp"), "half").unwrap();
    let terminal = start();
    terminal.wait_for("5 warnings");
    assert!(!terminal.contents().contains("nsaved"), "{}", terminal.contents());
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while folder.path().join(".toolcrib-left.tmp").exists() {
        assert!(std::time::Instant::now() < until, "what a killed save left is still there");
        std::thread::yield_now();
    }
    leave(terminal);
    // Somebody else has changed the file since: that is said, and saving asks.
    fs::write(&journal, &unsaved).unwrap();
    fs::write(folder.path().join("tools.yaml"), saved(&folder).replace("Query2", "Query23"))
        .unwrap();
    let mut terminal = start();
    terminal.wait_for("changed on disk since");
    terminal.press(["enter"]);
    terminal.wait_for("so saving will ask");
    terminal.press(["s"]);
    terminal.wait_for("Saving would overwrite");
    terminal.press(["esc"]);
    terminal.wait_gone("Saving would overwrite");
    terminal.press(["u"]);
    terminal.wait_for("Query23");
    leave(terminal);
    // The file is as it was before the edit: the edit is newer.
    fs::write(&journal, &unsaved).unwrap();
    fs::write(folder.path().join("tools.yaml"), shipped("spec-workflow/tools.yaml")).unwrap();
    let mut terminal = toolcrib([folder.path()]).home(home.path()).start();
    terminal.wait_for("lines added: 1, removed: 1");
    terminal.wait_for("+     name: \"Knowledge Graph Query2\"");
    terminal.press(["right", "enter"]);
    terminal.wait_gone("Unsaved work");
    leave(terminal);
}

/// The one journal below a home.
fn journal_of(home: &Path) -> std::path::PathBuf {
    let folder = fs::read_dir(home.join(".local/state/toolcrib/journal")).unwrap();
    let mut paths = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    paths.next().unwrap()
}

#[test]
fn a_megabyte_is_pasted_into_a_field_and_taken_back() {
    let folder = workspace();
    let mut terminal = open(&folder);
    terminal.press(["tab", "enter", "end"]);
    terminal.paste(&"0123456789abcdef".repeat(65_536));
    terminal.press(["enter"]);
    terminal.wait_until("the end of the text", |screen| screen.contents().contains("cdef"));
    terminal.press(["u"]);
    terminal.wait_gone("cdef");
    terminal.wait_for("name: \"Knowledge Graph Query\"");
    leave(terminal);
}

#[test]
fn pasted_keys_are_no_commands_where_no_text_is_typed() {
    let folder = workspace();
    let mut terminal = open(&folder);
    terminal.paste("q\nxx");
    terminal.wait_for("there is no tool in this text");
    terminal.press(["esc"]);
    terminal.wait_gone("Paste tools");
    terminal.wait_for("knowledge-query");
    leave(terminal);
}

#[test]
fn a_mouse_alone_selects_edits_and_saves() {
    let folder = workspace();
    let terminal = open(&folder);
    terminal.click_on("graph-update");
    terminal.wait_for("graph-update · TrustGraph tool");
    terminal.wait_for("[write ×]");
    let (column, row) = terminal.find("[write ×]");
    terminal.click((column + 7, row));
    terminal.wait_gone("[write ×]");
    terminal.click_on("Ctrl+S save");
    terminal.wait_for("Saved");
    assert!(!saved(&folder).contains("\"write\""));
    leave(terminal);
}

#[test]
fn signals_end_it_with_the_terminal_given_back() {
    for name in ["TERM", "HUP", "INT", "QUIT"] {
        let folder = workspace();
        let mut terminal = open(&folder);
        terminal.signal(name);
        terminal.wait_end();
        terminal.assert_given_back();
    }
}

/// Ctrl+C and Ctrl+\ while an editor has the terminal are for the editor.
#[test]
fn keys_that_interrupt_an_editor_do_not_end_the_program() {
    let folder = workspace();
    let editor = folder.path().join("editor.sh");
    // What the terminal does with these keys: the whole group of processes gets the signals.
    let script = "#!/bin/sh\ntrap '' INT QUIT\nkill -INT 0\nkill -QUIT 0\nsed -i 's/^tool:/# edited\\ntool:/' \"${@: -1}\"\n";
    std::fs::write(&editor, script.replace("#!/bin/sh", "#!/bin/bash")).unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut terminal = toolcrib([folder.path()]).variable("VISUAL", &editor).start();
    terminal.wait_for("knowledge-query");
    terminal.press(["E"]);
    terminal.wait_for("# edited");
    leave(terminal);
}

#[test]
fn unsaved_work_of_a_killed_process_is_offered_again() {
    let (folder, home) = (workspace(), tempfile::tempdir().unwrap());
    for signal in ["TERM", "KILL"] {
        let mut terminal = toolcrib([folder.path()]).home(home.path()).start();
        terminal.wait_for("knowledge-query");
        edit_name(&mut terminal);
        wait_for_journal(home.path(), "Knowledge Graph Query2");
        terminal.signal(signal);
        terminal.wait_end();
        assert_eq!(saved(&folder), shipped("spec-workflow/tools.yaml"));

        let mut terminal = toolcrib([folder.path()]).home(home.path()).start();
        terminal.wait_for("nsaved");
        terminal.press(["enter"]);
        terminal.wait_for("name: \"Knowledge Graph Query2\"");
        terminal.press(["u"]);
        terminal.wait_gone("Knowledge Graph Query2");
        leave(terminal);
    }
}

/// Waits until a text is kept below a folder; work is kept within a second of being done.
pub fn wait_for_journal(folder: &Path, text: &str) {
    fn holds(folder: &Path, text: &str) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.filter_map(Result::ok).map(|entry| entry.path()).any(|path| {
            // A file that is still being written has a name of its own.
            let is_kept = || {
                !path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(".toolcrib-"))
            };
            if path.is_dir() {
                holds(&path, text)
            } else {
                is_kept() && fs::read_to_string(&path).is_ok_and(|kept| kept.contains(text))
            }
        })
    }
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !holds(folder, text) {
        assert!(std::time::Instant::now() < until, "unsaved work is not kept");
        std::thread::yield_now();
    }
}

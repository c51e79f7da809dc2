//! `toolcrib --window` on a display without a screen, driven by keys and mouse.

use std::{fs, process::Command};

use tempfile::TempDir;
use zbus::{
    fdo,
    object_server::SignalEmitter,
    zvariant::{OwnedValue, Value},
};

use crate::{
    end_to_end::wait_for_journal,
    support::{
        display::{Picture, ShownWindow, in_window},
        key_store::KeyRing,
        signals,
    },
};

/// The backgrounds of the themes that follow the system's colours.
const DARK: u32 = 0x0016_181d;
const LIGHT: u32 = 0x00fb_fbf8;

/// A cell in pixels at a scale of 1, and of 2.
const CELL: (u16, u16) = (9, 20);
const LARGE_CELL: (u16, u16) = (18, 38);

const SCHEMA: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#;

/// What a workspace of TrustGraph's holds, under the name of its only tool.
fn tools(name: &str) -> String {
    let tool = "type: text-completion, description: Answers a question, group: [a]";
    format!("tool:\n  {name}: {{{tool}}}\n")
}

fn form_folder(document: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), SCHEMA).unwrap();
    fs::write(folder.path().join("i.json"), document).unwrap();
    folder
}

/// A form for a document that is saved where it is.
fn form(folder: &TempDir) -> ShownWindow {
    in_window(&["form", "s.json", "i.json", "-o", "i.json"]).folder(folder.path()).start()
}

fn document(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("i.json")).unwrap()
}

/// The middle of a cell.
fn cell(column: u16, row: u16) -> (u16, u16) {
    (column * CELL.0 + CELL.0 / 2, row * CELL.1 + CELL.1 / 2)
}

fn is_mostly(picture: &Picture, colour: u32, area: (usize, usize)) -> bool {
    picture.count(colour, area) > area.0 * area.1 / 2
}

#[test]
fn the_demo_is_drawn_at_two_scales() {
    for (scale, (width, height)) in [(1, CELL), (2, LARGE_CELL)] {
        let window = in_window(&["demo"]).scale(scale).start();
        let area = (60 * usize::from(width), 16 * usize::from(height));
        let picture = window.wait_until("a dark screen with letters", |picture| {
            is_mostly(picture, DARK, area) && picture.colours() > 50
        });
        assert_eq!(window.title(), "toolcrib · demo");
        // The frames of panes are lines without a gap.
        let lines = (0..area.1).filter(|y| {
            let row: Vec<u32> = (0..area.0).map(|x| picture.pixel(x, *y)).collect();
            row.chunk_by(|one, other| one == other)
                .any(|run| run[0] != DARK && run.len() > area.0 / 4)
        });
        assert!(lines.count() > 0, "no line at scale {scale}");
    }
}

#[test]
fn letters_of_any_kind_are_typed_and_saved_and_closing_leaves() {
    let folder = form_folder("{\"name\": \"\"}\n");
    let mut window = form(&folder);
    window.press(&["Return"]);
    window.type_text("Grüße ∀x € 漢");
    window.press(&["ctrl+s"]);
    window.wait_until("no mark in the title", |_| {
        document(&folder).contains("Grüße ∀x € 漢") && !window.title().contains('*')
    });
    window.close();
    assert!(window.wait_end().0.success());
}

#[test]
fn a_window_with_unsaved_work_asks_before_it_closes() {
    let folder = form_folder("{\"name\": \"a\"}\n");
    let mut window = form(&folder);
    window.press(&["Return", "End"]);
    window.type_text("b");
    let before = window.wait_until("a mark in the title", |_| window.title().contains('*'));
    window.close();
    window.wait_change(&before);
    window.press(&["d"]);
    assert_eq!(window.wait_end().0.code(), Some(1), "left without saving");
    assert_eq!(document(&folder), "{\"name\": \"a\"}\n", "nothing was saved");
}

#[test]
fn selected_text_is_copied_and_pasted() {
    let folder = form_folder("{\"name\": \"word\"}\n");
    let mut window = form(&folder);
    // The first word of the top line.
    let before = window.picture();
    window.drag_holding("shift", cell(1, 0), cell(8, 0));
    window.wait_change(&before);
    window.press(&["Return", "ctrl+a", "ctrl+v", "ctrl+s"]);
    window.wait_until("a pasted text", |_| document(&folder) != "{\"name\": \"word\"}\n");
    assert_eq!(document(&folder), "{\"name\": \"toolcrib\"}\n");
    window.close();
    assert!(window.wait_end().0.success());
}

#[test]
fn the_middle_button_pastes_where_it_is_pressed_what_was_selected_last() {
    let folder = form_folder("{\"name\": \"\"}\n");
    let mut window = form(&folder);
    let before = window.picture();
    window.drag_holding("shift", cell(1, 0), cell(8, 0));
    window.wait_change(&before);
    // The button at the foot would end the program.
    window.click(cell(5, 34), 2);
    window.click(cell(40, 2), 2);
    window.wait_until("a mark in the title", |_| window.title().contains('*'));
    window.press(&["ctrl+s"]);
    window.wait_until("a pasted text", |_| document(&folder) != "{\"name\": \"\"}\n");
    assert_eq!(document(&folder), "{\"name\": \"toolcrib\"}\n");
    window.close();
    assert!(window.wait_end().0.success());
}

#[test]
fn a_resized_window_is_filled_and_size_and_zoom_are_kept() {
    let home = tempfile::tempdir().unwrap();
    let mut window = in_window(&["demo"]).home(home.path()).start();
    window.resize(1300, 800);
    window.wait_until("a larger picture", |picture| picture.pixel(1290, 300) != 0);
    let before = window.picture();
    window.press(&["ctrl+plus"]);
    let larger = window.wait_change(&before);
    window.press(&["ctrl+0"]);
    window.wait_change(&larger);
    window.press(&["ctrl+minus", "ctrl+minus"]);
    window.close();
    assert!(window.wait_end().0.success());
    let kept = fs::read_to_string(home.path().join(".local/state/toolcrib/window.json")).unwrap();
    for part in [r#""width":1300"#, r#""height":800"#, r#""zoom":-2"#] {
        assert!(kept.contains(part), "{kept}");
    }
    let window = in_window(&["demo"]).home(home.path()).start();
    window.wait_until("the size of before", |picture| picture.pixel(1290, 790) != 0);
}

#[test]
fn letters_become_no_larger_than_the_window_has_room_for() {
    let home = tempfile::tempdir().unwrap();
    let mut window = in_window(&["demo"]).home(home.path()).start();
    window.wait_until("the size that it comes in", |picture| picture.pixel(620, 300) != 0);
    window.resize(600, 340);
    let before = window.wait_until("a small window", |picture| picture.pixel(620, 300) == 0);
    window.press(&["ctrl+plus", "ctrl+plus"]);
    window.wait_change(&before);
    window.close();
    assert!(window.wait_end().0.success());
    let kept = fs::read_to_string(home.path().join(".local/state/toolcrib/window.json")).unwrap();
    for part in [r#""width":600"#, r#""height":340"#, r#""zoom":0"#] {
        assert!(kept.contains(part), "{kept}");
    }
}

#[test]
fn the_mouse_presses_what_it_points_at() {
    let window = in_window(&["demo"]).start();
    let before = window.wait_until("the demo", |picture| picture.colours() > 50);
    window.press(&["2"]);
    let workflow = window.wait_change(&before);
    window.click(cell(20, 0), 1);
    window.wait_change(&workflow);
}

#[test]
fn a_signal_and_a_lost_display_keep_unsaved_work() {
    let ends: [fn(&mut ShownWindow); 2] =
        [|window| signals::send(window.process(), "TERM"), |window| window.lose_display()];
    for end in ends {
        let (home, folder) = (tempfile::tempdir().unwrap(), form_folder("{\"name\": \"a\"}\n"));
        let setup = in_window(&["form", "s.json", "i.json", "-o", "i.json"]);
        let mut window = setup.home(home.path()).folder(folder.path()).start();
        window.press(&["Return", "End"]);
        window.type_text("unsaved");
        window.wait_until("a mark in the title", |_| window.title().contains('*'));
        wait_for_journal(home.path(), "aunsaved");
        end(&mut window);
        window.wait_end();
        wait_for_journal(home.path(), "aunsaved");
    }
}

#[test]
fn without_a_display_it_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let mut command: Command = in_window(&["demo"]).command(home.path());
    let ended = command.output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(!ended.status.success());
    assert!(said.contains("opening a window") && said.contains("run it in a terminal"), "{said}");
}

const APPEARANCE: &str = "org.freedesktop.appearance";
const SCHEME: &str = "color-scheme";
const PREFERS_DARK: u32 = 1;
const PREFERS_LIGHT: u32 = 2;

/// A desktop's settings, as its portal offers them.
struct Portal(u32);

#[zbus::interface(name = "org.freedesktop.portal.Settings")]
impl Portal {
    fn read_one(&self, section: &str, key: &str) -> fdo::Result<OwnedValue> {
        match (section, key) {
            (APPEARANCE, SCHEME) => Ok(self.0.into()),
            _ => Err(fdo::Error::Failed(format!("no setting {section} {key}"))),
        }
    }

    #[zbus(signal)]
    async fn setting_changed(
        emitter: &SignalEmitter<'_>,
        section: &str,
        key: &str,
        value: Value<'_>,
    ) -> zbus::Result<()>;
}

#[test]
fn it_is_dark_or_light_as_the_desktop_is_until_a_theme_is_chosen() {
    let (bus, path) = (KeyRing::start(), "/org/freedesktop/portal/desktop");
    let (name, address) = bus.variable();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let desktop = runtime.block_on(async {
        let builder = zbus::connection::Builder::address(address).unwrap();
        let builder = builder.name("org.freedesktop.portal.Desktop").unwrap();
        builder.serve_at(path, Portal(PREFERS_LIGHT)).unwrap().build().await.unwrap()
    });
    let change = |scheme: u32| {
        runtime.block_on(async {
            let emitter = SignalEmitter::new(&desktop, path).unwrap();
            Portal::setting_changed(&emitter, APPEARANCE, SCHEME, scheme.into()).await.unwrap();
        });
    };
    let home = tempfile::tempdir().unwrap();
    let start = || {
        let setup = in_window(&["demo"]).home(home.path());
        setup.variable(name, address).start()
    };
    let mut window = start();
    let area = (60 * usize::from(CELL.0), 16 * usize::from(CELL.1));
    window.wait_until("a light screen", |picture| is_mostly(picture, LIGHT, area));
    change(PREFERS_DARK);
    window.wait_until("a dark screen", |picture| is_mostly(picture, DARK, area));
    window.close();
    assert!(window.wait_end().0.success());
    fs::create_dir_all(home.path().join(".config/toolcrib")).unwrap();
    fs::write(home.path().join(".config/toolcrib/config.toml"), "theme = \"dark\"\n").unwrap();
    let window = start();
    window.wait_until("the theme of the user's choice", |picture| is_mostly(picture, DARK, area));
    change(PREFERS_LIGHT);
    let before = window.picture();
    window.press(&["2"]);
    let picture = window.wait_change(&before);
    assert!(is_mostly(&picture, DARK, area));
}

#[test]
fn a_dropped_text_goes_where_the_keys_are() {
    let folder = form_folder("{\"name\": \"\"}\n");
    let mut window = form(&folder);
    let text = folder.path().join("a text with spaces.txt");
    fs::write(&text, "Grüße").unwrap();
    let before = window.picture();
    window.press(&["Return"]);
    let before = window.wait_change(&before);
    window.drop_path(cell(20, 10), &text);
    window.wait_change(&before);
    window.press(&["ctrl+s"]);
    window.wait_until("the text in the document", |_| document(&folder).contains("Grüße"));
    window.close();
    assert!(window.wait_end().0.success());
}

#[test]
fn a_dropped_descriptor_is_added_on_tools() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (kept, dropped) = (folder.path().join("tools.yaml"), elsewhere.path().join("more.yaml"));
    fs::write(&kept, tools("here")).unwrap();
    fs::write(&dropped, tools("dropped")).unwrap();
    let window = in_window(&[]).folder(folder.path()).start();
    let before = window.wait_until("Tools", |picture| picture.colours() > 50);
    window.drop_path(cell(20, 10), &dropped);
    window.wait_change(&before);
    window.press(&["Return"]);
    window.wait_until("a mark in the title", |_| window.title().contains('*'));
    window.press(&["ctrl+s"]);
    window.wait_until("both tools in the file", |_| {
        let text = fs::read_to_string(&kept).unwrap();
        text.contains("here:") && text.contains("dropped:")
    });
}

#[test]
fn a_dropped_folder_opens_in_a_window_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("other-tools");
    fs::create_dir(&workspace).unwrap();
    let window = in_window(&["demo"]).start();
    window.drop_path(cell(20, 10), &workspace);
    let title = window.wait_second_title();
    assert_eq!(
        (title.as_str(), window.title().as_str()),
        ("toolcrib · other-tools", "toolcrib · demo")
    );
}

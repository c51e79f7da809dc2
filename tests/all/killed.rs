//! Processes that are killed or refused while they write: a file is the old one or the new one,
//! never a part of either.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::SystemTime,
};

use toolcrib::{
    model::entry::FileId,
    store::{
        files::{self, Expected, OutsideLinks},
        journal::{Drafts, Journal, UnsavedText},
        paths::Paths,
        workspace::Workspace,
    },
};

/// Names the folder for the process that is killed; the test that writes does nothing without it.
const FOLDER: &str = "TOOLCRIB_TEST_KILLED";

/// The same for the process that may not write as much as it wants to.
const NARROW: &str = "TOOLCRIB_TEST_NARROW";

/// How often a process is killed, each time a little later.
const TIMES: usize = 40;

/// Two texts that differ from the first byte to the last, too long to be written at once.
fn texts() -> [String; 2] {
    ["a", "b"].map(|letter| letter.repeat(1_000_000))
}

fn paths(folder: &Path) -> Paths {
    let at = |name: &str| folder.join("home").join(name);
    Paths { config: at("config"), state: at("state"), cache: at("cache") }
}

fn journalled(text: &str) -> BTreeMap<FileId, Arc<str>> {
    BTreeMap::from([(FileId::new("unsaved.yaml"), Arc::from(text))])
}

fn drafts(text: &str) -> Drafts {
    let draft = |text: Arc<str>| UnsavedText {
        text: text.into(),
        at: SystemTime::now(),
        newer_than: Vec::new(),
    };
    journalled(text).into_iter().map(|(file, text)| (file, draft(text))).collect()
}

/// Not a test by itself: what the killed process does.
#[test]
fn writes_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else { return };
    let root = folder.join("workspace");
    let journal = Journal::for_workspace(&paths(&folder), &root);
    let texts = texts();
    for text in texts.iter().cycle() {
        // The parent reads along, and ends this process after some of these lines.
        let mut out = std::io::stdout();
        writeln!(out, "writing").and_then(|()| out.flush()).unwrap();
        files::save_file(
            &root,
            &root.join("tools.yaml"),
            text,
            Expected::Anything,
            OutsideLinks::Refuse,
        )
        .unwrap();
        journal.write_drafts(&drafts(text)).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("workspace");
    fs::create_dir(&root).unwrap();
    let [one, two] = texts();
    fs::write(root.join("tools.yaml"), &one).unwrap();
    Journal::for_workspace(&paths(folder.path()), &root).write_drafts(&drafts(&one)).unwrap();
    let mut left = 0;
    for time in 0..TIMES {
        kill_while_writing(folder.path(), time);
        let saved = fs::read_to_string(root.join("tools.yaml")).unwrap();
        assert!(saved == one || saved == two, "{time}: a part of a file, {} bytes", saved.len());
        let kept = Journal::for_workspace(&paths(folder.path()), &root)
            .unsaved_texts(|file| Some(root.join(file.path())))
            .unwrap();
        let kept: BTreeMap<_, _> = kept.into_iter().map(|(file, left)| (file, left.text)).collect();
        assert!(
            kept == journalled(&one) || kept == journalled(&two),
            "{time}: unsaved work is lost"
        );
        left = fs::read_dir(&root).unwrap().count() - 1;
    }
    let mut read = Vec::new();
    let workspace = Workspace::find(Some(&root)).unwrap();
    let end = workspace.read_files(|slice| {
        read.extend(slice.into_iter().map(|file| file.file.to_string()));
        ControlFlow::Continue(())
    });
    assert_eq!(
        (read, end.unwrap().skipped),
        (vec!["tools.yaml".to_owned()], Vec::new()),
        "{left} unfinished files are not read"
    );
    assert!(left > 0, "no process was killed while it wrote");
}

/// Starts a writer and kills it after some of its lines, and some more work than that.
fn kill_while_writing(folder: &Path, time: usize) {
    let mut writer = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed::writes_until_it_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let writing = |line: &str| line.contains("writing");
    for _ in 0..=time % 3 {
        while !writing(&lines.next().unwrap().unwrap()) {}
    }
    // Work of our own, to meet the writer at another point each time.
    let spent: usize = (0..time * 20_000).map(std::hint::black_box).sum();
    std::hint::black_box(spent);
    writer.kill().unwrap();
    writer.wait().unwrap();
}

/// Not a test by itself: what the process does that meets the end of its room.
#[test]
fn saves_more_than_there_is_room_for() {
    let Some(root) = env::var_os(NARROW).map(PathBuf::from) else { return };
    let [_, two] = texts();
    let refused = files::save_file(
        &root,
        &root.join("tools.yaml"),
        &two,
        Expected::Anything,
        OutsideLinks::Refuse,
    )
    .unwrap_err();
    assert!(refused.problem().doing.contains("saving tools.yaml"), "{refused:?}");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn without_room_the_old_file_stays() {
    let root = tempfile::tempdir().unwrap();
    let [one, _] = texts();
    fs::write(root.path().join("tools.yaml"), &one).unwrap();
    // A limit on the size of files stands for a full disk; the signal that comes with it is
    // ignored, so that the write is refused.
    let ended = Command::new("sh")
        .args(["-c", "ulimit -f 512; trap '' XFSZ; exec \"$0\" --exact killed::saves_more_than_there_is_room_for"])
        .arg(env::current_exe().unwrap())
        .env(NARROW, root.path())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"));
    assert_eq!(fs::read_to_string(root.path().join("tools.yaml")).unwrap(), one);
}

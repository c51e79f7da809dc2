//! The history: every call of a workspace in the state folder, as JSON lines that are written as
//! things happen.
//!
//! The lines lie in segments. Each process writes to one that it holds by a lock, so that sessions
//! beside each other never mix their lines; a line is written at once and whole, so that a process
//! that is killed leaves everything up to its last event, but for letters that may begin a secret.
//! Full segments are followed by new ones, and the oldest go when all together are too large.

use std::{
    borrow::Cow,
    fs::{self, File, OpenOptions, TryLockError},
    io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{files, own_ids::OwnIds, paths::Paths, stale};
use crate::{
    engine::{
        mask::Mask,
        stream_redactor::RedactedPieces,
        trace::{
            compare, lines,
            tally::{self, Tally},
            wanted::TraceFilter,
        },
    },
    model::{
        call::{Event, EventKind, Outcome},
        problem::{Problem, ProblemKind},
        stub::MOCK_CONNECTION,
        trace::{Head, Listing, Summary, Trace, TraceId},
    },
};

/// The bounds of what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryBounds {
    /// A segment that has reached this many bytes is followed by another.
    pub segment: u64,
    /// All segments of a workspace together.
    pub all: u64,
    /// So many calls are listed at most.
    pub listed: usize,
}

impl Default for HistoryBounds {
    fn default() -> Self {
        Self { segment: 16 * 1024 * 1024, all: 256 * 1024 * 1024, listed: 5_000 }
    }
}

/// The history of one workspace.
#[derive(Debug)]
pub(crate) struct History {
    paths: Paths,
    name: String,
    mask: Mask,
    bounds: HistoryBounds,
    held: Mutex<Option<Segment>>,
    own_ids: OwnIds,
}

/// The segment that this process writes, for as long as the file is open.
#[derive(Debug)]
struct Segment {
    number: u64,
    file: File,
    size: u64,
}

impl History {
    /// The history of the workspace with that folder; what the mask knows is never written. Nothing
    /// is made before it is needed.
    #[must_use]
    pub fn for_workspace(paths: &Paths, root: &Path, mask: Mask) -> Self {
        Self::with_bounds(paths, root, mask, HistoryBounds::default())
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_bounds(paths: &Paths, root: &Path, mask: Mask, bounds: HistoryBounds) -> Self {
        Self {
            paths: paths.clone(),
            name: paths.workspace_name("history", root),
            mask,
            bounds,
            held: Mutex::new(None),
            own_ids: OwnIds::default(),
        }
    }

    /// Begins a call; its events go to what this answers, which leaves out answers to other calls
    /// begun here: they share the queue of answers. The request is written with the first of
    /// them: by then all secrets are known that its connection wants.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin_call(self: &Arc<Self>, head: &Head) -> Result<Recorder, Problem> {
        self.write_lines("")?;
        self.own_ids.add(&head.id);
        Ok(Recorder {
            history: Arc::clone(self),
            id: head.id.clone(),
            head: Some(head.clone()),
            mask: self.mask.of_call(&head.arguments),
            pieces: RedactedPieces::default(),
        })
    }

    /// Adds an event to a call that has ended, without what its arguments hold as secrets.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_event(&self, id: &str, arguments: &str, event: &Event) -> Result<(), Problem> {
        let (events, mask) = (std::slice::from_ref(event), self.mask.of_call(arguments));
        let lines = lines::of_events(id, events, &mask, &mut RedactedPieces::default());
        self.write_lines(&lines)
    }

    /// What of the history fits, newest first.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub fn list_calls(&self, wanted: TraceFilter) -> Result<Listing, Problem> {
        let mut tally = Tally::new(wanted);
        self.each_segment(|text| whole_lines(text).for_each(|line| tally.add_line(line)))?;
        Ok(tally.into_listing(self.bounds.listed))
    }

    /// All of one call.
    ///
    /// # Errors
    /// When there is no such call, or a segment cannot be read.
    pub fn load_trace(&self, id: &str) -> Result<Trace, Problem> {
        let mut lines: Vec<String> = Vec::new();
        self.each_segment(|text| {
            lines.extend(
                whole_lines(text)
                    .filter(|line| lines::peek_line(line).is_some_and(|(of, ..)| of == id))
                    .map(str::to_owned),
            );
        })?;
        tally::of_call(id, lines.iter().map(String::as_str)).ok_or_else(|| {
            Problem::new(
                ProblemKind::Missing,
                "opening a kept call",
                format!("the history has no call {id}"),
            )
            .with_remedy("`toolcrib history` lists them")
        })
    }

    /// The newest answer that a tool of that name gave to its end.
    #[must_use]
    pub fn answer_of(&self, tool: &str) -> Option<String> {
        self.answer_where(|call| &*call.tool == tool)
    }

    /// The same, given by its own service and no mock.
    #[must_use]
    pub fn real_answer_of(&self, tool: &str) -> Option<String> {
        self.answer_where(|call| &*call.tool == tool && &*call.connection != MOCK_CONNECTION)
    }

    /// The newest answer that came to its end of a call like that.
    fn answer_where(&self, wanted: impl Fn(&Summary) -> bool) -> Option<String> {
        let listing = self.list_calls(TraceFilter::default()).ok()?;
        let succeeded = |call: &&Summary| wanted(call) && call.outcome == Some(Outcome::Succeeded);
        let id = &listing.calls.iter().find(succeeded)?.id;
        Some(compare::answer_text(&self.load_trace(id).ok()?))
    }

    /// Takes calls out of the history; answers how many lines went.
    ///
    /// # Errors
    /// When another process is writing to a segment that holds one of them, or it cannot be written
    /// again. What was done until then stays done.
    pub fn remove_calls(&self, wanted: impl Fn(&str) -> bool) -> Result<usize, Problem> {
        // Our own segment is dropped first, and written again like the others.
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = None;
        let mut removed = 0;
        for (_, path) in self.list_segments()? {
            let text = read_lossy(&path)?;
            let goes = |line: &&str| lines::peek_line(line).is_some_and(|(id, ..)| wanted(id));
            let gone = whole_lines(&text).filter(goes).count();
            if gone == 0 {
                continue;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .open(&path)
                .map_err(|error| history_problem(&path, &error))?;
            if file.try_lock().is_err() {
                let cause = format!("another session is writing to {}", path.display());
                return Err(Problem::new(
                    ProblemKind::File,
                    "deleting calls from the history",
                    cause,
                )
                .with_remedy("close it first"));
            }
            // Once more, now that nobody adds to it.
            let text = read_lossy(&path)?;
            let rest: String = whole_lines(&text)
                .filter(|line| !goes(line))
                .flat_map(|line| [line, "\n"])
                .collect();
            match rest.is_empty() {
                true => fs::remove_file(&path).map_err(|error| history_problem(&path, &error))?,
                false => files::save_private(&path, &rest)?,
            }
            removed += gone;
        }
        Ok(removed)
    }

    fn folder(&self) -> PathBuf {
        self.paths.state.join("history").join(&self.name)
    }

    /// The segments that are there, oldest first.
    fn list_segments(&self) -> Result<Vec<(u64, PathBuf)>, Problem> {
        let folder = self.folder();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(history_problem(&folder, &error)),
        };
        let number = |path: &Path| {
            path.extension()
                .filter(|ending| *ending == "jsonl")
                .and(path.file_stem()?.to_str()?.parse().ok())
        };
        // What isn't a file, such as a pipe, could be read for ever.
        let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_file);
        let mut segments: Vec<(u64, PathBuf)> =
            paths.filter_map(|path| Some((number(&path)?, path))).collect();
        segments.sort();
        Ok(segments)
    }

    fn each_segment(&self, mut see: impl FnMut(&str)) -> Result<(), Problem> {
        for (_, path) in self.list_segments()? {
            match read_lossy(&path) {
                Ok(text) => see(&text),
                // Another process let it go meanwhile.
                Err(problem) if problem.kind == ProblemKind::Missing => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }

    fn write_lines(&self, lines: &str) -> Result<(), Problem> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|segment| segment.size >= self.bounds.segment) {
            let next = self.next_segment(held.as_ref())?;
            *held = Some(next);
            self.let_go()?;
        }
        let Some(segment) = held.as_mut() else { return Ok(()) };
        // One call: what is written stays written when this process is killed right after.
        segment
            .file
            .write_all(lines.as_bytes())
            .map_err(|error| history_problem(&self.folder(), &error))?;
        segment.size += lines.len() as u64;
        Ok(())
    }

    /// A segment to write to: the last one if nobody holds it and it has room, else a new one.
    fn next_segment(&self, full: Option<&Segment>) -> Result<Segment, Problem> {
        self.paths.private_folder("history")?;
        stale::sweep_folder(&self.paths.private_folder(&format!("history/{}", self.name))?);
        let last = self.list_segments()?.pop();
        if let Some((number, path)) =
            last.as_ref().filter(|(number, _)| full.is_none_or(|full| full.number != *number))
            && let Some(segment) = take_up(*number, path, self.bounds.segment)
                .map_err(|error| history_problem(path, &error))?
        {
            return Ok(segment);
        }
        let mut number = last.map_or(0, |(number, _)| number) + 1;
        loop {
            let path = self.folder().join(format!("{number:08}.jsonl"));
            match private(OpenOptions::new().read(true).append(true).create_new(true)).open(&path) {
                Ok(file) => match file.try_lock() {
                    Ok(()) => return Ok(Segment { number, file, size: 0 }),
                    Err(_) => number += 1,
                },
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(history_problem(&path, &error)),
            }
        }
    }

    /// Lets the oldest segments go that are too much, but none that a process writes.
    fn let_go(&self) -> Result<(), Problem> {
        let segments = self.list_segments()?;
        let sizes: Vec<u64> = segments
            .iter()
            .map(|(_, path)| fs::metadata(path).map_or(0, |known| known.len()))
            .collect();
        let mut all: u64 = sizes.iter().sum();
        for ((_, path), size) in segments.iter().zip(sizes) {
            if all <= self.bounds.all {
                break;
            }
            let free = File::open(path).is_ok_and(|file| file.try_lock().is_ok());
            if free && fs::remove_file(path).is_ok() {
                all -= size;
            }
        }
        Ok(())
    }
}

/// A chunk of more bytes is written by parts.
const PART: usize = 1024 * 1024;

/// Writes the events of one call.
#[derive(Debug)]
pub(crate) struct Recorder {
    history: Arc<History>,
    id: TraceId,
    /// Until it is written.
    head: Option<Head>,
    /// Hides what the call's own arguments hold, too.
    mask: Mask,
    pieces: RedactedPieces,
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let rest = lines::of_end(&self.id, &self.mask, &mut self.pieces);
        // A call of which nothing was received is one too; that it cannot be written would have
        // been reported at its beginning.
        let _ = self.write_events(&rest);
    }
}

impl Recorder {
    /// Writes events, in their order; they are on disk when this comes back. Letters at the end of
    /// the answer so far that may begin a secret follow as soon as that is decided, or when this is
    /// dropped.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn record_events(&mut self, events: &[Event]) -> Result<(), Problem> {
        let is_own = |event: &Event| !self.history.own_ids.is_of_another_call(event);
        let own: Vec<Event>;
        let events = if events.iter().all(is_own) {
            events
        } else {
            own = events.iter().filter(|event| is_own(event)).cloned().collect();
            &own
        };
        for events in events.chunk_by(|one, next| one.payload_len().max(next.payload_len()) <= PART)
        {
            self.take_some(events)?;
        }
        Ok(())
    }

    /// Writes events that are small together with others, or one that is large by parts: so it is
    /// not copied as a whole.
    fn take_some(&mut self, events: &[Event]) -> Result<(), Problem> {
        let [Event { at_ms, kind: EventKind::Chunk { text, bytes } }] = events else {
            return self.take_whole(events);
        };
        let (first, mut rest) = text.split_at(text.floor_char_boundary(PART));
        if rest.is_empty() {
            return self.take_whole(events);
        }
        self.take_whole(&[Event {
            at_ms: *at_ms,
            kind: EventKind::Chunk { text: first.into(), bytes: *bytes },
        }])?;
        while !rest.is_empty() {
            let (part, more) = rest.split_at(rest.floor_char_boundary(PART));
            rest = more;
            let lines = lines::of_more(&self.id, part, &self.mask, &mut self.pieces);
            self.write_events(&lines)?;
        }
        Ok(())
    }

    fn take_whole(&mut self, events: &[Event]) -> Result<(), Problem> {
        let lines = lines::of_events(&self.id, events, &self.mask, &mut self.pieces);
        self.write_events(&lines)
    }

    fn write_events(&mut self, events: &str) -> Result<(), Problem> {
        let head = self.head.take();
        let head = head.map(|head| lines::of_head(&lines::masked_head(&head, &self.mask)));
        let lines = head.map_or(Cow::Borrowed(events), |head| Cow::Owned(head + events));
        if lines.is_empty() { Ok(()) } else { self.history.write_lines(&lines) }
    }
}

/// The last segment of an earlier session, unless it is held or full. A line that was not finished
/// there is ended, and will not be read.
fn take_up(number: u64, path: &Path, full: u64) -> std::io::Result<Option<Segment>> {
    let mut file = match OpenOptions::new().read(true).append(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut size = file.metadata()?.len();
    // It may have gone between its opening and its lock.
    if size >= full || !path.exists() {
        return Ok(None);
    }
    if size > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
            size += 1;
        }
    }
    Ok(Some(Segment { number, file, size }))
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn read_lossy(path: &Path) -> Result<String, Problem> {
    let bytes = fs::read(path).map_err(|error| history_problem(path, &error))?;
    // A line may be cut within a letter; such a line is not read.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The lines that were written to their end.
fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'))
}

fn history_problem(path: &Path, error: &std::io::Error) -> Problem {
    files::io_problem(&format!("keeping the history in {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::model::{call::EventKind, clock::Millis};

    fn home() -> (tempfile::TempDir, Paths) {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        (home, paths)
    }

    fn history(paths: &Paths) -> Arc<History> {
        Arc::new(History::for_workspace(paths, Path::new("/w"), Mask::default()))
    }

    fn head(id: &str) -> Head {
        Head { id: id.into(), at: Millis(1), tool: "ask".into(), ..Head::default() }
    }

    fn chunk(text: &str) -> Event {
        Event { at_ms: 1, kind: EventKind::Chunk { text: text.into(), bytes: text.len() } }
    }

    fn end() -> Event {
        Event { at_ms: 2, kind: EventKind::End { outcome: Outcome::Succeeded, problem: None } }
    }

    fn ids(history: &History) -> Vec<String> {
        let mut ids: Vec<String> = history
            .list_calls(TraceFilter::default())
            .unwrap()
            .calls
            .iter()
            .map(|call| call.id.to_string())
            .collect();
        ids.sort();
        ids
    }

    #[test]
    fn what_was_recorded_is_read_by_another_process() {
        let (_home, paths) = home();
        let one = history(&paths);
        assert!(
            ids(&one).is_empty() && !paths.state.exists(),
            "nothing is made before it is needed"
        );
        let mut call = one.begin_call(&head("a")).unwrap();
        call.record_events(&[chunk("x"), chunk("y")]).unwrap();
        // Read while it is written.
        assert_eq!(history(&paths).load_trace("a").unwrap().events, [chunk("x"), chunk("y")]);
        call.record_events(&[end()]).unwrap();
        assert_eq!(history(&paths).load_trace("a").unwrap().events.len(), 3);
        assert!(history(&paths).load_trace("b").unwrap_err().remedy.contains("toolcrib history"));
        let (_, path) = one.list_segments().unwrap().remove(0);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert!(
            ids(&History::for_workspace(&paths, Path::new("/other"), Mask::default())).is_empty()
        );
    }

    #[test]
    fn sessions_beside_each_other_have_segments_of_their_own_and_the_next_goes_on_with_one() {
        let (_home, paths) = home();
        let (one, two) = (history(&paths), history(&paths));
        let (mut a, mut b) =
            (one.begin_call(&head("a")).unwrap(), two.begin_call(&head("b")).unwrap());
        a.record_events(&[chunk("x")]).unwrap();
        b.record_events(&[chunk("y")]).unwrap();
        assert_eq!(one.list_segments().unwrap().len(), 2);
        drop((one, two, a, b));
        let three = history(&paths);
        three.begin_call(&head("c")).unwrap();
        assert_eq!(
            (ids(&three), three.list_segments().unwrap().len()),
            (vec!["a".into(), "b".into(), "c".into()], 2)
        );
    }

    #[test]
    fn a_line_that_was_cut_is_passed_over_and_spoils_no_other() {
        let (_home, paths) = home();
        let one = history(&paths);
        let mut call = one.begin_call(&head("a")).unwrap();
        call.record_events(&[chunk("ü")]).unwrap();
        let (_, path) = one.list_segments().unwrap().remove(0);
        drop((one, call));
        let whole = fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let next = history(&paths);
            let before = ids(&next).len();
            next.begin_call(&head("n")).unwrap();
            assert!(
                ids(&next).contains(&"n".to_owned()) && ids(&next).len() > before,
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn full_segments_are_followed_and_the_oldest_go() {
        let (_home, paths) = home();
        let bounds = HistoryBounds { segment: 500, all: 2_000, listed: 3 };
        let history =
            Arc::new(History::with_bounds(&paths, Path::new("/w"), Mask::default(), bounds));
        for number in 0..40 {
            history
                .begin_call(&head(&format!("call-{number:02}")))
                .unwrap()
                .record_events(&[chunk("x"), end()])
                .unwrap();
        }
        let size: u64 = history
            .list_segments()
            .unwrap()
            .iter()
            .map(|(_, path)| fs::metadata(path).unwrap().len())
            .sum();
        assert!(size < 3_500, "{size} bytes are kept");
        let listing = history.list_calls(TraceFilter::default()).unwrap();
        assert!(listing.calls.len() == 3 && listing.older > 0, "{listing:?}");
        assert!(history.load_trace("call-39").is_ok() && history.load_trace("call-00").is_err());
    }

    #[test]
    fn calls_are_taken_out_and_the_others_stay() {
        let (_home, paths) = home();
        let one = history(&paths);
        for id in ["a", "b"] {
            one.begin_call(&head(id)).unwrap().record_events(&[chunk("x"), end()]).unwrap();
        }
        assert_eq!(one.remove_calls(|id| id == "a").unwrap(), 3);
        one.begin_call(&head("c")).unwrap();
        assert_eq!(ids(&one), ["b", "c"]);
        assert!(
            history(&paths)
                .remove_calls(|id| id == "b")
                .unwrap_err()
                .cause
                .contains("another session")
        );
    }

    #[test]
    fn no_secret_is_written() {
        let (_home, paths) = home();
        let history = Arc::new(History::for_workspace(
            &paths,
            Path::new("/w"),
            Mask::new(["hunter2hunter2".to_owned()]),
        ));
        let body = r#"{"config":"{\"api_key\":\"abc\"}","arguments":"{\"q\":\"hunter2hunter2\"}"}"#;
        let mut call = history.begin_call(&Head { body: body.into(), ..head("a") }).unwrap();
        call.record_events(&[
            chunk("your key: sk-proj-"),
            chunk("0123456789abcdef"),
            chunk(" hunter2"),
            chunk("hunter2"),
            end(),
        ])
        .unwrap();
        let mut call = history.begin_call(&head("b")).unwrap();
        "it is hunter2hunter2 or h"
            .chars()
            .for_each(|letter| call.record_events(&[chunk(&letter.to_string())]).unwrap());
        // It ends without an end.
        drop(call);
        let (_, path) = history.list_segments().unwrap().remove(0);
        let kept = fs::read_to_string(path).unwrap();
        assert!(
            !kept.contains("abc\\") && !kept.contains("sk-") && !kept.contains("0123456789"),
            "{kept}"
        );
        assert!(
            !kept.contains("hunt")
                && !kept.contains(r#""text":"u""#)
                && !kept.contains(r#""text":"2""#),
            "{kept}"
        );
        assert_eq!(compare::answer_text(&history.load_trace("b").unwrap()), "it is *** or h");
        assert!(history.load_trace("a").unwrap().head.masked);
    }

    #[test]
    fn what_a_call_passes_as_a_secret_is_not_written_with_its_answer() {
        let (_home, paths) = home();
        let history = history(&paths);
        let arguments = r#"{"user":"ada","password":"Corr3ct horse"}"#;
        let head = Head { arguments: arguments.into(), body: arguments.into(), ..head("a") };
        let mut call = history.begin_call(&head).unwrap();
        call.record_events(&[chunk("you said Corr3ct"), chunk(" horse, ada"), end()]).unwrap();
        drop(call);
        let (_, path) = history.list_segments().unwrap().remove(0);
        let kept = fs::read_to_string(path).unwrap();
        assert!(!kept.contains("Corr3ct") && !kept.contains("horse"), "{kept}");
        assert_eq!(compare::answer_text(&history.load_trace("a").unwrap()), "you said ***, ada");
        // What is added later has none either.
        let event = Event { at_ms: 3, kind: EventKind::Notice("not Corr3ct horse".into()) };
        history.add_event("a", arguments, &event).unwrap();
        let events = history.load_trace("a").unwrap().events;
        let added = events.last().map(|event| event.kind.clone());
        assert_eq!(added, Some(EventKind::Notice("not ***".into())));
    }
}

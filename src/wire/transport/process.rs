//! A server that is a process of its own: lines on its standard input and output, and whatever it says on standard error.
//!
//! Starters such as `npx` and `uvx` are processes between us and the server. So each server has a process group of its own, and what ends it
//! ends the group.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex as Lock, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, Command},
    sync::{Mutex, watch},
    time::timeout,
};

use super::{
    message::{Heard, Packet},
    message_queue::{CAPACITY, QueueReceiver, QueueSender, message_queue},
};
use crate::model::{call::CallProblem, error_kind::ErrorKind};

/// The subject of lines of standard output.
pub const OUTPUT: &str = "stdout";
/// The subject of lines of standard error.
pub const ERRORS: &str = "stderr";

/// How many of the last lines of standard error are kept, to say why a server ended.
const LAST_WORDS: usize = 50;
/// How long a server may take to end once its input is closed, and again once it was asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many bytes are read at once.
const PIECE: usize = 64 * 1024;

/// Variables of ours that every server gets; others only where they are named.
const INHERITED: [&str; 22] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR",
    "SystemRoot", "SystemDrive", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "COMSPEC", "ProgramFiles",
];

/// What is started. No shell reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCommand {
    pub program: String,
    pub args: Vec<String>,
    /// Beside the few variables that every server gets.
    pub env: BTreeMap<String, String>,
    /// `None`: where we are.
    pub dir: Option<PathBuf>,
    /// How many bytes a line may have; a longer one ends the process.
    pub largest: usize,
}

/// A server that was started. Dropped, its whole group is killed.
pub struct ServerProcess {
    stdin: Mutex<Option<ChildStdin>>,
    group: Arc<Group>,
    id: Option<u32>,
    place: String,
    ended: watch::Receiver<Option<String>>,
    last_words: Arc<Lock<Vec<String>>>,
}

/// The process group that a server leads; `None` once it was killed, as another may have its number then.
struct Group(Lock<Option<u32>>);

impl ServerProcess {
    /// Starts it. What it writes is heard line by line, without line ends, as packets on [`OUTPUT`] and [`ERRORS`]; when it
    /// has ended and all that it wrote was heard, that is the last thing.
    ///
    /// # Errors
    /// When there is no such program, or it may not be run. Within a runtime only.
    pub fn start(command: &ServerCommand) -> Result<(Self, QueueReceiver), CallProblem> {
        let mut asked = Command::new(&command.program);
        asked.args(&command.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        asked.env_clear().envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)))).envs(&command.env);
        if let Some(dir) = &command.dir {
            asked.current_dir(dir);
        }
        #[cfg(unix)]
        asked.process_group(0);
        let mut child = asked.spawn().map_err(|error| unstarted(command, &error))?;
        let id = child.id();
        let group = Arc::new(Group(Lock::new(id)));
        let (sender, receiver) = message_queue(CAPACITY.max(command.largest.saturating_mul(2)));
        let last_words = Arc::new(Lock::new(Vec::new()));
        let (told, ended) = watch::channel(None);
        let stdin = child.stdin.take();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (largest, words) = (command.largest, Arc::clone(&last_words));
        let place = command.program.clone();
        let (name, members) = (place.clone(), Arc::clone(&group));
        tokio::spawn(async move {
            let output = async {
                let Some(stdout) = stdout else { return Ok(()) };
                let read = lines(stdout, OUTPUT, largest, &sender, |_| ()).await;
                if read.is_err() {
                    members.kill();
                }
                read
            };
            let errors = async {
                let Some(stderr) = stderr else { return };
                if lines(stderr, ERRORS, largest, &sender, |line| remember(&words, line)).await.is_err() {
                    members.kill();
                }
            };
            // One that it started may hold its pipes open for long after it.
            let leader = async {
                let how = waited(&mut child).await;
                members.kill();
                how
            };
            let (output, (), how) = tokio::join!(output, errors, leader);
            let last = match output {
                Err(problem) => Heard::Failed(problem),
                Ok(()) => Heard::Failed(over(&name, &how, &words)),
            };
            told.send_replace(Some(how));
            // Who has left needs nothing.
            let _ = sender.push(last).await;
        });
        Ok((Self { stdin: Mutex::new(stdin), group, id, place, ended, last_words }, receiver))
    }

    /// The number of the process that was started.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// The last lines that it wrote to standard error.
    #[must_use]
    pub fn last_words(&self) -> Vec<String> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When the server takes none any more.
    pub async fn send(&self, line: &[u8]) -> Result<(), CallProblem> {
        let mut stdin = self.stdin.lock().await;
        let Some(pipe) = stdin.as_mut() else { return Err(self.gone()) };
        let mut whole = BytesMut::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.extend_from_slice(b"\n");
        let written = async {
            pipe.write_all(&whole).await?;
            pipe.flush().await
        };
        written.await.map_err(|_| self.gone())
    }

    fn gone(&self) -> CallProblem {
        let how = self.ended.borrow().clone().unwrap_or_else(|| "it takes no more input".into());
        over(&self.place, &how, &self.last_words)
    }

    /// Ends it: closes its input, then asks it to end, then kills its group. Answers how it ended.
    pub async fn end(self) -> String {
        drop(self.stdin.lock().await.take());
        let mut ended = self.ended.clone();
        let mut waiting = async || match timeout(PATIENCE, ended.wait_for(Option::is_some)).await {
            Ok(Ok(how)) => how.clone(),
            Ok(Err(_)) | Err(_) => None,
        };
        if let Some(how) = waiting().await {
            return how;
        }
        self.group.ask_to_end();
        if let Some(how) = waiting().await {
            return how;
        }
        self.group.kill();
        waiting().await.unwrap_or_else(|| "killed".into())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.group.kill();
    }
}

impl Group {
    /// It may end in its own way.
    fn ask_to_end(&self) {
        #[cfg(unix)]
        self.send(rustix::process::Signal::TERM);
    }

    /// It ends, with all that it started. Elsewhere than on Unix the process itself is killed when it is dropped.
    fn kill(&self) {
        #[cfg(unix)]
        self.send(rustix::process::Signal::KILL);
        *self.lock() = None;
    }

    #[cfg(unix)]
    fn send(&self, signal: rustix::process::Signal) {
        use rustix::process::{Pid, kill_process_group};
        let leader = self.lock().and_then(|leader| i32::try_from(leader).ok()).and_then(Pid::from_raw);
        // One that is no more hears nothing.
        let _ = leader.map(|leader| kill_process_group(leader, signal));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands on the lines of a pipe until it ends, or nobody hears them.
async fn lines(
    mut pipe: impl AsyncRead + Unpin,
    from: &'static str,
    largest: usize,
    to: &QueueSender,
    mut seen: impl FnMut(&[u8]),
) -> Result<(), CallProblem> {
    let mut pending = BytesMut::new();
    loop {
        let mut searched = pending.len();
        pending.reserve(PIECE);
        // A pipe that broke has ended.
        let count = pipe.read_buf(&mut pending).await.unwrap_or(0);
        while let Some(end) = pending[searched..].iter().position(|byte| *byte == b'\n') {
            let mut line = pending.split_to(searched + end + 1);
            line.truncate(line.len() - 1);
            searched = 0;
            hand(line.freeze(), from, to, &mut seen).await?;
        }
        if count == 0 {
            if !pending.is_empty() {
                hand(pending.freeze(), from, to, &mut seen).await?;
            }
            return Ok(());
        }
        if pending.len() > largest {
            return Err(too_long(from, largest));
        }
    }
}

async fn hand(mut line: Bytes, from: &'static str, to: &QueueSender, seen: &mut impl FnMut(&[u8])) -> Result<(), CallProblem> {
    if line.ends_with(b"\r") {
        line.truncate(line.len() - 1);
    }
    seen(&line);
    let packet = Packet { subject: Some(from.into()), reply: None, headers: Vec::new(), body: line };
    to.push(Heard::Packet(packet)).await.map_err(|_| CallProblem::new(ErrorKind::ConnectionLost, "nobody hears it", ""))
}

fn remember(words: &Lock<Vec<String>>, line: &[u8]) {
    let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
    if words.len() >= LAST_WORDS {
        words.remove(0);
    }
    words.push(String::from_utf8_lossy(line).into_owned());
}

async fn waited(child: &mut Child) -> String {
    match child.wait().await {
        Ok(status) => ended(status),
        Err(error) => error.to_string(),
    }
}

fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    status.code().map_or_else(|| "ended".into(), |code| format!("ended with code {code}"))
}

fn over(place: &str, how: &str, last_words: &Lock<Vec<String>>) -> CallProblem {
    let words = last_words.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
    let message = match words.is_empty() {
        true => format!("{place} {how}, and wrote nothing to standard error"),
        false => format!("{place} {how}; it last wrote to standard error:\n{words}"),
    };
    CallProblem::new(ErrorKind::ConnectionLost, message, "run the command by hand to see what it says")
}

fn unstarted(command: &ServerCommand, error: &io::Error) -> CallProblem {
    let message = format!("{} cannot be started: {error}", command.program);
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "install it, or give the path to it; a folder that it is to run in must be there too",
        _ => "see that the file may be run",
    };
    CallProblem::new(ErrorKind::NoServer, message, remedy)
}

fn too_long(from: &str, largest: usize) -> CallProblem {
    let message = format!("a line of {from} has more than {} MiB; the server was ended", largest / (1024 * 1024));
    CallProblem::new(ErrorKind::AnswerTooLarge, message, "set largest-answer of the connection higher, or ask for less")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> ServerCommand {
        let args = vec!["-c".to_owned(), script.to_owned()];
        ServerCommand { program: "sh".into(), args, largest: 1_000, ..ServerCommand::default() }
    }

    async fn heard(receiver: &mut QueueReceiver) -> (String, String) {
        match receiver.next().await {
            Some(Heard::Packet(packet)) => {
                (packet.subject.unwrap_or_default(), String::from_utf8_lossy(&packet.body).into_owned())
            }
            Some(Heard::Failed(problem)) => ("failed".into(), problem.message),
            other => (format!("{other:?}"), String::new()),
        }
    }

    #[tokio::test]
    async fn lines_go_in_and_come_out() {
        let (server, mut output) = ServerProcess::start(&shell("while read -r line; do echo \"got $line\"; done")).unwrap();
        server.send(b"a").await.unwrap();
        assert_eq!(heard(&mut output).await, ("stdout".into(), "got a".into()));
        server.send(b"b").await.unwrap();
        assert_eq!(heard(&mut output).await, ("stdout".into(), "got b".into()));
        assert_eq!(server.end().await, "ended with code 0");
    }

    #[tokio::test]
    async fn a_start_that_fails_says_why() {
        let (server, mut output) = ServerProcess::start(&shell("echo no module >&2; exit 3")).unwrap();
        assert_eq!(heard(&mut output).await, ("stderr".into(), "no module".into()));
        let (kind, message) = heard(&mut output).await;
        assert_eq!(kind, "failed");
        assert_eq!(message, "sh ended with code 3; it last wrote to standard error:\nno module");
        assert_eq!(server.send(b"x").await.unwrap_err().message, message);
        let missing = ServerCommand { program: "/no/such/program".into(), ..ServerCommand::default() };
        let problem = ServerProcess::start(&missing).err().unwrap();
        assert!(problem.message.contains("/no/such/program cannot be started"), "{problem:?}");
    }

    #[tokio::test]
    async fn those_that_a_server_started_end_with_it() {
        // A starter that does not hand on what it hears, and whose child ignores that it is asked to end.
        let script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
        let (server, mut output) = ServerProcess::start(&shell(script)).unwrap();
        let (_, child) = heard(&mut output).await;
        let there = std::path::Path::new("/proc").join(&child);
        let group = std::fs::read_to_string(there.join("stat")).unwrap();
        assert!(group.contains(&format!(" {} ", server.id().unwrap())), "{group}");
        server.end().await;
        // It is dead, though nobody may have asked for its end yet.
        let state = std::fs::read_to_string(there.join("stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "{state}");
    }

    #[tokio::test]
    async fn a_line_over_the_limit_ends_the_server_with_words() {
        let (_server, mut output) = ServerProcess::start(&shell("echo a; yes | tr -d '\\n'")).unwrap();
        assert_eq!(heard(&mut output).await.1, "a");
        let (kind, message) = heard(&mut output).await;
        assert!(kind == "failed" && message.contains("more than 0 MiB"), "{kind}: {message}");
    }

    #[tokio::test]
    async fn only_what_is_named_of_our_environment_is_handed_on() {
        let mut command = shell("echo $CARGO_MANIFEST_DIR-$TOLD-${PATH:+path}");
        command.env.insert("TOLD".into(), "told".into());
        let (_server, mut output) = ServerProcess::start(&command).unwrap();
        assert_eq!(heard(&mut output).await.1, "-told-path");
    }
}

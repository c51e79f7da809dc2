//! A server that is a process of its own: lines on its standard input and output, and whatever it
//! says on standard error.
//!
//! Starters such as `npx` and `uvx` are processes between us and the server. So each server has a
//! process group of its own, and what ends it ends the group.

use std::{
    collections::BTreeMap,
    env,
    io::{self, BufRead as _},
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{
        Arc, Mutex as Lock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures::{FutureExt, future::BoxFuture};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{mpsc, watch},
    task::{unconstrained, yield_now},
    time::timeout,
};

use super::{
    bus::{Bus, BusFuture, SubscriptionShare},
    connection_event::ConnectionEvents,
    message::{Address, Incoming, Outgoing, Packet},
    message_queue::{QueueReceiver, QueueSender, message_queue},
    settings::bad_settings,
};
use crate::{
    model::{
        call::CallError, connection::Connection, error_kind::ErrorKind, transport::TransportKind,
    },
    systems::start::Start,
    wire::{secrets::Secrets, spawning::spawn},
};

/// The place of lines of standard output, whose packets name no subject: there may be millions.
pub(crate) const OUTPUT: &str = "stdout";
/// The subject of lines of standard error.
pub(crate) const ERRORS: &str = "stderr";

/// How many of the last lines of standard error are kept, to say why a server ended.
const LAST_WORDS: usize = 50;
/// So many bytes may wait for a server to read them.
const MOST_UNREAD: usize = 64 * 1024 * 1024;
/// How long a server may take to end once its input is closed; some never do by that alone.
const HINT: Duration = Duration::from_millis(300);
/// How long it may take once it was asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many bytes are read at once.
const PIECE: usize = 64 * 1024;
/// A line that is longer keeps the room for itself that it was read into, so that it can be freed
/// with it.
pub(crate) const ALONE: usize = 1024 * 1024;

/// How many bytes of its output wait at most; then the server waits until some of it is taken.
const WAITING: usize = 8 * 1024 * 1024;

/// Variables of ours that every server gets; others only where they are named.
const INHERITED: [&str; 26] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    // Where certificates are, without which nothing is downloaded behind many proxies.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SystemRoot",
    "SystemDrive",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "TEMP",
    "TMP",
    "PATHEXT",
    "COMSPEC",
    "ProgramFiles",
];

/// What is started, with the values of its secrets.
#[derive(Clone, Default)]
pub(crate) struct ProcessLaunch {
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
pub(crate) struct ServerProcess {
    /// Lines for its standard input; `None`: that is closed.
    lines: Lock<Option<mpsc::UnboundedSender<Vec<u8>>>>,
    /// Bytes of lines that it hasn't read.
    unread: Arc<AtomicUsize>,
    group: Arc<Group>,
    place: String,
    ended: watch::Receiver<Option<String>>,
    last_words: Arc<Lock<Vec<String>>>,
}

/// The process group that a server leads; `None` once it was killed, as another may have its number then.
struct Group(Lock<Option<u32>>);

impl ServerProcess {
    /// Starts it. What it writes is received line by line, without line ends, as packets on
    /// [`OUTPUT`] and [`ERRORS`]; when it has ended and all that it wrote was received, that is the
    /// last thing.
    ///
    /// # Errors
    /// When there is no such program, or it may not be run. Within a runtime only.
    pub fn start(command: &ProcessLaunch) -> Result<(Self, QueueReceiver), CallError> {
        let mut asked = Command::new(&command.program);
        asked
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        asked
            .env_clear()
            .envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .envs(&command.env);
        if let Some(dir) = &command.dir {
            asked.current_dir(dir);
        }
        #[cfg(unix)]
        asked.process_group(0);
        let mut child = asked.spawn().map_err(|error| unstarted(command, &error))?;
        let group = Arc::new(Group(Lock::new(child.id())));
        let (sender, receiver) = message_queue(WAITING);
        let last_words = Arc::new(Lock::new(Vec::new()));
        let (told, ended) = watch::channel(None);
        let (lines, asked) = mpsc::unbounded_channel();
        let unread = Arc::new(AtomicUsize::new(0));
        spawn(write_lines(child.stdin.take(), asked, Arc::clone(&unread)));
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (largest, words) = (command.largest, Arc::clone(&last_words));
        let place = command.program.clone();
        let (name, members) = (place.clone(), Arc::clone(&group));
        spawn(async move {
            let output = async {
                let read = Lines::of(stdout, stderr, largest).hand_on(&sender, &words).await;
                if read.is_err() {
                    members.kill();
                }
                read
            };
            // One that it started may hold its pipes open for long after it.
            let leader = async {
                let how = waited(&mut child).await;
                members.kill();
                how
            };
            let (output, how) = tokio::join!(output, leader);
            let last = match output {
                Err(problem) => Incoming::Failed(problem),
                Ok(()) => Incoming::Failed(over(&name, &how, &words)),
            };
            told.send_replace(Some(how));
            // Who has left needs nothing.
            let _ = sender.push(last).await;
        });
        let lines = Lock::new(Some(lines));
        Ok((Self { lines, unread, group, place, ended, last_words }, receiver))
    }

    /// Has a line written, after those before it. A server that reads nothing while its output
    /// waits for us doesn't hold up whoever sends.
    ///
    /// # Errors
    /// When the server takes none any more, or leaves so much unread that it is ended.
    pub fn send(&self, line: &[u8]) -> Result<(), CallError> {
        if self.ended.borrow().is_some() {
            return Err(self.gone());
        }
        // One that asks without end and reads no answer would fill the memory.
        let unread = self.unread.fetch_add(line.len() + 1, Ordering::Relaxed);
        if unread > MOST_UNREAD {
            self.group.kill();
            return Err(self.gone());
        }
        let mut whole = Vec::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.push(b'\n');
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = lines.as_ref().map(|lines| lines.send(whole));
        sent.filter(Result::is_ok).map(drop).ok_or_else(|| self.gone())
    }

    fn gone(&self) -> CallError {
        let how = self.ended.borrow().clone().unwrap_or_else(|| "it takes no more input".into());
        over(&self.place, &how, &self.last_words)
    }

    /// Ends it: closes its input, then asks it to end, then kills its group. Answers how it ended.
    pub async fn end(&self) -> String {
        drop(self.lines.lock().unwrap_or_else(PoisonError::into_inner).take());
        let mut ended = self.ended.clone();
        let mut waiting =
            async |patience| match timeout(patience, ended.wait_for(Option::is_some)).await {
                Ok(Ok(how)) => how.clone(),
                Ok(Err(_)) | Err(_) => None,
            };
        if let Some(how) = waiting(HINT).await {
            return how;
        }
        self.group.ask_to_end();
        if let Some(how) = waiting(PATIENCE).await {
            return how;
        }
        self.group.kill();
        waiting(PATIENCE).await.unwrap_or_else(|| "killed".into())
    }
}

/// Writes lines as long as they come and the server takes them; then its input is closed.
async fn write_lines(
    stdin: Option<ChildStdin>,
    mut lines: mpsc::UnboundedReceiver<Vec<u8>>,
    unread: Arc<AtomicUsize>,
) {
    let Some(mut stdin) = stdin else { return };
    while let Some(line) = lines.recv().await {
        let written = async {
            stdin.write_all(&line).await?;
            stdin.flush().await
        };
        if written.await.is_err() {
            return;
        }
        unread.fetch_sub(line.len(), Ordering::Relaxed);
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
        let leader =
            self.lock().and_then(|leader| i32::try_from(leader).ok()).and_then(Pid::from_raw);
        // One that is no more hears nothing.
        let _ = leader.map(|leader| kill_process_group(leader, signal));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection to a server that its settings start.
pub(crate) struct Process {
    server: ServerProcess,
    /// What it writes, until somebody listens.
    output: Lock<Option<QueueReceiver>>,
    news: ConnectionEvents,
}

/// Starts the server of a connection.
///
/// # Errors
/// When the connection has no command, a secret is missing, or the program cannot be run.
pub(crate) async fn open(connection: &Connection, secrets: &Secrets) -> Result<Process, CallError> {
    let Some(command) = connection.command() else {
        let cause = "has no command";
        return Err(bad_settings(connection, cause, "add command = \"PROGRAM\""));
    };
    let mut env = BTreeMap::new();
    for (name, value) in &command.env {
        env.insert(name.clone(), secrets.resolve_value(connection, value).await?);
    }
    let launch = ProcessLaunch {
        program: command.command.clone(),
        args: command.args.clone(),
        env,
        dir: command.dir.as_ref().map(PathBuf::from),
        largest: usize::try_from(connection.largest_answer).unwrap_or(usize::MAX),
    };
    let (server, output) = ServerProcess::start(&launch)?;
    let news = ConnectionEvents::new(command.to_string());
    news.mark_connected();
    Ok(Process { server, output: Lock::new(Some(output)), news })
}

/// The start of a connection's server, as the user is to agree to it: with the program's file and
/// the whole path of the folder. `None` where nothing is started.
#[must_use]
pub(crate) fn start_of(connection: &Connection) -> Option<Start> {
    let command = connection.command()?;
    let here = env::current_dir().unwrap_or_default();
    let dir = command.dir.as_ref().map_or_else(|| here.clone(), |dir| here.join(dir));
    // A name without a slash is looked for on the PATH, as the system does.
    let named = PathBuf::from(&command.command);
    let found = match named.components().count() {
        1 => env::var_os("PATH").and_then(|path| {
            let mut places = env::split_paths(&path).map(|folder| folder.join(&named));
            places.find(|place| place.is_file())
        }),
        _ => Some(dir.join(&named)),
    };
    let program = found.unwrap_or(named).to_string_lossy().into_owned();
    Some(Start::of(command, program, dir.to_string_lossy().into_owned()))
}

impl Bus for Process {
    fn transport(&self) -> TransportKind {
        TransportKind::Stdio
    }

    fn display_address(&self) -> String {
        self.news.display_address().to_owned()
    }

    fn greeting(&self) -> String {
        format!("{} runs", self.news.display_address())
    }

    /// All that it writes, whatever is named: [`OUTPUT`] and [`ERRORS`] in their order. Only one can
    /// listen.
    fn subscribe<'a>(
        &'a self,
        _: &'a Address,
        _: SubscriptionShare,
    ) -> BusFuture<'a, QueueReceiver> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(std::future::ready(output.ok_or_else(|| {
            let message = format!(
                "another program already listens to \
                {}",
                self.news.display_address()
            );
            CallError::new(ErrorKind::NoListener, message, "use a separate connection for it")
        })))
    }

    fn send<'a>(&'a self, message: Outgoing) -> BusFuture<'a, ()> {
        Box::pin(async move { self.server.send(&message.body) })
    }

    fn new_inbox(&self) -> Option<Address> {
        None
    }

    fn close_reason(&self) -> Option<CallError> {
        let how = self.server.ended.borrow().clone()?;
        Some(over(self.news.display_address(), &how, &self.server.last_words))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { drop(self.server.end().await) })
    }

    fn connection_events(&self) -> &ConnectionEvents {
        &self.news
    }
}

/// One of the pipes that a process writes into.
struct Output<P> {
    /// `None`: it has ended.
    pipe: Option<P>,
    from: &'static str,
    largest: usize,
    pending: BytesMut,
    /// As far as there is no line end in what is pending.
    searched: usize,
}

impl<P: AsyncRead + Unpin> Output<P> {
    /// Reads what is there; once the pipe has ended, never.
    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        self.pending.reserve(PIECE);
        // A pipe that broke has ended.
        if pipe.read_buf(&mut self.pending).await.unwrap_or(0) == 0 {
            self.pipe = None;
        }
    }

    /// The next line of what was read, without its end; what is left when the pipe has ended is one
    /// too.
    fn line(&mut self) -> Option<Bytes> {
        // It searches in words, not in bytes, and cannot fail in memory.
        let searched = (&self.pending[self.searched..]).skip_until(b'\n').unwrap_or(0);
        let end = self.searched + searched;
        let mut line = match self.pending[..end].ends_with(b"\n") && searched > 0 {
            true => {
                let mut line = self.pending.split_to(end);
                line.truncate(end - 1);
                line
            }
            false if self.pipe.is_none() && !self.pending.is_empty() => self.pending.split(),
            false => {
                self.searched = self.pending.len();
                return None;
            }
        };
        self.searched = 0;
        if line.len() > ALONE {
            // What came after it, less than is read at once.
            self.pending = BytesMut::from(&self.pending[..]);
        }
        if line.ends_with(b"\r") {
            line.truncate(line.len() - 1);
        }
        Some(line.freeze())
    }

    /// Hands on the lines that were read; `seen` looks at each before.
    async fn hand_on(
        &mut self,
        to: &QueueSender,
        mut seen: impl FnMut(&[u8]),
    ) -> Result<(), CallError> {
        while let Some(body) = self.line() {
            seen(&body);
            let subject = (self.from == ERRORS).then(|| ERRORS.to_owned());
            let packet = Packet { subject, reply: None, headers: Vec::new(), body };
            to.push(Incoming::Packet(packet))
                .await
                .map_err(|_| CallError::new(ErrorKind::ConnectionLost, "nobody listens", ""))?;
        }
        if self.pending.len() > self.largest {
            return Err(too_long(self.from, self.largest));
        }
        Ok(())
    }
}

/// What a process writes, line by line.
struct Lines {
    output: Output<ChildStdout>,
    errors: Output<ChildStderr>,
}

impl Lines {
    fn of(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>, largest: usize) -> Self {
        let (pending, searched) = (BytesMut::new(), 0);
        let errors =
            Output { pipe: stderr, from: ERRORS, largest, pending: pending.clone(), searched };
        Self { output: Output { pipe: stdout, from: OUTPUT, largest, pending, searched }, errors }
    }

    /// Hands on all lines until both pipes have ended, or nobody listens. What was written to
    /// standard error before an answer is reported before it.
    async fn hand_on(
        mut self,
        to: &QueueSender,
        words: &Lock<Vec<String>>,
    ) -> Result<(), CallError> {
        let Self { output, errors } = &mut self;
        while output.pipe.is_some() || errors.pipe.is_some() {
            tokio::select! {
                biased;
                () = errors.read() => {}
                () = output.read() => {
                    while errors.pipe.is_some()
                        && unconstrained(errors.read()).now_or_never().is_some()
                    {
                        errors.hand_on(to, |line| remember(words, line)).await?;
                    }
                }
            }
            errors.hand_on(to, |line| remember(words, line)).await?;
            output.hand_on(to, |_| ()).await?;
            // Who takes the lines keeps up, so that few of them wait.
            yield_now().await;
        }
        Ok(())
    }
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

fn over(place: &str, how: &str, last_words: &Lock<Vec<String>>) -> CallError {
    let words = last_words.lock().unwrap_or_else(PoisonError::into_inner);
    let mut lines: Vec<&str> = words.iter().map(String::as_str).collect();
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    // The last line says what went wrong, and long messages are cut at their end.
    let message = match &lines[..] {
        [] => format!("{place} {how} and wrote nothing to standard error"),
        [only] => format!("{place} {how}; it last wrote to standard error: {only}"),
        [before @ .., last] => format!(
            "{place} {how}; it last wrote to standard error: {last}\nBefore that:\n{}",
            before.join("\n")
        ),
    };
    CallError::new(ErrorKind::ConnectionLost, message, "run the command by hand to see its output")
}

fn unstarted(command: &ProcessLaunch, error: &io::Error) -> CallError {
    let message = format!("can't start {}: {error}", command.program);
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => {
            "install it, or use its full path; if the connection has a dir, that folder must \
            exist, too"
        }
        _ => "make the file executable",
    };
    CallError::new(ErrorKind::NoServer, message, remedy)
}

fn too_long(from: &str, largest: usize) -> CallError {
    let message = format!(
        "a line of {from} has more than {} MiB; the server was ended",
        largest / (1024 * 1024)
    );
    CallError::new(
        ErrorKind::AnswerTooLarge,
        message,
        "raise largest-answer of the connection, or request less",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> ProcessLaunch {
        let args = vec!["-c".to_owned(), script.to_owned()];
        ProcessLaunch { program: "sh".into(), args, largest: 1_000, ..ProcessLaunch::default() }
    }

    async fn heard(receiver: &mut QueueReceiver) -> (String, String) {
        match receiver.next().await {
            Some(Incoming::Packet(packet)) => (
                packet.subject.unwrap_or_else(|| OUTPUT.to_owned()),
                String::from_utf8_lossy(&packet.body).into_owned(),
            ),
            Some(Incoming::Failed(problem)) => ("failed".into(), problem.message),
            other => (format!("{other:?}"), String::new()),
        }
    }

    #[tokio::test]
    async fn lines_go_in_and_come_out() {
        let (server, mut output) =
            ServerProcess::start(&shell("while read -r line; do echo \"got $line\"; done"))
                .unwrap();
        server.send(b"a").unwrap();
        assert_eq!(heard(&mut output).await, ("stdout".into(), "got a".into()));
        server.send(b"b").unwrap();
        assert_eq!(heard(&mut output).await, ("stdout".into(), "got b".into()));
        assert_eq!(server.end().await, "ended with code 0");
    }

    #[tokio::test]
    async fn a_start_that_fails_says_why() {
        let (server, mut output) =
            ServerProcess::start(&shell("echo no module >&2; exit 3")).unwrap();
        assert_eq!(heard(&mut output).await, ("stderr".into(), "no module".into()));
        let (kind, message) = heard(&mut output).await;
        assert_eq!(kind, "failed");
        assert_eq!(message, "sh ended with code 3; it last wrote to standard error: no module");
        assert_eq!(server.send(b"x").unwrap_err().message, message);
        let script = "printf 'Traceback:\\n  line 5\\nno module\\n\\n' >&2; exit 1";
        let (_server, mut output) = ServerProcess::start(&shell(script)).unwrap();
        let message = loop {
            if let (kind, message) = heard(&mut output).await
                && kind == "failed"
            {
                break message;
            }
        };
        assert_eq!(
            message,
            "sh ended with code 1; it last wrote to standard error: no module\nBefore that:\n\
             Traceback:\n  line 5"
        );
        let missing =
            ProcessLaunch { program: "/no/such/program".into(), ..ProcessLaunch::default() };
        let problem = ServerProcess::start(&missing).err().unwrap();
        assert!(problem.message.contains("can't start /no/such/program"), "{problem:?}");
    }

    #[tokio::test]
    async fn a_server_that_writes_much_and_reads_nothing_holds_up_no_sender() {
        let script =
            "yes 'a line of its output' | head -n 1500000; read -r line; echo \"got $line\"";
        let launch = ProcessLaunch { largest: 4_000_000, ..shell(script) };
        let (server, mut output) = ServerProcess::start(&launch).unwrap();
        // More than its input takes before it reads.
        let large = "x".repeat(1_000_000);
        server.send(large.as_bytes()).unwrap();
        server.send(b"b").unwrap();
        let mut last = String::new();
        let mut lines = 0;
        while let Some(Incoming::Packet(packet)) = output.next().await {
            last = String::from_utf8_lossy(&packet.body).into_owned();
            lines += 1;
        }
        assert!(lines == 1_500_001 && last == format!("got {large}"), "{lines} lines");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn those_that_a_server_started_end_with_it() {
        use rustix::{
            event::{PollFd, PollFlags, Timespec, poll},
            process::{Pid, PidfdFlags, pidfd_open},
        };
        // A starter that does not hand on what it hears, and whose child ignores that it is asked to end.
        let script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
        let (server, mut output) = ServerProcess::start(&shell(script)).unwrap();
        let (_, child) = heard(&mut output).await;
        let stat = std::path::Path::new("/proc").join(&child).join("stat");
        let group = std::fs::read_to_string(stat).unwrap();
        assert!(
            group.contains(&format!(" {} ", server.group.0.lock().unwrap().unwrap())),
            "{group}"
        );
        let child = Pid::from_raw(child.parse().unwrap()).unwrap();
        let child = pidfd_open(child, PidfdFlags::empty()).unwrap();
        server.end().await;
        // Its pipes close a moment before it counts as dead, so its death is waited for.
        let at_most = Timespec { tv_sec: 10, tv_nsec: 0 };
        let dead = poll(&mut [PollFd::new(&child, PollFlags::IN)], Some(&at_most));
        assert_eq!(dead.unwrap(), 1, "it lives");
    }

    #[tokio::test]
    async fn a_line_over_the_limit_ends_the_server_with_words() {
        let (_server, mut output) =
            ServerProcess::start(&shell("echo a; yes | tr -d '\\n'")).unwrap();
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

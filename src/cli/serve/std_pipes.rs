//! Standard input and output as the pipes of a client.

use std::{
    io::{self, Read as _, Write as _},
    thread,
};

use tokio::sync::{mpsc, oneshot};

use crate::wire::systems::facets::tool_server::Pipes;

/// How much is read at once.
const PART: usize = 64 * 1024;
/// Parts and lines on their way at most.
const QUEUE: usize = 64;

/// Both pipes, and what ends when all that was written has gone out. They are read and written on
/// threads of their own, as both may block.
pub(super) fn open_pipes() -> (Pipes, oneshot::Receiver<()>) {
    let (read, input) = mpsc::channel(QUEUE);
    let (output, written) = mpsc::channel(QUEUE);
    let (done, flushed) = oneshot::channel();
    thread::spawn(move || read_input(&read));
    thread::spawn(move || {
        // Whoever started the server no longer reads; the server ends by that.
        let _ = write_output(written);
        drop(done);
    });
    (Pipes { input, output }, flushed)
}

fn read_input(read: &mpsc::Sender<Vec<u8>>) {
    let mut stdin = io::stdin().lock();
    let mut part = vec![0; PART];
    loop {
        let bytes = match stdin.read(&mut part) {
            Ok(0) => return,
            Ok(count) => part[..count].to_vec(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if read.blocking_send(bytes).is_err() {
            return;
        }
    }
}

fn write_output(mut lines: mpsc::Receiver<String>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    while let Some(line) = lines.blocking_recv() {
        let mut text = line + "\n";
        // What waits already goes along.
        while let Ok(line) = lines.try_recv() {
            text.push_str(&line);
            text.push('\n');
        }
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

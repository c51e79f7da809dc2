//! Traces on disk: files of JSON lines that only their owner can read.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use crate::{
    engine::{
        mask::Mask,
        traffic::trace::{self, Head, Line},
    },
    model::{
        problem::{Problem, ProblemKind},
        traffic::Tapped,
    },
    systems::covered::SecretCover,
};

/// A line may be so long; a message's body is far shorter.
const LONGEST: u64 = 32 * 1024 * 1024;

/// A trace that is being written. What is received is in it in its order; where an answer so far
/// ends with what may be the beginning of a secret, it waits for more of it, for
/// [`TraceFile::finish`], or until this is dropped.
#[derive(Debug)]
pub(crate) struct TraceFile {
    file: BufWriter<File>,
    path: PathBuf,
    cover: SecretCover,
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        // Whoever wants to know that all of it is there has ended it.
        let _ = self.finish();
    }
}

impl TraceFile {
    /// A new trace; a file that is there is never written over, and secrets that the mask knows are
    /// not written.
    ///
    /// # Errors
    /// When there is such a file, or it cannot be made.
    pub fn create(path: &Path, head: &Head, mask: Mask) -> Result<Self, Problem> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| {
            let problem = saving_problem(path, &error);
            if error.kind() == io::ErrorKind::AlreadyExists {
                problem.with_remedy("choose another file, or move that one")
            } else {
                problem
            }
        })?;
        let mut trace = Self {
            file: BufWriter::new(file),
            path: path.to_owned(),
            cover: SecretCover::new(mask),
        };
        trace.write_line(&trace::head_line(head).to_string())?;
        Ok(trace)
    }

    /// Writes what was received.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write_tapped(&mut self, tapped: Tapped) -> Result<(), Problem> {
        self.cover
            .push(tapped)
            .iter()
            .try_for_each(|tapped| self.write_line(&trace::tapped_line(tapped).to_string()))
    }

    /// Writes what still waits, and brings all of it to the disk.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn finish(&mut self) -> Result<(), Problem> {
        self.cover
            .flush()
            .iter()
            .try_for_each(|tapped| self.write_line(&trace::tapped_line(tapped).to_string()))?;
        self.flush()
    }

    fn write_line(&mut self, line: &str) -> Result<(), Problem> {
        writeln!(self.file, "{line}").map_err(|error| saving_problem(&self.path, &error))
    }

    /// Brings all that was written to the disk.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn flush(&mut self) -> Result<(), Problem> {
        self.file.flush().map_err(|error| saving_problem(&self.path, &error))
    }
}

fn saving_problem(path: &Path, error: &io::Error) -> Problem {
    Problem::new(
        ProblemKind::File,
        format!("saving the trace {}", path.display()),
        error.to_string(),
    )
}

/// Reads a trace line by line and answers its head. A last line that was cut off is left out.
///
/// # Errors
/// When the file cannot be read, or is no trace: with the line.
pub(crate) fn read_trace(path: &Path, mut each: impl FnMut(Tapped)) -> Result<Head, Problem> {
    let doing = || format!("opening the trace {}", path.display());
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            Problem::new(ProblemKind::Missing, doing(), "there is no such file")
                .with_remedy("check its path")
        }
        _ => Problem::new(ProblemKind::File, doing(), error.to_string()),
    };
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut head = Head::default();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if file.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        let whole = line.ends_with(b"\n");
        let read =
            std::str::from_utf8(&line).map_err(|_| "it isn't UTF-8".to_owned()).and_then(|text| {
                match text.trim() {
                    "" => Ok(Line::Unknown),
                    text => trace::parse_line(text),
                }
            });
        match read {
            Ok(Line::Head(own)) => head = own,
            Ok(Line::Tapped(tapped)) => each(tapped),
            Ok(Line::Unknown) => {}
            // Who wrote it was stopped in the middle of its last line.
            Err(_) if !whole && number > 1 => break,
            Err(cause) => {
                return Err(Problem::new(
                    ProblemKind::Input,
                    doing(),
                    format!("line {number} isn't a line of a trace: {cause}"),
                )
                .with_remedy(
                    "open a file written by `toolcrib watch --save` or `toolcrib watch --json`",
                ));
            }
        }
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::clock::Millis;

    fn notice(words: &str) -> Tapped {
        Tapped::Notice { at: Millis(1), words: words.into(), breaks: false }
    }

    #[test]
    fn what_is_saved_opens_again_and_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        let head =
            Head { connection: "c".into(), transport: "nats".into(), subjects: vec!["s".into()] };
        let mut file = TraceFile::create(&path, &head, Mask::default()).unwrap();
        file.write_tapped(notice("one")).unwrap();
        file.write_tapped(notice("two")).unwrap();
        file.finish().unwrap();
        let mut heard = Vec::new();
        assert_eq!(read_trace(&path, |tapped| heard.push(tapped)), Ok(head.clone()));
        assert_eq!(heard, [notice("one"), notice("two")]);
        let problem = TraceFile::create(&path, &head, Mask::default()).unwrap_err();
        assert!(problem.remedy.contains("another"), "{problem}");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(
                &std::fs::metadata(&path).unwrap().permissions()
            ) & 0o777,
            0o600
        );
    }

    #[test]
    fn a_last_line_that_was_cut_off_is_left_out_and_other_trouble_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        let lines = format!(
            "{}\n\n{}\n{{\"event\":\"mess",
            trace::head_line(&Head::default()),
            trace::tapped_line(&notice("one"))
        );
        std::fs::write(&path, lines).unwrap();
        let mut heard = 0;
        read_trace(&path, |_| heard += 1).unwrap();
        assert_eq!(heard, 1);
        std::fs::write(&path, "hello\n").unwrap();
        let problem = read_trace(&path, drop).unwrap_err();
        assert!(
            problem.cause.contains("line 1") && problem.kind == ProblemKind::Input,
            "{problem}"
        );
        assert_eq!(
            read_trace(&folder.path().join("none"), drop).unwrap_err().kind,
            ProblemKind::Missing
        );
    }
}

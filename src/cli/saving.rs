//! Saving what a server answered into files that the user names.

use std::path::{Path, PathBuf};

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
};
use crate::{
    model::{
        call::EventKind,
        content_part::ContentPart,
        entry::SystemId,
        problem::{Problem, ProblemKind},
        stage::Stage,
    },
    store::saved_parts,
    systems::calling,
};

/// What is saved of an answer.
pub(crate) struct SavedAnswer {
    path: PathBuf,
    system: SystemId,
    text: String,
    parts: Vec<ContentPart>,
}

impl SavedAnswer {
    /// What is to be saved there of an answer of that system.
    pub fn new(path: PathBuf, system: SystemId) -> Self {
        Self { path, system, text: String::new(), parts: Vec::new() }
    }

    /// Takes in what a call says.
    pub fn add_event(&mut self, event: &EventKind) {
        match event {
            EventKind::Chunk { text, .. } => self.text.push_str(text),
            EventKind::Stage(stage) if &*stage.name == Stage::RESULT => {
                self.parts = calling::answer_parts(self.system, &stage.body);
            }
            _ => {}
        }
    }

    /// Saves the parts, or the text of an answer that is nothing else.
    pub fn save_parts(self, out: &CommandOutput) -> CommandResult {
        let parts = match self.parts.is_empty() && !self.text.is_empty() {
            true => vec![ContentPart {
                kind: "text".to_owned(),
                text: Some(self.text),
                ..ContentPart::default()
            }],
            false => self.parts,
        };
        save_content(&parts, &self.path, out)
    }
}

/// Saves the parts of an answer where the user wants them.
pub(crate) fn save_content(
    parts: &[ContentPart],
    path: &Path,
    out: &CommandOutput,
) -> CommandResult {
    let saved = saved_parts::save_parts(parts, path)?;
    if saved.is_empty() {
        let problem = Problem::new(ProblemKind::Missing, "saving", "nothing to save");
        return Err(problem.into());
    }
    for path in saved {
        out.print_status(format_args!("Saved {}", path.display()));
    }
    Ok(Ending::Done)
}

//! `--query`: the part of an answer that is printed.

use std::sync::Arc;

use super::{ending::StopReason, out::CommandOutput};
use crate::{
    engine::query::{AnswerData, Query},
    model::{
        call::EventKind,
        problem::{Problem, ProblemKind},
        stage::Stage,
    },
};

/// An answer that is collected, as only a part of it is printed.
pub(crate) struct QueriedAnswer {
    query: Query,
    text: String,
    structured: Option<Arc<str>>,
    as_json: bool,
}

impl QueriedAnswer {
    /// None of it has come yet; `as_json`: what is printed is JSON, also where it is a text.
    pub fn new(query: Query, as_json: bool) -> Self {
        Self { query, text: String::new(), structured: None, as_json }
    }

    /// Takes in what the event brings of the answer.
    pub fn add_event(&mut self, event: &EventKind) {
        match event {
            EventKind::Chunk { text, .. } => self.text.push_str(text),
            EventKind::Stage(stage) if &*stage.name == Stage::STRUCTURED => {
                self.structured = Some(Arc::clone(&stage.body));
            }
            _ => {}
        }
    }

    /// Prints what the query finds.
    ///
    /// # Errors
    /// Where it finds nothing.
    pub fn print(&self, out: &mut CommandOutput) -> Result<(), StopReason> {
        let wrong = |cause: String| {
            let doing = format!("reading {} of the answer", self.query.text());
            Problem::new(ProblemKind::BadReply, doing, cause)
                .with_remedy("the same command without --query prints all of the answer")
        };
        let data = AnswerData::read(&self.text, self.structured.as_deref());
        let found = self.query.find(&data).map_err(wrong)?;
        if self.as_json {
            out.print_json(&found.to_json())?;
        } else {
            out.print_raw(&found.to_text())?;
        }
        Ok(())
    }

    /// Prints all that came of a call that failed. As JSON nothing is printed: its end says why.
    pub fn print_whole(&self, out: &mut CommandOutput) -> Result<(), StopReason> {
        if !self.as_json && !self.text.is_empty() {
            out.print_raw(&self.text)?;
            out.end_line()?;
        }
        Ok(())
    }
}

//! What models see of the chosen tool. Its prompts are rendered for it, which may take longer than a
//! key: that happens apart from the keys, one tool at a time, and only while somebody looks at it.

use std::sync::Arc;

use crate::{
    model::{catalog::Catalog, entry::EntryId},
    systems::model_text,
};

/// A tool as it is when its page is asked for.
#[derive(Clone, Debug)]
pub struct PageGoal {
    pub tool: EntryId,
    /// That of the state then.
    pub generation: u64,
    pub catalog: Arc<Catalog>,
}

impl PartialEq for PageGoal {
    fn eq(&self, other: &Self) -> bool {
        self.is_of(&other.tool, other.generation)
    }
}

impl PageGoal {
    fn is_of(&self, tool: &EntryId, generation: u64) -> bool {
        self.tool == *tool && self.generation == generation
    }

    /// The text of the page; empty where the tool is gone.
    #[must_use]
    pub fn render(&self) -> Arc<str> {
        let tool = self.catalog.tool(&self.tool);
        tool.map(|tool| model_text::tool_text(tool, &self.catalog)).unwrap_or_default().into()
    }
}

/// The page, as far as it is rendered.
#[derive(Debug, Default)]
pub struct ModelPage {
    pub is_shown: bool,
    asked: Option<(EntryId, u64)>,
    under_way: bool,
    made: Option<(EntryId, Arc<str>)>,
    revision: u64,
}

impl ModelPage {
    /// The newest text of a tool; `None` where there is none yet.
    #[must_use]
    pub fn text_of(&self, tool: &EntryId) -> Option<&str> {
        self.made.as_ref().filter(|(of, _)| of == tool).map(|(_, text)| &**text)
    }

    /// Whether a newer text is on its way.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Grows with each text.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether this is to be rendered now; then it counts as asked for.
    pub(super) fn begin(&mut self, goal: &PageGoal) -> bool {
        let is_known =
            self.asked.as_ref().is_some_and(|(tool, generation)| goal.is_of(tool, *generation));
        if self.under_way || is_known {
            return false;
        }
        self.asked = Some((goal.tool.clone(), goal.generation));
        self.under_way = true;
        true
    }

    /// Takes in what was asked for.
    pub(super) fn end(&mut self, tool: EntryId, text: Arc<str>) {
        self.under_way = false;
        self.made = Some((tool, text));
        self.revision += 1;
    }
}

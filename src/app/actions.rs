//! What a user can do: an action's name, where it works, its keys and its words.
//!
//! Actions stand in rows, each in the table of the screen or the part that does it, with the
//! function that says when it is refused and the one that does it: see `ui/action_rows`.

use super::verbs::Verb;

/// Where an action works. Inner scopes win over outer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Global,
    /// The tour of the demo: within it, before all others.
    Tour,
    Tools,
    Catalog,
    /// The program that is a form and nothing else.
    FormFile,
    Form,
    Preview,
    Workflow,
    Graph,
    /// The steps of a tool, in place of the states.
    Chain,
    Available,
    Groups,
    Run,
    Matrix,
    Invoke,
    /// In Invoke and History.
    Answer,
    Calls,
    /// In Invoke, where the steps of a request are.
    Steps,
    Watch,
    History,
    Connections,
    /// Calls that are answered by hand.
    Waiting,
    /// What servers have to read.
    Resources,
    /// A model in front of the tools.
    ModelRun,
}

impl Scope {
    /// The heading in help and README.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Tour => "The demo's tour",
            Self::Tools => "Tools",
            Self::Catalog => "Tools · catalog",
            Self::FormFile => "toolcrib form",
            Self::Form => "Form",
            Self::Preview => "Tools · preview",
            Self::Workflow => "Workflow",
            Self::Graph => "Workflow · states",
            Self::Chain => "Workflow · steps",
            Self::Available => "Workflow · tools",
            Self::Groups => "Workflow · request",
            Self::Run => "Workflow · run",
            Self::Matrix => "Workflow · matrix",
            Self::Invoke => "Invoke",
            Self::Answer => "Answer",
            Self::Calls => "Invoke · calls",
            Self::Steps => "Invoke · steps",
            Self::Watch => "Watch",
            Self::History => "History",
            Self::Connections => "Connections",
            Self::Waiting => "Waiting",
            Self::Resources => "Resources",
            Self::ModelRun => "Model run",
        }
    }
}

/// The stable name of an action, as keymap files have it: `save-all`.
pub type ActionId = &'static str;

/// What a user can do.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    pub id: ActionId,
    pub scope: Scope,
    /// The verbs whose keys it has unless the user's keymap says otherwise; none: it is in the
    /// actions menu and in the palette only.
    pub verbs: &'static [Verb],
    /// Chords that do it while a text is edited, where letters are text.
    pub edit_keys: &'static [&'static str],
    /// Two or three words: palette, hint line.
    pub title: &'static str,
    /// A sentence: help.
    pub help: &'static str,
    pub risk: Risk,
}

impl Action {
    /// The keys that it has of itself: its verbs' first, then those for EDIT.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        let of_verbs = self.verbs.iter().flat_map(|verb| verb.keys);
        of_verbs.chain(self.edit_keys).copied()
    }
}

/// What an action may do beyond the files' text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    None,
    /// It deletes something, or changes a running system.
    Changes,
}

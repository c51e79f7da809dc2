//! What a typed line names: a command of plain mode, or an action of the present screen.

use crate::{
    app::{
        actions::{Action, ActionId, Risk, Scope},
        keymap::Keymap,
        message::ScreenId,
    },
    ui::{
        ranking::{RankedItem, rank_candidates},
        screens::SCREENS,
    },
};

/// A command that only plain mode has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Help,
    List,
    Select,
    Show,
    More,
    Times,
    Invoke,
    Form,
    Fields,
    Errors,
    Set,
    Unset,
    Add,
    Choose,
    File,
    Model,
    Problems,
    Tick,
    Table,
    Why,
    Answer,
    Tour,
    Stop,
    Wait,
    Quit,
}

/// Its name, what comes after it, and what it does.
pub(crate) struct Command {
    pub verb: Verb,
    pub name: &'static str,
    pub takes: &'static str,
    pub help: &'static str,
}

const fn command(
    verb: Verb,
    name: &'static str,
    takes: &'static str,
    help: &'static str,
) -> Command {
    Command { verb, name, takes, help }
}

pub(crate) const COMMANDS: &[Command] = &[
    command(
        Verb::Help,
        "help",
        "[WORD]",
        "List the commands that work here, or those with that \
        word",
    ),
    command(Verb::Help, "?", "[WORD]", "The same"),
    command(Verb::List, "list", "[WORD]", "List what this screen has"),
    command(Verb::Select, "select", "NAME", "Select an item of the list, by name or number"),
    command(
        Verb::Show,
        "show",
        "[NAME]",
        "Show everything about the selected item, or a part of Workflow",
    ),
    command(Verb::More, "more", "[all]", "Print more of a list that was too long"),
    command(
        Verb::Times,
        "times",
        "on|off",
        "Print when each chunk of an answer came, or only the answer as it comes",
    ),
    command(Verb::Invoke, "invoke", "[TOOL]", "Open a tool in Invoke"),
    command(Verb::Form, "form", "[NAME]", "Ask for the form's fields one by one"),
    command(Verb::Fields, "fields", "", "List the fields of each form here with their values"),
    command(Verb::Errors, "form errors", "", "List the errors of each form here"),
    command(Verb::Set, "set", "FIELD VALUE", "Give a field a value; JSON works for any field"),
    command(Verb::Unset, "unset", "FIELD", "Remove the value of a field"),
    command(
        Verb::Add,
        "add",
        "FIELD [NAME] [VALUE]",
        "Add an item to a list, or a member to an object",
    ),
    command(Verb::Choose, "choose", "FIELD NUMBER", "Choose one of the kinds of a field"),
    command(Verb::File, "file", "", "Print the file of the selected entry as it will be saved"),
    command(
        Verb::Model,
        "model view",
        "[TOOL]",
        "Print the tool as a model sees it: its prompts, and its function for each API",
    ),
    command(Verb::Problems, "problems", "", "List the problems that the checks found"),
    command(Verb::Tick, "group tick", "GROUP", "Request a group in Workflow, or no longer"),
    command(
        Verb::Table,
        "table",
        "[WORD]",
        "List each tool with its groups, the states it is available in and its next state",
    ),
    command(
        Verb::Why,
        "why",
        "TOOL",
        "Show why a tool is hidden or available, and what would make it \
        available",
    ),
    command(Verb::Answer, "answer text", "", "Print the whole answer of the selected call"),
    command(Verb::Tour, "tour", "", "In the demo: print the steps of its tour, as commands"),
    command(Verb::Stop, "stop", "", "Cancel the running call, at once"),
    command(Verb::Wait, "wait", "[COUNT]", "While a call runs: wait for that many chunks"),
    command(Verb::Quit, "exit", "", "Quit; asks first if there are unsaved changes"),
];

/// What a line came to.
pub(crate) enum Found<'l> {
    Verb(Verb, &'l str),
    Action(ActionId, &'l str),
    /// An action of other screens: its name, and those screens.
    Elsewhere(String, Vec<&'static str>),
    /// Several begin so: their names.
    Several(Vec<String>),
    /// None is called so; these come close.
    Nothing(Vec<String>),
}

/// The scopes of all panes of a screen.
fn scopes_of(screen: ScreenId) -> &'static [Scope] {
    match screen {
        ScreenId::Tools => &[Scope::Tools, Scope::Catalog, Scope::Preview],
        ScreenId::Workflow => {
            &[Scope::Workflow, Scope::Available, Scope::Groups, Scope::Graph, Scope::Run]
        }
        ScreenId::Invoke => &[Scope::Invoke, Scope::Answer, Scope::Calls, Scope::Steps],
        ScreenId::Watch => &[Scope::Watch],
        ScreenId::History => &[Scope::History, Scope::Answer],
        ScreenId::Waiting => &[Scope::Waiting],
        ScreenId::Connections => &[Scope::Connections],
        ScreenId::Resources => &[Scope::Resources],
        ScreenId::Run => &[Scope::ModelRun],
        ScreenId::Form => &[Scope::FormFile],
    }
}

/// Actions that only move or size what is drawn, and what to type in their place.
const DRAWN: &[(ActionId, &str)] = &[
    ("help", "help"),
    ("palette", "help"),
    ("actions-menu", "help"),
    ("first", "list"),
    ("last", "list"),
    ("zoom-pane", "show"),
    ("narrow-pane", "show"),
    ("widen-pane", "show"),
    ("wrap", "show"),
    ("next-pane", "list"),
    ("previous-pane", "list"),
    ("find", "list WORD"),
    ("next-theme", "there are no colours"),
    ("group-by", "list"),
    ("next-preview", "file, problems or show"),
    ("next-problem", "problems"),
    ("try", "show"),
    ("matrix", "table, and group tick"),
    ("follow", "chunks are printed as they arrive"),
    ("next-answer-view", "answer text"),
    ("strays", "show"),
    ("follow-watch", "list"),
    ("filter-watch", "list WORD, such as list is:failed or list >3s"),
    ("pieces", "show"),
    ("show-steps", "show"),
    ("compare-steps", "show"),
    ("centre", "show"),
    ("fit", "show"),
    ("zoom-in", "show"),
    ("zoom-out", "show"),
    ("view", "show"),
    ("follow-run", "show"),
    ("signs", "show"),
    ("next-arrow", "arrows…"),
    ("previous-arrow", "arrows…"),
    ("next-content-view", "show"),
    ("open", "show"),
    ("map", "show"),
];

/// Actions that ask for a text and are about nothing that is selected: what follows their name is
/// that text.
const TAKING_TEXT: &[ActionId] = &["watch", "alert", "save-trace", "open-trace"];

/// Whether what follows an action's name is the text that it asks for.
pub(crate) fn takes_text(action: ActionId) -> bool {
    TAKING_TEXT.contains(&action)
}

/// What to type in place of an action that only changes what is drawn.
pub(crate) fn instead_of(action: ActionId) -> Option<&'static str> {
    DRAWN.iter().find(|(id, _)| *id == action).map(|(_, instead)| *instead)
}

/// The actions that show screens, in the order of the screens' keys.
pub(crate) fn screen_actions() -> impl Iterator<Item = ActionId> {
    let rows = SCREENS.iter().filter(|row| row.id != ScreenId::Waiting);
    let rows = rows.filter(|row| row.id != ScreenId::Resources && row.id != ScreenId::Run);
    rows.map(|row| row.action).chain(["show-waiting", "show-resources", "show-run"])
}

/// The actions that can be done on a screen, those of all its panes and those of every screen.
pub(crate) fn actions_of(keymap: &Keymap, screen: ScreenId) -> Vec<&'static Action> {
    let scopes = scopes_of(screen);
    let all = || keymap.actions().iter().copied();
    let own = all().filter(|action| scopes.contains(&action.scope));
    let is_form = screen == ScreenId::Form;
    let everywhere = all().filter(|action| {
        action.scope == Scope::Global
            && !(is_form && (action.id.starts_with("show-") || action.id.contains("connection")))
    });
    own.chain(everywhere).collect()
}

/// The screens where an action of that name works.
fn screens_with(name: &str, keymap: &Keymap) -> Vec<&'static str> {
    let has_it = |screen: ScreenId| {
        let scopes = scopes_of(screen);
        keymap.actions().iter().any(|action| {
            scopes.contains(&action.scope)
                && (typed_name(action.title) == name || action.id == name)
                && instead_of(action.id).is_none()
        })
    };
    let rows = SCREENS.iter().filter(|row| has_it(row.id));
    rows.map(|row| keymap.action(row.action).title).collect()
}

/// The actions that only other screens have, each with the names of those screens; a name means the
/// first that has it.
pub(crate) fn actions_elsewhere(
    keymap: &Keymap,
    screen: ScreenId,
) -> Vec<(&'static Action, Vec<&'static str>)> {
    let here = actions_of(keymap, screen);
    let is_here = |name: &str| here.iter().any(|own| typed_name(own.title) == name);
    let mut named: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for action in keymap.actions().iter().copied() {
        let name = typed_name(action.title);
        if is_here(&name) || instead_of(action.id).is_some() || named.contains(&name) {
            continue;
        }
        let screens = screens_with(&name, keymap);
        if !screens.is_empty() {
            found.push((action, screens));
            named.push(name);
        }
    }
    found
}

/// A name as it is typed: in small letters, without commas and the dots of "there is more to ask".
pub(crate) fn typed_name(title: &str) -> String {
    title.trim_end_matches('…').trim().replace(',', "").to_lowercase()
}

/// What a line names: what is called exactly so comes first, then the only one that begins so.
pub(crate) fn find_command<'l>(line: &'l str, keymap: &Keymap, screen: ScreenId) -> Found<'l> {
    let actions = actions_of(keymap, screen);
    let elsewhere = |name: &str| {
        let screens = screens_with(name, keymap);
        let is_there = screen != ScreenId::Form && !screens.is_empty();
        is_there.then(|| Found::Elsewhere(name.to_owned(), screens))
    };
    let ends: Vec<usize> = word_ends(line);
    for end in ends.iter().rev() {
        let (name, rest) = (line[..*end].to_lowercase().replace(',', ""), line[*end..].trim());
        if let Some(known) = COMMANDS.iter().find(|known| known.name == name) {
            return Found::Verb(known.verb, rest);
        }
        let called = |action: &&&Action| typed_name(action.title) == name || action.id == name;
        if let Some(action) = actions.iter().find(called) {
            return Found::Action(action.id, rest);
        }
        // A name of several words is that action's, wherever it is.
        if name.contains(char::is_whitespace)
            && let Some(found) = elsewhere(&name)
        {
            return found;
        }
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = word.to_lowercase();
    let verbs = COMMANDS.iter().filter(|known| known.name.starts_with(&word));
    let begun: Vec<Begun> = verbs
        .map(|known| Begun::Verb(known.verb, known.name))
        .chain(actions.iter().filter_map(|action| {
            let begins =
                typed_name(action.title).starts_with(&word) || action.id.starts_with(&word);
            (begins && action.risk == Risk::None && instead_of(action.id).is_none())
                .then_some(Begun::Action(action))
        }))
        .collect();
    if begun.is_empty()
        && let Some(found) = elsewhere(&word)
    {
        return found;
    }
    match begun.as_slice() {
        [Begun::Verb(verb, _)] => Found::Verb(*verb, rest.trim()),
        [Begun::Action(action)] => Found::Action(action.id, rest.trim()),
        [] => Found::Nothing(near_names(line, &actions)),
        several => Found::Several(several.iter().map(|begun| begun.name(&word)).collect()),
    }
}

enum Begun {
    Verb(Verb, &'static str),
    Action(&'static Action),
}

impl Begun {
    /// The name that begins with that word.
    fn name(&self, word: &str) -> String {
        match self {
            Self::Verb(_, name) => (*name).to_owned(),
            Self::Action(action) if typed_name(action.title).starts_with(word) => {
                action.title.to_owned()
            }
            Self::Action(action) => action.id.to_owned(),
        }
    }
}

/// Where the words of a line end.
fn word_ends(line: &str) -> Vec<usize> {
    let spaces = line.char_indices().filter(|(_, letter)| letter.is_whitespace());
    spaces.map(|(at, _)| at).chain([line.len()]).collect()
}

/// So many names are offered.
const OFFERED: usize = 5;

fn near_names(line: &str, actions: &[&'static Action]) -> Vec<String> {
    let titles: Vec<&'static str> = COMMANDS
        .iter()
        .map(|known| known.name)
        .chain(actions.iter().map(|action| action.title.trim_end_matches('…')))
        .collect();
    let item = |name: &&'static str| RankedItem { name, ..RankedItem::default() };
    let word = line.split_whitespace().next().unwrap_or_default();
    let rows = rank_candidates(word, titles.iter().map(item));
    rows.into_iter().take(OFFERED).filter_map(|row| Some((*titles.get(row)?).to_owned())).collect()
}

//! Everything a user can do, in one table: id, scope, keys, title, help.
//!
//! Help, palette, hint line, keymap file and the README's table follow from it.

/// Where an action works. Inner scopes win over outer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Global,
    Tools,
    Catalog,
    /// The program that is a form and nothing else.
    FormFile,
    Form,
    Preview,
    Workflow,
    Graph,
    Available,
    Groups,
    Run,
    Matrix,
    Invoke,
    /// In Invoke and History.
    Answer,
    Calls,
    Watch,
    History,
    Connections,
    /// Calls that are answered by hand.
    Waiting,
}

impl Scope {
    /// The heading in help and README.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Tools => "Tools",
            Self::Catalog => "Tools · catalog",
            Self::FormFile => "toolcrib form",
            Self::Form => "Form",
            Self::Preview => "Tools · preview",
            Self::Workflow => "Workflow",
            Self::Graph => "Workflow · states",
            Self::Available => "Workflow · tools",
            Self::Groups => "Workflow · request",
            Self::Run => "Workflow · run",
            Self::Matrix => "Workflow · matrix",
            Self::Invoke => "Invoke",
            Self::Answer => "Answer",
            Self::Calls => "Invoke · calls",
            Self::Watch => "Watch",
            Self::History => "History",
            Self::Connections => "Connections",
            Self::Waiting => "Waiting",
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Action {
    pub act: Act,
    /// Stable name for the keymap file: `save-all`.
    pub id: &'static str,
    pub scope: Scope,
    /// The keys it has unless the user's keymap says otherwise.
    pub keys: &'static [&'static str],
    /// Two or three words: palette, hint line.
    pub title: &'static str,
    /// A sentence: help.
    pub help: &'static str,
}

macro_rules! actions {
    ($($act:ident $id:literal $scope:ident $keys:expr, $title:literal, $help:literal;)*) => {
        /// An action's identity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Act { $($act),* }

        /// Every action, in the order in which help shows them.
        pub const ACTIONS: &[Action] = &[$(Action {
            act: Act::$act, id: $id, scope: Scope::$scope, keys: &$keys, title: $title, help: $help,
        }),*];
    };
}

actions! {
    Help            "help"             Global   ["?", "f1"],            "help",            "Show the keys that work here";
    Palette         "palette"          Global   ["ctrl+p"],             "commands",        "Find any action by name, with its key or the reason why it can't be used now";
    ShowTools       "show-tools"       Global   ["1"],                  "Tools",           "Design descriptors";
    ShowWorkflow    "show-workflow"    Global   ["2"],                  "Workflow",        "Step through states and groups";
    ShowInvoke      "show-invoke"      Global   ["3"],                  "Invoke",          "Call a tool and watch the answer";
    ShowWatch       "show-watch"       Global   ["4"],                  "Watch",           "See what passes on the bus";
    ShowHistory     "show-history"     Global   ["5"],                  "History",         "Find, open, compare and replay calls that were made";
    ShowConnections "show-connections" Global   ["6"],                  "Connections",     "See, edit and test where calls go";
    NextPane        "next-pane"        Global   ["tab"],                "next pane",       "Move to the next pane (in a form: to the next field)";
    PreviousPane    "previous-pane"    Global   ["shift+tab"],          "previous pane",   "Move to the pane before (in a form: to the field before)";
    Find            "find"             Global   ["/", "ctrl+f"],        "find",            "Find in this pane as you type";
    Undo            "undo"             Global   ["u", "alt+u"],        "undo",            "Take the last edit back";
    Redo            "redo"             Global   ["ctrl+r", "ctrl+y"],   "redo",            "Make the edit again that was taken back";
    Save            "save"             Global   ["s", "ctrl+s"],        "save",            "Save the file of the selected tool";
    SaveAll         "save-all"         Global   ["S"],                  "save all",        "Save every changed file";
    SwitchMode      "switch-mode"      Global   ["M"],                  "mode",            "Switch between the document's rules and what is deployed";
    NextTheme       "next-theme"       Global   ["f9"],                 "theme",           "Switch to the next theme";
    ShowNotices     "notices"          Global   ["N"],                  "notices",         "Show what was noticed in this session";
    Connection      "connection"       Global   ["C"],                  "connection",      "Choose the connection that calls use";
    ToolConnection  "tool-connection"  Global   ["f3"],                 "its connection…", "Choose the connection that calls of the selected tool always go through; toolcrib.toml keeps it";
    Reload          "reload"           Global   ["f5"],                 "reload",          "Read the workspace's files again; unsaved changes are kept";
    ImportTools     "import"           Global   ["f7"],                 "import…",         "Take the tools of the system that the connection leads to (TrustGraph, CommonGround) into the files; what changes is shown first";
    PushTools       "push"             Global   ["f8"],                 "push…",           "Send the tools to the system that the connection leads to (TrustGraph, CommonGround); what changes there is shown first";
    AskAgent        "ask-agent"        Global   ["f4"],                 "ask agent…",      "Ask the agent of the TrustGraph that the connection leads to, with the run's groups and state; its steps come as they stream";
    Suspend         "suspend"          Global   ["ctrl+z"],             "suspend",         "Give the terminal back to the shell; `fg` comes back here";
    Quit            "quit"             Global   ["q", "ctrl+q", "ctrl+c"], "quit",         "Leave; asks when there are unsaved changes";
    ShowWaiting     "show-waiting"     Global   ["7"],                  "Waiting",         "Answer calls of CommonGround tools by hand; shown in the top line while tools are answered for";
    Variables       "variables"        Global   ["V"],                  "variables…",      "Try sample values for the variables that the tool's arguments are filled in from, and see what it would get; nothing is sent or kept";

    NewEntry        "new"              Tools    ["n"],                  "new",             "Make a new tool or service";
    Duplicate       "duplicate"        Tools    ["d"],                  "duplicate",       "Make a copy of the selected entry under another key";
    Rename          "rename"           Tools    ["r"],                  "rename",          "Give the selected entry another key, in every place that names it";
    Delete          "delete"           Tools    ["x", "delete"],        "delete",          "Take the selected entry out of its file";
    Editor          "editor"           Tools    ["e"],                  "$EDITOR",         "Open the file in your editor at this entry, and come back";
    Diff            "diff"             Tools    ["D"],                  "diff",            "Show what saving will change on disk";
    ApplyFix        "apply-fix"        Tools    ["f"],                  "fix",             "Apply the fix of the selected problem";
    InvokeTool      "invoke"           Tools    ["i"],                  "invoke",          "Open the selected tool in Invoke";
    GroupBy         "group-by"         Tools    ["g"],                  "group by",        "Arrange the catalog by group, file, state or type";
    NextPreview     "next-preview"     Tools    ["v"],                  "next view",       "Switch the preview: file, JSON, Model, Problems";
    NextProblem     "next-problem"     Tools    ["p"],                  "next problem",    "Jump to the field of the next problem";

    Accept          "accept"           FormFile ["ctrl+enter", "alt+enter", "f6"], "done", "Print the document, or save it, and leave";
    OpenField       "open-field"       Form     ["enter", "i"],         "edit",            "Edit, open, fold or switch the field";
    AddItem         "add-item"         Form     ["a", "alt+a"],         "add",             "Add an item or an entry to the list";
    AddMember       "add-member"       Form     ["alt+m"],              "add member",      "Add a member beside the field, under a name of your own";
    RemoveValue     "remove-value"     Form     ["x", "delete", "alt+x"], "remove",        "Take the value away: an item goes, a field is unset";
    MoveUp          "move-up"          Form     ["alt+up", "K"],        "move up",         "Move the item up in its list";
    MoveDown        "move-down"        Form     ["alt+down", "J"],      "move down",       "Move the item down in its list";
    DuplicateItem   "duplicate-item"   Form     ["alt+d"],              "copy item",       "Put a copy of the item after it";
    RenameMember    "rename-member"    Form     ["alt+r"],              "rename entry",    "Give the entry another name";
    SetNull         "set-null"         Form     ["alt+n"],              "null",            "Set the field to null";
    SetEmpty        "set-empty"        Form     ["alt+0"],              "empty",           "Set the field to an empty text, list or object";
    EditJson        "edit-json"        Form     ["alt+j"],              "as JSON",         "Edit the field's value as JSON";
    EditText        "edit-text"        Form     ["alt+e"],              "text in $EDITOR", "Edit the field's text in your editor";
    FixField        "fix-field"        Form     ["alt+f"],              "fix",             "Apply the fix that stands below the field";
    FieldHelp       "field-help"       Form     ["alt+h"],              "whole help",      "Show all of the field's description";
    NextIssue       "next-issue"       Form     ["alt+p"],              "next issue",      "Go to the next field with something to mend";
    PreviousIssue   "previous-issue"   Form     ["alt+o"],              "previous issue",  "Go to the field before with something to mend";
    FindField       "find-field"       Form     ["/", "ctrl+f"],        "find field",      "Find a field by its name or description, also in what is folded away";
    OnlySet         "only-set"         Form     ["alt+l"],              "only what's set",  "Hide the fields that are not set, or show them again";
    CopyValue       "copy-value"       Form     ["alt+c"],              "copy as JSON",    "Copy the field's value, with all that it holds, as JSON";
    CopyYaml        "copy-yaml"        Form     ["alt+y"],              "copy as YAML",    "Copy the field's value, with all that it holds, as YAML";
    PasteValue      "paste-value"      Form     ["alt+v"],              "paste value",     "Put the JSON or YAML that was copied in the field's place, or into the list";
    ResetField      "reset-field"      Form     ["alt+z"],              "reset",           "Set the field, with all that it holds, back to its default";
    RevertField     "revert-field"     Form     ["alt+b"],              "revert",          "Set the field, with all that it holds, back to what is saved";

    Step            "step"             Workflow ["enter"],              "step",            "Take a step with the chosen tool";
    StepFailed      "step-failed"      Workflow ["f"],                  "fail",            "Take the step as a failed call";
    StepLive        "step-live"        Workflow ["l"],                  "live",            "Take the step for real, through the connection";
    StepBack        "step-back"        Workflow ["b", "backspace"],     "back",            "Go back one step";
    Branches        "branches"         Workflow ["B"],                  "branches",        "Go to the next of the other ways taken in this run";
    RestartRun      "restart-run"      Workflow ["R"],                  "restart",         "Start the run anew";
    ShowMatrix      "matrix"           Workflow ["m"],                  "matrix",          "Show tools by groups and by states as a table, to switch cells in; or go back to the picture";
    EditGroups      "groups"           Workflow ["G"],                  "groups…",         "Make, rename or delete a group";
    CopyTools       "copy-tools"       Workflow ["Y"],                  "copy tool",       "Copy the selected tool as a descriptor, with what answers for it, for another workspace";
    PasteTools      "paste-tools"      Workflow ["P"],                  "paste tools",     "Take tools in from a text: YAML or JSON";
    EditMenu        "edit-menu"        Graph    ["space"],              "edit…",           "Choose what to do with the state; so does the right mouse button, on arrows too";
    DrawArrow       "draw"             Graph    ["d"],                  "draw arrow",      "Draw an arrow from this state: choose where it leads, press Enter, choose the tool; or drag with the mouse";
    DrawFromAny     "draw-from-any"    Graph    ["D"],                  "from any state",  "Draw an arrow to this state from every one";
    EditArrows      "arrows"           Graph    ["E"],                  "arrows…",         "Change an arrow of this state: move its ends, take it away, make its tool available everywhere";
    NewState        "new-state"        Graph    ["n"],                  "new state",       "Add a state";
    RenameState     "rename-state"     Graph    ["r"],                  "rename state",    "Give the state another name in every file that names it";
    DeleteState     "delete-state"     Graph    ["x", "delete"],        "delete state",    "Take the state out of every tool; what refers to it is shown first";
    RenameGroup     "rename-group"     Groups   ["r"],                  "rename group",    "Give the group another name in every file that names it";
    DeleteGroup     "delete-group"     Groups   ["x", "delete"],        "delete group",    "Take the group out of every tool and of the settings";
    NewGroup        "new-group"        Groups   ["n"],                  "new group",       "Add a group and tick its tools in the matrix";
    Tick            "tick"             Groups   ["space"],              "tick",            "Ask for this group, or no longer";
    AllGroups       "all-groups"       Workflow ["a"],                  "all groups",      "Ask for every group (*), or only for the ticked ones";
    SetStart        "set-start"        Workflow ["t"],                  "start here",      "Start the run in the selected state";
    ChangeUser      "user"             Workflow ["U"],                  "user",            "Take the next user profile of the workspace";
    ApplyChange     "apply-change"     Available ["space"],             "apply",           "Make the smallest change that shows this tool; what it changes in a file is shown first";
    TryHidden       "try-hidden"       Available ["r"],                 "try it",          "Take the hidden tool all the same, as an agent might: it is refused, which the run keeps and counts";
    EditTool        "edit-tool"        Workflow ["e"],                  "edit tool",       "Open the selected tool in Tools";
    WhatIf          "what-if"          Workflow ["w"],                  "what if",         "Look at a change of groups or tools before it is made; once more makes it";
    AcceptWhatIf    "accept-what-if"   Workflow ["W"],                  "accept",          "Make what the what-if shows, as one step of undo";
    TakeBack        "take-back"        Workflow ["esc", "ctrl+x"],      "take back",       "Take the what-if back, or stop the live call";
    AutoRun         "auto-run"         Workflow ["A"],                  "auto-run…",       "Go to a tool or a state by the shortest way, walk at random, or see every way";
    StopWhen        "stop-when"        Workflow ["p"],                  "stop when…",      "Stop runs when a tool becomes available, a state is reached, or no tool is left";
    CompareSteps    "compare-steps"    Run      ["v"],                  "compare",         "Compare the tools of other steps with those of this one";
    Explain         "explain"          Workflow ["I"],                  "explain",         "Say all about the chosen tool, the chosen state, or the request";
    Question        "question"         Workflow ["Q"],                  "question",        "Say what the user asks the agent; live steps pass it on";
    KeepRun         "keep-run"         Workflow ["K"],                  "keep",            "Keep the run up to here as a scenario of the workspace";
    Scenarios       "scenarios"        Workflow ["T"],                  "scenarios…",      "Run the workspace's scenarios, one or all, and see what they cover";
    CopyRun         "copy-run"         Workflow ["y"],                  "copy…",           "Copy the run as a scenario, an audit record or counters, or the graph as text, DOT, Mermaid, SVG or JSON";
    CentreCurrent   "centre"           Workflow ["c"],                  "centre",          "Bring the current state into view";
    FitGraph        "fit"              Workflow ["0"],                  "fit",             "Lay the picture out anew, with the most detail that lets all of it be seen";
    ZoomIn          "zoom-in"          Workflow ["+", "="],             "zoom in",         "Show more of each state";
    ZoomOut         "zoom-out"         Workflow ["-"],                  "zoom out",        "Show less of each state";
    GraphScale      "view"             Workflow ["v"],                  "view",            "Show as many states as suit, those around one, folded parts, or all";
    FollowRun       "follow-run"       Workflow ["F"],                  "follow run",      "Keep the current state in view as the run goes on, or stay here";
    Legend          "signs"            Workflow ["i"],                  "signs",           "Show what the signs of the picture mean";
    NextArrow       "next-arrow"       Graph    ["."],                  "next arrow",      "Choose the next arrow of the selected state";
    PreviousArrow   "previous-arrow"   Graph    [","],                  "previous arrow",  "Choose the arrow before";
    OpenPart        "open"             Graph    ["o"],                  "open",            "Open the folded box, the bundle of tools or the neighbours of the state that is chosen; or close it again";
    MiniMap         "map"              Graph    ["z"],                  "map",             "Show the small map where the picture is larger than the pane, or hide it";

    SwitchCells     "switch-cells"     Matrix   ["space"],              "switch",          "Switch the chosen cells together: all on, or where all are on, off; Shift+arrows or dragging choose several";
    MatrixAxis      "matrix-axis"      Matrix   ["v"],                  "groups/states",   "Show groups or states as columns";
    RowMenu         "row-menu"         Matrix   ["enter"],              "tool…",           "Choose what to do with the tools of the chosen rows: lead to a state, available everywhere, edit, copy";
    SortRows        "sort-rows"        Matrix   ["o"],                  "sort rows",       "Rows as in the files, by name, ticked in this column first, or most ticks first; a press on a column's head does it too";
    SortColumns     "sort-columns"     Matrix   ["O"],                  "sort columns",    "Columns as named, by name, or most ticks first";
    FindColumns     "find-columns"     Matrix   ["f"],                  "find columns",    "Show only columns whose names hold what is typed; / does so for tools";
    NewColumn       "new-column"       Matrix   ["n"],                  "new column",      "Add a group with the tools of the chosen rows, or a state";
    RenameColumn    "rename-column"    Matrix   ["r"],                  "rename column",   "Give the group or state another name in every file that names it";
    DeleteColumn    "delete-column"    Matrix   ["x", "delete"],        "delete column",   "Take the group or state out of every tool";

    Send            "send"             Invoke   ["ctrl+enter", "alt+enter", "f6"], "send", "Send the request";
    SendMany        "send-many"        Invoke   ["n"],                  "n times…",        "Send the request many times, some at once, and see the median and the slowest";
    Route           "route"            Invoke   ["o"],                  "route…",          "Choose the way that calls of CommonGround tools take: UI action, direct, god endpoint, probe";
    NewAgent        "new-agent"        Invoke   ["A"],                  "new agent",       "Call in the name of a new agent of CommonGround, although the connection names one (when that one is busy, or wedged); or in that one's name again";
    AnswerByHand    "answer-by-hand"   Invoke   ["H"],                  "answer",          "Answer for the CommonGround tool by hand, in the place of its service; its calls come to Waiting";
    DeployedTools   "deployed-tools"   Invoke   ["f2"],                 "deployed tools",  "List the tools of the system that the connection leads to (TrustGraph, CommonGround) below the workspace's own, to call them without a definition here";
    CancelCall      "cancel"           Invoke   ["esc", "ctrl+x"],      "cancel",          "Stop the running call";
    Resend          "resend"           Invoke   ["r"],                  "resend",          "Send the selected call's request once more";
    EditSent        "edit-sent"        Invoke   ["E"],                  "edit, resend",    "Put the arguments of the call that is shown into the form, to change and send them";
    CopyAs          "copy-as"          Invoke   ["y"],                  "copy as…",        "Copy the call as a command, the request or the answer";
    Follow          "follow"           Answer   ["f"],                  "follow",          "Keep the newest piece in view, or stay here";
    NextView        "next-answer-view" Answer   ["v"],                  "next view",       "Switch the answer: Text, Tree, Raw, Time, Markdown, bytes, headers";
    Strays          "strays"           Answer   ["z"],                  "strays",          "Show the messages that are not part of the answer";
    KeepCase        "keep-case"        Answer   ["t"],                  "keep as case",    "Keep the call with its answer as a case of the workspace, to be made again and compared";
    KeepStub        "keep-stub"        Answer   ["b"],                  "keep as stub",    "Keep the answer as a rule of a stub, so that toolcrib serve --stub gives it to the same arguments";
    Cases           "cases"            Answer   ["T"],                  "cases…",          "Make the calls of the workspace's cases, one or all, and see where the answers differ";
    EditDescriptor  "edit-descriptor"  Invoke   ["e"],                  "edit tool",       "Open the tool in Tools";

    WatchSubjects   "watch"            Watch    ["w"],                  "watch…",          "Choose what to listen to, and begin";
    StopWatching    "stop-watching"    Watch    ["x"],                  "stop",            "Listen no more; what was heard stays";
    PauseWatch      "pause"            Watch    ["space", "p"],         "pause",           "Keep the screen still, or take in what came meanwhile; nothing is lost up to the bound";
    FollowWatch     "follow-watch"     Watch    ["f"],                  "follow",          "Keep the newest conversation in view, or stay here";
    FilterWatch     "filter-watch"     Watch    ["/", "ctrl+f"],        "filter",          "Show only some conversations: words, is:failed, >500ms, id:…, on:SUBJECT, state:…, -not";
    RevealRoutine   "routine"          Watch    ["h"],                  "routine",         "Show what tells nothing new as well, such as a watchdog that rings, or hide it again";
    PiecesWatch     "pieces"           Watch    ["z"],                  "pieces",          "Show the pieces of a streamed answer one by one, or together";
    AddAlert        "alert"            Watch    ["a"],                  "alert…",          "Be told when something comes to hold, written as a filter; or take an alert away";
    ClearWatch      "clear"            Watch    ["c", "ctrl+l"],        "clear",           "Forget what was heard; filter and alerts stay";
    SaveTrace       "save-trace"       Watch    ["s", "ctrl+s"],        "save trace",      "Keep all that was heard in a file";
    OpenTrace       "open-trace"       Watch    ["o"],                  "open trace",      "Show what was kept in a file";
    ResendWatched   "resend-watched"   Watch    ["r"],                  "resend",          "Send the request once more, as a call of its tool";
    WatchedTool     "watched-tool"     Watch    ["e"],                  "edit tool",       "Open the tool that the request went to in Tools";
    ReadCards       "cards"            Watch    ["v"],                  "cards",           "Read the cards that the message or conversation names: call and result beside each other, labels compared";
    CopyWatched     "copy-watched"     Watch    ["y"],                  "copy…",           "Copy the message, what it says, or the conversation";

    Replay          "replay"           History  ["p"],                  "replay…",         "Let the answer come once more, at its own speed or faster; once more stops it";
    MarkKept        "mark"             History  ["space"],              "mark",            "Mark the call, to compare another one with it";
    CompareKept     "compare-calls"    History  ["c"],                  "compare",         "Compare the call with the marked one, or with the one before it: text, JSON, times";
    ResendKept      "resend-kept"      History  ["r"],                  "resend",          "Send the call's request once more, over the connection that it was made for";
    EditKept        "edit-kept"        History  ["e"],                  "edit, resend",    "Put the call's arguments into the form of Invoke, to change and send them";
    CopyKept        "copy-kept"        History  ["y"],                  "copy as…",        "Copy the answer, the request or the whole call as JSON lines";
    ExportKept      "export-kept"      History  ["w"],                  "export",          "Write the call to a file, as JSON lines";
    RemoveKept      "remove-kept"      History  ["x"],                  "remove",          "Take the call out of the history";

    TestConnection  "test-connection"  Connections ["t"],               "test",            "Open the connection and ask what is there; nothing is sent to a service";
    AllowStart      "allow-start"      Connections ["a"],               "allow start…",    "Allow that the server of the connection is started, after a look at the exact command";
    AddConnection   "add-connection"   Connections ["n"],               "new…",            "Add a connection to toolcrib.toml";
    ChooseConnection "choose-connection" Connections ["c"],             "use for all",     "Let all calls of this session go through it, or again as toolcrib.toml says";
    UsualConnection "usual-connection" Connections ["m"],               "make usual",      "Make it the workspace's own: for all tools that have none of their own";
    RenameConnection "rename-connection" Connections ["r"],             "rename…",         "Give the connection another name";
    RemoveConnection "remove-connection" Connections ["x"],               "delete…",         "Take the connection out of toolcrib.toml";

    SendAnswer      "send-answer"      Waiting  ["ctrl+enter", "alt+enter", "f6"], "send", "Write the answer as it stands, and tell the caller";
    RefuseCall      "refuse-call"      Waiting  ["R"],                  "refuse…",         "Answer the call with a failure: a message is asked for, its code is refused";
    LeaveCall       "leave-call"       Waiting  ["L"],                  "leave it",        "Leave the call without an answer: its caller waits in vain, as with a service that hangs";
    StopStand       "stop-answering"   Waiting  ["X"],                  "stop…",           "Answer for a tool no longer";
}

impl Act {
    /// The action's row.
    #[must_use]
    pub fn action(self) -> &'static Action {
        // The table is made together with the enum, in the same order.
        &ACTIONS[self as usize]
    }

    /// Whether it deletes something, or changes a running system.
    #[must_use]
    pub fn is_risky(self) -> bool {
        matches!(
            self,
            Self::PushTools
                | Self::Delete
                | Self::DeleteState
                | Self::DeleteGroup
                | Self::DeleteColumn
                | Self::RemoveValue
                | Self::RemoveKept
                | Self::RemoveConnection
                | Self::ClearWatch
        )
    }
}

/// The action of that id.
#[must_use]
pub(crate) fn by_id(id: &str) -> Option<&'static Action> {
    ACTIONS.iter().find(|action| action.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::app::input::Key;

    #[test]
    fn rows_stand_at_their_act_with_ids_of_their_own_and_keys_that_parse() {
        let ids: HashSet<_> = ACTIONS.iter().map(|action| action.id).collect();
        assert_eq!(ids.len(), ACTIONS.len());
        for action in ACTIONS {
            assert_eq!(action.act.action().id, action.id);
            for key in action.keys {
                key.parse::<Key>().unwrap();
            }
        }
    }

    #[test]
    fn no_scope_has_one_key_twice() {
        let mut seen = HashSet::new();
        for action in ACTIONS {
            for key in action.keys {
                assert!(
                    seen.insert((action.scope, *key)),
                    "{key} stands twice in {:?}",
                    action.scope
                );
            }
        }
    }
}

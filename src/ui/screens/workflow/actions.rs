//! What can be done on the Workflow screen beside the picture; [`super::matrix_actions`] is what can be done
//! in the matrix, [`super::chain_actions`] what can be done with a tool's steps.

use super::{
    about, chain_actions,
    compose::Compose,
    compose_menus as menus, copy,
    facts::Facts,
    graph::{Graph, Zoom},
    group_menus, keep,
    matrix_actions::MATRIX,
    refusals::{NO_STEPS, live_refusal, none_to_copy, save_all},
    request, run, scenarios,
    screen::{GRAPH, Pane, TOOLS, WorkflowScreen},
    tries, walks,
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        calls::CallMessage,
        compose::arrows::Tail,
        message::{Message, ScreenId},
        state::State,
        verbs,
        workflow::WorkflowMessage,
    },
    engine::{gated::ToolRow, workflow::graph::Edge},
    model::{call::Outcome, context::Name},
    ui::{
        action_rows::{self, has_action, refuse_when},
        pasted,
        view::{Reply, Target},
        widgets::panes::Step,
    },
};

type Row = action_rows::Row<WorkflowScreen>;
/// What is asked about a thing of the picture.
type About<T> = fn(&T, &Facts, &State) -> Reply;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Workflow, "step", "step", WorkflowScreen::step)
        .keys(&[verbs::ACTIVATE])
        .help("Take a step with the chosen tool, or apply the chosen change of a hidden one; on the picture, the steps that lead to the chosen state")
        .refused(WorkflowScreen::what_if_refusal),
    Row::new(Scope::Workflow, "step-failed", "fail", |screen, _| {
        screen.with_facts(|screen, facts| screen.offers.step_tool(facts, Outcome::Failed))
    })
    .help("Take the step as if the call failed")
    .refused(|screen, state| screen.none_offered().or_else(|| screen.what_if_refusal(state))),
    Row::new(Scope::Workflow, "step-live", "live", |screen, state| {
        screen.with_facts(|screen, facts| screen.offers.call_tool(facts, state))
    })
    .keys(&[verbs::SEND])
    .help("Take the step for real, through the connection")
    .refused(|screen, state| {
        screen
            .unseen_tool_refusal()
            .or_else(|| screen.none_offered())
            .or_else(|| live_refusal(state))
            .or_else(|| screen.what_if_refusal(state))
    }),
    Row::new(Scope::Workflow, "step-back", "back", |_, _| {
        workflow_reply(WorkflowMessage::StepBack)
    })
    .keys(&[verbs::BACK])
    .help("Go back one step")
    .refused(|_, state| {
        let is_start = state.workflow.simulation.current_step().is_none();
        refuse_when(is_start, "this is the start of the run")
    }),
    Row::new(Scope::Workflow, "branches", "branches", |_, state| run::next_branch(state))
        .help("Go to the next branch of this run")
        .refused(|_, state| {
            let is_only = state.workflow.simulation.branches().len() < 2;
            let why = "this run has no other branch: go back a step and take another tool";
            refuse_when(is_only, why)
        }),
    Row::new(Scope::Workflow, "restart-run", "restart", |_, _| {
        workflow_reply(WorkflowMessage::RestartRun)
    })
    .keys(&[verbs::AGAIN])
    .help("Restart the run")
    .refused(|_, state| {
        let has_none = state.workflow.simulation.steps().next().is_none();
        refuse_when(has_none, "the run has no steps yet")
    }),
    Row::new(Scope::Workflow, "matrix", "matrix", WorkflowScreen::show_matrix)
        .keys(&[verbs::VIEW])
        .help(
            "Show tools × groups and states as a table with cells to toggle; or go back to the \
            picture",
        ),
    Row::new(Scope::Workflow, "groups", "groups…", WorkflowScreen::open_groups)
        .help("Create, rename or delete a group"),
    Row::new(Scope::Workflow, "copy-tools", "copy tool", WorkflowScreen::copy_tool)
        .help("Copy the selected tool as a descriptor, with its service, for another workspace")
        .refused(|_, state| none_to_copy(state)),
    Row::new(Scope::Workflow, "paste-tools", "paste tools", |_, _| pasted::await_paste())
        .help("Paste tools as text: YAML, JSON, or requests as in OpenSearch's console"),
    Row::new(Scope::Graph, "edit-menu", "edit…", |screen, state| {
        screen.of_chosen(state, menus::of_edge, |chosen, _, state| menus::of_state(chosen, state))
    })
    .help("Choose what to do with the state or arrow (also: right mouse button)"),
    Row::new(Scope::Graph, "draw", "draw arrow", WorkflowScreen::draw_arrow)
        .keys(&[verbs::ADD])
        .help(
            "Draw an arrow from this state: select its target, press Enter, choose the tool; or \
            drag with the mouse",
        ),
    Row::new(Scope::Graph, "draw-from-any", "from any state", |screen, state| {
        screen.of_state(|_, chosen, _| menus::ask_arrow_tool(&Tail::Every, chosen, state))
    })
    .help("Draw an arrow to this state from every state"),
    Row::new(Scope::Graph, "arrows", "arrows…", |screen, state| {
        screen.of_chosen(state, menus::of_edge, menus::arrows_of)
    })
    .keys(&[verbs::EDIT])
    .help(
        "Change an arrow of this state: move its ends, remove it, or make its tool available in \
        every state",
    ),
    Row::new(Scope::Graph, "new-state", "new state", |screen, _| {
        screen.of_state(|screen, _, _| screen.compose.new_state())
    })
    .keys(&[verbs::NEW])
    .help("Add a state"),
    Row::new(Scope::Graph, "rename-state", "rename state", |screen, _| {
        screen.of_state(|_, chosen, _| menus::rename_state(chosen))
    })
    .keys(&[verbs::RENAME])
    .help("Rename the state in every file that uses it")
    .refused(|screen, _| screen.undefined_refusal()),
    Row::new(Scope::Graph, "delete-state", "delete state", |screen, state| {
        screen.of_chosen(state, menus::delete_edge, |chosen, _, _| menus::delete_state(chosen))
    })
    .keys(&[verbs::DELETE])
    .help("Delete the state from every tool, or the arrow; the lines are shown first")
    .risky()
    .refused(|screen, _| screen.undefined_refusal().filter(|_| !screen.is_on_arrow())),
    Row::new(Scope::Groups, "rename-group", "rename group", |screen, _| {
        screen.of_group(group_menus::rename_group)
    })
    .keys(&[verbs::RENAME])
    .help("Rename the group in every file that uses it")
    .refused(|screen, _| screen.group_refusal()),
    Row::new(Scope::Groups, "delete-group", "delete group", |screen, _| {
        screen.of_group(group_menus::delete_group)
    })
    .keys(&[verbs::DELETE])
    .help("Delete the group from every tool and from the settings")
    .risky()
    .refused(|screen, _| screen.group_refusal()),
    Row::new(Scope::Groups, "new-group", "new group", |_, state| {
        group_menus::new_group(Vec::new(), state)
    })
    .keys(&[verbs::NEW])
    .help("Add a group and tick its tools in the matrix"),
    Row::new(Scope::Workflow, "keep-start", "keep as start…", |_, state| keep::keep_start(state))
        .help("Save the requested groups, the start state and the user as what runs start with"),
    Row::new(Scope::Groups, "tick", "tick", |screen, state| {
        screen.with_facts(|screen, facts| screen.request.toggle_group(facts, state))
    })
    .keys(&[verbs::TICK])
    .help("Request this group, or not"),
    Row::new(Scope::Workflow, "all-groups", "all groups", |screen, state| {
        screen.request.all_groups(state)
    })
    .help("Request every group (*), or only the ticked ones"),
    Row::new(Scope::Graph, "set-start", "start here", |screen, _| {
        screen.with_facts(|screen, facts| screen.graph.start_here(facts))
    })
    .help("Start the run in the selected state; the run so far is dropped")
    .refused(|screen, _| {
        let facts = screen.facts.as_ref();
        let state = facts.and_then(|facts| screen.graph.selected_state(facts));
        refuse_when(state.is_none(), "there is no state")
    }),
    Row::new(Scope::Workflow, "user", "user", |_, state| request::next_user(state))
        .help("Switch to the next user profile of the workspace")
        .refused(|_, state| {
            let has_none = state.workflow.profiles.is_empty();
            refuse_when(has_none, "the workspace has no user profiles")
        }),
    Row::new(Scope::Available, "show-steps", "steps", chain_actions::show_steps)
        .keys(&[verbs::OPEN])
        .help(
            "Show this tool's steps as a picture instead of the states: which output goes to \
            which step, and how far the newest run is",
        )
        .refused(chain_actions::steps_refusal),
    Row::new(Scope::Available, "apply-change", "apply", WorkflowScreen::apply_change)
        .keys(&[verbs::FIX])
        .help(
            "Make the smallest change that makes this tool available; changes to files are shown \
            first",
        )
        .refused(WorkflowScreen::change_refusal),
    Row::new(Scope::Available, "try-hidden", "try it", |screen, _| {
        screen.with_facts(|screen, facts| screen.offers.try_hidden(facts))
    })
    .help("Try the hidden tool anyway, as an agent might: it is refused, and the run records that")
    .refused(WorkflowScreen::try_refusal),
    Row::new(Scope::Workflow, "edit-tool", "edit tool", WorkflowScreen::edit_tool)
        .keys(&[verbs::EDIT])
        .help("Open the selected tool in Tools")
        .refused(|screen, _| {
            refuse_when(screen.selected_tool().is_none(), "there is no tool to edit")
        }),
    Row::new(Scope::Workflow, "what-if", "what if", |_, state| tries::toggle_what_if(state))
        .keys(&[verbs::WHAT_IF])
        .help("Try a change of groups or tools before making it; press again to apply it")
        .refused(|_, state| live_refusal(state)),
    Row::new(Scope::Workflow, "accept-what-if", "accept", |_, _| {
        workflow_reply(WorkflowMessage::AcceptWhatIf)
    })
    .help("Apply the what-if, as one undo step")
    .refused(|_, state| tries::none_refusal(state)),
    Row::new(Scope::Workflow, "take-back", "cancel", WorkflowScreen::take_back_or_leave)
        .keys(&[verbs::ESCAPE])
        .help("Discard the what-if, or go back one level"),
    Row::new(Scope::Workflow, "stop-live", "stop", |_, state| stop_live(state))
        .keys(&[verbs::STOP])
        .help("Stop the live call")
        .refused(|_, state| refuse_when(state.workflow.live.is_none(), "no live call is running")),
    Row::new(Scope::Workflow, "auto-run", "auto-run…", |screen, state| {
        screen.with_facts(|_, facts| walks::walk_menu(facts, state))
    })
    .help("Run the shortest path to a tool or state, a random walk, or list all paths"),
    Row::new(Scope::Workflow, "stop-when", "stop when…", WorkflowScreen::choose_stops)
        .help("Stop runs when a tool becomes available, a state is reached, or no tool is left"),
    Row::new(Scope::Run, "compare-steps", "compare", |screen, state| screen.run.toggle_mark(state))
        .keys(&[verbs::DIFF])
        .help("Compare the tools of other steps with those of this one"),
    Row::new(Scope::Workflow, "explain", "explain", WorkflowScreen::explain)
        .keys(&[verbs::EXPLAIN])
        .help("Explain the selected tool, state or request in full"),
    Row::new(Scope::Workflow, "question", "question", |_, state| keep::ask_question(state))
        .help("Enter the user's question; live steps pass it on"),
    Row::new(Scope::Workflow, "keep-run", "keep", |_, state| keep::save_scenario(state))
        .keys(&[verbs::KEEP])
        .help("Save the run up to here as a scenario of the workspace")
        .refused(|_, state| {
            let simulation = &state.workflow.simulation;
            let has_none =
                simulation.current_step().is_none() && simulation.refused_attempts().is_empty();
            refuse_when(has_none, "the run has no steps yet")
        }),
    Row::new(Scope::Workflow, "scenarios", "scenarios…", |_, state| scenarios::scenario_menu(state))
        .keys(&[verbs::TEST])
        .help("Run the workspace's scenarios, one or all, with coverage"),
    Row::new(Scope::Workflow, "copy-run", "copy…", |screen, state| {
        screen.with_facts(|_, facts| copy::copy_menu(facts, state))
    })
    .keys(&[verbs::COPY_AS])
    .help(
        "Copy the run as a scenario, an audit record or counters, or the graph as text, DOT, \
             Mermaid, SVG or JSON",
    ),
    Row::new(Scope::Workflow, "centre", "centre", |screen, _| {
        screen.with_facts(|screen, facts| screen.graph.show_current(facts))
    })
    .help("Scroll to the current state, or to the step where a run stopped"),
    Row::new(Scope::Workflow, "fit", "fit", |screen, _| screen.graph.fit_picture())
        .keys(&[verbs::FIT])
        .help("Re-layout the picture with as much detail as fits")
        .refused(|screen, _| screen.picture_refusal()),
    Row::new(Scope::Workflow, "zoom-in", "zoom in", |screen, _| screen.graph.zoom(Zoom::In))
        .keys(&[verbs::LARGER])
        .help("Show more detail for each state or step")
        .refused(|screen, _| screen.picture_refusal()),
    Row::new(Scope::Workflow, "zoom-out", "zoom out", |screen, _| screen.graph.zoom(Zoom::Out))
        .keys(&[verbs::SMALLER])
        .help("Show less detail for each state or step")
        .refused(|screen, _| screen.picture_refusal()),
    Row::new(Scope::Workflow, "view", "view", |screen, _| {
        screen.with_facts(|screen, facts| screen.graph.next_scale(facts))
    })
    .help(
        "Choose what is shown: an automatic selection, the states around one, folded parts, or \
        all",
    ),
    Row::new(Scope::Workflow, "follow-run", "follow run", |screen, _| screen.graph.toggle_follow())
        .keys(&[verbs::FOLLOW])
        .help("Follow the current state during the run, or stop following"),
    Row::new(Scope::Workflow, "signs", "legend", |_, _| Graph::open_legend())
        .help("Show the legend of the picture")
        .refused(|_, state| {
            refuse_when(state.keymap.is_in_words(), "words are in the place of signs here")
        }),
    Row::new(Scope::Graph, "next-arrow", "next arrow", |screen, _| {
        screen.of_state(|screen, _, facts| screen.graph.next_arrow(facts, 1))
    })
    .keys(&[verbs::NEXT_MARK])
    .help("Select the next arrow of the state"),
    Row::new(Scope::Graph, "previous-arrow", "previous arrow", |screen, _| {
        screen.of_state(|screen, _, facts| screen.graph.next_arrow(facts, -1))
    })
    .keys(&[verbs::PREVIOUS_MARK])
    .help("Select the previous arrow"),
    Row::new(Scope::Graph, "open", "open", |screen, _| {
        screen.of_state(|screen, _, facts| screen.graph.toggle_chosen(facts))
    })
    .keys(&[verbs::OPEN])
    .help("Open or close the selected folded box, bundle of tools, or the neighbours of the state"),
    Row::new(Scope::Graph, "map", "map", |screen, _| {
        screen.of_state(|screen, _, _| screen.graph.toggle_map())
    })
    .help("Show or hide the mini-map (when the picture is larger than the pane)"),
    Row::taking_over("save", |_, _| save_all()),
    Row::taking_over("next-pane", |screen, _| screen.step_pane(Step::Next)),
    Row::taking_over("previous-pane", |screen, _| screen.step_pane(Step::Previous)),
    Row::taking_over("find", |screen, _| screen.open_find()),
];

/// The table that is in force.
fn rows_of(screen: &WorkflowScreen) -> &'static [Row] {
    if screen.matrix.is_open() { MATRIX } else { ACTIONS }
}

pub(super) fn perform_action(screen: &mut WorkflowScreen, id: ActionId, state: &State) -> Reply {
    let of_steps = chain_actions::are_in_force(screen)
        .then(|| action_rows::run_action(chain_actions::ACTIONS, screen, id, state))
        .flatten();
    of_steps
        .or_else(|| action_rows::run_action(rows_of(screen), screen, id, state))
        .unwrap_or_default()
}

pub(super) fn refusal_reason(
    screen: &WorkflowScreen,
    id: ActionId,
    state: &State,
) -> Option<String> {
    let is_beside = screen.matrix.is_open()
        && state.keymap.action(id).scope == Scope::Workflow
        && !has_action(MATRIX, id);
    let of_steps = || action_rows::refusal_reason(chain_actions::ACTIONS, screen, id, state);
    refuse_when(is_beside, "not in the matrix: Esc goes back to the picture")
        .or_else(|| chain_actions::are_in_force(screen).then(of_steps).flatten())
        .or_else(|| action_rows::refusal_reason(rows_of(screen), screen, id, state))
}

impl WorkflowScreen {
    /// Why the size of the picture can't be changed: it isn't seen.
    fn picture_refusal(&self) -> Option<String> {
        let is_unseen = self.panes.is_stacked() && self.panes.area(GRAPH).is_empty();
        refuse_when(is_unseen, "the picture isn't shown: Tab goes to it")
    }

    /// Asks for something with what was computed; `Ignored` before that.
    pub(super) fn with_facts(&mut self, act: impl FnOnce(&mut Self, &mut Facts) -> Reply) -> Reply {
        let Some(mut facts) = self.facts.take() else { return Reply::Ignored };
        let reply = act(self, &mut facts);
        self.facts = Some(facts);
        reply
    }

    /// Does something with the state that is chosen in the picture.
    fn of_state(&mut self, act: impl FnOnce(&mut Self, &Name, &Facts) -> Reply) -> Reply {
        self.with_facts(|screen, facts| match screen.graph.selected_state(facts) {
            Some(row) => act(screen, &facts.workflow.states()[row].clone(), facts),
            None => Reply::Refused("choose a state first".into()),
        })
    }

    /// The same, where an arrow that is chosen comes before the state.
    fn of_chosen(&mut self, state: &State, edge: About<Edge>, chosen: About<Name>) -> Reply {
        self.of_state(|screen, name, facts| match screen.graph.selected_edge(facts) {
            Some(arrow) => edge(&arrow, facts, state),
            None => chosen(name, facts, state),
        })
    }

    fn of_group(&mut self, act: fn(&Name) -> Reply) -> Reply {
        self.with_facts(|screen, facts| match screen.request.current_group(facts) {
            Some(group) => act(&group),
            None => Reply::Refused("choose a group first".into()),
        })
    }

    fn selected_tool(&self) -> Option<ToolRow> {
        self.offers.selected_tool()
    }

    fn is_offered(&self) -> bool {
        self.offers.is_offered()
    }

    pub(super) fn step_pane(&mut self, step: Step) -> Reply {
        self.move_focus(step);
        Reply::Handled
    }

    fn open_find(&mut self) -> Reply {
        if self.focused_pane() == Pane::Graph && !self.chain.is_open() {
            return self.graph.start_search();
        }
        (self.in_run, self.panes.focus) = (false, 2);
        self.offers.open_find();
        Reply::Handled
    }

    fn step(&mut self, state: &State) -> Reply {
        let focus = self.focused_pane();
        self.with_facts(|screen, facts| match focus {
            Pane::Graph if screen.compose.is_drawing() => {
                screen.compose.finish(&screen.graph, facts, state)
            }
            Pane::Request => screen.request.handle_enter(facts, state),
            Pane::Graph => screen.graph.walk_to_chosen(facts),
            Pane::Offers => screen.offers.handle_enter(facts, state),
            Pane::Run => screen.run.handle_enter(state),
        })
    }

    fn what_if_refusal(&self, state: &State) -> Option<String> {
        let is_taken = state.workflow.what_if.is_some() && self.focused_pane() == Pane::Offers;
        refuse_when(is_taken, NO_STEPS)
    }

    /// A call is real: it is made where one sees which tool it is of, and not from among states and
    /// arrows.
    fn unseen_tool_refusal(&self) -> Option<String> {
        let is_unseen = self.panes.is_stacked() && self.panes.focus != TOOLS;
        let is_elsewhere = self.focused_pane() == Pane::Graph || is_unseen;
        refuse_when(is_elsewhere, "go to the tools first (Tab), to see which one it calls")
    }

    fn none_offered(&self) -> Option<String> {
        self.offers.hidden_refusal(self.facts.as_ref()?)
    }

    /// Opens the matrix, in the column of the group that is chosen.
    fn show_matrix(&mut self, state: &State) -> Reply {
        let focus = self.focused_pane();
        self.with_facts(|screen, facts| {
            match screen.request.current_group(facts).filter(|_| focus == Pane::Request) {
                Some(group) => screen.matrix.open_at(&group, facts, state),
                None => screen.matrix.toggle_open(),
            }
            Reply::Handled
        })
    }

    pub(super) fn open_groups(&mut self, state: &State) -> Reply {
        self.with_facts(|_, facts| group_menus::groups_menu(facts, state))
    }

    fn copy_tool(&mut self, _: &State) -> Reply {
        self.with_facts(|screen, facts| {
            let tool = screen.offers.selected_tool().and_then(|row| facts.tool_id(row));
            menus::copy_descriptors(tool.cloned().into_iter().collect())
        })
    }

    fn draw_arrow(&mut self, state: &State) -> Reply {
        self.of_state(|screen, chosen, facts| {
            if state.keymap.is_in_words() {
                return menus::ask_target(chosen, facts);
            }
            screen.compose = Compose::with_keys(chosen.clone());
            Reply::Handled
        })
    }

    fn undefined_refusal(&self) -> Option<String> {
        let facts = self.facts.as_ref()?;
        let is_undefined = self.graph.selected_state(facts) == Some(0);
        refuse_when(is_undefined, "undefined is the state of a request without one")
    }

    fn group_refusal(&self) -> Option<String> {
        let has_none = self.request.current_group(self.facts.as_ref()?).is_none();
        refuse_when(has_none, "choose a group first")
    }

    fn apply_change(&mut self, state: &State) -> Reply {
        self.with_facts(|screen, facts| match screen.offers.selected_tool() {
            Some(row)
                if state.workflow.what_if.is_some() && screen.offers.has_only_edits(facts) =>
            {
                tries::ask_edit(facts, row)
            }
            _ => screen.offers.apply_change(facts, state),
        })
    }

    fn change_refusal(&self, state: &State) -> Option<String> {
        let has_none = self.offers.chosen_change(self.facts.as_ref()?).is_none();
        let is_possible = state.workflow.what_if.is_some() && self.is_offered();
        refuse_when(has_none && !is_possible, "choose a hidden tool first")
    }

    fn try_refusal(&self, state: &State) -> Option<String> {
        refuse_when(state.workflow.what_if.is_some(), NO_STEPS).or_else(|| {
            refuse_when(
                self.is_offered(),
                "this tool is available: Enter takes its \
                step",
            )
        })
    }

    fn edit_tool(&mut self, _: &State) -> Reply {
        self.with_facts(|screen, facts| {
            match screen.offers.selected_tool().and_then(|row| facts.tool_id(row)) {
                Some(id) => {
                    Reply::Send(vec![Message::Select(id.clone()), Message::Show(ScreenId::Tools)])
                }
                None => Reply::Refused("there is no tool to edit".into()),
            }
        })
    }

    fn take_back_or_leave(&mut self, state: &State) -> Reply {
        if self.compose.is_drawing() {
            // The state where the arrow was to begin is the selected one again.
            let start = std::mem::take(&mut self.compose).start();
            if let Some(name) = start {
                self.point_at_name(&Target::State(name));
            }
            return Reply::Handled;
        }
        self.take_back(state)
    }

    fn choose_stops(&mut self, state: &State) -> Reply {
        let focus = self.focused_pane();
        self.with_facts(|screen, facts| {
            let tool = (focus == Pane::Offers).then(|| screen.offers.selected_tool()).flatten();
            let selected =
                (focus == Pane::Graph).then(|| screen.graph.selected_state(facts)).flatten();
            let selected = selected.map(|row| facts.workflow.states()[row].clone());
            walks::ask_stops(facts, state, tool, selected)
        })
    }

    fn explain(&mut self, state: &State) -> Reply {
        let focus = self.focused_pane();
        self.with_facts(|screen, facts| {
            match (focus, screen.offers.selected_tool(), screen.graph.selected_state(facts)) {
                (Pane::Offers, Some(row), _) => about::tool_page(facts, row),
                (Pane::Graph, _, Some(row)) => {
                    about::state_page(facts, &facts.workflow.states()[row].clone(), state)
                }
                _ => about::request_page(facts, state),
            }
        })
    }
}

fn stop_live(state: &State) -> Reply {
    let live = state.workflow.live.as_ref();
    live.map_or(Reply::Handled, |live| Reply::send(Message::Call(CallMessage::Cancel(live.call))))
}

fn workflow_reply(message: WorkflowMessage) -> Reply {
    Reply::send(Message::Workflow(message))
}

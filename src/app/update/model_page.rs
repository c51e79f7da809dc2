//! What models see of the chosen tool: when it is rendered.

use std::sync::Arc;

use crate::{
    app::{effect::Effect, message::ScreenId, model_page::PageGoal, state::State},
    systems::model_text,
};

/// Asks for the page that is looked at, where it is behind the state.
pub(super) fn due_page(state: &mut State) -> Option<Effect> {
    if !state.model_page.is_shown || state.screen != ScreenId::Tools {
        return None;
    }
    let tool = state.catalog.tool(state.selected.as_ref()?)?;
    if !model_text::takes_long(tool) {
        return None;
    }
    let (tool, catalog) = (tool.id().clone(), Arc::clone(&state.catalog));
    let goal = PageGoal { tool, generation: state.generation, catalog };
    state.model_page.begin(&goal).then(|| Effect::RenderModel(Box::new(goal)))
}

//! What runs and can be stopped from anywhere.

use super::{
    selection::copy_message,
    view::{Overlay, Reply},
};
use crate::app::{
    actions::Scope, agent_run::AgentMessage, calls::CallMessage, input::Key, message::Message,
    notices::NoticeKind, state::State,
};

/// What an interrupt stops before it means anything else: the newest running call, else a model
/// that speaks.
pub(crate) fn stop_running(state: &State) -> Option<Message> {
    let call = state.invoke.calls.running_calls().last();
    let stop = call.map(|call| Message::Call(CallMessage::Cancel(call.id)));
    stop.or_else(|| state.invoke.agent.is_moving().then_some(Message::Agent(AgentMessage::Stop)))
}

/// What Ctrl+C does beside quitting, where no text is selected: it stops what runs. In a window, where
/// Ctrl+C copies, it doesn't quit at all, unless the user's keys say so.
pub(crate) fn interrupt(state: &State) -> Option<Reply> {
    let pressed = Key::ctrl('c');
    let own = state.keymap.action_for(&[Scope::Global], pressed);
    let stays = state.keymap.is_in_window() && own == Some("quit");
    if let Some(stop) = stop_running(state) {
        let words = if stays { "stopped" } else { "stopped; Ctrl+C again quits" };
        return Some(Reply::Send(vec![stop, Message::Notice(NoticeKind::Hint, words.to_owned())]));
    }
    // A letter is text where somebody types.
    let keys = state.keymap.keys_for("quit");
    let chord = keys.iter().find(|key| key.mods.ctrl && **key != pressed);
    let way = chord.map_or_else(|| state.keymap.way_to("quit"), ToString::to_string);
    stays.then(|| Reply::Refused(format!("Ctrl+C copies what you select; {way} quits")))
}

/// The same over a dialog. In a window it copies what is selected there; in a terminal it leads out.
pub(crate) fn interrupt_overlay(overlay: &dyn Overlay, state: &State) -> Option<Reply> {
    if !state.keymap.is_in_window() {
        return None;
    }
    let copied = overlay.selected_text().map(|text| Reply::send(copy_message(text)));
    copied.or_else(|| interrupt(state))
}

//! What the actions that work everywhere do to the whole window.

use super::Root;
use crate::{
    app::{
        input::{Input, Key},
        message::{Message, ScreenId},
        state::State,
    },
    ui::{
        everywhere::Window,
        overlays::{help, palette},
        view::{Reply, Screen},
        widgets::panes::PaneChange,
    },
};

impl Window for Root {
    fn open_help(&self, state: &State) -> Reply {
        let refusal = |action| self.refusal_reason(action, state);
        Reply::Open(Box::new(help::help_menu(&state.keymap, &self.scopes(state), refusal)))
    }

    fn open_palette(&self, state: &State) -> Reply {
        let refusal = |action| self.refusal_reason(action, state);
        Reply::Open(Box::new(palette::action_palette(&state.keymap, refusal)))
    }

    fn open_actions_menu(&self, state: &State) -> Reply {
        let scopes = self.screen(state).map_or_else(Vec::new, |screen| screen.scopes());
        let refusal = |action| self.refusal_reason(action, state);
        Reply::Open(Box::new(palette::actions_menu(&state.keymap, &scopes, refusal)))
    }

    fn send_key(&mut self, key: Key, state: &State) -> Reply {
        self.ask_screen(&Input::Key(key), state)
    }

    fn arrange_panes(&mut self, change: PaneChange, state: &State) -> Reply {
        match self.screen_mut(state).and_then(Screen::panes).map(|panes| panes.change(change)) {
            Some(Ok(())) => Reply::Handled,
            Some(Err(why)) => Reply::Refused(why.into()),
            None => Reply::Ignored,
        }
    }

    fn show(&self, screen: ScreenId) -> Reply {
        if self.tabs.iter().any(|row| row.id == screen) {
            Reply::send(Message::Show(screen))
        } else {
            Reply::Ignored
        }
    }
}

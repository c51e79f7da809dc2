//! The two ways to read the rules of groups and states, to choose one.

use super::menu::{Item, Menu};
use crate::{
    app::{
        message::{DocumentMessage, Message},
        state::State,
    },
    model::context::Mode,
    ui::view::Reply,
};

/// The modes; choosing another one than the present switches to it.
pub(crate) fn mode_menu(state: &State) -> Menu {
    let modes = [Mode::Document, Mode::AsDeployed];
    let at = modes.iter().position(|mode| *mode == state.mode).unwrap_or(0);
    let item = |mode: &Mode| Item {
        title: mode.to_string(),
        detail: mode.meaning().to_owned(),
        note: if *mode == state.mode { "now".to_owned() } else { String::new() },
        ..Item::default()
    };
    let items = modes.iter().map(item).collect();
    Menu::with_replies("Rules of groups and states", items, move |row| match row == at {
        true => Reply::Handled,
        false => Reply::send(Message::Document(DocumentMessage::SwitchMode)),
    })
    .with_row(at)
}

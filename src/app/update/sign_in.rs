//! Tokens of connections: asked for, waited for, forgotten.

use super::connection_test::test_connection;
use crate::app::{
    effect::Effect,
    sign_in::{SignIn, SignInAct, SignInEffect, SignInNews, SignInStage},
    state::State,
};

/// Does what is wanted of a connection's tokens.
pub(super) fn act(state: &mut State, name: &str, act: SignInAct) -> Vec<Effect> {
    let known = state.network.tests.sign_ins.by_name.get_mut(name);
    match (act, known) {
        (SignInAct::OpenPage, Some(known)) => {
            let page = known.page().map(str::to_owned);
            page.map(|page| Effect::SignIn(SignInEffect::OpenPage(page))).into_iter().collect()
        }
        (SignInAct::Cancel, Some(known)) if known.is_running() => {
            known.stage = SignInStage::Cancelled;
            vec![Effect::SignIn(SignInEffect::Cancel(name.to_owned()))]
        }
        (SignInAct::OpenPage | SignInAct::Cancel, _) => Vec::new(),
        (act, _) => begin(state, name, act),
    }
}

fn begin(state: &mut State, name: &str, act: SignInAct) -> Vec<Effect> {
    let connection = state.network.connections.find_by_name(name).cloned();
    let Some(connection) = connection.map(Box::new) else { return Vec::new() };
    let sign_ins = &mut state.network.tests.sign_ins;
    sign_ins.asked += 1;
    let turn = sign_ins.asked;
    let begun = SignIn { turn, report: None, stage: SignInStage::UnderWay };
    sign_ins.by_name.insert(name.to_owned(), begun);
    vec![Effect::SignIn(SignInEffect::Start { turn, connection, act })]
}

/// Something came of it; of an older asking than the last, or of one that was cancelled, it counts
/// no more.
pub(super) fn on_news(state: &mut State, turn: u64, name: &str, news: SignInNews) -> Vec<Effect> {
    let known = state.network.tests.sign_ins.by_name.get_mut(name);
    let Some(known) = known.filter(|known| known.turn == turn && known.is_running()) else {
        return Vec::new();
    };
    match news {
        SignInNews::Looked(report) => {
            known.report = Some(report);
            known.stage = SignInStage::Over;
        }
        SignInNews::Page(page) => known.stage = SignInStage::Waiting { page },
        SignInNews::Done(words) => {
            known.stage = SignInStage::Done(words);
            return test_connection(state, name);
        }
        SignInNews::Failed(problem) => known.stage = SignInStage::Failed(problem),
    }
    Vec::new()
}

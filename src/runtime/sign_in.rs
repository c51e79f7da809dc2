//! Sees to the tokens of a connection: asks its server, waits for the user's page, keeps what comes.

use std::{collections::HashMap, sync::Arc};

use tokio::{sync::mpsc, task::AbortHandle};

use super::browser;
use crate::{
    app::{
        message::{ConnectionMessage, Message},
        sign_in::{SignInAct, SignInEffect, SignInNews},
    },
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    store::secrets,
    wire::{
        registry::Registry,
        spawning::spawn,
        systems::{facets::authorizer::Authorizer, table},
    },
};

/// Those that are under way, by the names of their connections.
#[derive(Default)]
pub(super) struct SignInTasks(HashMap<String, AbortHandle>);

impl SignInTasks {
    /// Does it apart from the keys; what comes of it comes as messages.
    pub fn perform(
        &mut self,
        effect: SignInEffect,
        registry: &Arc<Registry>,
        messages: &mpsc::Sender<Message>,
    ) {
        let (registry, messages) = (Arc::clone(registry), messages.clone());
        match effect {
            SignInEffect::Start { turn, connection, act } => {
                let name = connection.name.clone();
                let task = spawn(sign_in_task(registry, messages, turn, connection, act));
                if let Some(before) = self.0.insert(name, task.abort_handle()) {
                    before.abort();
                }
            }
            SignInEffect::Cancel(name) => {
                if let Some(task) = self.0.remove(&name) {
                    task.abort();
                }
            }
            SignInEffect::OpenPage(url) => {
                if let Err(problem) = open_page(&url) {
                    spawn(async move { messages.send(Message::Failed(problem)).await });
                }
            }
        }
    }
}

/// Opens a page in the user's browser.
fn open_page(url: &str) -> Result<(), Problem> {
    browser::open_page(url).map_err(|error| {
        Problem::new(ProblemKind::Missing, "opening a page", error.to_string())
            .with_remedy("copy its URL and open it yourself")
    })
}

async fn sign_in_task(
    registry: Arc<Registry>,
    messages: mpsc::Sender<Message>,
    turn: u64,
    connection: Box<Connection>,
    act: SignInAct,
) {
    let (tell, mut told) = mpsc::unbounded_channel();
    let seeing = see_to_tokens(&registry, &connection, act, tell);
    let passing = async {
        while let Some(news) = told.recv().await {
            let (connection, news) = (connection.name.clone(), Box::new(news));
            let news = ConnectionMessage::SignInNews { turn, connection, news };
            // Whoever reads them may have gone.
            let _ = messages.send(Message::Connection(news)).await;
        }
    };
    tokio::join!(seeing, passing);
}

/// The last of the news ends it.
async fn see_to_tokens(
    registry: &Registry,
    connection: &Connection,
    act: SignInAct,
    told: mpsc::UnboundedSender<SignInNews>,
) {
    let Some(authorizer) = table::authorizers().find(|known| known.is_at(connection)) else {
        let cause = format!("connection \"{}\" leads to no MCP server over HTTP", connection.name);
        let problem = Problem::new(ProblemKind::Input, "signing in", cause)
            .with_remedy("tokens are for servers over HTTP alone");
        return drop(told.send(SignInNews::Failed(problem)));
    };
    let ended = match act {
        SignInAct::Look => look(registry, authorizer, connection).await,
        SignInAct::SignOut => sign_out(registry, authorizer, connection).await,
        _ => sign_in(registry, authorizer, connection, &told).await,
    };
    let failed = |problem: CallError| {
        SignInNews::Failed(problem.while_doing(format!("signing in to \"{}\"", connection.name)))
    };
    // Whoever asked may have gone.
    let _ = told.send(ended.unwrap_or_else(failed));
}

async fn look(
    registry: &Registry,
    authorizer: &dyn Authorizer,
    connection: &Connection,
) -> Result<SignInNews, CallError> {
    authorizer.look(connection, registry.secrets()).await.map(SignInNews::Looked)
}

async fn sign_in(
    registry: &Registry,
    authorizer: &dyn Authorizer,
    connection: &Connection,
    told: &mpsc::UnboundedSender<SignInNews>,
) -> Result<SignInNews, CallError> {
    let show = |url: &str| drop(told.send(SignInNews::Page(url.to_owned())));
    let scope = authorizer.sign_in(connection, registry.secrets(), None, &show).await?;
    let scope = scope.map(|scope| format!(" for {scope}")).unwrap_or_default();
    let until = match secrets::keeps_until_end() {
        true => " until toolcrib ends: there is no key store here",
        false => "",
    };
    Ok(SignInNews::Done(format!("signed in{scope}{until}")))
}

async fn sign_out(
    registry: &Registry,
    authorizer: &dyn Authorizer,
    connection: &Connection,
) -> Result<SignInNews, CallError> {
    authorizer.sign_out(connection, registry.secrets()).await?;
    Ok(SignInNews::Done("deleted the token".to_owned()))
}

//! Reports the application how the connections are, as they change.

use tokio::sync::{mpsc, watch};

use crate::{
    app::message::{Condition, ConnectionMessage, Health, Message},
    model::connection::ConnectionState,
    wire::connector::States,
};

/// Reports how connections are, in words, until nobody takes it.
pub(crate) async fn tell_states(
    mut states: watch::Receiver<States>,
    messages: mpsc::Sender<Message>,
) {
    while states.changed().await.is_ok() {
        let now = states.borrow_and_update().clone();
        for (connection, state) in now {
            let condition = connection_condition(&state);
            if messages
                .send(Message::Connection(ConnectionMessage::Condition { connection, condition }))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

fn connection_condition(state: &ConnectionState) -> Condition {
    let (words, health) = match state {
        ConnectionState::Idle => (String::new(), Health::Idle),
        ConnectionState::Connecting => ("connecting …".into(), Health::Busy),
        ConnectionState::Connected => (String::new(), Health::Good),
        ConnectionState::Reconnecting { attempt } => {
            (format!("reconnecting, attempt {attempt} …"), Health::Busy)
        }
        ConnectionState::Failed(problem) => (problem.cause.clone(), Health::Bad),
    };
    Condition { words, health }
}

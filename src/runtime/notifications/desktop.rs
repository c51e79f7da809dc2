//! Notifications of the desktop: freedesktop's service over D-Bus, macOS's by its script runner. The
//! text is data there, never part of a command.

use tokio::sync::mpsc;

use crate::{
    app::{message::Message, notices::NoticeKind},
    model::{
        notification::{Notification, NotificationWay},
        problem::{Problem, ProblemKind},
    },
};

/// What to do where there is none, but there are other ways.
const ELSEWHERE: &str = "choose another way in config.toml: way = \"terminal\" or \"bell\" under \
                         [notifications]";

/// Asks the desktop to show a notification; a notice says why it can't, and where a way was chosen
/// from several, that there are others.
pub(crate) async fn show_or_say(
    notification: Notification,
    chosen: Option<NotificationWay>,
    messages: mpsc::Sender<Message>,
) {
    if let Err(cause) = system::show(&notification).await {
        let problem = failure(cause);
        let problem = if chosen.is_some() { problem.with_remedy(ELSEWHERE) } else { problem };
        let _ = messages.send(Message::Notice(NoticeKind::Warning, problem.to_string())).await;
    }
}

/// Asks the desktop to show a notification.
///
/// # Errors
/// When there is no notification service within reach, or it refuses.
pub(crate) async fn show(notification: &Notification) -> Result<(), Problem> {
    system::show(notification).await.map_err(|cause| failure(cause).with_remedy(ELSEWHERE))
}

fn failure(cause: String) -> Problem {
    Problem::new(ProblemKind::Unreachable, "sending a desktop notification", cause)
}

#[cfg(all(unix, not(target_vendor = "apple"), feature = "desktop-notifications"))]
mod system {
    use std::{collections::HashMap, time::Duration};

    use tokio::time::timeout;
    use zbus::{Connection, zvariant::Value};

    use crate::model::notification::Notification;

    const NAME: &str = "org.freedesktop.Notifications";
    const PATH: &str = "/org/freedesktop/Notifications";
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) async fn show(notification: &Notification) -> Result<(), String> {
        match timeout(PATIENCE, ask_service(notification)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("no notification service answers on D-Bus ({error})")),
            Err(_) => Err("the notification service on D-Bus didn't answer within 5 s".into()),
        }
    }

    async fn ask_service(Notification { title, body }: &Notification) -> zbus::Result<()> {
        let bus = Connection::session().await?;
        let answer = bus.call_method(Some(NAME), PATH, Some(NAME), "GetCapabilities", &()).await?;
        let capabilities: Vec<String> = answer.body().deserialize()?;
        // A service that reads markup in a body would take `<` for the beginning of a tag.
        let reads_markup = capabilities.iter().any(|capability| capability == "body-markup");
        let body = if reads_markup { escape_markup(body) } else { body.clone() };
        let hints = HashMap::from([("desktop-entry", Value::from("toolcrib"))]);
        let (replaced, actions, usual_time) = (0_u32, Vec::<&str>::new(), -1_i32);
        let shown = (
            "toolcrib",
            replaced,
            "toolcrib",
            title.as_str(),
            body.as_str(),
            actions,
            hints,
            usual_time,
        );
        bus.call_method(Some(NAME), PATH, Some(NAME), "Notify", &shown).await?;
        Ok(())
    }

    fn escape_markup(text: &str) -> String {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn a_body_has_no_tags() {
            assert_eq!(super::escape_markup("<b>a & b</b>"), "&lt;b&gt;a &amp; b&lt;/b&gt;");
        }
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    use std::process::Stdio;

    use tokio::process::Command;

    use crate::model::notification::Notification;

    /// The texts are arguments of the script, and no part of it.
    const SCRIPT: [&str; 3] = [
        "on run argv",
        "display notification (item 2 of argv) with title (item 1 of argv)",
        "end run",
    ];

    pub(super) async fn show(Notification { title, body }: &Notification) -> Result<(), String> {
        let mut command = Command::new("/usr/bin/osascript");
        for line in SCRIPT {
            command.args(["-e", line]);
        }
        command.args([title, body]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.status().await {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("osascript ended with {status}")),
            Err(error) => Err(format!("osascript can't be started ({error})")),
        }
    }
}

#[cfg(not(any(target_vendor = "apple", all(unix, feature = "desktop-notifications"))))]
mod system {
    use crate::model::notification::Notification;

    pub(super) async fn show(_: &Notification) -> Result<(), String> {
        Err(if cfg!(windows) {
            "toolcrib can't ask Windows for notifications".into()
        } else {
            "this toolcrib was built without them (its feature desktop-notifications)".into()
        })
    }
}

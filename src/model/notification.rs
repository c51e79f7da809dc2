//! Desktop notifications: what a user wants to be notified of, and how.

/// What the table `[notifications]` of a user's `config.toml` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Off without the table, and on with it unless it says otherwise.
    pub on: bool,
    /// How many milliseconds a call takes at least to be worth one; `None`: no call is.
    pub calls: Option<u64>,
    /// Alerts in Watch.
    pub alerts: bool,
    /// Runs of cases that end.
    pub tests: bool,
    /// What waits for an answer of the user.
    pub questions: bool,
    pub way: NotificationWay,
}

/// How long a call takes to be worth a notification where the settings don't say.
pub(crate) const LONG_CALL_MS: u64 = 10_000;

impl Default for NotificationSettings {
    fn default() -> Self {
        Self {
            on: false,
            calls: Some(LONG_CALL_MS),
            alerts: true,
            tests: true,
            questions: true,
            way: NotificationWay::default(),
        }
    }
}

/// Who shows a notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotificationWay {
    /// The terminal, where it is known to; else its bell. A window asks the desktop.
    #[default]
    Terminal,
    /// The desktop's notification service, on the machine that toolcrib runs on.
    Desktop,
    /// The terminal's bell, and no text. A window asks the desktop.
    Bell,
}

impl NotificationWay {
    /// The words of the settings file.
    pub(crate) const WORDS: &[(&str, Self)] =
        &[("terminal", Self::Terminal), ("desktop", Self::Desktop), ("bell", Self::Bell)];
}

/// What is shown: two lines without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub title: String,
    pub body: String,
}

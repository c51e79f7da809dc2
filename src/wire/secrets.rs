//! Secrets when a connection is opened: from the environment, or from the system's key store.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{sync::oneshot, time::timeout};

use crate::{
    engine::mask::{LearnedSecrets, Mask},
    model::{
        call::CallError,
        connection::{Connection, RequestVariable, SecretAt, SettingValue},
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        shown::shell_word,
    },
    schema::phrase::value_text,
    systems::{permission::Permission, sending::Sending},
};

/// Gives the value of an environment variable.
pub(crate) type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Gives a secret of the key store. May take its time: the user may be asked to unlock it.
pub(crate) type Keys = Arc<dyn Fn(&str) -> Result<String, Problem> + Send + Sync>;

/// Keeps a secret in the key store under a name, or takes it out. May take its time too.
pub(crate) type Saving = Arc<dyn Fn(&str, Option<&str>) -> Result<(), Problem> + Send + Sync>;

/// Receives each secret before it is used.
pub(crate) type SecretListener = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether the user agreed to this.
pub(crate) type Consent = Arc<dyn Fn(&Permission) -> bool + Send + Sync>;

/// So long the user may take to unlock the key store.
const PATIENCE: Duration = Duration::from_secs(60);

/// How secrets are looked up. Nothing is asked before a connection needs one.
#[derive(Clone)]
pub struct Secrets {
    variables: Variables,
    /// Those that requests name; connections never get these.
    named: Variables,
    keys: Keys,
    saving: Saving,
    told: SecretListener,
    consent: Consent,
    /// Those that were used, which answers may repeat.
    used: LearnedSecrets,
}

impl Secrets {
    /// Those of the environment; there is no key store.
    #[must_use]
    pub fn new(variables: Variables) -> Self {
        let none =
            || Problem::new(ProblemKind::Missing, "asking the key store", "there is none here");
        Self {
            named: Arc::clone(&variables),
            variables,
            keys: Arc::new(move |_| Err(none())),
            saving: Arc::new(move |_, _| Err(none())),
            told: Arc::new(|_| ()),
            consent: Arc::new(|_| false),
            used: LearnedSecrets::default(),
        }
    }

    /// The same, with a key store.
    #[must_use]
    pub fn with_keys(self, keys: Keys) -> Self {
        Self { keys, ..self }
    }

    /// The same, where requests that name a variable of the environment get it from here.
    #[must_use]
    pub fn with_named(self, named: Variables) -> Self {
        Self { named, ..self }
    }

    /// The same, where secrets can be kept in the key store too.
    #[must_use]
    pub fn with_saving(self, saving: Saving) -> Self {
        Self { saving, ..self }
    }

    /// The same, where somebody is informed each secret before it is used.
    #[must_use]
    pub fn with_observer(self, told: SecretListener) -> Self {
        Self { told, ..self }
    }

    /// The same, where this is asked before a secret leaves this machine; without it, none does.
    #[must_use]
    pub fn asking(self, consent: Consent) -> Self {
        Self { consent, ..self }
    }

    /// Whether the user agreed to this.
    #[must_use]
    pub fn is_allowed(&self, permission: &Permission) -> bool {
        (self.consent)(permission)
    }

    /// The value of an environment variable that what is sent there names; `None` where it isn't
    /// set.
    ///
    /// # Errors
    /// When the user has not allowed that it is sent there.
    pub fn variable_for(
        &self,
        connection: &Connection,
        name: &str,
    ) -> Result<Option<String>, CallError> {
        let options = format!(" --variable {}", shell_word(name));
        self.check_sending(connection, Sending::of_variable(connection, name), &options)?;
        let value = (self.named)(name);
        if let Some(value) = &value {
            self.register(value);
        }
        Ok(value)
    }

    /// The secret that a connection needs.
    ///
    /// # Errors
    /// When it is not there, or the user has not allowed that it is sent there, or the key store is
    /// not there, or does not let us in within a minute.
    pub async fn resolve_secret(
        &self,
        connection: &Connection,
        at: &SecretAt,
    ) -> Result<String, CallError> {
        self.check_sending(connection, Sending::of(connection), "")?;
        self.resolve_own(connection, at).await
    }

    /// That the user has allowed that this is sent; `options` go behind the command that allows it.
    fn check_sending(
        &self,
        connection: &Connection,
        sending: Option<Sending>,
        options: &str,
    ) -> Result<(), CallError> {
        let refused = sending.map(Permission::Send).filter(|sending| !self.is_allowed(sending));
        refused.map_or(Ok(()), |permission| Err(not_allowed(connection, &permission, options)))
    }

    /// The value of a variable that a request names.
    ///
    /// # Errors
    /// When it is a secret that is not there, as [`Self::resolve_secret`] has it.
    pub async fn resolve_variable(
        &self,
        connection: &Connection,
        name: &str,
        variable: &RequestVariable,
    ) -> Result<Value, CallError> {
        match variable {
            RequestVariable::Shown(value) => Ok(value.clone()),
            RequestVariable::Hidden(value) => {
                self.register(&value_text(value));
                Ok(value.clone())
            }
            RequestVariable::Secret(at) => {
                let options = format!(" --variable {}", shell_word(name));
                self.check_sending(connection, Sending::of_named(connection, at), &options)?;
                self.resolve_own(connection, at).await.map(Value::from)
            }
        }
    }

    /// A secret that a connection names, for this machine alone: it is sent nowhere.
    ///
    /// # Errors
    /// When it is not there, or the key store is not, or does not let us in within a minute.
    pub async fn resolve_own(
        &self,
        connection: &Connection,
        at: &SecretAt,
    ) -> Result<String, CallError> {
        let secret = self.look_up(connection, at).await?;
        self.register(&secret);
        Ok(secret)
    }

    /// A value of a variable or a header of a connection.
    ///
    /// # Errors
    /// When it is a secret that is not there, as [`Self::resolve_secret`] has it.
    pub async fn resolve_value(
        &self,
        connection: &Connection,
        value: &SettingValue,
    ) -> Result<String, CallError> {
        match value {
            SettingValue::Text(text) => Ok(text.clone()),
            SettingValue::Secret(at) => self.resolve_secret(connection, at).await,
        }
    }

    /// What the key store keeps under a name; `None` where it keeps nothing there.
    ///
    /// # Errors
    /// When there is no key store, or it does not let us in within a minute.
    pub async fn read_kept(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.read_key_store(name).await {
            Ok(secret) => Ok(Some(secret)),
            Err(problem) if problem.kind == ProblemKind::Missing => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Keeps a secret in the key store, or takes it out.
    ///
    /// # Errors
    /// When there is no key store, or it does not let us in within a minute.
    pub async fn keep(&self, name: &str, secret: Option<&str>) -> Result<(), Problem> {
        let (saving, name) = (Arc::clone(&self.saving), name.to_owned());
        let secret = secret.map(str::to_owned);
        on_own_thread(move || saving(&name, secret.as_deref())).await
    }

    /// A secret that came in another way is about to be used.
    pub fn register(&self, secret: &str) {
        (self.told)(secret);
        self.used.register_secret(secret);
    }

    /// Hides what was used, also later, and what looks like a secret.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask::of_learned(self.used.clone())
    }

    /// A problem whose words repeat no secret: what was used is hidden, and in what the other side
    /// may have said also what looks like one.
    #[must_use]
    pub fn hidden_in(&self, problem: CallError) -> CallError {
        let mask = self.mask();
        CallError {
            message: mask.mask_text(&problem.message).into_owned(),
            remedy: mask.mask_known(&problem.remedy).into_owned(),
            ..problem
        }
    }

    /// The same of a problem in other words.
    #[must_use]
    pub fn hidden_in_problem(&self, problem: &Problem) -> Problem {
        let mask = self.mask();
        Problem {
            doing: mask.mask_known(&problem.doing).into_owned(),
            cause: mask.mask_text(&problem.cause).into_owned(),
            remedy: mask.mask_known(&problem.remedy).into_owned(),
            kind: problem.kind,
        }
    }

    async fn look_up(&self, connection: &Connection, at: &SecretAt) -> Result<String, CallError> {
        match at {
            SecretAt::Variable(name) => {
                let found = (self.variables)(name);
                let lack = if found.is_none() { "not set" } else { "empty" };
                // Where a secret is missing, some CI systems set an empty text.
                found.filter(|secret| !secret.is_empty()).ok_or_else(|| CallError {
                    kind: ErrorKind::MissingSecret,
                    message: format!(
                        "the environment variable {name} is {lack}, and connection \"{}\" needs it",
                        connection.name
                    ),
                    remedy: format!("set {name} in the environment and start again"),
                })
            }
            SecretAt::KeyStore(name) => self.read_key_store(name).await.map_err(|problem| {
                let kind = if problem.kind == ProblemKind::Missing {
                    ErrorKind::MissingSecret
                } else {
                    ErrorKind::NoKeyStore
                };
                let message =
                    format!("connection \"{}\" needs {at}: {}", connection.name, problem.cause);
                CallError { kind, message, remedy: problem.remedy }
            }),
        }
    }

    async fn read_key_store(&self, name: &str) -> Result<String, Problem> {
        let (keys, name) = (Arc::clone(&self.keys), name.to_owned());
        on_own_thread(move || keys(&name)).await
    }
}

/// The user has not agreed to what a connection wants to do. `options` go behind the command that
/// allows it.
#[must_use]
pub(crate) fn not_allowed(
    connection: &Connection,
    permission: &Permission,
    options: &str,
) -> CallError {
    let message = format!(
        "connection \"{}\" {}, which you have not allowed:\n{}",
        connection.name,
        permission.words(),
        permission.lines().join("\n")
    );
    let remedy = format!(
        "review it, then allow it: `toolcrib allow {}{options}`{}; a script allows it for one \
         command with {}",
        shell_word(&connection.name),
        if options.is_empty() { ", or t on Connections" } else { "" },
        permission.option()
    );
    CallError { kind: ErrorKind::NotAllowed, message, remedy }
}

/// Asks the key store on a thread of its own, which the process does not wait for.
async fn on_own_thread<T: Send + 'static>(
    asking: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        // Whoever asked may have gone.
        let _ = tell.send(asking());
    });
    let silent = |cause: String| {
        let problem = Problem::new(ProblemKind::Unreachable, "asking the key store", cause);
        problem.with_remedy("unlock it in your desktop's own program for passwords, or name an environment variable instead")
    };
    match timeout(PATIENCE, told).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(silent("the connection to the key store broke".into())),
        Err(_) => {
            Err(silent(format!("the key store didn't answer within {} s", PATIENCE.as_secs())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::connection::Credentials;

    #[tokio::test]
    async fn a_problem_repeats_no_secret_that_was_used() {
        let secrets = Secrets::new(Arc::new(|name| Some(name.to_lowercase())));
        let connection = Connection::nats("prod", "nats://localhost");
        let problem = |message: &str| CallError::new(ErrorKind::TimedOut, message, "try HUNTER2");
        let before = secrets.hidden_in(problem("401: hunter2hunter2 is wrong"));
        assert_eq!(before.message, "401: hunter2hunter2 is wrong");
        for name in ["HUNTER2HUNTER2", "WRONG"] {
            secrets.resolve_secret(&connection, &SecretAt::Variable(name.into())).await.unwrap();
        }
        let after = secrets.hidden_in(problem("401: hunter2hunter2 is wrong"));
        assert_eq!(after.message, "401: *** is wrong", "a short word is no secret to look for");
        let other =
            Problem::new(ProblemKind::Service, "asking hunter2hunter2", "no hunter2hunter2");
        let hidden = secrets.hidden_in_problem(&other.with_remedy("not hunter2hunter2"));
        assert_eq!(hidden.to_string(), "asking ***: no *** — not ***");
        let shaped = secrets.hidden_in(problem("it sent http://user:pw1@host/ back"));
        assert_eq!(shaped.message, "it sent http://user:***@host/ back");
    }

    #[tokio::test]
    async fn no_secret_leaves_this_machine_without_permission() {
        let secrets = Secrets::new(Arc::new(|_| Some("hunter2hunter2".into())));
        let token = SecretAt::Variable("MY_TOKEN".into());
        let credentials = Credentials::Token { token: token.clone() };
        let connection = Connection { credentials, ..Connection::nats("prod", "nats://host") };
        let refused = secrets.resolve_secret(&connection, &token).await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::NotAllowed);
        for part in ["nats://host", "MY_TOKEN"] {
            assert!(refused.message.contains(part), "{}", refused.message);
        }
        assert!(refused.remedy.contains("`toolcrib allow prod`"), "{}", refused.remedy);
        let refused = secrets.variable_for(&connection, "HOME").unwrap_err();
        assert!(refused.remedy.contains("`toolcrib allow prod --variable HOME`"));
        let agreed = Permission::Send(Sending::of(&connection).unwrap());
        let secrets = secrets.asking(Arc::new(move |asked| *asked == agreed));
        let secret = secrets.resolve_secret(&connection, &token).await.unwrap();
        assert_eq!(secret, "hunter2hunter2");
        assert!(secrets.variable_for(&connection, "HOME").is_err(), "that is another one");
        let nearby = Connection { name: "prod".into(), ..Connection::nats("a", "nats://[::1]:4") };
        assert!(secrets.variable_for(&nearby, "HOME").unwrap().is_some());
    }

    #[tokio::test]
    async fn a_secret_that_a_request_names_needs_a_permission_of_its_own() {
        let at = SecretAt::KeyStore("shop-pin".into());
        let pin = RequestVariable::Secret(at.clone());
        let secrets = Secrets::new(Arc::new(|_| None))
            .with_keys(Arc::new(|_: &str| Ok("hunter2hunter2".to_owned())));
        let prod = Connection::http("prod", "https://host");
        let refused = secrets.resolve_variable(&prod, "pin", &pin).await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::NotAllowed);
        assert!(refused.remedy.contains("`toolcrib allow prod --variable pin`"), "{refused:?}");
        let nearby = Connection::http("dev", "http://127.0.0.1:1");
        assert!(secrets.resolve_variable(&nearby, "pin", &pin).await.is_ok());
        let agreed = Permission::Send(Sending::of_named(&prod, &at).unwrap());
        let secrets = secrets.asking(Arc::new(move |asked| *asked == agreed));
        let value = secrets.resolve_variable(&prod, "pin", &pin).await.unwrap();
        assert_eq!(value, "hunter2hunter2");
        assert_eq!(secrets.mask().mask_text("a hunter2hunter2"), "a ***");
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_store_that_never_answers_is_given_up() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let held = std::sync::Mutex::new(held);
        let silent = move |_: &str| {
            let _ = held.lock().unwrap().recv();
            Ok(String::new())
        };
        let secrets = Secrets::new(Arc::new(|_| None)).with_keys(Arc::new(silent));
        let connection = Connection::nats("prod", "nats://localhost");
        let problem = secrets
            .resolve_secret(&connection, &SecretAt::KeyStore("bus".into()))
            .await
            .unwrap_err();
        assert_eq!(problem.kind, ErrorKind::NoKeyStore);
        assert!(
            problem.message.contains("\"prod\"") && problem.message.contains("\"bus\""),
            "{}",
            problem.message
        );
        assert!(
            problem.message.contains("60 s") && problem.remedy.contains("unlock"),
            "{problem:?}"
        );
        drop(hold);
    }
}

//! The Secret Service of Linux desktops over D-Bus, as a store of `keyring_core`.
//!
//! Secrets cross the bus as they are (the session `plain` of the specification), as those of
//! GitHub's CLI do: whoever may read a user's bus may ask the service for its secrets as well.
//! Names and attributes are those of the crate `zbus-secret-service-keyring-store`, which kept them
//! in versions before.

use std::{
    any::Any,
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use futures::StreamExt as _;
use keyring_core::{
    Entry, Error, Result,
    api::{Credential, CredentialApi, CredentialStoreApi},
};
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};
use zbus::{
    Connection, MatchRule, Message, MessageStream,
    message::Type,
    zvariant::{DynamicType, ObjectPath, OwnedObjectPath, OwnedValue, Value},
};

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";
const SERVICE: &str = "org.freedesktop.Secret.Service";
const COLLECTION: &str = "org.freedesktop.Secret.Collection";
const ITEM: &str = "org.freedesktop.Secret.Item";
const PROMPT: &str = "org.freedesktop.Secret.Prompt";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// The path of nothing: no prompt is needed, there is no such collection.
const NONE: &str = "/";

/// The bus's error where the service has ended before it answered.
const NO_REPLY: &str = "org.freedesktop.DBus.Error.NoReply";

/// Session, parameters, value, type of content.
type Secret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// A session with the service.
pub(super) struct SecretService(Arc<Service>);

struct Service {
    /// What the connection lives in; nothing of it runs between two questions.
    runtime: Mutex<Option<Runtime>>,
    session: Session,
}

#[derive(Clone)]
struct Session {
    bus: Connection,
    path: OwnedObjectPath,
}

impl SecretService {
    /// Opens a session; the bus starts the service where it doesn't run yet.
    ///
    /// # Errors
    /// When there is no bus or no such service.
    pub fn open() -> Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::PlatformFailure(Box::new(error)))?;
        let session = wait(&runtime, Session::open())?;
        Ok(Self(Arc::new(Service { runtime: Mutex::new(Some(runtime)), session })))
    }
}

/// Runs a question to its end, on a thread of its own: the caller may be in a runtime already.
fn wait<T: Send>(runtime: &Runtime, question: impl Future<Output = Result<T>> + Send) -> Result<T> {
    thread::scope(|scope| {
        let answer = scope.spawn(|| runtime.block_on(question)).join();
        answer.unwrap_or_else(|_| Err(failure("the thread that asked it has ended")))
    })
}

impl Service {
    fn ask<T: Send>(&self, question: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = || failure("its session has ended");
        wait(runtime.as_ref().ok_or_else(ended)?, question)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A runtime must not be waited for within another one.
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Session {
    async fn open() -> Result<Self> {
        let bus = Connection::session().await.map_err(bus_failure)?;
        let mut session = Self { bus, path: ObjectPath::from_static_str_unchecked(NONE).into() };
        let question = ("plain", Value::from(""));
        let open = || session.call_bus(PATH, SERVICE, "OpenSession", &question);
        let opened = match open().await {
            // It fell while the bus was starting it, or since: the bus starts it again.
            Err(zbus::Error::MethodError(name, ..)) if name.as_str() == NO_REPLY => open().await,
            opened => opened,
        };
        (_, session.path) = body::<(OwnedValue, OwnedObjectPath)>(&opened.map_err(bus_failure)?)?;
        Ok(session)
    }

    async fn call<B>(&self, path: &str, interface: &str, method: &str, with: &B) -> Result<Message>
    where
        B: Serialize + DynamicType + Sync,
    {
        self.call_bus(path, interface, method, with).await.map_err(bus_failure)
    }

    /// The same, with the bus's own error.
    async fn call_bus<B>(
        &self,
        path: &str,
        interface: &str,
        method: &str,
        with: &B,
    ) -> zbus::Result<Message>
    where
        B: Serialize + DynamicType + Sync,
    {
        self.bus.call_method(Some(NAME), path, Some(interface), method, with).await
    }

    async fn property(&self, path: &str, interface: &str, name: &str) -> Result<OwnedValue> {
        body(&self.call(path, PROPERTIES, "Get", &(interface, name)).await?)
    }

    /// Unlocks what is locked; the user may be asked to.
    async fn unlock(&self, paths: &[OwnedObjectPath]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let answer = self.call(PATH, SERVICE, "Unlock", &paths).await?;
        let (_, prompt) = body::<(Vec<OwnedObjectPath>, OwnedObjectPath)>(&answer)?;
        self.follow_prompt(&prompt).await
    }

    /// Has the desktop ask the user, where the service wants that.
    async fn follow_prompt(&self, prompt: &OwnedObjectPath) -> Result<()> {
        if prompt.as_str() == NONE {
            return Ok(());
        }
        let ends = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface(PROMPT)
            .and_then(|rule| rule.member("Completed"))
            .and_then(|rule| rule.path(prompt.as_str()))
            .map_err(bus_failure)?
            .build();
        let mut ends =
            MessageStream::for_match_rule(ends, &self.bus, None).await.map_err(bus_failure)?;
        self.call(prompt.as_str(), PROMPT, "Prompt", &"").await?;
        let Some(end) = ends.next().await else {
            return Err(failure("the bus closed while the user was asked"));
        };
        let (dismissed, _) = body::<(bool, OwnedValue)>(&end.map_err(bus_failure)?)?;
        match dismissed {
            true => Err(Error::NoStorageAccess("it was not unlocked".into())),
            false => Ok(()),
        }
    }

    /// Items with these attributes, unlocked.
    async fn find(&self, attributes: &HashMap<&str, &str>) -> Result<Vec<OwnedObjectPath>> {
        let answer = self.call(PATH, SERVICE, "SearchItems", attributes).await?;
        let (mut found, locked) = body::<(Vec<OwnedObjectPath>, Vec<OwnedObjectPath>)>(&answer)?;
        self.unlock(&locked).await?;
        found.extend(locked);
        Ok(found)
    }

    async fn attributes(&self, item: &OwnedObjectPath) -> Result<HashMap<String, String>> {
        let value = self.property(item.as_str(), ITEM, "Attributes").await?;
        HashMap::try_from(value).map_err(|error| Error::PlatformFailure(Box::new(error)))
    }

    fn secret(&self, value: &[u8]) -> Secret {
        (self.path.clone(), Vec::new(), value.to_vec(), "application/octet-stream".to_owned())
    }

    /// Makes an item in the user's default collection.
    async fn create(&self, of: &SecretName, value: &[u8]) -> Result<()> {
        let answer = self.call(PATH, SERVICE, "ReadAlias", &"default").await?;
        let collection = body::<OwnedObjectPath>(&answer)?;
        if collection.as_str() == NONE {
            let words = "it has no default keyring: create one in your desktop's password manager";
            return Err(failure(words));
        }
        let locked = self.property(collection.as_str(), COLLECTION, "Locked").await?;
        if bool::try_from(locked).unwrap_or(false) {
            self.unlock(std::slice::from_ref(&collection)).await?;
        }
        let properties = HashMap::from([
            (
                "org.freedesktop.Secret.Item.Label",
                Value::from(format!("keyring:{}@{}", of.name, of.service)),
            ),
            ("org.freedesktop.Secret.Item.Attributes", Value::from(of.attributes())),
        ]);
        let (secret, replaces) = (self.secret(value), true);
        let with = (properties, secret, replaces);
        let answer = self.call(collection.as_str(), COLLECTION, "CreateItem", &with).await?;
        let (_, prompt) = body::<(OwnedObjectPath, OwnedObjectPath)>(&answer)?;
        self.follow_prompt(&prompt).await
    }
}

impl CredentialStoreApi for SecretService {
    fn vendor(&self) -> String {
        NAME.to_owned()
    }

    fn id(&self) -> String {
        self.0.session.path.to_string()
    }

    fn build(&self, service: &str, name: &str, _: Option<&HashMap<&str, &str>>) -> Result<Entry> {
        Ok(Entry::new_with_credential(SecretName::new(&self.0, service, name)))
    }

    fn search(&self, wanted: &HashMap<&str, &str>) -> Result<Vec<Entry>> {
        let session = &self.0.session;
        let found = self.0.ask(async {
            let mut found = Vec::new();
            for item in session.find(wanted).await? {
                found.push(session.attributes(&item).await?);
            }
            Ok(found)
        })?;
        let of = |attributes: &HashMap<String, String>, key: &str| {
            attributes.get(key).cloned().unwrap_or_default()
        };
        let entry = |attributes: HashMap<String, String>| {
            let (service, name) = (of(&attributes, "service"), of(&attributes, "username"));
            Entry::new_with_credential(SecretName::new(&self.0, &service, &name))
        };
        Ok(found.into_iter().map(entry).collect())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn debug_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretService").finish_non_exhaustive()
    }
}

/// A secret by its name, whether it is there or not.
#[derive(Clone)]
struct SecretName {
    within: Arc<Service>,
    service: String,
    name: String,
}

impl SecretName {
    fn new(within: &Arc<Service>, service: &str, name: &str) -> Arc<Self> {
        Arc::new(Self { within: Arc::clone(within), service: service.into(), name: name.into() })
    }

    fn attributes(&self) -> HashMap<&str, &str> {
        HashMap::from([("service", &*self.service), ("username", &*self.name)])
    }

    /// Its item, which is the only one of that name.
    async fn item(&self) -> Result<OwnedObjectPath> {
        let mut found = self.within.session.find(&self.attributes()).await?;
        match found.len() {
            0 => Err(Error::NoEntry),
            1 => Ok(found.remove(0)),
            _ => {
                let this = || Entry::new_with_credential(Arc::new(self.clone()));
                Err(Error::Ambiguous(found.iter().map(|_| this()).collect()))
            }
        }
    }
}

impl CredentialApi for SecretName {
    fn set_secret(&self, value: &[u8]) -> Result<()> {
        let session = &self.within.session;
        self.within.ask(async {
            match self.item().await {
                Ok(item) => {
                    let with = (session.secret(value),);
                    session.call(item.as_str(), ITEM, "SetSecret", &with).await.map(drop)
                }
                Err(Error::NoEntry) => session.create(self, value).await,
                Err(error) => Err(error),
            }
        })
    }

    fn get_secret(&self) -> Result<Vec<u8>> {
        let session = &self.within.session;
        self.within.ask(async {
            let item = self.item().await?;
            let answer = session.call(item.as_str(), ITEM, "GetSecret", &session.path).await?;
            let (secret,) = body::<(Secret,)>(&answer)?;
            Ok(secret.2)
        })
    }

    fn delete_credential(&self) -> Result<()> {
        let session = &self.within.session;
        self.within.ask(async {
            let item = self.item().await?;
            let answer = session.call(item.as_str(), ITEM, "Delete", &()).await?;
            session.follow_prompt(&body(&answer)?).await
        })
    }

    fn get_credential(&self) -> Result<Option<Arc<Credential>>> {
        Ok(Some(Arc::new(self.clone())))
    }

    fn get_specifiers(&self) -> Option<(String, String)> {
        Some((self.service.clone(), self.name.clone()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn debug_fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretName").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a message holds.
fn body<T>(message: &Message) -> Result<T>
where
    T: serde::de::DeserializeOwned + zbus::zvariant::Type,
{
    message.body().deserialize().map_err(bus_failure)
}

/// What the bus or the service says; the error of an item that is locked is no access.
fn bus_failure(error: zbus::Error) -> Error {
    match &error {
        zbus::Error::MethodError(name, ..) if name.ends_with(".Secret.Error.IsLocked") => {
            Error::NoStorageAccess(Box::new(error))
        }
        _ => Error::PlatformFailure(Box::new(error)),
    }
}

fn failure(words: &str) -> Error {
    Error::PlatformFailure(words.into())
}

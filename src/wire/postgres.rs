//! A PostgreSQL database whose address is in an environment variable, password and all.

mod encrypted;

use std::time::Duration;

use tokio::{task::JoinHandle, time::timeout};
use tokio_postgres::{
    Client, Config, Error, NoTls, Row, Socket,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
    types::ToSql,
};

use self::encrypted::Encrypted;
use super::{secrets::Secrets, tls};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, SecretAt},
        error_kind::ErrorKind,
    },
    wire::spawning::spawn,
};

/// How long the server may take to let us in, and to answer one statement.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open database; closed when it is dropped.
pub(crate) struct Database {
    client: Client,
    /// Host, port and name, without user and password.
    place: String,
    running: JoinHandle<()>,
}

impl Drop for Database {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Database {
    /// Opens the database whose address lies there, encrypted where the address asks for it.
    ///
    /// # Errors
    /// When nothing lies there, or no address, or nobody lets us in. No word of the address but
    /// host, port and name is reported.
    pub async fn open(
        connection: &Connection,
        secrets: &Secrets,
        at: &SecretAt,
    ) -> Result<Self, CallError> {
        let address = secrets.resolve_secret(connection, at).await?;
        // The parser's own words may repeat parts of the address.
        let mut config: Config = address.parse().map_err(|_: Error| CallError {
            kind: ErrorKind::BadAddress,
            message: format!("{at} doesn't hold the address of a PostgreSQL database"),
            remedy: "use the form postgresql://USER:PASSWORD@HOST:PORT/NAME".into(),
        })?;
        config.application_name("toolcrib").connect_timeout(PATIENCE);
        let place = display_address(&config);
        let opened = if config.get_ssl_mode() == SslMode::Require {
            tls::install_provider();
            timeout(
                PATIENCE,
                spawn_connection(&config, Encrypted(tls::client_config(connection).await?)),
            )
            .await
        } else {
            timeout(PATIENCE, spawn_connection(&config, NoTls)).await
        };
        let opened = opened.map_err(|_| no_answer(&place))?;
        let (client, running) = opened.map_err(|error| open_failed(&place, &error))?;
        Ok(Self { client, place, running })
    }

    /// Where it is, for people.
    #[must_use]
    pub fn display_address(&self) -> &str {
        &self.place
    }

    /// The rows that a statement gives.
    pub async fn query_rows(
        &self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, CallError> {
        self.with_timeout(self.client.query(statement, values)).await
    }

    /// Runs several statements, each with its one parameter, in one transaction: all of them, or
    /// none.
    pub async fn execute_all(
        &mut self,
        statements: &[(String, serde_json::Value)],
    ) -> Result<(), CallError> {
        let place = self.place.clone();
        let writing = async {
            let transaction = self.client.transaction().await?;
            for (statement, value) in statements {
                transaction.execute(statement.as_str(), &[value]).await?;
            }
            transaction.commit().await
        };
        match timeout(PATIENCE, writing).await {
            Ok(done) => done.map_err(|error| statement_failed(&place, &error)),
            Err(_) => Err(no_answer(&place)),
        }
    }

    async fn with_timeout<T>(
        &self,
        asking: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, CallError> {
        match timeout(PATIENCE, asking).await {
            Ok(done) => done.map_err(|error| statement_failed(&self.place, &error)),
            Err(_) => Err(no_answer(&self.place)),
        }
    }
}

async fn spawn_connection<T>(config: &Config, tls: T) -> Result<(Client, JoinHandle<()>), Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, running) = config.connect(tls).await?;
    // Its end is seen by whoever asks next.
    Ok((client, spawn(async move { drop(running.await) })))
}

fn display_address(config: &Config) -> String {
    let host = config.get_hosts().first().map_or_else(
        || "localhost".to_owned(),
        |host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        },
    );
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("{host}:{port}/{}", config.get_dbname().or(config.get_user()).unwrap_or_default())
}

fn no_answer(place: &str) -> CallError {
    CallError {
        kind: ErrorKind::NoPostgres,
        message: format!("PostgreSQL at {place} didn't answer within {} s", PATIENCE.as_secs()),
        remedy: "check whether it is running and accepts another connection".into(),
    }
}

fn open_failed(place: &str, error: &Error) -> CallError {
    let cause = error_cause(error);
    let remedy = if error.as_db_error().is_some() {
        "check user, password and name in the address"
    } else {
        "check whether it is running, and check the address"
    };
    CallError {
        kind: ErrorKind::NoPostgres,
        message: format!("PostgreSQL at {place}: {cause}"),
        remedy: remedy.into(),
    }
}

fn statement_failed(place: &str, error: &Error) -> CallError {
    let known = error.as_db_error();
    let kind = match known.map(|error| error.code().code()) {
        Some("23505") => ErrorKind::PostgresDuplicate,
        Some(code) if code.starts_with("42") => ErrorKind::PostgresSchema,
        // Shut down by its operator, or gone.
        Some(code) if code.starts_with("57") => ErrorKind::ConnectionLost,
        None => ErrorKind::ConnectionLost,
        _ => ErrorKind::Postgres,
    };
    let remedy = match kind {
        ErrorKind::PostgresDuplicate => {
            "it already exists: every call needs a new id, and a call has one result"
        }
        ErrorKind::PostgresSchema => {
            "check whether it is the database of a CommonGround v1r4 and whether its user may write"
        }
        ErrorKind::ConnectionLost => "check whether PostgreSQL is still running",
        _ => "",
    };
    CallError::new(kind, format!("PostgreSQL at {place}: {}", error_cause(error)), remedy)
}

/// The server's own words, else those of what kept us from it. Neither holds the password.
fn error_cause(error: &Error) -> String {
    match error.as_db_error() {
        Some(told) => told.message().to_owned(),
        None => std::error::Error::source(error)
            .map_or_else(|| error.to_string(), |source| format!("{error}: {source}")),
    }
}

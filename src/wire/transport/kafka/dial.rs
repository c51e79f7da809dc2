//! Connecting to the first broker of a connection that lets us in.

use std::{sync::Arc, time::Duration};

use rskafka::{
    BackoffConfig,
    client::{Client, ClientBuilder, Credentials as Login, SaslConfig},
};
use rustls::ClientConfig;
use tokio::time::timeout;

use super::{link::Kafka, messages, pulse::KafkaPulse, topics::Topics};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
    },
    wire::{
        secrets::Secrets,
        tls,
        transport::{
            reconnecting::TransportDial,
            settings::{self, Server},
            socket,
        },
    },
};

/// The ways to prove a password, the strongest first: the last one shows it to the broker.
const WAYS: [fn(Login) -> SaslConfig; 3] =
    [SaslConfig::ScramSha512, SaslConfig::ScramSha256, SaslConfig::Plain];

/// What may come in one message of a broker beside the answer in it.
const AROUND: u64 = 1024 * 1024;

/// More is never read at once, whatever an answer may have: the library takes the announced length
/// for memory, on a connection for each partition.
const LARGEST: usize = 100 * 1024 * 1024;

/// How to reach brokers.
pub(crate) struct Brokers {
    servers: Vec<Server>,
    encryption: Option<Arc<ClientConfig>>,
    login: Option<Login>,
    /// The largest message that is read of a broker.
    largest: usize,
}

impl Brokers {
    async fn connect(&self, server: &Server) -> Result<Kafka, CallError> {
        let mut pulse =
            KafkaPulse::new(socket::open_socket(server, self.encryption.as_ref()).await?);
        let greeting = async {
            pulse.ping().await.map_err(|_| messages::no_kafka(server))?;
            let client = self.connect_client(server).await?;
            let topics = client
                .list_topics()
                .await
                .map_err(|error| messages::login_refused(server, &error.to_string()))?;
            Ok((client, topics.len()))
        };
        let (client, topics) = timeout(socket::CONNECTING, greeting)
            .await
            .unwrap_or_else(|_| Err(socket::no_answer(server)))?;
        Ok(Kafka::new(Topics::new(client, server.to_string(), self.largest), topics, pulse))
    }

    async fn connect_client(&self, server: &Server) -> Result<Client, CallError> {
        let Some(login) = &self.login else {
            return self
                .client_builder(server)
                .build()
                .await
                .map_err(|error| messages::login_refused(server, &error.to_string()));
        };
        let mut refusal = String::new();
        for way in WAYS {
            match self.client_builder(server).sasl_config(way(login.clone())).build().await {
                Ok(client) => return Ok(client),
                Err(error) => refusal = error.to_string(),
            }
            if !messages::is_other_way(&refusal) {
                break;
            }
        }
        Err(messages::login_refused(server, &refusal))
    }

    fn client_builder(&self, server: &Server) -> ClientBuilder {
        let Server { host, port, .. } = server;
        let address =
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        // What it would try again could be a message that has arrived.
        let once = BackoffConfig { deadline: Some(Duration::ZERO), ..BackoffConfig::default() };
        let builder = ClientBuilder::new(vec![address]).client_id("toolcrib").backoff_config(once);
        let builder = builder.max_message_size(self.largest);
        match &self.encryption {
            Some(config) => builder.tls_config(Arc::clone(config)),
            None => builder,
        }
    }
}

impl TransportDial for Brokers {
    type Link = Kafka;

    async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let servers = settings::parse_servers(connection)?;
        let encryption = tls::config_if_required(connection).await?;
        let login = match &connection.credentials {
            Credentials::None => None,
            Credentials::Password { user, password } => {
                Some(Login::new(user.clone(), secrets.resolve_secret(connection, password).await?))
            }
            Credentials::Token { .. } | Credentials::File { .. } => {
                let remedy = "set user and password-variable or password-key";
                return Err(settings::bad_settings(
                    connection,
                    "names a token or a file, and Kafka takes a password",
                    remedy,
                ));
            }
        };
        let largest = usize::try_from(connection.largest_answer.saturating_add(AROUND))
            .unwrap_or(usize::MAX)
            .min(LARGEST);
        Ok(Self { servers, encryption, login, largest })
    }

    async fn dial(&self) -> Result<Kafka, CallError> {
        socket::first_reachable(&self.servers, |server| self.connect(server)).await
    }
}

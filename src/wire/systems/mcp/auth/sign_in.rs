//! Gets a token: with the user, on a page in a browser that sends its answer to this machine, or
//! without, as the connection's settings say.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use uuid::Uuid;

use super::{
    fetch::Fetcher,
    grants, signing,
    tokens::{CLIENT_REMEDY, named_client, no_client, request_tokens},
    unattended::Unattended,
    walk::{Chain, walk},
};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::Problem,
        shown::{shell_word, visible_text},
    },
    systems::mcp::{
        auth::{
            answers::{Grant, Refused, read_redirect},
            challenge::DPOP,
            clients::{
                self, Client, ClientChoice, choose_client, client_metadata, registered_client,
            },
            documents::ServerMetadata,
            requests::{ConsentPage, page_url},
            scopes::{ScopeSources, choose_scopes},
        },
        token_settings::{self, GrantKind},
        url::HttpUrl,
    },
    wire::secrets::Secrets,
};

/// How long the user may take on the page.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a browser may take to send its request, and how much of it is read.
const READING: Duration = Duration::from_secs(5);
const LARGEST: usize = 16 * 1024;
const CALLBACK: &str = "/callback";

/// What to do and whom to tell.
pub(crate) struct SignIn<'s> {
    pub connection: &'s Connection,
    pub secrets: &'s Secrets,
    pub address: &'s str,
    /// Scopes to ask for beside those that the server wants.
    pub scope: Option<&'s str>,
    /// Receives the URL of the page.
    pub show: &'s (dyn Fn(&str) + Send + Sync),
}

impl SignIn<'_> {
    /// Gets a token and keeps it; gives the scopes that were asked for.
    ///
    /// # Errors
    /// When the server's documents do not allow it, the user does not, or there is no key store.
    pub async fn run(&self) -> Result<Option<String>, CallError> {
        if !HttpUrl::parse(self.address).is_some_and(|url| url.is_private()) {
            let message = "a token would be sent to another machine over HTTP, where others can \
                read it";
            return Err(CallError::new(
                ErrorKind::BadSettings,
                message,
                "give it an https address",
            ));
        }
        // Before the user is asked: there may be no key store.
        let before = grants::read_grant(self.secrets, self.address).await.map_err(no_store)?;
        let fetcher = Fetcher::new(self.connection, self.secrets).await?;
        let chain = walk(&fetcher, self.address, None).await;
        let server = usable_server(&chain, self.connection)?;
        let wanted = ScopeSources {
            challenged: chain.challenge.scope(),
            before: before
                .as_ref()
                .filter(|before| before.issuer == server.issuer)
                .and_then(|before| before.scope.as_deref()),
            beside: self.scope,
        };
        let resource = chain.resource.clone().unwrap_or_default();
        let scope = choose_scopes(wanted, &resource, server);
        let takes_bound_tokens = server.binds_tokens
            && (resource.takes_bound_tokens || chain.challenge.has_scheme(DPOP));
        let grant = Grant {
            address: self.address.to_owned(),
            resource: chain.resource(self.address).to_owned(),
            issuer: server.issuer.clone(),
            token_endpoint: server.token_endpoint.clone().unwrap_or_default(),
            scope,
            access_token: String::new(),
            refresh_token: None,
            expires: None,
            proof_key: if takes_bound_tokens { signing::new_proof_key() } else { None },
        };
        let grant = match token_settings::grant_kind(self.connection) {
            GrantKind::Browser => self.ask_user(&fetcher, server, grant).await?,
            kind => {
                let asking = Unattended {
                    connection: self.connection,
                    secrets: self.secrets,
                    fetcher: &fetcher,
                };
                asking.get_token(kind, server, grant).await?
            }
        };
        grants::save_grant(self.secrets, &grant).await.map_err(no_store)?;
        Ok(grant.scope)
    }

    /// A token that the user allows on a page.
    async fn ask_user(
        &self,
        fetcher: &Fetcher,
        server: &ServerMetadata,
        grant: Grant,
    ) -> Result<Grant, CallError> {
        let named = named_client(self.connection, self.secrets, server).await?;
        let known = grants::read_client(self.secrets, &server.issuer).await.map_err(no_store)?;
        let listener = listen(known.as_ref().and_then(|client| client.redirect.as_deref())).await?;
        let port = listener.local_addr().map_err(|error| no_listener(&error))?.port();
        let redirect = format!("http://127.0.0.1:{port}{CALLBACK}");
        // One that was registered for another port would be refused.
        let known = known.filter(|client| client.redirect.as_deref() == Some(&redirect));
        let client = match choose_client(named, known, server) {
            ClientChoice::Use(client) => client,
            ClientChoice::Register => {
                self.register(fetcher, server, &redirect, grant.scope.as_deref()).await?
            }
            ClientChoice::Ask => return Err(no_client(self.connection)),
        };
        let (state, verifier) = (secret_text(), secret_text());
        let url = page_url(ConsentPage {
            endpoint: server.authorization_endpoint.as_deref().unwrap_or_default(),
            client: &client.id,
            redirect: &redirect,
            state: &state,
            verifier: &verifier,
            scope: grant.scope.as_deref(),
            resource: &grant.resource,
        });
        (self.show)(&url);
        let waiting = wait_for_code(&listener, |query| read_redirect(query, &state, server));
        let code = timeout(PATIENCE, waiting).await.unwrap_or_else(|_| {
            let words = format!("the sign-in page didn't return within {} s", PATIENCE.as_secs());
            Err(CallError::new(ErrorKind::TimedOut, words, "open the URL again"))
        })?;
        let resource = grant.resource.clone();
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", redirect.as_str()),
            ("code_verifier", verifier.as_str()),
            ("resource", resource.as_str()),
        ];
        request_tokens(fetcher, &client, grant, &pairs).await
    }

    async fn register(
        &self,
        fetcher: &Fetcher,
        server: &ServerMetadata,
        redirect: &str,
        scope: Option<&str>,
    ) -> Result<Client, CallError> {
        let endpoint = server.registration_endpoint.as_deref().unwrap_or_default();
        let method = clients::registration_method(server);
        let body = client_metadata(redirect, method, scope);
        let refused = |cause: String| {
            let message = format!("{} registers no client: {cause}", server.issuer);
            CallError::new(ErrorKind::Unauthorized, message, CLIENT_REMEDY)
        };
        let got = fetcher.post_document(endpoint, &body).await.map_err(refused)?;
        let client = registered_client(&got.document, method, redirect);
        let client = client.filter(|_| got.is_success()).ok_or_else(|| {
            let words = ["error", "error_description"].map(|name| got.document[name].as_str());
            let words: Vec<&str> = words.into_iter().flatten().collect();
            refused(format!("HTTP {} {}", got.status, visible_text(&words.join(": "))))
        })?;
        grants::save_client(self.secrets, &server.issuer, &client).await.map_err(no_store)?;
        Ok(client)
    }
}

/// The server to get tokens from, where nothing that was found forbids it.
pub(crate) fn usable_server<'c>(
    chain: &'c Chain,
    connection: &Connection,
) -> Result<&'c ServerMetadata, CallError> {
    let name = &connection.name;
    let remedy = format!("`toolcrib mcp auth {}` shows each document", shell_word(name));
    if let Some((step, fault)) = chain.stopping_fault() {
        // A client that needs no page needs no proof that it began with one.
        let is_page_alone = fault.id == "auth.no-pkce"
            || (fault.id == "auth.no-endpoint" && fault.at.to_string().contains("authorization"));
        if !(is_page_alone && token_settings::grant_kind(connection) != GrantKind::Browser) {
            let message = format!("{}: {} at {}: {}", step.url, fault.id, fault.at, fault.words);
            return Err(CallError::new(ErrorKind::Unauthorized, message, remedy));
        }
    }
    chain.server.as_ref().ok_or_else(|| {
        let message = if chain.is_closed {
            "found no metadata of a server that issues tokens"
        } else {
            "the server answers without a token, and says nothing of who gives any"
        };
        CallError::new(ErrorKind::Unauthorized, message, remedy)
    })
}

/// A text that nobody guesses: 244 bits.
fn secret_text() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// Listens where a client was registered for, or at any free port.
async fn listen(redirect: Option<&str>) -> Result<TcpListener, CallError> {
    let port = redirect.and_then(|redirect| {
        let rest = redirect.strip_prefix("http://127.0.0.1:")?;
        rest.strip_suffix(CALLBACK)?.parse::<u16>().ok()
    });
    if let Some(port) = port
        && let Ok(listener) = TcpListener::bind(("127.0.0.1", port)).await
    {
        return Ok(listener);
    }
    TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| no_listener(&error))
}

/// Waits until a browser comes with an answer; anything else is sent away.
async fn wait_for_code(
    listener: &TcpListener,
    judge: impl Fn(&str) -> Result<String, Refused>,
) -> Result<String, CallError> {
    loop {
        let (mut browser, _) = listener.accept().await.map_err(|error| no_listener(&error))?;
        let Ok(Some(target)) = timeout(READING, read_target(&mut browser)).await else { continue };
        let query = match target.split_once('?') {
            Some((CALLBACK, query)) => query,
            _ => {
                reply(&mut browser, "404 Not Found", "This isn't the expected page.").await;
                continue;
            }
        };
        match judge(query) {
            Ok(code) => {
                reply(&mut browser, "200 OK", "Signed in. You can close this page.").await;
                return Ok(code);
            }
            Err((id, words)) => {
                reply(&mut browser, "400 Bad Request", "Not signed in; toolcrib shows why.").await;
                let message = format!("{id}: {}", visible_text(&words));
                return Err(CallError::new(ErrorKind::Unauthorized, message, "sign in again"));
            }
        }
    }
}

/// What a browser asks for: path and query of a GET.
async fn read_target(browser: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    while !read.windows(4).any(|end| end == b"\r\n\r\n") && read.len() < LARGEST {
        if browser.read_buf(&mut read).await.ok()? == 0 {
            break;
        }
    }
    let text = String::from_utf8_lossy(&read);
    let mut words = text.lines().next()?.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

async fn reply(browser: &mut TcpStream, status: &str, words: &str) {
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{words}",
        words.len()
    );
    // A browser that has gone needs no answer.
    let _ = browser.write_all(answer.as_bytes()).await;
    let _ = browser.shutdown().await;
}

fn no_listener(error: &std::io::Error) -> CallError {
    let message = format!("this machine cannot be listened on for the page's answer: {error}");
    CallError::new(ErrorKind::NoListener, message, "look at 127.0.0.1")
}

/// A key store that cannot be used.
pub(crate) fn no_store(problem: Problem) -> CallError {
    CallError {
        kind: ErrorKind::NoKeyStore,
        message: format!("tokens are only saved in the key store: {}", problem.cause),
        remedy: problem.remedy,
    }
}

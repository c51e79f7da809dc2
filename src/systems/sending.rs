//! What the user agrees to before a connection sends secrets away: which they are, and where they
//! go. The settings of a workspace name both, and they may be somebody else's.

use crate::model::{
    connection::{Connection, Credentials, SecretAt, SettingValue},
    digest,
    host::{host_of, is_loopback},
    shown::visible_text,
};

/// Secrets as they would leave this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The addresses that may get them.
    pub to: Vec<String>,
    /// Where each lies, and as what it is sent.
    pub secrets: Vec<(String, String)>,
}

impl Sending {
    /// All secrets that a connection names; `None` where it names none, or they stay on this
    /// machine. What a command starts gets its secrets with its [`Start`](super::start::Start).
    #[must_use]
    pub fn of(connection: &Connection) -> Option<Self> {
        Self::to_where_it_leads(connection, secrets_of(connection))
    }

    /// A variable of the environment that a request names.
    #[must_use]
    pub fn of_variable(connection: &Connection, name: &str) -> Option<Self> {
        Self::of_named(connection, &SecretAt::Variable(name.to_owned()))
    }

    /// A secret that a request names.
    #[must_use]
    pub fn of_named(connection: &Connection, at: &SecretAt) -> Option<Self> {
        Self::to_where_it_leads(connection, vec![(at.to_string(), "part of requests".to_owned())])
    }

    fn to_where_it_leads(connection: &Connection, secrets: Vec<(String, String)>) -> Option<Self> {
        let to = addresses_of(connection);
        let leaves = to.iter().any(|address| !is_loopback(host_of(address)));
        (leaves && !secrets.is_empty()).then_some(Self { to, secrets })
    }

    /// The same text for the same secrets to the same addresses, and for no other.
    #[must_use]
    pub fn digest(&self) -> String {
        let count = self.to.len().to_string();
        let to = self.to.iter().map(String::as_str);
        let secrets = self.secrets.iter().flat_map(|(at, sent_as)| [&**at, &**sent_as]);
        digest::parts_name(["send", &*count].into_iter().chain(to).chain(secrets))
    }

    /// All of it for people, line by line, nothing cut.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let to = self.to.iter().map(|address| format!("to       {}", visible_text(address)));
        let secrets = self.secrets.iter().map(|(at, sent_as)| {
            format!("sends    {} as {}", visible_text(at), visible_text(sent_as))
        });
        to.chain(secrets).collect()
    }
}

/// Where a connection leads, and what else its settings name as an address.
fn addresses_of(connection: &Connection) -> Vec<String> {
    let named = connection.settings.values().flat_map(|settings| settings.values.values());
    let named = named.filter_map(|value| value.as_str()).filter(|text| text.contains("://"));
    let mut addresses = connection.addresses().to_vec();
    addresses.extend(named.map(str::to_owned));
    addresses
}

/// Where each secret of a connection lies, and as what it is sent.
fn secrets_of(connection: &Connection) -> Vec<(String, String)> {
    let mut secrets: Vec<(String, String)> = match &connection.credentials {
        Credentials::None => Vec::new(),
        Credentials::Password { user, password } => {
            vec![(password.to_string(), format!("the password of {user}"))]
        }
        Credentials::Token { token } => vec![(token.to_string(), "the token".to_owned())],
        Credentials::File { path } => vec![(format!("the file {path}"), "credentials".to_owned())],
    };
    let headers = connection.headers.iter().filter_map(|(name, value)| match value {
        SettingValue::Secret(at) => Some((at.to_string(), format!("the header {name}"))),
        SettingValue::Text(_) => None,
    });
    secrets.extend(headers);
    let settings = connection.settings.values().flat_map(|settings| &settings.secrets);
    secrets.extend(settings.map(|(name, at)| (at.to_string(), name.replace('-', " "))));
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(address: &str) -> Connection {
        let token = SecretAt::Variable("MY_TOKEN".into());
        let credentials = Credentials::Token { token };
        Connection { credentials, ..Connection::http("prod", address) }
    }

    #[test]
    fn what_stays_on_this_machine_needs_no_permission() {
        for address in ["http://127.0.0.1:80", "http://localhost/mcp", "http://[::1]:8"] {
            assert_eq!(Sending::of(&connection(address)), None, "{address}");
            assert_eq!(Sending::of_variable(&connection(address), "HOME"), None, "{address}");
        }
        assert_eq!(Sending::of(&Connection::http("open", "https://example.com")), None);
        assert_eq!(Sending::of(&Connection::embedded()), None);
    }

    #[test]
    fn every_secret_is_shown_with_where_it_goes() {
        let key = SettingValue::Secret(SecretAt::KeyStore("key".into()));
        let headers =
            [("X-Api-Key".to_owned(), key), ("A".to_owned(), SettingValue::Text("a".into()))];
        let connection =
            Connection { headers: headers.into(), ..connection("https://example.com/\u{1b}[2J") };
        assert_eq!(
            Sending::of(&connection).unwrap().lines(),
            [
                "to       https://example.com/␛[2J",
                "sends    the environment variable MY_TOKEN as the token",
                "sends    the secret \"key\" of the key store as the header X-Api-Key",
            ]
        );
    }

    #[test]
    fn another_secret_or_another_address_is_another_permission() {
        let plain = Sending::of(&connection("https://example.com")).unwrap();
        let mut others = vec![
            Sending::of(&connection("https://example.org")).unwrap(),
            Sending::of_variable(&connection("https://example.com"), "MY_TOKEN").unwrap(),
        ];
        let mut more = connection("https://example.com");
        more.headers.insert("X".into(), SettingValue::Secret(SecretAt::Variable("HOME".into())));
        others.extend(Sending::of(&more));
        for other in others {
            assert_ne!(other.digest(), plain.digest(), "{other:?}");
        }
        let again = Sending::of(&connection("https://example.com")).unwrap();
        assert_eq!(again.digest(), plain.digest());
    }
}

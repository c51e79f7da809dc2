//! The secrets that this process knows: the values of variables that are named as such, here or in a connection's settings.

use crate::{
    engine::{mask::Mask, secret},
    model::connection::{Connection, Credentials},
};

/// Hides the values of all variables that connections name for their credentials, and of those whose names say that they hold secrets.
#[must_use]
pub fn mask(connections: &[Connection]) -> Mask {
    let named: Vec<&str> = connections.iter().filter_map(|connection| variable(&connection.credentials)).collect();
    // A variable that is not text is no secret that could be written as text.
    let known = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Mask::new(known.filter(|(name, _)| named.contains(&name.as_str()) || secret::is_secret_name(name)).map(|(_, value)| value))
}

fn variable(credentials: &Credentials) -> Option<&str> {
    match credentials {
        Credentials::Password { password_variable, .. } => Some(password_variable),
        Credentials::Token { token_variable } => Some(token_variable),
        Credentials::None | Credentials::File { .. } => None,
    }
}

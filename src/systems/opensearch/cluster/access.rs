//! Who is let in.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::answer::ClusterAnswer;

/// What a request must say of who sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Everybody is let in.
    #[default]
    Open,
    Token(String),
    Password {
        user: String,
        password: String,
    },
}

impl Access {
    /// Whether the value of an `Authorization` header opens.
    #[must_use]
    pub fn lets_in(&self, authorization: &str) -> bool {
        match self {
            Self::Open => true,
            Self::Token(token) => authorization.strip_prefix("Bearer ") == Some(token),
            Self::Password { user, password } => {
                let wanted = STANDARD.encode(format!("{user}:{password}"));
                authorization.strip_prefix("Basic ") == Some(&wanted)
            }
        }
    }

    /// What is said to who is not let in, as the security plugin says it.
    #[must_use]
    pub fn refusal() -> ClusterAnswer {
        ClusterAnswer::text(401, "Unauthorized")
    }
}

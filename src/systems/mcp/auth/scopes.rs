//! Which scopes are asked for.

use super::documents::{ResourceMetadata, ServerMetadata};

/// With it a token can be renewed without the user.
const OFFLINE: &str = "offline_access";

/// What decides on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScopeSources<'w> {
    /// Of the challenge.
    pub challenged: Option<&'w str>,
    /// Asked for the last time.
    pub before: Option<&'w str>,
    /// What the user wants beside.
    pub beside: Option<&'w str>,
}

/// The scopes to ask for: those of the challenge, else all that the server names; with those that
/// were asked for before, so that nothing is lost. `None`: it is left to the server.
#[must_use]
pub fn choose_scopes(
    wanted: ScopeSources<'_>,
    resource: &ResourceMetadata,
    server: &ServerMetadata,
) -> Option<String> {
    let named = resource.scopes.as_ref().map(|scopes| scopes.join(" "));
    let base = match wanted.challenged {
        Some(scope) => Some(scope.to_owned()),
        None => named,
    };
    let mut scopes = Vec::new();
    let parts = [wanted.before, base.as_deref(), wanted.beside];
    for scope in parts.into_iter().flatten().flat_map(str::split_whitespace) {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    let can_renew = server.scopes.as_ref().is_some_and(|known| known.iter().any(|s| s == OFFLINE));
    if !scopes.is_empty() && can_renew && !scopes.contains(&OFFLINE) {
        scopes.push(OFFLINE);
    }
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

/// What a server wants more than was asked for; empty where asking again would change nothing.
#[must_use]
pub fn missing_scopes(asked: Option<&str>, challenged: Option<&str>) -> Vec<String> {
    let asked: Vec<&str> = asked.unwrap_or_default().split_whitespace().collect();
    let challenged = challenged.unwrap_or_default().split_whitespace();
    challenged.filter(|scope| !asked.contains(scope)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_counts_before_the_metadata_and_nothing_is_lost() {
        let named =
            |scopes: &[&str]| Some(scopes.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        let resource = ResourceMetadata { scopes: named(&["a", "b"]), ..Default::default() };
        let server = ServerMetadata::default();
        let choose = |wanted, server: &ServerMetadata| choose_scopes(wanted, &resource, server);
        assert_eq!(choose(ScopeSources::default(), &server).as_deref(), Some("a b"));
        let wanted = ScopeSources { challenged: Some("c"), before: Some("a"), beside: Some("d c") };
        assert_eq!(choose(wanted, &server).as_deref(), Some("a c d"));
        let renewing = ServerMetadata { scopes: named(&["a", OFFLINE]), ..Default::default() };
        let wanted = ScopeSources { challenged: Some("a"), ..ScopeSources::default() };
        assert_eq!(choose(wanted, &renewing).as_deref(), Some("a offline_access"));
        let nothing = ResourceMetadata::default();
        assert_eq!(choose_scopes(ScopeSources::default(), &nothing, &renewing), None);
    }

    #[test]
    fn asking_again_for_the_same_is_seen() {
        assert_eq!(missing_scopes(Some("a"), Some("a b")), ["b"]);
        assert!(missing_scopes(Some("b a"), Some("a b")).is_empty());
        assert!(missing_scopes(None, None).is_empty());
    }
}

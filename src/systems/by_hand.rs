//! Which tools of any system a person can answer for.

use super::table::{by_id, every_system};
use crate::model::{connection::Connection, tool::Tool};

/// Whether calls of the tool could be answered by hand, over some connection.
#[must_use]
pub(crate) fn is_possible(tool: &Tool) -> bool {
    by_id(tool.entry.system).is_some_and(|system| system.by_hand().is_some())
}

/// The address at which calls of the tool are taken over that connection; `None` where they cannot
/// be taken.
#[must_use]
pub(crate) fn listen_address(tool: &Tool, connection: &Connection) -> Option<String> {
    by_id(tool.entry.system)?.by_hand()?.listen_address(tool, connection)
}

/// What it takes, for people.
#[must_use]
pub(crate) fn describe_requirements() -> String {
    let needs: Vec<&str> =
        every_system().iter().filter_map(|system| Some(system.by_hand()?.requirements())).collect();
    format!("only {}", needs.join(", or "))
}

/// Whose tools those are: `CommonGround`.
#[must_use]
pub(crate) fn supported_systems() -> String {
    let titles: Vec<&str> = every_system()
        .iter()
        .filter(|system| system.by_hand().is_some())
        .map(|system| system.title())
        .collect();
    titles.join(" or ")
}

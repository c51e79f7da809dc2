//! Holds requests back while a server is informed its folders: many allow nothing until they have
//! them, and a call that comes before is refused.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::asker::Asker;
use crate::systems::mcp::{asked::Kind, version::Era};

/// How long a server has to ask for them.
const ASKING: Duration = Duration::from_millis(500);
/// How long it has to read what was reported.
const TOLD: Duration = Duration::from_millis(200);

/// Until when nothing is asked.
#[derive(Debug, Default)]
pub(super) struct FolderHold(Option<Instant>);

impl FolderHold {
    /// The connection was opened. In the modern era a server asks within the call that needs them.
    pub fn begin(&mut self, era: Era, asker: &Asker) {
        if era == Era::Legacy && asker.has_folders() {
            self.0 = Some(Instant::now() + ASKING);
        }
    }

    /// The server was answered a question of that kind.
    pub fn note_answer(&mut self, kind: &Kind) {
        if self.is_holding() && *kind == Kind::Roots {
            self.0 = Some(Instant::now() + TOLD);
        }
    }

    pub fn is_holding(&self) -> bool {
        self.0.is_some()
    }

    /// Waits until requests may be sent again; dropping it loses nothing.
    pub async fn end(&mut self) {
        if let Some(until) = self.0 {
            sleep_until(until).await;
            self.0 = None;
        }
    }
}

//! Files: where they live, reading and saving them whole, the workspace and its settings, and what
//! survives a crash.
//!
//! | file | does |
//! | --- | --- |
//! | [`paths`] | the user's own folders for settings, state and cache |
//! | [`files`] | reads one file with its stamp; saves one whole or not at all |
//! | [`workspace`] | which folder it is, and reading its files |
//! | [`settings`] | the workspace's settings, and the user's |
//! | [`consents`] | the starts of servers that the user agreed to |
//! | [`server_configs`] | servers that other programs have configured |
//! | [`failed_cases`] | which cases failed when they were last run |
//! | [`journal`] | unsaved work, kept for after a crash |
//! | [`history`] | every call, kept as it happens |
//! | [`own_ids`] | which answers are to other calls of this process |
//! | [`secrets`] | the secrets that must not be kept |
//! | [`key_store`] | the system's key store |
//! | [`stale`] | what killed processes left of their saves |
//! | [`watch`] | says what changes on disk |
//! | [`log`] | the log file |
//! | [`traces`] | what was received on a bus, as JSON lines |
//! | [`git`] | a workspace's files as a version in git has them |
//! | [`globs`] | file patterns such as `**/*.json` |
//! | [`schema_map`] | files in the place of schemas that are named by address |
//! | [`schema_files`] | a JSON Schema's file, with the local files that it refers to |
//! | [`saved_parts`] | what a server answered, in files that the user names |
//! | [`samples`] | the samples that toolcrib brings along |

pub mod consents;
pub mod failed_cases;
pub mod files;
pub mod git;
pub mod globs;
pub mod history;
pub mod journal;
pub mod key_store;
pub mod log;
mod own_ids;
pub mod paths;
pub mod samples;
pub mod saved_parts;
pub(crate) mod schema_documents;
pub mod schema_files;
pub mod schema_map;
#[cfg(all(unix, not(target_vendor = "apple"), feature = "key-store"))]
mod secret_service;
pub mod secrets;
pub mod server_configs;
pub mod settings;
pub mod stale;
pub mod traces;
mod walk;
pub mod watch;
pub mod window_state;
pub mod workspace;

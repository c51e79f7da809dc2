//! What a system may have on the wire.

use super::facets::{
    agent::AgentRuns, authorizer::Authorizer, embedded::Embedded, examiner::Examiner,
    exchange::Exchange, inspector::Inspector, multi_step::MultiStep, opener::Opener,
    responder::Responder, store::DeployedStore, tool_server::ToolServer,
};
use crate::model::entry::SystemId;

/// How one system's calls are made.
#[derive(Clone, Copy)]
pub enum CallDriver<'s> {
    /// One request, and what comes back for it on the same bus.
    Exchange(&'s dyn Exchange),
    /// Several steps, over whatever they need.
    MultiStep(&'s dyn MultiStep),
}

/// The half of a system that needs the world. All of it is optional: a system without any can still
/// be read, edited and checked.
pub trait LiveSystem: Sync {
    /// As its pure half has it.
    fn id(&self) -> SystemId;

    /// Its tools can be called.
    fn call_driver(&self) -> Option<CallDriver<'_>> {
        None
    }

    /// Its connections are opened in its own way.
    fn opener(&self) -> Option<&dyn Opener> {
        None
    }

    /// It has servers that say what they have.
    fn inspector(&self) -> Option<&dyn Inspector> {
        None
    }

    /// It has servers that want a token which a person has to allow.
    fn authorizer(&self) -> Option<&dyn Authorizer> {
        None
    }

    /// Its servers can be held against the rules of its protocol.
    fn examiner(&self) -> Option<&dyn Examiner> {
        None
    }

    /// Its entries can be read and written while it runs.
    fn store(&self) -> Option<&dyn DeployedStore> {
        None
    }

    /// It has an agent whose run can be known.
    fn agent(&self) -> Option<&dyn AgentRuns> {
        None
    }

    /// Calls can be answered in the place of its own services.
    fn responder(&self) -> Option<&dyn Responder> {
        None
    }

    /// It has a protocol in which tools can be served to clients of others.
    fn tool_server(&self) -> Option<&dyn ToolServer> {
        None
    }

    /// Sample services of it answer within this process.
    fn embedded(&self) -> Option<&dyn Embedded> {
        None
    }
}

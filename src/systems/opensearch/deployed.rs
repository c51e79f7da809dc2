//! Agents, connectors and what else a cluster has, to be imported and pushed: [`items`] are entries
//! as it reports them, [`push`] says what sending the workspace's changes there.

pub mod items;
pub mod push;
mod row;

pub(crate) use row::OpenSearchDeployment;

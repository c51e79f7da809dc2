//! Every system whose entries can be read and written while it runs, one row each.

use super::deployment::Deployment;
use crate::{
    model::connection::Connection,
    systems::{commonground::deployed::row::CommonGroundDeployment, trustgraph::deployed::row::TrustGraphDeployment},
};

const DEPLOYMENTS: &[&dyn Deployment] = &[&TrustGraphDeployment, &CommonGroundDeployment];

/// The system of that id.
#[must_use]
pub fn by_id(system: &str) -> Option<&'static dyn Deployment> {
    DEPLOYMENTS.iter().copied().find(|deployment| deployment.system() == system)
}

/// The one that a connection leads to.
#[must_use]
pub fn at(connection: &Connection) -> Option<&'static dyn Deployment> {
    DEPLOYMENTS.iter().copied().find(|deployment| deployment.is_at(connection))
}

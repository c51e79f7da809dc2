//! What a running system has configured: the registry of a system that has one.

use std::time::Duration;

use futures::future::BoxFuture;

use super::source::{Search, Source};
use crate::{
    model::{connection::Connection, problem::Problem},
    systems::{
        deployed::{deployment::Deployment, item::Item},
        discovery::found::Found,
        table,
    },
    wire::{connector::Connector, deployed},
};

/// The word of this source.
const WORD: &str = "configured";

pub(super) struct Configured;

/// What a connection leads to, where its entries can be taken into a workspace.
fn deployment_at(connection: &Connection) -> Option<&'static dyn Deployment> {
    let (_, deployment) = table::deployment_at(connection)?;
    deployment.read_only().is_none().then_some(deployment)
}

impl Source for Configured {
    fn is_at(&self, connection: &Connection) -> bool {
        deployment_at(connection).is_some()
    }

    fn search<'a>(
        &'a self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        _: Duration,
    ) -> BoxFuture<'a, Result<Search, Problem>> {
        Box::pin(async move {
            let items = deployed::read_items(connector, connection).await?;
            let brought =
                |item: &Item| deployment_at(connection).is_some_and(|there| there.is_own(item));
            let found = items
                .into_iter()
                .filter(|item| !brought(item))
                .map(|item| found_item(item, connection))
                .collect();
            Ok(Search { found, ..Search::default() })
        })
    }
}

fn found_item(item: Item, connection: &Connection) -> Found {
    let value = item.parse_value().unwrap_or_default();
    let about = value.get("description").and_then(|text| text.as_str()).unwrap_or_default();
    Found {
        sources: vec![WORD],
        place: connection.name.clone(),
        name: item.name(),
        about: about.to_owned(),
        instances: 1,
        items: vec![item],
        ..Found::default()
    }
}

//! Every path of the stand-in for a cluster.

use serde_json::json;

use super::{
    answer::{ClusterAnswer, ClusterRequest},
    framework::answer_framework,
    records::{AGENT, CONNECTOR, MODEL},
    state::ClusterState,
    stubs::answer_path,
};
use crate::systems::opensearch::keys;

/// The version as which it answers.
const VERSION: &str = "3.9.0";

/// The answer to a request: a stub's, where one is for its path, else the cluster's.
#[must_use]
pub fn answer_request(state: &mut ClusterState, request: &ClusterRequest) -> ClusterAnswer {
    if let Some(answer) = answer_path(&state.stubs, request) {
        return answer;
    }
    let segments = request.segments();
    match (request.method.as_str(), segments.as_slice()) {
        (_, ["_plugins", "_ml", rest @ ..]) => {
            answer_framework(state, answer_request, rest, request)
        }
        ("GET" | "HEAD", []) => ClusterAnswer::json(200, about_cluster()),
        ("GET", ["_cluster", "health", ..]) => ClusterAnswer::json(
            200,
            json!({"cluster_name": "toolcrib", "status": "green", "timed_out": false, "number_of_nodes": 1,
                "number_of_data_nodes": 1, "active_shards": state.documents.counts().count()}),
        ),
        ("GET" | "PUT", ["_cluster", "settings"]) => ClusterAnswer::json(
            200,
            json!({"acknowledged": true, "persistent": {}, "transient": {}}),
        ),
        ("GET", ["_nodes", "stats"] | ["_nodes", _, "stats"]) => {
            let documents: usize = state.documents.counts().map(|(_, count)| count).sum();
            ClusterAnswer::json(200, node_stats(documents, request.now.0))
        }
        _ => state.documents.answer(request).unwrap_or_else(|| ClusterAnswer::no_handler(request)),
    }
}

fn about_cluster() -> serde_json::Value {
    json!({
        "name": "toolcrib", "cluster_name": "toolcrib", "cluster_uuid": "toolcrib",
        "version": {
            "distribution": "opensearch", "number": VERSION, "build_type": "stand-in",
            "minimum_wire_compatibility_version": "2.19.0",
            "minimum_index_compatibility_version": "2.0.0",
        },
        "tagline": "The OpenSearch Project: https://opensearch.org/",
    })
}

fn node_stats(documents: usize, now: u64) -> serde_json::Value {
    json!({
        "_nodes": {"total": 1, "successful": 1, "failed": 0}, "cluster_name": "toolcrib",
        "nodes": {"toolcrib": {
            "timestamp": now, "name": "toolcrib", "roles": ["data", "ingest", "ml"],
            "indices": {"docs": {"count": documents, "deleted": 0}},
            "jvm": {"mem": {"heap_used_percent": 42}},
            "http": {"current_open": 1},
        }},
    })
}

/// What there is to be answered for, each with its path: agents, models, connectors, and the stubs
/// of paths.
#[must_use]
pub fn served_paths(state: &ClusterState) -> Vec<(String, String)> {
    let mut served = Vec::new();
    for (id, agent) in state.records.of_kind(AGENT) {
        let name = agent[keys::NAME].as_str().unwrap_or(id);
        served.push((format!("{}/agents/{id}", keys::ML), name.to_owned()));
    }
    for (id, _) in state.records.of_kind(CONNECTOR) {
        served.push((format!("{}/connectors/{id}", keys::ML), id.to_owned()));
    }
    for (id, _) in state.records.of_kind(MODEL) {
        served.push((format!("{}/models/{id}", keys::ML), id.to_owned()));
    }
    let of_paths =
        state.stubs.iter().filter_map(|stub| Some((stub.request.clone()?, stub.name.clone())));
    served.extend(of_paths);
    served
}

//! Which sample or stub answers for what behind which of the gateway's services.

use serde_json::{Map, Value, json};

use crate::{
    engine::services::{SAMPLES, sample::Asking},
    model::{
        catalog::Catalog, connection::Connection, problem::Problem, stub::StubService, tool::Tool,
    },
    schema::literal::Literal,
    systems::{
        facets::calls::CallOf,
        trustgraph::{
            gateway::{
                endpoints::{self, Endpoint},
                served,
            },
            request::ServiceRequest,
            settings::Gateway,
        },
    },
    wire::systems::facets::decided::{AnswerSource, DecidedAnswer, decide_answer},
};

/// Somebody who answers, and which requests he is for.
#[derive(Clone, Debug)]
pub struct GatewayRoute {
    pub name: String,
    pub at: Endpoint,
    /// What a request's configuration must have: the name of the MCP tool, the id of the prompt,
    /// the collection.
    pub config: Map<String, Value>,
    pub by: AnswerSource,
}

impl GatewayRoute {
    /// Who answers for a tool, where calls of it go over that connection.
    ///
    /// # Errors
    /// When the gateway has nothing for tools of its type.
    pub fn of_tool(
        tool: &Tool,
        catalog: &Catalog,
        connection: &Connection,
        by: AnswerSource,
    ) -> Result<Self, Problem> {
        let arguments = Literal::from(Value::Object(Map::new()));
        let (user, correlation, route) = ("", "", None);
        let sent = endpoints::build_request(&CallOf {
            catalog,
            tool,
            user,
            arguments: &arguments,
            meta: None,
            correlation,
            connection,
            route,
        })?;
        let at = Endpoint::parse(&sent.to).unwrap_or_else(|| Endpoint::of_workspace(""));
        let body = serde_json::from_str(&sent.body).unwrap_or_default();
        let config =
            served::parse_request(&at.service, &body).map(|asked| asked.config).unwrap_or_default();
        Ok(Self { name: tool.entry.key.clone(), at, config, by })
    }

    /// A stub that says itself which path it is for; `None` when what it says is none of the
    /// gateway's.
    #[must_use]
    pub fn of_path(stub: &StubService, by: AnswerSource) -> Option<Self> {
        let at = Endpoint::parse(stub.request.as_deref()?)?;
        Some(Self { name: stub.name.clone(), at, config: Map::new(), by })
    }

    /// The sample that can stand for a tool: for an MCP tool of its name, and for one that asks a
    /// collection.
    #[must_use]
    pub fn sample_for(tool: &Tool, catalog: &Catalog, connection: &Connection) -> Option<Self> {
        let is_named = |name: &str| {
            [Some(tool.entry.key.as_str()), tool.service.as_deref()].contains(&Some(name))
        };
        let sample = SAMPLES.iter().find(|sample| match tool.kind.as_str() {
            "mcp-tool" => is_named(sample.name) || is_named(sample.topic),
            "knowledge-query" => sample.topic == RAG,
            _ => false,
        });
        Self::of_tool(tool, catalog, connection, AnswerSource::Sample(*sample?)).ok()
    }

    fn accepts_request(&self, at: &Endpoint, asked: &ServiceRequest) -> bool {
        self.at == *at
            && self.config.iter().all(|(name, value)| asked.config.get(name) == Some(value))
    }
}

/// The sample that asks a collection, as the gateway's own retrieval does.
const RAG: &str = "custom-rag";

/// All samples, as MCP tools of their names, and the one that represents the gateway's own
/// retrieval.
#[must_use]
pub(crate) fn sample_routes(connection: &Connection) -> Vec<GatewayRoute> {
    let gateway = Gateway::from_connection(connection);
    let door = |service: &str, name: &str, config, sample| {
        let at = Endpoint::of_flow(service, &gateway);
        GatewayRoute { name: name.to_owned(), at, config, by: AnswerSource::Sample(sample) }
    };
    let as_tool = |sample: &_| {
        let crate::engine::services::sample::Sample { name, .. } = *sample;
        door(
            "mcp-tool",
            name,
            json!({"name": name}).as_object().cloned().unwrap_or_default(),
            *sample,
        )
    };
    let mut doors: Vec<GatewayRoute> = SAMPLES.iter().map(as_tool).collect();
    doors.extend(
        SAMPLES
            .iter()
            .filter(|sample| sample.topic == RAG)
            .map(|rag| door("graph-rag", "graph-rag", Map::new(), *rag)),
    );
    doors
}

/// Where a request goes.
pub(crate) enum RouteChoice {
    /// To somebody, who says this.
    To(String, DecidedAnswer),
    /// The service is there, but not what is asked of it.
    Nobody,
}

/// What is said to a request: by the first that has a rule for it, else the first that it is for
/// says why none has.
#[must_use]
pub(crate) fn choose_route(
    doors: &[GatewayRoute],
    at: &Endpoint,
    asked: &ServiceRequest,
) -> RouteChoice {
    let asking = Asking { user: &asked.user, config: &asked.config, arguments: &asked.arguments };
    let mut unruled = None;
    for door in doors.iter().filter(|door| door.accepts_request(at, asked)) {
        let decided = decide_answer(&door.by, &asking);
        if !decided.is_unruled() {
            return RouteChoice::To(door.name.clone(), decided);
        }
        unruled.get_or_insert(RouteChoice::To(door.name.clone(), decided));
    }
    unruled.unwrap_or(RouteChoice::Nobody)
}

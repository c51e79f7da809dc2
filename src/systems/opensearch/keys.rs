//! Words of OpenSearch's agent framework.

use crate::model::entry::SystemId;

pub const SYSTEM: SystemId = "opensearch";

pub const NAME: &str = "name";
pub const TYPE: &str = "type";
pub const DESCRIPTION: &str = "description";
pub const PARAMETERS: &str = "parameters";
pub const CONFIG: &str = "config";
pub const ATTRIBUTES: &str = "attributes";
pub const INPUT: &str = "input";
pub const REQUIRED_PARAMETERS: &str = "required_parameters";
pub const INPUT_SCHEMA: &str = "input_schema";
pub const INCLUDE_OUTPUT: &str = "include_output_in_agent_response";

pub const URI: &str = "uri";
pub const METHOD: &str = "method";
pub const REQUEST_BODY: &str = "request_body";
pub const RESPONSE_FILTER: &str = "response_filter";
pub const OUTPUT_FILTER: &str = "output_filter";
pub const OUTPUT_PROCESSORS: &str = "output_processors";
pub const TOOL_STEPS: &str = "tool_steps";
pub const TOOLS: &str = "tools";

/// The tool type that calls an API of the cluster.
pub const DYNAMIC_TOOL: &str = "DynamicTool";
/// What a step's output is stored under, behind its name.
pub const OUTPUT_SUFFIX: &str = ".output";

pub const ACTIONS: &str = "actions";
pub const PROTOCOL: &str = "protocol";
pub const VERSION: &str = "version";
/// What a connector signs in with; a cluster never reports it.
pub const CREDENTIAL: &str = "credential";
/// The model of an agent.
pub const LLM: &str = "llm";
pub const MODEL_ID: &str = "model_id";
pub const AGENT_ID: &str = "agent_id";
pub const CONNECTOR_ID: &str = "connector_id";
pub const SELECTED_TOOLS: &str = "selected_tools";

pub const MODEL_TOOL: &str = "MLModelTool";
pub const AGENT_TOOL: &str = "AgentTool";
pub const CONNECTOR_TOOL: &str = "ConnectorTool";
/// Where the ML framework's own API begins.
pub const ML: &str = "/_plugins/_ml";

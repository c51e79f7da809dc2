//! Pure behaviour on the model: the filter, the workflow and its analysis, reasons and changes,
//! simulation, scenarios, lint, pictures.
//!
//! | file | decides |
//! | --- | --- |
//! | [`gated`] | what all of it reads of a tool: key, name, gate |
//! | [`filter`] | which tools a context gets and why not the others; where the state goes; who may ask for which groups |
//! | [`groups`] | which groups there are, and what a workspace's own group lists come to |
//! | [`workflow`] | the graph of states that tools make under the groups asked for, and everything that can be said about it |
//! | [`lint`] | what is wrong with descriptors, whatever their system |
//! | [`health`] | what makes it harder for a model to choose among tools: texts that are alike, costs, schemas that an API refuses |
//! | [`explain`] | why a tool is hidden and what would show it, how one comes into a state and out, what groups never get to, what a change would do |
//! | [`gate_edit`], [`gate_place`] | edits of a gate; where a gate is written |
//! | [`layout`] | boxes and arrows placed in cells, layer by layer |
//! | [`canvas_text`] | a layout drawn with box characters, each cell with its role |
//! | [`export`] | a workflow as text, DOT, Mermaid, SVG, JSON |
//! | [`simulate`] | stepping the workflow, with branches; its audit record and counters |
//! | [`portable`] | a tool without what only its system knows, carried to other systems and formats |
//! | [`model_view`] | a tool as models' APIs get it, what they refuse, about how many tokens it costs |
//! | [`scenario`] | a saved start, steps and expectations: read, written, run |
//! | [`template`] | variables and earlier answers in arguments |
//! | [`variables`] | what variables of the settings are over a connection |
//! | [`env_file`] | the variables of a `.env` file |
//! | [`query`] | what of a JSON answer is looked at |
//! | [`series`] | how long many calls took |
//! | [`case`] | a saved call with expectations: read, written, judged |
//! | [`stub`] | stand-ins for services: rules read and written, which one counts, what is said, kept calls as rules |
//! | [`agent_loop`] | a model that calls tools: both APIs, whose turn it is, what it costs, recordings |
//! | [`members`], [`subset`] | what files of cases, scenarios and stubs are read with; whether a value has all of another |
//! | [`junit`] | reports for CI |
//! | [`conformance`] | whether documents match their JSON Schemas, and which they name |
//! | [`eras`] | one server in both eras of its protocol, side by side |
//! | [`drift`] | what changed between two lists of tools, and how much it matters |
//! | [`events`] | events of a call as data for scripts, and read again |
//! | [`trace`] | calls as lines of the history: written, read, summed up, found |
//! | [`settings`] | what the texts of settings files say |
//! | [`secret`], [`mask`], [`stream_redactor`] | what a secret looks like; texts and JSON without their secrets; answers that come in pieces |
//! | [`traffic`] | what a tap hears: conversations, filter, rates, alerts, trace |
//! | [`services`] | small services that really answer, to try calls on |
//!
//! Nothing here reads a clock, a file or the network, and nothing knows a system.

pub mod agent_loop;
pub mod canvas_text;
pub mod case;
pub mod conformance;
pub mod diff;
pub mod drift;
pub mod env_file;
pub mod eras;
pub mod events;
pub mod explain;
pub mod export;
pub mod filter;
pub mod gate_edit;
pub mod gate_place;
pub mod gated;
pub mod groups;
pub mod health;
pub mod junit;
pub(crate) mod latin_letters;
pub mod layout;
pub mod lint;
pub mod mask;
mod mask_json;
mod match_sense;
pub mod members;
pub mod mentions;
pub(crate) mod merge_lines;
pub mod model_view;
pub mod portable;
pub mod query;
pub mod scenario;
pub(crate) mod schema_faults;
pub mod secret;
mod secret_spellings;
pub mod series;
pub mod services;
pub mod settings;
pub mod simulate;
pub mod stream_redactor;
pub mod stub;
pub mod subset;
pub mod template;
pub mod trace;
pub mod traffic;
pub mod transcript;
pub mod variables;
pub mod workflow;

#[cfg(test)]
mod spec_tools;
mod xml;

//! toolcrib: a terminal workbench for people who make tools for LLM agents.
//!
//! The map of the house. Imports only fall: a folder may use those above it in this table, never
//! those below.
//!
//! | folder | holds |
//! | --- | --- |
//! | [`schema`] | JSON Schema as a vocabulary for forms: pointers, literals, fields, validation |
//! | [`syntax`] | JSON, YAML and TOML as the user wrote them: values with their places, edits that change only their own lines |
//! | [`model`] | plain data: tools, services, contexts, findings, calls, events, the workspace |
//! | [`engine`] | pure behaviour: the filter, the workflow and its analysis, simulation, layout, export, lint |
//! | [`systems`] | one folder per ecosystem, pure: reads descriptors, gives their schema, checks them, renders requests, decodes replies |
//! | [`store`] | files: workspace, saving, journal, settings, state |
//! | [`wire`] | transports, the life of a call, and what each system does on the wire |
//! | [`app`] | the application without a terminal: keymap, state, messages, update, effects |
//! | [`ui`] | drawing and input: theme, widgets, forms, overlays, screens |
//! | [`runtime`] | the only place where things run: event loop, effects, terminal |
//! | [`cli`] | one file per command, no logic of its own |
//!
//! The flow: key → action → focused view → message → [`app`] `update(state, message)` → effects →
//! [`runtime`] performs them → messages. A change of state asks for one redraw; nothing changes,
//! nothing is drawn.

#![cfg_attr(
    not(all(feature = "nats", feature = "rabbitmq", feature = "pulsar", feature = "kafka")),
    allow(dead_code, reason = "a transport that is left out leaves what only it uses")
)]

pub mod app;
pub mod cli;
pub mod engine;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod model;
pub mod runtime;
pub mod schema;
pub mod store;
pub mod syntax;
pub mod systems;
pub mod ui;
pub mod wire;

//! All tests that go through the public face of the library or the real binary; one target, so
//! linking is short.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what several tests stand on fails as a test does"
)]

mod architecture;
mod by_accident;
mod call_meta;
mod cases;
mod channel_watch;
mod cli;
mod commonground;
mod commonground_answer;
mod commonground_definitions;
mod commonground_failures;
mod commonground_findings;
mod compose;
mod compose_by_hand;
mod compose_screen;
mod connections_screen;
mod copies;
mod demo;
mod deployed_tools;
mod deployment;
mod descriptors;
mod echo;
mod end_to_end;
mod event_loop;
mod findings;
mod form;
mod form_check;
mod form_program;
mod form_shapes;
mod form_sheet;
mod form_typing;
mod form_work;
mod gallery;
mod gate_edits;
mod gateway;
mod gateway_stubs;
mod history;
mod hostile;
mod http;
mod incremental;
mod invoke;
mod kafka;
mod key_store;
mod killed;
mod kitchen_sink;
mod layout;
mod mcp_auth;
mod mcp_conformance;
mod mcp_frames;
mod mcp_http;
mod mcp_import;
mod mcp_lists;
mod mcp_live;
mod mcp_questions;
mod mcp_reading;
mod mcp_real;
mod mcp_relay;
mod mcp_screens;
mod mcp_serve;
mod mcp_served_systems;
mod mcp_tasks;
mod nats;
mod numbers;
mod opensearch;
mod opensearch_entries;
mod opensearch_push;
mod opensearch_real;
mod opensearch_screen;
mod opensearch_serve;
mod pictures;
mod pulsar;
mod push;
mod rabbitmq;
mod random_events;
mod reach;
mod readme;
mod resources_screen;
mod runs;
mod samples;
mod samples_of_variables;
mod schemas;
mod settings_gates;
mod stubs;
mod studio;
mod suite;
mod support;
mod syntax;
mod tap;
mod tool_connections;
mod tools_screen;
mod trustgraph_loading;
mod typed_arguments;
mod unique_entries;
mod vectors;
mod watch;
mod watch_screen;
mod widgets;
mod workflow_picture;
mod workflow_screen;

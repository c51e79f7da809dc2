//! All tests that go through the public face of the library or the real binary; one target, so linking is short.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what several tests stand on fails as a test does")]

#[path = "all/architecture.rs"]
mod architecture;
#[path = "all/by_accident.rs"]
mod by_accident;
#[path = "all/cases.rs"]
mod cases;
#[path = "all/channel_watch.rs"]
mod channel_watch;
#[path = "all/cli.rs"]
mod cli;
#[path = "all/commonground.rs"]
mod commonground;
#[path = "all/commonground_answer.rs"]
mod commonground_answer;
#[path = "all/commonground_definitions.rs"]
mod commonground_definitions;
#[path = "all/commonground_failures.rs"]
mod commonground_failures;
#[path = "all/commonground_findings.rs"]
mod commonground_findings;
#[path = "all/compose.rs"]
mod compose;
#[path = "all/compose_by_hand.rs"]
mod compose_by_hand;
#[path = "all/compose_screen.rs"]
mod compose_screen;
#[path = "all/connections_screen.rs"]
mod connections_screen;
#[path = "all/copies.rs"]
mod copies;
#[path = "all/demo.rs"]
mod demo;
#[path = "all/deployed_tools.rs"]
mod deployed_tools;
#[path = "all/deployment.rs"]
mod deployment;
#[path = "all/descriptors.rs"]
mod descriptors;
#[path = "all/end_to_end.rs"]
mod end_to_end;
#[path = "all/event_loop.rs"]
mod event_loop;
#[path = "all/findings.rs"]
mod findings;
#[path = "all/form.rs"]
mod form;
#[path = "all/form_check.rs"]
mod form_check;
#[path = "all/form_program.rs"]
mod form_program;
#[path = "all/form_shapes.rs"]
mod form_shapes;
#[path = "all/form_sheet.rs"]
mod form_sheet;
#[path = "all/form_typing.rs"]
mod form_typing;
#[path = "all/form_work.rs"]
mod form_work;
#[path = "all/gallery.rs"]
mod gallery;
#[path = "all/gate_edits.rs"]
mod gate_edits;
#[path = "all/gateway.rs"]
mod gateway;
#[path = "all/gateway_stubs.rs"]
mod gateway_stubs;
#[path = "all/history.rs"]
mod history;
#[path = "all/hostile.rs"]
mod hostile;
#[path = "all/http.rs"]
mod http;
#[path = "all/invoke.rs"]
mod invoke;
#[path = "all/kafka.rs"]
mod kafka;
#[path = "all/key_store.rs"]
mod key_store;
#[path = "all/killed.rs"]
mod killed;
#[path = "all/kitchen_sink.rs"]
mod kitchen_sink;
#[path = "all/layout.rs"]
mod layout;
#[path = "all/nats.rs"]
mod nats;
#[path = "all/numbers.rs"]
mod numbers;
#[path = "all/pictures.rs"]
mod pictures;
#[path = "all/pulsar.rs"]
mod pulsar;
#[path = "all/push.rs"]
mod push;
#[path = "all/rabbitmq.rs"]
mod rabbitmq;
#[path = "all/random_events.rs"]
mod random_events;
#[path = "all/reach.rs"]
mod reach;
#[path = "all/readme.rs"]
mod readme;
#[path = "all/runs.rs"]
mod runs;
#[path = "all/samples.rs"]
mod samples;
#[path = "all/samples_of_variables.rs"]
mod samples_of_variables;
#[path = "all/schemas.rs"]
mod schemas;
#[path = "all/stubs.rs"]
mod stubs;
#[path = "all/studio.rs"]
mod studio;
#[path = "all/suite.rs"]
mod suite;
#[path = "all/support.rs"]
mod support;
#[path = "all/syntax.rs"]
mod syntax;
#[path = "all/tap.rs"]
mod tap;
#[path = "all/tool_connections.rs"]
mod tool_connections;
#[path = "all/tools_screen.rs"]
mod tools_screen;
#[path = "all/trustgraph_loading.rs"]
mod trustgraph_loading;
#[path = "all/typed_arguments.rs"]
mod typed_arguments;
#[path = "all/vectors.rs"]
mod vectors;
#[path = "all/watch.rs"]
mod watch;
#[path = "all/watch_screen.rs"]
mod watch_screen;
#[path = "all/widgets.rs"]
mod widgets;
#[path = "all/workflow_picture.rs"]
mod workflow_picture;
#[path = "all/workflow_screen.rs"]
mod workflow_screen;

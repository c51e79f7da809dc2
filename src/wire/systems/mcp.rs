//! MCP on the wire: servers that are spoken with over a process's pipes or over HTTP, in either era.
//!
//! | file | does |
//! | --- | --- |
//! | [`pipe`], [`http`], `http_link` | moves frames, whatever carries them |
//! | [`arrival`] | what comes in |
//! | [`driver`] | runs the state machine of a connection over a pipe, and says each call what is its own |
//! | [`asker`] | answers what a server asks, or has a person answer it |
//! | [`folders`] | holds calls back while a server is informed its folders |
//! | `server_notices` | what a server says unasked |
//! | [`questions`] | what a server asks while requests are under way |
//! | [`tasks`] | work that goes on after its call was answered |
//! | [`tool_facts`] | what has to be known of tools when they are called |
//! | [`problems`] | what goes wrong on a connection, in words |
//! | [`requests`] | what is wanted of a connection, and what waits there |
//! | [`stages`] | what those who wait for an answer are reported |
//! | [`mod@auth`], [`authorizer`] | gets tokens for servers that want them, and sends them there alone |
//! | [`frame_log`] | keeps the frames that went by, for who looks at them |
//! | [`raw_frames`] | sends frames as they are, and says what comes back |
//! | [`channel`] | an open connection, as calls use it |
//! | [`calling`] | a call of a tool, each step of it said |
//! | [`kept_file`] | what the workspace keeps of a server |
//! | `list_watch` | says when that is no longer so |
//! | [`listing`] | what a server has |
//! | [`serving`] | the other side: a server of the workspace's tools |
//! | [`examiner`] | whether a server keeps the rules of the specification |
//! | [`inspector`] | the same for the commands that look at servers, and what changed since it was kept |

pub mod arrival;
pub mod asker;
pub mod auth;
pub mod authorizer;
pub mod calling;
pub mod channel;
pub mod driver;
pub mod examiner;
pub mod folders;
pub mod frame_log;
pub mod http;
mod http_link;
pub mod inspector;
pub mod kept_file;
mod list_watch;
pub mod listing;
pub mod pipe;
pub mod problems;
pub mod questions;
mod raw_frames;
pub mod requests;
mod server_notices;
mod server_questions;
pub mod serving;
pub mod stages;
pub mod tasks;
pub mod tool_facts;
pub mod updates;

use std::sync::Arc;

use futures::future::BoxFuture;

use super::{
    facets::{
        authorizer::Authorizer,
        examiner::Examiner,
        inspector::Inspector,
        multi_step::{CallContext, MultiStep},
        opener::{OpenedConnection, Opener, Opening},
        store::{DeployedStore, Listeners},
        tool_server::ToolServer,
    },
    live::{CallDriver, LiveSystem},
};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        entry::SystemId,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        mcp::{deployed, keys, settings},
    },
    wire::{
        connector::Connector,
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        transport::bus::{Bus, BusFuture},
    },
};

pub(crate) struct LiveMcp;

impl LiveSystem for LiveMcp {
    fn id(&self) -> SystemId {
        keys::SYSTEM
    }

    fn call_driver(&self) -> Option<CallDriver<'_>> {
        Some(CallDriver::MultiStep(self))
    }

    fn opener(&self) -> Option<&dyn Opener> {
        Some(self)
    }

    fn store(&self) -> Option<&dyn DeployedStore> {
        Some(self)
    }

    fn inspector(&self) -> Option<&dyn Inspector> {
        Some(&inspector::McpInspector)
    }

    fn authorizer(&self) -> Option<&dyn Authorizer> {
        Some(&authorizer::McpAuthorizer)
    }

    fn examiner(&self) -> Option<&dyn Examiner> {
        Some(&examiner::McpExaminer)
    }

    fn tool_server(&self) -> Option<&dyn ToolServer> {
        Some(&serving::McpToolServer)
    }
}

impl Opener for LiveMcp {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection)
    }

    fn open<'a>(&'a self, opening: Opening<'a>) -> BusFuture<'a, Arc<dyn Bus>> {
        Box::pin(async move {
            let name = &opening.connection.name;
            let kept = opening.workspace.and_then(|root| kept_file::read_list(root, name));
            let channel = channel::open(opening, kept.as_ref()).await?;
            Ok(Arc::new(channel) as Arc<dyn Bus>)
        })
    }

    fn watch(&self, opened: OpenedConnection) -> Option<BoxFuture<'static, ()>> {
        Some(Box::pin(list_watch::watch_list(opened)))
    }
}

impl MultiStep for LiveMcp {
    fn run_call<'a>(
        &'a self,
        call_context: CallContext<'a>,
        sink: &'a mut EventSink,
    ) -> BoxFuture<'a, Result<CallEnd, SinkClosed>> {
        Box::pin(calling::call(call_context, sink))
    }
}

impl DeployedStore for LiveMcp {
    fn read_items<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(async move {
            let doing = || format!("asking \"{}\" for its tools", connection.name);
            let told = |problem: CallError| problem.while_doing(doing());
            let bus = connector.open_bus(connection).await.map_err(told)?;
            let tools = listing::list(&*bus, listing::TOOLS).await.map_err(told)?.pages;
            Ok(tools.items.iter().map(|tool| deployed::item(&connection.name, tool)).collect())
        })
    }

    fn read_said<'a>(
        &'a self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Item>, Problem>> {
        Box::pin(async move {
            let doing = || format!("asking \"{}\" for its instructions", connection.name);
            let told = |problem: CallError| problem.while_doing(doing());
            let bus = connector.open_bus(connection).await.map_err(told)?;
            let profile = bus.server_profile();
            let said = profile.and_then(|profile| profile.instructions.as_deref());
            Ok(Some(deployed::instructions_item(&connection.name, said.unwrap_or_default())))
        })
    }

    /// Its tools, each with its text.
    fn read_listeners<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Listeners>, Problem>> {
        Box::pin(async move {
            let items = LiveMcp.read_items(connector, connection).await?;
            let named = |item: Item| {
                let name = item.parse_value()?.get("name")?.as_str()?.to_owned();
                Some((name, item.text))
            };
            Ok(Some(items.into_iter().filter_map(named).collect()))
        })
    }

    fn apply_push<'a>(
        &self,
        _: &'a dyn Connector,
        _: &'a Connection,
        _: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        let cause = "a server brings its own tools";
        let problem = Problem::new(ProblemKind::Input, "pushing", cause);
        Box::pin(std::future::ready(Err(problem.with_remedy("change the server itself"))))
    }
}

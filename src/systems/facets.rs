//! What only some systems have or can do: each facet is a small trait, which
//! [`super::system::System`] gives or does not give.
//!
//! | facet | a system that has it |
//! | --- | --- |
//! | [`gates`] | says in groups and states which tools a request gets |
//! | [`loader`] | does not load every tool of its files |
//! | [`calls`] | has tools that can be called |
//! | [`caller`] | is called in the name of an agent |
//! | [`merge`] | gives a tool other arguments than a model gave |
//! | [`observer`] | can be followed on a bus |
//! | [`attachments`] | points from its messages to cards that are kept elsewhere |
//! | [`agent`] | has an agent that works on a question |
//! | [`portable`] | can have tools that come from other systems and formats |
//! | [`prompts`] | has tools that bring prompts along |
//! | [`renderings`] | knows how another program makes a call, to be taken there |
//! | [`shapes`] | has entries in several shapes, and reads those that were pasted |
//! | [`steps`] | runs the steps of a call itself, one at a time if wanted |
//! | [`templates`] | has entries with templates, and fills them in for samples |
//! | [`stubs`] | has calls that a stub can answer as they were answered |
//! | [`call_meta`] | knows what calls of servers' tools say beside their arguments |
//! | [`by_hand`] | has tools that a person can answer for |
//! | [`configured`] | is configured for other programs, whose files can be read |
//! | [`kept_tools`] | has servers whose tools a workspace keeps |
//! | [`remote_tools`] | can call tools of another system's servers |
//! | [`deployment`](super::deployed::deployment) | has entries that can be read and written while it runs |
//!
//! [`served`] are tools as one system's servers offer those of all others; [`examined`] is what came of
//! holding a server against its protocol.

pub mod agent;
pub mod attachments;
pub mod by_hand;
pub mod call_meta;
pub mod caller;
pub mod calls;
pub mod configured;
pub mod examined;
pub mod gates;
pub mod kept_tools;
pub mod loader;
pub mod merge;
pub mod observer;
pub mod portable;
pub mod prompts;
pub mod remote_tools;
pub mod renderings;
pub mod served;
pub mod shapes;
pub mod steps;
pub mod stubs;
pub mod templates;

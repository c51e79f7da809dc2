//! What a system can have on the wire; each is a small trait, which [`super::live::LiveSystem`]
//! gives or does not give.
//!
//! | file | holds |
//! | --- | --- |
//! | [`exchange`], [`multi_step`] | the two ways of calling: one exchange over one connection, or several steps over whatever they need |
//! | [`own_agents`] | agents of our own, kept from call to call |
//! | [`store`] | reading and writing the entries of a running system |
//! | [`mod@agent`] | a whole run of a system's agent |
//! | [`responder`] | answering in the place of a system's own services |
//! | [`embedded`] | sample services within this process |
//! | [`opener`] | opening connections in a system's own way |
//! | [`examiner`] | holding servers against the rules of their protocol |
//! | [`inspector`] | what a server has, and the frames that go by |
//! | [`tool_server`] | serving tools to clients of a protocol of their own |
//! | [`authorizer`] | tokens that a person has to allow |
//! | [`decided`] | what those say, and what stubs say, step by step |

pub mod agent;
pub mod authorizer;
pub mod decided;
pub mod embedded;
pub mod examiner;
pub mod exchange;
pub mod inspector;
pub mod multi_step;
pub mod opener;
pub mod own_agents;
pub mod responder;
pub mod store;
pub mod tool_server;

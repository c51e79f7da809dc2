//! The agent loop: a model gets a question and the tools that the filter makes available, its tool
//! calls are checked and answered, and the state moves, until it answers in words.
//!
//! | file | does |
//! | --- | --- |
//! | [`turn`] | what both sides say, in no API's words |
//! | [`api`] | what an API of models has to say of itself |
//! | [`openai`], [`anthropic`], [`apis`] | the two APIs, and their table |
//! | [`mock_model`] | a model that calls tools by rules, without an account |
//! | [`reply_builder`] | pieces of a reply, joined |
//! | [`call_check`] | whether a call that a model wants can be made |
//! | [`breakpoint`] | calls that are asked about although others are not |
//! | [`decision`] | what becomes of a call, and where a run goes on from |
//! | [`run`] | the run: whose turn it is, and what it is at |
//! | [`event`] | what happens in a run, for people, scripts and the history |
//! | [`outline`] | the turns of a run, followed by its events |
//! | [`recording`] | a run that is kept, to be run again without its model |
//! | [`resume`] | a run from its events, to go on with it |
//! | [`price`] | what tokens cost |

pub mod anthropic;
pub mod api;
pub mod apis;
pub mod breakpoint;
pub mod call_check;
pub mod decision;
pub mod event;
mod mock_model;
pub mod openai;
pub mod outline;
pub mod price;
pub mod recording;
pub mod reply_builder;
pub mod resume;
pub mod run;
pub mod turn;

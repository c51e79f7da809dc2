//! Stubs: stand-ins that answer for services by rules. Read from a file, written to one, played,
//! recorded.
//!
//! | file | does |
//! | --- | --- |
//! | [`read`] | a stub from a file, with every issue at its place |
//! | [`choose`] | which rule counts for a request, and why the others do not |
//! | [`play`] | what is said, when, under which id: a rule's answer as steps |
//! | [`record`] | a kept call as a rule that answers as it was answered |
//! | [`mock`] | an answer made without a rule: an example, a kept answer, the arguments |
//! | [`page`] | a stub as the text of a file, with comments |

pub mod choose;
pub mod mock;
pub mod page;
pub mod play;
pub mod read;
pub mod record;

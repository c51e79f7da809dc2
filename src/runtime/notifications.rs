//! Desktop notifications: [`terminal`] writes what a terminal shows as one, [`desktop`] asks the
//! system's notification service.

pub(crate) mod desktop;
pub(crate) mod terminal;

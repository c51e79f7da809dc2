//! The clock, as messages and kept calls carry it.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::{
    engine::traffic::span::StartTime,
    model::{call::CallError, clock::Millis, error_kind::ErrorKind},
    schema::moment::LocalTime,
};

pub(crate) use crate::wire::now::{elapsed_ms, now_millis};

/// Ticks once a second from now on, whatever else is waited for meanwhile.
#[must_use]
pub(crate) fn each_second() -> Interval {
    const SECOND: Duration = Duration::from_secs(1);
    let mut seconds = interval_at(Instant::now() + SECOND, SECOND);
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    seconds
}

/// That moment in UTC as RFC 3339 has it, to the second.
#[must_use]
pub(crate) fn rfc3339(at: Millis) -> String {
    let seconds = i64::try_from(at.0 / 1_000).unwrap_or_default();
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// That moment as the clock on the wall showed it.
#[must_use]
pub(crate) fn local_time(at: Millis) -> LocalTime {
    let moment = i64::try_from(at.0)
        .ok()
        .and_then(|at| jiff::Timestamp::from_millisecond(at).ok())
        .unwrap_or_default();
    LocalTime {
        seconds: moment.as_second(),
        offset: jiff::tz::TimeZone::system().to_offset(moment).seconds() / 60,
    }
}

/// The moment that the past begins at, by the clock on the wall here.
///
/// # Errors
/// When it is still to come.
pub(crate) fn resolve_since(since: StartTime) -> Result<Millis, CallError> {
    let moment = since.to_moment(now_millis(), |at| local_time(at).offset);
    moment.map_err(|message| CallError {
        kind: ErrorKind::BadTime,
        message,
        remedy: "such as 10m, or 14:05".into(),
    })
}

//! Headers as they are received.

use async_nats::HeaderMap;

/// Each with each of its values, in order.
pub(super) fn headers(headers: Option<&HeaderMap>) -> Vec<(String, String)> {
    let headers = headers.into_iter().flat_map(HeaderMap::iter);
    headers.flat_map(|(name, values)| values.iter().map(move |value| (name.to_string(), value.to_string()))).collect()
}

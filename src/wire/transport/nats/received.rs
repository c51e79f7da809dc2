//! Headers as they are received.

use async_nats::HeaderMap;

/// Each with each of its values, by name: the client's map gives them in another order each time,
/// and the same message is to be known when it comes twice.
pub(super) fn sorted_headers(headers: Option<&HeaderMap>) -> Vec<(String, String)> {
    let headers = headers.into_iter().flat_map(HeaderMap::iter);
    let each = headers.flat_map(|(name, values)| {
        values.iter().map(move |value| (name.to_string(), value.to_string()))
    });
    let mut each: Vec<_> = each.collect();
    each.sort_by(|(one, _), (other, _)| one.cmp(other));
    each
}

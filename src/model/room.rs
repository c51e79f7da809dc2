//! Room for texts that grow piece by piece.

/// From this length on an answer is taken for a large one.
const LARGE: usize = 1024 * 1024;
/// What a large answer gets at once: so much that allocators take it from the system by itself, let
/// it grow where it is, and give it back. It costs nothing until it is written to; growing by and
/// by would leave a trail of holes as large as the answer.
const AT_ONCE: usize = 64 * 1024 * 1024;

/// Makes room for so many bytes more.
pub(super) fn make_room(text: &mut String, more: usize) {
    let wanted = text.len() + more;
    if wanted > LARGE && wanted > text.capacity() && text.capacity() < AT_ONCE {
        // Where there is not so much, it grows as far as it can.
        let _ = text.try_reserve_exact(AT_ONCE.max(wanted) - text.len());
    }
}

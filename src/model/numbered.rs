//! Names with a number, where the wanted one may be taken.

/// The names to try, without an end: the wanted one, then `wanted-2`, `wanted-3` and so on.
pub(crate) fn numbered_names(wanted: &str) -> impl Iterator<Item = String> + use<> {
    let wanted = wanted.to_owned();
    (1_u64..).map(move |number| match number {
        1 => wanted.clone(),
        _ => format!("{wanted}-{number}"),
    })
}

//! Who listens for commands, as the server's consumers show: nobody, one service as it should be,
//! or several.

use super::subject;

/// The services among listeners, each given as its name and a filter: those that hear the subject
/// and name its target. Whoever only reads along takes a whole channel.
#[must_use]
pub(crate) fn services<'l>(listeners: &'l [(String, String)], to: &str) -> Vec<&'l str> {
    let target = to.split('.').nth(6);
    let serves = |filter: &str| subject::overlap(filter, to) && filter.split('.').nth(6) == target;
    let mut names: Vec<&str> = listeners
        .iter()
        .filter(|(_, filter)| serves(filter))
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What is odd about those who listen on a subject.
#[must_use]
pub(crate) fn oddity(services: &[&str], to: &str) -> Option<String> {
    match services {
        [] => Some(format!(
            "no consumer covers {to}: its service isn't running, or listens \
                elsewhere"
        )),
        [_] => None,
        _ => Some(format!(
            "{} services listen on {to} ({}): all answer, and only the first answer can be stored; stop all but one",
            services.len(),
            services.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_those_who_name_the_target() {
        let rows = [
            ("a", "cg.v1r4.*.*.cmd.tool.lamp.*"),
            ("b", "cg.v1r4.*.*.cmd.tool.door.*"),
            ("c", "cg.v1r4.p.c.cmd.*.*.>"),
        ];
        let listeners = rows.map(|(name, filter)| (name.to_owned(), filter.to_owned()));
        let to = "cg.v1r4.p.c.cmd.tool.lamp.on";
        let one = services(&listeners, to);
        assert_eq!((one.as_slice(), oddity(&one, to)), (&["a"][..], None));
        let nobody = services(&listeners, "cg.v1r4.p.c.cmd.tool.lamp.on.now");
        assert!(oddity(&nobody, to).unwrap().starts_with("no consumer"), "{nobody:?}");
        assert!(oddity(&["a", "d"], to).unwrap().contains("(a, d)"));
    }
}

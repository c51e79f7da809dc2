//! Subjects with wildcards, as NATS knows them: `*` represents one part, `>` for one and all that
//! follow.

/// Whether a subject is what a pattern means.
#[must_use]
pub(crate) fn subject_matches(pattern: &str, subject: &str) -> bool {
    let mut parts = subject.split('.');
    for wanted in pattern.split('.') {
        match (wanted, parts.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
    parts.next().is_none()
}

/// The pattern that means what both mean; `None` where nothing is meant by both.
#[must_use]
pub(crate) fn intersect_patterns(one: &str, other: &str) -> Option<String> {
    let (mut ones, mut others) = (one.split('.').peekable(), other.split('.').peekable());
    let mut met: Vec<&str> = Vec::new();
    loop {
        match (ones.peek().copied(), others.peek().copied()) {
            (None, None) => return Some(met.join(".")),
            (Some(">"), Some(_)) => {
                met.extend(others);
                return Some(met.join("."));
            }
            (Some(_), Some(">")) => {
                met.extend(ones);
                return Some(met.join("."));
            }
            (Some("*"), Some(part)) | (Some(part), Some("*")) => met.push(part),
            (Some(part), Some(same)) if part == same => met.push(part),
            _ => return None,
        }
        ones.next();
        others.next();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_meet_part_by_part() {
        let stream = "cg.v1r4.*.*.cmd.*.*.>";
        for (place, met) in [
            ("cg.v1r4.lab.public.>", Some("cg.v1r4.lab.public.cmd.*.*.>")),
            ("cg.v1r4.lab.public.*.*.*.>", Some("cg.v1r4.lab.public.cmd.*.*.>")),
            ("cg.v1r4.lab.public.cmd.tool.x", None),
            ("cg.v1r4.lab.public.evt.*.*.>", None),
            ("cg.v1r4.lab.public.cmd.tool.x.call", Some("cg.v1r4.lab.public.cmd.tool.x.call")),
            (">", Some(stream)),
            ("cg.>", Some(stream)),
        ] {
            assert_eq!(intersect_patterns(place, stream).as_deref(), met, "{place}");
            assert_eq!(
                intersect_patterns(stream, place).as_deref(),
                met,
                "{place}, the other way round"
            );
        }
    }

    fn pattern() -> impl Strategy<Value = String> {
        (prop::collection::vec("[ab*]", 1..4), any::<bool>())
            .prop_map(|(parts, open)| parts.join(".") + if open { ".>" } else { "" })
    }

    proptest! {
        #[test]
        fn what_both_mean_is_what_each_means(one in pattern(), other in pattern(), subject in "[ab](\\.[ab]){0,4}") {
            let met = intersect_patterns(&one, &other);
            let both = subject_matches(&one, &subject) && subject_matches(&other, &subject);
            prop_assert_eq!(met.is_some_and(|met| subject_matches(&met, &subject)), both);
        }
    }
}

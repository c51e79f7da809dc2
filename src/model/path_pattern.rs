//! Names with `*`, `?` and `[…]`, as a shell has them.

/// Whether a name matches a pattern without folders.
#[must_use]
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<_>>());
    matches_letters(&pattern, &name)
}

fn matches_letters(mut pattern: &[char], mut name: &[char]) -> bool {
    // What follows the last `*`, and the rest of the name that it is tried at.
    let mut star: Option<(&[char], &[char])> = None;
    while !(pattern.is_empty() && name.is_empty()) {
        if let ['*', after @ ..] = pattern {
            star = Some((after, name));
            pattern = after;
        } else if let Some(rests) = match_letter(pattern, name) {
            (pattern, name) = rests;
        } else {
            let Some((after, [_, later @ ..])) = star else { return false };
            star = Some((after, later));
            (pattern, name) = (after, later);
        }
    }
    true
}

/// What is left of both behind the first letter of a name, where the pattern begins with it.
fn match_letter<'p, 'n>(pattern: &'p [char], name: &'n [char]) -> Option<(&'p [char], &'n [char])> {
    let ((sign, rest), (letter, name)) = (pattern.split_first()?, name.split_first()?);
    let (is_match, rest) = match (sign, split_class(rest)) {
        ('?', _) => (true, rest),
        ('[', Some((set, rest))) => (is_in(set, *letter), rest),
        _ => (sign == letter, rest),
    };
    is_match.then_some((rest, name))
}

/// What is between brackets, and what follows them; a `]` right behind the opening one is a letter.
fn split_class(pattern: &[char]) -> Option<(&[char], &[char])> {
    let negated = usize::from(matches!(pattern.first(), Some('!' | '^')));
    let close = pattern.iter().skip(negated + 1).position(|sign| *sign == ']')? + negated + 1;
    Some((&pattern[..close], &pattern[close + 1..]))
}

fn is_in(set: &[char], letter: char) -> bool {
    let (negated, mut set) = match set {
        ['!' | '^', rest @ ..] => (true, rest),
        set => (false, set),
    };
    let mut found = false;
    while let [first, rest @ ..] = set {
        match rest {
            ['-', last, rest @ ..] => {
                found |= (*first..=*last).contains(&letter);
                set = rest;
            }
            _ => {
                found |= *first == letter;
                set = rest;
            }
        }
    }
    found != negated
}

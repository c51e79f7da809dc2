//! The comment that a kept scenario has above each of its steps: `# 2: paid → shipped; …`.

use super::trial::{ScenarioRun, StepEnd, TrialStep};

/// What is said of a step as it went.
#[must_use]
pub(super) fn step_comment(row: usize, step: &TrialStep) -> String {
    format!("# {}: {}", row + 1, one_line(&step_words(step)))
}

fn step_words(step: &TrialStep) -> String {
    let offer = &step.offer;
    let all = offer.tool_count();
    let available = format!("{} of {all} tools available", offer.available.len());
    match &step.end {
        StepEnd::Looked => format!("in {}, {available}", step.before),
        StepEnd::Taken(_) if step.before == step.after => {
            format!("the state stays {}; {available}", step.before)
        }
        StepEnd::Taken(_) => format!("{} → {}; {available}", step.before, step.after),
        StepEnd::Refused { reasons, .. } => {
            format!("refused in {}: {}", step.before, reasons.join("; "))
        }
        StepEnd::Unknown => "no tool has that key or name".into(),
    }
}

/// Names come from files: a line end in one must not end the comment.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|sign| {
            if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}' | '\u{85}') {
                ' '
            } else {
                sign
            }
        })
        .collect()
}

/// A line of a text that is such a comment: what is before it, the number of its step from 1, and
/// what it says.
fn read_comment(line: &str) -> Option<(&str, usize, &str)> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let (number, words) = line.trim_start().strip_prefix("# ")?.split_once(": ")?;
    let is_written = [" → ", " tools available", "refused in ", "the state stays "]
        .iter()
        .any(|part| words.contains(part))
        || words == "no tool has that key or name";
    Some((indent, number.parse().ok().filter(|_| is_written)?, words))
}

/// The text with each such comment as it would be written of the scenario as it went.
#[must_use]
pub(super) fn write_again(text: &str, trial: &ScenarioRun) -> String {
    let line = |line: &str| {
        let written = read_comment(line).and_then(|(indent, number, _)| {
            let row = number.checked_sub(1)?;
            Some(format!("{indent}{}", step_comment(row, trial.steps.get(row)?)))
        });
        written.unwrap_or_else(|| line.to_owned())
    };
    with_lines(text, line)
}

/// The text with another name for a state in such comments.
#[must_use]
pub(crate) fn rename_state(text: &str, from: &str, to: &str) -> String {
    let line = |line: &str| {
        let renamed = read_comment(line).map(|(indent, number, words)| {
            format!("{indent}# {number}: {}", rename_in_words(words, from, to))
        });
        renamed.unwrap_or_else(|| line.to_owned())
    };
    with_lines(text, line)
}

/// Where a comment names states: what is before a name, and what follows it.
const NAMED: [(&str, &str); 5] =
    [("", " → "), (" → ", "; "), ("the state stays ", "; "), ("refused in ", ": "), ("in ", ", ")];

fn rename_in_words(words: &str, from: &str, to: &str) -> String {
    let mut words = words.to_owned();
    for (before, after) in NAMED {
        let named = format!("{before}{from}{after}");
        let at = words.find(&named).filter(|at| !before.is_empty() && before != "in " || *at == 0);
        if let Some(at) = at {
            words.replace_range(at..at + named.len(), &format!("{before}{to}{after}"));
        }
    }
    words
}

/// Line ends stay.
fn with_lines(text: &str, of: impl Fn(&str) -> String) -> String {
    let each = text.split_inclusive('\n').map(|whole| {
        let line = whole.trim_end_matches(['\n', '\r']);
        of(line) + &whole[line.len()..]
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_renamed_where_a_comment_names_it() {
        let text = "\
# 1: paid is what we want\r
  # 2: paid → shipped; 2 of 4 tools available\r
  # 3: shipped → paid; 2 of 4 tools available
  # 4: prepaid → paid; 1 of 4 tools available
  # 5: the state stays paid; 1 of 4 tools available
  # 6: refused in paid: state: in cart, not in paid
  # 7: in paid, 1 of 4 tools available
after: paid
";
        let expected = text
            .replace("2: paid →", "2: settled →")
            .replace("→ paid;", "→ settled;")
            .replace("stays paid", "stays settled")
            .replace("refused in paid", "refused in settled")
            .replace("7: in paid", "7: in settled");
        assert_eq!(rename_state(text, "paid", "settled"), expected);
    }
}

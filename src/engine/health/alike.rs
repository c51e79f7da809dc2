//! Names and descriptions that are too alike.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use super::{set::ToolSet, words::WordMap};
use crate::{
    engine::lint::{
        check::{Report, member_pointer},
        identity::relative_place,
    },
    model::tool::{States, Tool},
    schema::pointer::Pointer,
};

/// With how many earlier ones of a frequent word a description is compared: a set of thousands that
/// are all alike is found by far fewer comparisons than all with all.
const MOST_COMPARED: usize = 24;
/// A description of fewer words is too short to compare.
const FEWEST_WORDS: usize = 3;
/// Of larger sets, there is one finding for all.
const MOST_LISTED: usize = 6;
/// How many names a sentence holds.
const MOST_NAMED: usize = 4;

/// Two tools, and how much they have in common, in percent.
struct Pair {
    earlier: usize,
    later: usize,
    percent: usize,
}

pub(super) fn compare_names(set: &ToolSet<'_>, report: &mut Report<'_>) {
    let mut same: HashMap<&[u64], Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (later, measured) in set.measured.iter().enumerate() {
        if measured.name.is_empty() {
            continue;
        }
        let known = same.entry(&measured.name).or_default();
        let tool = set.tool(measured);
        let found = known.iter().rev().take(MOST_COMPARED).find(|earlier| {
            let other = set.tool(&set.measured[**earlier]);
            // The same name twice is a finding of its own.
            other.name != tool.name && can_meet(other, tool)
        });
        pairs.extend(found.map(|earlier| Pair { earlier: *earlier, later, percent: 100 }));
        known.push(later);
    }
    report_pairs(
        set,
        &pairs,
        report,
        |tool| tool.name_key,
        |tool, others, _| {
            format!(
                "a model mixes up \"{}\" and {others}: their names say the same; give each a word of \
             its own",
                tool.name
            )
        },
    );
}

pub(super) fn compare_descriptions(set: &ToolSet<'_>, report: &mut Report<'_>) {
    let pairs = alike_descriptions(set);
    report_pairs(
        set,
        &pairs,
        report,
        |_| "description",
        |tool, others, percent| {
            format!(
                "the description of \"{}\" has {percent} % of its words in common with that of \
             {others}: say what sets them apart, or make them one tool",
                tool.name
            )
        },
    );
}

/// Pairs with so many words in common that the rarest words of either include one of the other: only
/// those that share a rare word are compared.
fn alike_descriptions(set: &ToolSet<'_>) -> Vec<Pair> {
    let threshold = set.settings.alike.clamp(1, 100);
    let mut by_word: WordMap<Vec<usize>> = WordMap::default();
    let mut seen = vec![usize::MAX; set.measured.len()];
    let mut pairs = Vec::new();
    for (later, measured) in set.measured.iter().enumerate() {
        let count = measured.description.len();
        if count < FEWEST_WORDS {
            continue;
        }
        let mut rarest = measured.description.clone();
        rarest.sort_by_cached_key(|word| (set.words.count(*word), *word));
        rarest.truncate(count - (count * threshold).div_ceil(100) + 1);
        for word in rarest {
            let known = by_word.entry(word).or_default();
            for earlier in known.iter().rev().take(MOST_COMPARED) {
                if std::mem::replace(&mut seen[*earlier], later) == later {
                    continue;
                }
                let other = &set.measured[*earlier];
                // So much the shorter one can be at most of the longer one.
                let (few, many) = order(other.description.len(), count);
                if few * 100 < many * threshold {
                    continue;
                }
                let percent = common_percent(&other.description, &measured.description);
                if percent >= threshold && can_meet(set.tool(other), set.tool(measured)) {
                    pairs.push(Pair { earlier: *earlier, later, percent });
                }
            }
            known.push(later);
        }
    }
    pairs
}

fn order(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// Of all words of two descriptions, how many are in both.
fn common_percent(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(left), other.get(right)) {
        common += usize::from(a == b);
        left += usize::from(a <= b);
        right += usize::from(b <= a);
    }
    100 * common / (one.len() + other.len() - common).max(1)
}

/// Whether a model may get both with one request.
fn can_meet(one: &Tool, other: &Tool) -> bool {
    one.entry.system == other.entry.system
        && match (&one.gate.states, &other.gate.states) {
            (States::Only(left), States::Only(right)) => {
                left.iter().any(|state| right.contains(state))
            }
            _ => true,
        }
}

/// A finding for each tool that is like an earlier one; of large sets one for all of them.
fn report_pairs(
    set: &ToolSet<'_>,
    pairs: &[Pair],
    report: &mut Report<'_>,
    key: impl Fn(&Tool) -> &str,
    words: impl Fn(&Tool, &str, usize) -> String,
) {
    let mut leader: Vec<usize> = (0..set.measured.len()).collect();
    for pair in pairs {
        let (one, other) = (find(&mut leader, pair.earlier), find(&mut leader, pair.later));
        leader[one.max(other)] = one.min(other);
    }
    let mut groups: BTreeMap<usize, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(find(&mut leader, pair.later)).or_default().push(pair);
    }
    let tool_of = |row: usize| set.tool(&set.measured[row]);
    let place_in = |tool: &Tool| match tool.entry.value.parsed().get(key(tool)) {
        Some(_) => member_pointer(key(tool)),
        None => Pointer::root(),
    };
    // At a tool about another one.
    let words_of = |tool: &Tool, other: &Tool, percent: usize| {
        let place = relative_place(&other.entry, &tool.entry);
        words(tool, &format!("\"{}\" ({place})", other.name), percent)
    };
    for (first, pairs) in groups {
        let mut rows: Vec<usize> = pairs.iter().map(|pair| pair.later).collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.len() > MOST_LISTED {
            let percent = pairs.iter().map(|pair| pair.percent).min().unwrap_or(0);
            let names = listed_names(&rows, |row| tool_of(row).name.as_str());
            let first = tool_of(first);
            let message = words(first, &names, percent);
            let mut found = report.add_finding(&first.entry, place_in(first), message);
            for tool in rows.into_iter().map(tool_of) {
                found.relate(&tool.entry, place_in(tool), words_of(tool, first, percent));
            }
            continue;
        }
        for row in rows {
            let own = pairs.iter().filter(|pair| pair.later == row);
            let Some(best) = own.min_by_key(|pair| (Reverse(pair.percent), pair.earlier)) else {
                continue;
            };
            let (tool, other) = (tool_of(row), tool_of(best.earlier));
            let message = words_of(tool, other, best.percent);
            let mut found = report.add_finding(&tool.entry, place_in(tool), message);
            found.relate(&other.entry, place_in(other), words_of(other, tool, best.percent));
        }
    }
}

fn find(leader: &mut [usize], row: usize) -> usize {
    let mut at = row;
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}

/// The first names, and how many more there are.
fn listed_names<'n>(rows: &[usize], name: impl Fn(usize) -> &'n str) -> String {
    let mut names: Vec<String> =
        rows.iter().take(MOST_NAMED).map(|row| format!("\"{}\"", name(*row))).collect();
    if rows.len() > MOST_NAMED {
        names.push(format!("{} more", rows.len() - MOST_NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_common_are_a_share_of_all() {
        assert_eq!(common_percent(&[1, 2, 3, 4], &[1, 2, 3, 4]), 100);
        assert_eq!(common_percent(&[1, 2, 3, 4], &[1, 2, 3, 5]), 60);
        assert_eq!(common_percent(&[1], &[2]), 0);
    }

    #[test]
    fn sets_are_joined_by_their_first() {
        let mut leader: Vec<usize> = (0..4).collect();
        leader[3] = 2;
        leader[2] = 1;
        assert_eq!((find(&mut leader, 3), find(&mut leader, 0)), (1, 0));
        let names = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(listed_names(&[0, 1], |row| names[row]), "\"a\", \"b\"");
        assert!(listed_names(&[0, 1, 2, 3, 4, 5], |row| names[row]).ends_with("\"d\", 2 more"));
    }
}

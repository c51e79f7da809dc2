//! The manner of a YAML text, learnt from what is there.

use super::{print::YamlStyle, scalar::Quote};
use crate::syntax::{
    page::TextPage,
    tree::{Node, Shape, Style},
};

/// How many nodes are looked at.
const SAMPLE: usize = 400;

/// The manner of a whole document.
pub(crate) fn learn_style(page: &TextPage<'_>, root: &Node) -> YamlStyle {
    let (mut unit, mut dash, mut lists) = (None, None, None);
    let (mut queue, mut row) = (vec![root], 0);
    while let Some(node) = queue.get(row).copied() {
        row += 1;
        if row > SAMPLE || (unit.is_some() && dash.is_some() && lists.is_some()) {
            break;
        }
        match &node.shape {
            Shape::List { items, style } => {
                if !items.is_empty() && !items.iter().any(Node::is_container) {
                    lists = lists.or(Some(*style == Style::Flow));
                }
                queue.extend(items.iter().filter(|item| item.is_container()));
            }
            Shape::Object { members, style } => {
                for member in members.iter() {
                    let value = &member.value;
                    if *style == Style::Block
                        && page.has_line_break(member.key_span.end, value.span.start)
                    {
                        let step = char_column(page, value.span.start)
                            .checked_sub(char_column(page, member.key_span.start));
                        match &value.shape {
                            Shape::Object { style: Style::Block, .. } => {
                                unit = unit.or(step.filter(|step| *step > 0));
                            }
                            Shape::List { style: Style::Block, .. } => dash = dash.or(step),
                            _ => {}
                        }
                    }
                    if value.is_container() {
                        queue.push(value);
                    }
                }
            }
            Shape::Scalar | Shape::Alias => {}
        }
    }
    let unit = unit.or(dash.filter(|dash| *dash > 0)).unwrap_or(2).min(9);
    YamlStyle {
        unit,
        dash: dash.unwrap_or(unit),
        short_lists: lists.unwrap_or(true),
        ..YamlStyle::default()
    }
}

/// The manner beside existing children: texts and keys are quoted if the neighbours are.
pub(crate) fn style_beside(page: &TextPage<'_>, parent: &Node, manner: &YamlStyle) -> YamlStyle {
    let mut manner = manner.clone();
    match &parent.shape {
        Shape::List { items, .. } => {
            manner.quote = common_quote(items.iter().rev().map(|item| page.node_text(item)));
        }
        Shape::Object { members, .. } => {
            manner.quote =
                common_quote(members.iter().rev().map(|member| page.node_text(&member.value)));
            let keys = members
                .iter()
                .rev()
                .map(|member| &page.text[member.key_span.start..member.key_span.end]);
            manner.key_quote = common_quote(keys);
        }
        Shape::Scalar | Shape::Alias => {}
    }
    manner
}

/// Column of an offset in characters, from 0.
pub(crate) fn char_column(page: &TextPage<'_>, offset: usize) -> usize {
    page.text[page.line_start(offset)..offset].chars().count()
}

/// The quotes that all of the nearest few scalars have which could be texts.
fn common_quote<'p>(written: impl Iterator<Item = &'p str>) -> Quote {
    let worded = |text: &&str| {
        text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '"' | '\'' | '_'))
    };
    let mut quotes = written
        .filter(worded)
        .take(6)
        .filter(|text| !matches!(*text, "true" | "false" | "null"))
        .map(Quote::detect);
    let Some(first) = quotes.next() else { return Quote::Plain };
    if quotes.all(|quote| quote == first) { first } else { Quote::Plain }
}

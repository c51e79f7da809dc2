//! Writes a change into JSON text in the manner of what stands around it.

use super::print::{self, Layout};
use crate::syntax::{
    change::{Change, Plan, Splice},
    draft::Draft,
    flow::{self, Stand},
    page::Page,
    tree::{Node, Shape},
};

const RULES: flow::Rules = flow::Rules { trailing_comma: false, comments_stay: true };

/// How many nodes are looked at to learn a text's manner.
const SAMPLE: usize = 400;

pub fn edit(page: &Page<'_>, root: &Node, plan: &Plan<'_>) -> Vec<Splice> {
    let pen = Pen { page, layout: learn(page, root) };
    match &plan.change {
        Change::Replace { node, to } => vec![pen.replace(node, to, &plan.above)],
        Change::Add { object, key, to } => {
            let rows = flow::spans(object).len();
            pen.insert(object, rows, &plan.above, |layout, indent| print::member(key, to, layout, indent))
        }
        Change::Insert { list, row, to } => {
            pen.insert(list, *row, &plan.above, |layout, indent| print::value(to, layout, indent))
        }
        Change::Drop { parent, rows } => flow::drop_rows(page, parent, rows, RULES),
        Change::Move { list, from, to } => flow::shift(page, &flow::spans(list), *from, *to),
        Change::Rename { object, rows, key } => {
            let Shape::Object { members, .. } = &object.shape else { return Vec::new() };
            let named = rows.iter().filter_map(|row| members.as_slice().get(*row));
            named.map(|member| Splice::new(member.key_span.start, member.key_span.end, print::string(key, &pen.layout))).collect()
        }
    }
}

struct Pen<'p> {
    page: &'p Page<'p>,
    layout: Layout,
}

impl Pen<'_> {
    fn replace(&self, node: &Node, to: &Draft, above: &[&Node]) -> Splice {
        let filled = !flow::spans(node).is_empty();
        let on_lines = match (filled, above.last()) {
            (true, _) => self.page.parted(node.span.start, node.span.end),
            (false, Some(parent)) => self.page.parted(parent.span.start, parent.span.end),
            (false, None) => true,
        };
        let layout = if on_lines { self.layout.clone() } else { self.layout.on_one_line() };
        // A list that stood on several lines stays so, whatever other lists do.
        let layout = Layout { short_lists: layout.short_lists && !(on_lines && filled), ..layout };
        Splice::new(node.span.start, node.span.end, print::value(to, &layout, self.page.indent(node.span.start)))
    }

    fn insert(&self, parent: &Node, row: usize, above: &[&Node], print: impl Fn(&Layout, &str) -> String) -> Vec<Splice> {
        let on_lines = self.page.parted(parent.span.start, parent.span.end);
        let layout = if on_lines { self.layout.clone() } else { self.layout.on_one_line() };
        match flow::stand(self.page, parent, row) {
            None => vec![self.fill(parent, above, print)],
            Some(Stand::OwnLine(indent)) => flow::insert(self.page, parent, row, &print(&layout, indent), layout.gap()),
            Some(Stand::Beside) => {
                let text = print(&layout, self.page.indent(parent.span.start));
                flow::insert(self.page, parent, row, &text, layout.gap())
            }
        }
    }

    /// The first child of empty brackets.
    fn fill(&self, parent: &Node, above: &[&Node], print: impl Fn(&Layout, &str) -> String) -> Splice {
        let (page, inside) = (self.page, parent.span.start + 1..parent.span.end - 1);
        let on_lines = match above.last() {
            _ if page.parted(inside.start, inside.end) => true,
            Some(around) => page.parted(around.span.start, around.span.end),
            None => true,
        };
        let short = self.layout.short_lists && matches!(parent.shape, Shape::List { .. });
        let text = match &self.layout.unit {
            Some(unit) if on_lines && !short => {
                let indent = page.indent(parent.span.start);
                let inner = format!("{indent}{unit}");
                format!("{}{inner}{}{}{indent}", page.eol, print(&self.layout, &inner), page.eol)
            }
            _ if on_lines => print(&self.layout, page.indent(parent.span.start)),
            _ => print(&self.layout.on_one_line(), ""),
        };
        Splice::new(inside.start, inside.end, text)
    }
}

/// The manner of a text, learnt from its first nodes.
fn learn(page: &Page<'_>, root: &Node) -> Layout {
    let mut layout = Layout::plain(page.eol);
    layout.ascii = page.text.is_ascii() && page.text.contains("\\u");
    let (mut unit, mut lists, mut colon) = (None, None, None);
    let mut row = 0;
    let mut queue = vec![root];
    while let Some(node) = queue.get(row).copied() {
        row += 1;
        if row > SAMPLE || (unit.is_some() && lists.is_some() && colon.is_some()) {
            break;
        }
        let spans = flow::spans(node);
        let Some(first) = spans.first() else { continue };
        let on_lines = page.parted(node.span.start, first.0);
        if on_lines && page.begins_line(first.0) {
            let step = page.indent(first.0).strip_prefix(page.indent(node.span.start));
            unit = unit.or(step.filter(|step| !step.is_empty()));
        }
        match &node.shape {
            Shape::List { items, .. } => {
                if !items.iter().any(Node::is_container) {
                    lists = lists.or(Some(!on_lines));
                }
                queue.extend(items.iter().filter(|item| item.is_container()));
            }
            Shape::Object { members, .. } => {
                let pair = members.iter().next().map(|member| &page.text[member.key_span.end..member.value.span.start]);
                colon = colon.or(pair.map(|pair| pair.ends_with(':')));
                queue.extend(members.iter().map(|member| &member.value).filter(|value| value.is_container()));
            }
            Shape::Scalar | Shape::Alias => {}
        }
    }
    if let Some(unit) = unit {
        layout.unit = Some(unit.to_owned());
    }
    layout.short_lists = lists.unwrap_or(false) && page.parted(root.span.start, root.span.end);
    layout.compact = colon.unwrap_or(false) && !page.parted(root.span.start, root.span.end);
    layout
}

//! Writes a change into JSON text in the manner of what is around it.

use super::{
    dialect::Dialect,
    print::{self, Keys, Layout},
};
use crate::syntax::{
    change::{Change, Plan, Splice},
    draft::Draft,
    flow::{self, Placement},
    page::TextPage,
    tree::{Member, Node, Shape},
};

const RULES: flow::Rules = flow::Rules { trailing_comma: false, comments_stay: true };

/// How many nodes are looked at to learn a text's manner.
const SAMPLE: usize = 400;

pub(crate) fn write_change(page: &TextPage<'_>, layout: Layout, plan: &Plan<'_>) -> Vec<Splice> {
    let pen = Pen { page, layout };
    match &plan.change {
        Change::Replace { node, to } => vec![pen.replace_node(node, to, &plan.above)],
        Change::Add { object, key, to } => {
            let rows = flow::child_spans(object).len();
            pen.insert_child(object, rows, &plan.above, |layout, indent| {
                print::print_member(key, to, layout, indent)
            })
        }
        Change::Insert { list, row, to } => {
            pen.insert_child(list, *row, &plan.above, |layout, indent| {
                print::print_value(to, layout, indent)
            })
        }
        Change::Drop { parent, rows } => flow::drop_rows(page, parent, rows, RULES),
        Change::Move { parent, from, to } => {
            flow::move_with_comments(page, &flow::child_spans(parent), *from, *to)
        }
        Change::Rename { object, rows, key } => {
            let Shape::Object { members, .. } = &object.shape else { return Vec::new() };
            let named = rows.iter().filter_map(|row| members.as_slice().get(*row));
            named
                .map(|member| {
                    Splice::new(
                        member.key_span.start,
                        member.key_span.end,
                        pen.print_renamed_key(member, key),
                    )
                })
                .collect()
        }
    }
}

struct Pen<'p> {
    page: &'p TextPage<'p>,
    layout: Layout,
}

impl Pen<'_> {
    fn replace_node(&self, node: &Node, to: &Draft, above: &[&Node]) -> Splice {
        let filled = !flow::child_spans(node).is_empty();
        let on_lines = match (filled, above.last()) {
            (true, _) => self.page.has_line_break(node.span.start, node.span.end),
            (false, Some(parent)) => self.page.has_line_break(parent.span.start, parent.span.end),
            (false, None) => true,
        };
        let layout = if on_lines { self.layout.clone() } else { self.layout.on_one_line() };
        // A list that stood on several lines stays so, whatever other lists do; a text keeps its
        // quotes.
        let single = match self.page.text.as_bytes()[node.span.start] {
            b'\'' => true,
            b'"' => false,
            _ => layout.single,
        };
        let layout =
            Layout { short_lists: layout.short_lists && !(on_lines && filled), single, ..layout };
        Splice::new(
            node.span.start,
            node.span.end,
            print::print_value(to, &layout, self.page.line_indent(node.span.start)),
        )
    }

    fn insert_child(
        &self,
        parent: &Node,
        row: usize,
        above: &[&Node],
        print: impl Fn(&Layout, &str) -> String,
    ) -> Vec<Splice> {
        let on_lines = self.page.has_line_break(parent.span.start, parent.span.end);
        let layout = if on_lines { self.layout.clone() } else { self.layout.on_one_line() };
        match flow::child_placement(self.page, parent, row) {
            None => vec![self.fill_empty(parent, above, print)],
            Some(Placement::OwnLine(indent)) => {
                flow::insert_child(self.page, parent, row, &print(&layout, indent), layout.gap())
            }
            Some(Placement::Beside) => {
                let text = print(&layout, self.page.line_indent(parent.span.start));
                flow::insert_child(self.page, parent, row, &text, layout.gap())
            }
        }
    }

    /// A key in the place of another, quoted as that is.
    fn print_renamed_key(&self, member: &Member, key: &str) -> String {
        let keys = match self.page.text.as_bytes()[member.key_span.start] {
            b'\'' => Keys::Single,
            b'"' => Keys::Double,
            _ => Keys::Bare,
        };
        print::print_key(key, &Layout { keys, ..self.layout.clone() })
    }

    /// The first child of empty brackets.
    fn fill_empty(
        &self,
        parent: &Node,
        above: &[&Node],
        print: impl Fn(&Layout, &str) -> String,
    ) -> Splice {
        let (page, inside) = (self.page, parent.span.start + 1..parent.span.end - 1);
        let comments = page.text[inside.clone()].trim_end();
        if !comments.is_empty() {
            return self.fill_below(parent, comments, print);
        }
        let on_lines = match above.last() {
            _ if page.has_line_break(inside.start, inside.end) => true,
            Some(around) => page.has_line_break(around.span.start, around.span.end),
            None => true,
        };
        let short = self.layout.short_lists && matches!(parent.shape, Shape::List { .. });
        let text = match &self.layout.unit {
            Some(unit) if on_lines && !short => {
                let indent = page.line_indent(parent.span.start);
                let inner = format!("{indent}{unit}");
                format!("{}{inner}{}{}{indent}", page.eol, print(&self.layout, &inner), page.eol)
            }
            _ if on_lines => print(&self.layout, page.line_indent(parent.span.start)),
            _ => print(&self.layout.on_one_line(), ""),
        };
        Splice::new(inside.start, inside.end, text)
    }
}

impl Pen<'_> {
    /// The first child of brackets that hold nothing but comments: on a line of its own below them.
    fn fill_below(
        &self,
        parent: &Node,
        comments: &str,
        print: impl Fn(&Layout, &str) -> String,
    ) -> Splice {
        let (page, start) = (self.page, parent.span.start + 1);
        let indent = page.line_indent(parent.span.start);
        let own = page.begins_line(start + comments.len() - comments.trim_start().len());
        let inner = match &self.layout.unit {
            _ if own => {
                page.line_indent(start + comments.len() - comments.trim_start().len()).to_owned()
            }
            unit => format!("{indent}{}", unit.as_deref().unwrap_or("  ")),
        };
        let text =
            format!("{}{inner}{}{}{indent}", page.eol, print(&self.layout, &inner), page.eol);
        Splice::new(start + comments.len(), parent.span.end - 1, text)
    }
}

/// The manner of a text, learnt from its first nodes, which `page` holds.
pub(crate) fn learn_layout(
    page: &TextPage<'_>,
    root: &Node,
    dialect: Dialect,
    whole: &str,
) -> Layout {
    let mut layout = learn_lines(page, root);
    layout.ascii = whole.is_ascii() && whole.contains("\\u");
    if dialect.is_json5() {
        learn_quotes(page, root, &mut layout);
    }
    layout
}

fn learn_lines(page: &TextPage<'_>, root: &Node) -> Layout {
    let mut layout = Layout::with_eol(page.eol);
    let (mut unit, mut lists, mut colon) = (None, None, None);
    let mut row = 0;
    let mut queue = vec![root];
    while let Some(node) = queue.get(row).copied() {
        row += 1;
        if row > SAMPLE || (unit.is_some() && lists.is_some() && colon.is_some()) {
            break;
        }
        let spans = flow::child_spans(node);
        let Some(first) = spans.first() else { continue };
        let on_lines = page.has_line_break(node.span.start, first.start);
        if on_lines && page.begins_line(first.start) {
            let step =
                page.line_indent(first.start).strip_prefix(page.line_indent(node.span.start));
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
                let pair = members
                    .iter()
                    .next()
                    .map(|member| &page.text[member.key_span.end..member.value.span.start]);
                colon = colon.or(pair.map(|pair| pair.ends_with(':')));
                queue.extend(
                    members.iter().map(|member| &member.value).filter(|value| value.is_container()),
                );
            }
            Shape::Scalar | Shape::Alias => {}
        }
    }
    if let Some(unit) = unit {
        layout.unit = Some(unit.to_owned());
    }
    layout.short_lists =
        lists.unwrap_or(false) && page.has_line_break(root.span.start, root.span.end);
    layout.compact = colon.unwrap_or(false) && !page.has_line_break(root.span.start, root.span.end);
    layout
}

/// How JSON5 quotes keys and texts, learnt from the first of them.
fn learn_quotes(page: &TextPage<'_>, root: &Node, layout: &mut Layout) {
    let (mut keys, mut single) = (None, None);
    let mut queue = vec![root];
    let mut row = 0;
    while let Some(node) =
        queue.get(row).copied().filter(|_| row < SAMPLE && (keys.is_none() || single.is_none()))
    {
        row += 1;
        let first = page.text.as_bytes().get(node.span.start);
        match &node.shape {
            Shape::Object { members, .. } => {
                let of = |member: &Member| match page.text.as_bytes()[member.key_span.start] {
                    b'\'' => Keys::Single,
                    b'"' => Keys::Double,
                    _ => Keys::Bare,
                };
                keys = keys.or(members.iter().next().map(of));
                queue.extend(members.iter().map(|member| &member.value));
            }
            Shape::List { items, .. } => queue.extend(items),
            Shape::Scalar | Shape::Alias => {
                single = single
                    .or(first.filter(|first| b"'\"".contains(first)).map(|first| *first == b'\''));
            }
        }
    }
    layout.keys = keys.unwrap_or(Keys::Bare);
    layout.single = single.unwrap_or(layout.keys == Keys::Single);
}

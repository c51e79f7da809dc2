//! Writes a change into YAML text in the manner of what is around it.

use super::{
    gap::GapWalk,
    print::{self, Entry, ScalarFreedom, ValueParent, YamlStyle},
    scalar::{self, Quote},
    sharing::Alias,
    style::{self, char_column},
};
use crate::syntax::{
    change::{Change, Plan, Splice},
    draft::Draft,
    flow,
    page::TextPage,
    place::Span,
    tree::{Member, Node, Shape, Style},
};

/// Folded blocks are filled up to this width.
const FOLD_WIDTH: usize = 88;

/// The pieces of a change, and those that give aliases which it leaves without their anchor values of
/// their own.
pub(crate) fn write_change(
    page: &TextPage<'_>,
    manner: &YamlStyle,
    plan: &Plan<'_>,
    left: &[(Alias<'_>, Draft)],
    caution: ScalarFreedom,
) -> Vec<Splice> {
    let pen = Pen { page, manner: YamlStyle { caution, ..manner.clone() } };
    let own = left.iter().flat_map(|(alias, to)| pen.replace_node(alias.node, to, &alias.above));
    let change = match &plan.change {
        Change::Replace { node, to } => pen.replace_node(node, to, &plan.above),
        Change::Add { object, key, to } => pen.add_member(object, key, to, &plan.above),
        Change::Insert { list, row, to } => pen.insert_item(list, *row, to, &plan.above),
        Change::Drop { parent, rows } => pen.drop_rows(parent, rows, &plan.above),
        Change::Move { parent, from, to } => pen.move_child(parent, *from, *to),
        Change::Rename { object, rows, key } => pen.rename_key(object, rows, key),
    };
    change.into_iter().chain(own).collect()
}

struct Pen<'p> {
    page: &'p TextPage<'p>,
    manner: YamlStyle,
}

/// Where a value of a block is: behind a key's colon or a dash.
struct Slot {
    /// Behind the colon or dash, and behind the anchor and tag that stay.
    at: usize,
    /// The column of the key or dash.
    column: usize,
    behind: ValueParent,
}

impl Pen<'_> {
    fn add_member(&self, object: &Node, key: &str, to: &Draft, above: &[&Node]) -> Vec<Splice> {
        let Shape::Object { members, .. } = &object.shape else { return Vec::new() };
        let manner = style::style_beside(self.page, object, &self.manner);
        let Some(last) = members.as_slice().last() else {
            return self.replace_node(
                object,
                &Draft::Object(vec![(key.to_owned(), to.clone())]),
                above,
            );
        };
        if object.is_flow() {
            let gap = self.flow_gap(object);
            return flow::insert_child(
                self.page,
                object,
                members.as_slice().len(),
                &print::flow_member(key, to, &manner),
                gap,
            );
        }
        let column = char_column(self.page, object.span.start);
        let lines = print::indent_lines(print::print_member(key, to, &manner), column);
        vec![self.lines_behind(last.value.span.end.max(last.key_span.end), &lines)]
    }

    fn insert_item(&self, list: &Node, row: usize, to: &Draft, above: &[&Node]) -> Vec<Splice> {
        let Shape::List { items, .. } = &list.shape else { return Vec::new() };
        let manner = style::style_beside(self.page, list, &self.manner);
        if items.is_empty() {
            return self.replace_node(list, &Draft::List(vec![to.clone()]), above);
        }
        if list.is_flow() {
            return flow::insert_child(
                self.page,
                list,
                row,
                &print::print_flow(to, &manner),
                self.flow_gap(list),
            );
        }
        let page = self.page;
        let column = char_column(page, list.span.start);
        let lines = print::print_item(to, &manner, self.dash_gap(list));
        match items.get(row) {
            None => vec![self.lines_behind(
                items[items.len() - 1].span.end,
                &print::indent_lines(lines, column),
            )],
            Some(_) => {
                let dash = self.dash_offset(list, row);
                let text = if page.begins_line(dash) {
                    let start = self.with_comments(&self.child_extents(list), row);
                    return vec![Splice::insert(
                        start,
                        self.join_lines(&print::indent_lines(lines, column)) + page.eol,
                    )];
                } else {
                    let mut lines = print::indent_lines(lines, column);
                    lines[0] = lines[0].trim_start().to_owned();
                    self.join_lines(&lines) + page.eol + &" ".repeat(column)
                };
                vec![Splice::insert(dash, text)]
            }
        }
    }

    fn drop_rows(&self, parent: &Node, rows: &[usize], above: &[&Node]) -> Vec<Splice> {
        if parent.is_flow() {
            let rules = flow::Rules {
                trailing_comma: true,
                comments_stay: self.manner.caution == ScalarFreedom::Free,
            };
            return flow::drop_rows(self.page, parent, rows, rules);
        }
        let starts = self.child_extents(parent);
        if rows.len() == starts.len() {
            let empty = if matches!(parent.shape, Shape::List { .. }) {
                Draft::List(Vec::new())
            } else {
                Draft::Object(Vec::new())
            };
            return self.replace_node(parent, &empty, above);
        }
        rows.iter().map(|row| self.drop_row(&starts, *row)).collect()
    }

    /// Takes out a child of a block with the comment on its line, and those below that are indented
    /// as its inside is. Comments above it stay: what they are about cannot be known for sure.
    fn drop_row(&self, starts: &[(usize, usize)], row: usize) -> Splice {
        let (page, (start, end)) = (self.page, starts[row]);
        if page.begins_line(start) {
            let (from, to) = (
                page.line_start(start),
                self.behind_inner_comments(page.next_line(end), char_column(page, start)),
            );
            // Without a line end behind it, it takes the one before it.
            if to == page.text.len() && !page.text.ends_with('\n') && from > 0 {
                return Splice::delete(page.line_end(from - 1), to);
            }
            return Splice::delete(from, to);
        }
        match starts.get(row + 1) {
            // Where a block text without lines is before it, the next begins on the line of its end.
            Some(next)
                if page
                    .text
                    .get(page.line_end(end)..next.0)
                    .is_some_and(|between| between.trim().is_empty()) =>
            {
                Splice::delete(start, next.0)
            }
            _ => Splice::delete(start - trailing_blanks(&page.text[..start]), page.line_end(end)),
        }
    }

    /// Behind the comment lines that are indented further than a column.
    fn behind_inner_comments(&self, mut at: usize, column: usize) -> usize {
        let page = self.page;
        while at < page.text.len()
            && page.line_indent(at).len() > column
            && page.text[at..].trim_start().starts_with('#')
        {
            at = page.next_line(at);
        }
        at
    }

    fn move_child(&self, parent: &Node, from: usize, to: usize) -> Vec<Splice> {
        let page = self.page;
        if parent.is_flow() {
            return flow::move_with_comments(page, &flow::child_spans(parent), from, to);
        }
        let starts = self.child_extents(parent);
        let whole = starts.iter().all(|(start, _)| page.begins_line(*start));
        // The first item may stand behind the dash of its list's own place: the dashes stay.
        let dash = usize::from(matches!(parent.shape, Shape::List { .. }));
        let spans = starts.iter().enumerate().map(|(row, (start, end))| match whole {
            true => Span { start: self.with_comments(&starts, row), end: page.line_end(*end) },
            false => Span { start: start + dash, end: page.line_end(*end) },
        });
        flow::move_spans(page, &spans.collect::<Vec<_>>(), from, to)
    }

    fn rename_key(&self, object: &Node, rows: &[usize], key: &str) -> Vec<Splice> {
        let Shape::Object { members, style } = &object.shape else { return Vec::new() };
        let named = rows.iter().filter_map(|row| members.as_slice().get(*row));
        let rename = |member: &Member| {
            let written = &self.page.text[member.key_span.start..member.key_span.end];
            let text = scalar::print_text(key, Quote::detect(written), *style == Style::Flow);
            Splice::new(member.key_span.start, member.key_span.end, text)
        };
        named.map(rename).collect()
    }

    fn replace_node(&self, node: &Node, to: &Draft, above: &[&Node]) -> Vec<Splice> {
        let written = self.page.node_text(node);
        let scalar = matches!(node.shape, Shape::Scalar);
        let quote = if scalar { Quote::detect(written) } else { Quote::Plain };
        let manner = YamlStyle { quote, ..self.manner.clone() };
        let in_flow = above.last().is_some_and(|parent| parent.is_flow());
        let keeps_brackets =
            node.is_flow() && !flow::child_spans(node).is_empty() && to.is_container();
        if in_flow || keeps_brackets {
            let manner = if node.is_container() {
                style::style_beside(self.page, node, &manner)
            } else {
                manner
            };
            let parting = self.missing_separator(above, node);
            let value = Splice::new(
                node.span.start,
                node.span.end,
                format!("{parting}{}", print::print_flow(to, &manner)),
            );
            return self.wrong_tag(node, to).into_iter().chain([value]).collect();
        }
        let Some(slot) = above.last().and_then(|parent| self.value_slot(parent, node)) else {
            return self
                .wrong_tag(node, to)
                .into_iter()
                .chain([self.replace_root(node, to, &manner)])
                .collect();
        };
        let mut entry = self.styled_entry(node, to, &manner, slot.behind);
        entry.body = print::indent_lines(entry.body, slot.column);
        let mut splices = self.write_entry(&slot, node, &entry);
        if let Some(Splice { span, .. }) = self.wrong_tag(node, to) {
            let tag = self.page.text[span.start..span.end].trim_end_matches([' ', '\t']).len();
            let blanks = trailing_blanks(&self.page.text[..span.start]);
            splices.push(Splice::delete(span.start - blanks, span.start + tag));
        }
        splices
    }

    /// What a value between braces that was left out needs before it: `{a: }` a blank, `{a}` a
    /// colon too.
    fn missing_separator(&self, above: &[&Node], node: &Node) -> &'static str {
        let Some(Shape::Object { members, .. }) = above.last().map(|parent| &parent.shape) else {
            return "";
        };
        let member = members.iter().find(|member| std::ptr::eq(&raw const member.value, node));
        match member.filter(|_| node.span.start == node.span.end) {
            None => "",
            Some(member)
                if GapWalk::new(self.page.text, member.key_span.end)
                    .consume_indicator(b":")
                    .is_some() =>
            {
                " "
            }
            Some(_) => ": ",
        }
    }

    /// The tag of a value, with the spaces behind it, where the new value is not of its kind.
    fn wrong_tag(&self, node: &Node, to: &Draft) -> Option<Splice> {
        let properties = &self.page.text[node.lead..node.span.start];
        let start = match properties.starts_with('!') {
            true => 0,
            false => properties.find(" !").map(|at| at + 1)?,
        };
        let tag = properties[start..].split([' ', '\t', '\r', '\n']).next().unwrap_or_default();
        let own = !tag.starts_with("!!") && !tag.starts_with("!<");
        let fits = match to {
            Draft::Text(_) => own || tag == "!!str",
            Draft::Number { .. } => matches!(tag, "!!int" | "!!float"),
            Draft::List(_) => (own && tag != "!") || tag == "!!seq",
            Draft::Object(_) => (own && tag != "!") || tag == "!!map",
            Draft::Null | Draft::Flag(_) => false,
        };
        let blanks = properties[start + tag.len()..].len()
            - properties[start + tag.len()..].trim_start_matches([' ', '\t']).len();
        (!fits).then(|| Splice::delete(node.lead + start, node.lead + start + tag.len() + blanks))
    }

    /// The new value of a slot, in the style of the scalar that stood there.
    fn styled_entry(
        &self,
        node: &Node,
        to: &Draft,
        manner: &YamlStyle,
        behind: ValueParent,
    ) -> Entry {
        let (written, unit) = (self.page.node_text(node), " ".repeat(manner.unit));
        let Draft::Text(text) = to else {
            return print::print_entry(
                to,
                &YamlStyle { quote: Quote::Plain, ..manner.clone() },
                behind,
            );
        };
        let free = manner.caution == ScalarFreedom::Free;
        let block = match (&node.shape, written.as_bytes().first()) {
            (Shape::Scalar, Some(b'>')) if free => {
                scalar::folded_block(text, &self.block_unit(node, &unit), FOLD_WIDTH)
            }
            (Shape::Scalar, Some(b'|'))
                if free && (scalar::is_block(text) || scalar::is_one_line(text)) =>
            {
                Some(scalar::literal_block(text, &self.block_unit(node, &unit)))
            }
            (Shape::Scalar, Some(b'"' | b'\'')) => {
                Some((scalar::print_text(text, manner.quote, false), Vec::new()))
            }
            _ => None,
        };
        match block {
            Some((head, body)) => Entry { head, body },
            None => print::print_entry(to, manner, behind),
        }
    }

    /// The indentation of an existing block scalar, as seen from its key or dash.
    fn block_unit(&self, node: &Node, unit: &str) -> String {
        let page = self.page;
        let text = &page.text[page.next_line(node.span.start).min(node.span.end)..node.span.end];
        let filled = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let header = page.node_text(node).lines().next().unwrap_or_default();
        let around = page.line_indent(node.span.start).len();
        let compact = page.text[page.line_start(node.span.start)..node.span.start]
            .trim_start()
            .starts_with("- ");
        let depth = filled.len() - filled.trim_start_matches(' ').len();
        match depth.checked_sub(around) {
            Some(depth @ 1..=9)
                if !compact && !header.contains(|digit: char| digit.is_ascii_digit()) =>
            {
                " ".repeat(depth)
            }
            _ => unit.to_owned(),
        }
    }

    /// The comment behind the header of a block scalar, with the spaces before it.
    fn header_comment(&self, node: &Node) -> &str {
        let written = self.page.node_text(node);
        if !written.starts_with(['|', '>']) {
            return "";
        }
        let header = written.lines().next().unwrap_or_default();
        let body = header.trim_start_matches(|letter: char| !letter.is_whitespace());
        if body.trim_start().starts_with('#') { body } else { "" }
    }

    /// Puts a new value into a slot and takes the old one out.
    fn write_entry(&self, slot: &Slot, node: &Node, entry: &Entry) -> Vec<Splice> {
        let page = self.page;
        let gap = match (&*entry.head, slot.behind) {
            ("", _) => String::new(),
            (_, ValueParent::Key) => " ".to_owned(),
            (_, ValueParent::Dash(gap)) => " ".repeat(gap),
        };
        let head = format!("{gap}{}{}", entry.head, self.header_comment(node));
        let body: String = entry.body.iter().flat_map(|line| [page.eol, line]).collect();
        if !page.has_line_break(slot.at, node.span.start) {
            let line_end = page.line_end(node.span.end);
            return vec![Splice::new(slot.at, node.span.end, head), Splice::insert(line_end, body)];
        }
        // The old value has lines of its own: they go, comments between it and its key stay.
        let line_end = page.line_end(slot.at);
        let before = page.line_end(page.line_start(node.span.start).saturating_sub(1));
        vec![
            Splice::insert(slot.at, head),
            Splice::insert(line_end, body),
            Splice::delete(before.max(line_end), page.line_end(node.span.end)),
        ]
    }

    fn replace_root(&self, node: &Node, to: &Draft, manner: &YamlStyle) -> Splice {
        let page = self.page;
        let begins = page.begins_line(node.lead) && char_column(page, node.lead) == 0;
        let text = match begins || !to.is_container() {
            true => self.join_lines(&print::print_lines(to, manner)),
            false => print::print_flow(to, manner),
        };
        let blank = if node.span.start == node.span.end && node.span.start > 0 { " " } else { "" };
        Splice::new(node.span.start, node.span.end, format!("{blank}{text}"))
    }

    /// Where the value of a child of a block is.
    fn value_slot(&self, parent: &Node, node: &Node) -> Option<Slot> {
        let page = self.page;
        let (mut gap, column, behind) = match &parent.shape {
            Shape::Object { members, .. } => {
                let member =
                    members.iter().find(|member| std::ptr::eq(&raw const member.value, node))?;
                let mut gap = GapWalk::new(page.text, member.key_span.end);
                gap.consume_indicator(b":")?;
                (gap, char_column(page, member.key_span.start), ValueParent::Key)
            }
            Shape::List { items, .. } => {
                let row = items.iter().position(|item| std::ptr::eq(item, node))?;
                let dash = self.dash_offset(parent, row);
                (
                    GapWalk::new(page.text, dash + 1),
                    char_column(page, dash),
                    ValueParent::Dash(self.dash_gap(parent)),
                )
            }
            Shape::Scalar | Shape::Alias => return None,
        };
        if node.lead < node.span.start {
            gap.skip_properties(2);
        }
        Some(Slot { at: gap.at, column, behind })
    }

    /// Start and end of each child of a block: of a member its key (or its `?`), of an item its
    /// dash.
    fn child_extents(&self, parent: &Node) -> Vec<(usize, usize)> {
        match &parent.shape {
            Shape::List { items, .. } => items
                .iter()
                .enumerate()
                .map(|(row, item)| (self.dash_offset(parent, row), item.span.end))
                .collect(),
            Shape::Object { members, .. } => members
                .iter()
                .map(|member| {
                    let before =
                        self.page.text[..member.key_span.start].trim_end_matches([' ', '\t']);
                    let asked = before.ends_with('?') && self.page.begins_line(before.len() - 1);
                    let start = if asked { before.len() - 1 } else { member.key_span.start };
                    (start, member.value.span.end.max(member.key_span.end))
                })
                .collect(),
            Shape::Scalar | Shape::Alias => Vec::new(),
        }
    }

    /// The dash of an item of a block.
    fn dash_offset(&self, list: &Node, row: usize) -> usize {
        let Shape::List { items, .. } = &list.shape else { return list.span.start };
        match row.checked_sub(1).and_then(|before| items.get(before)) {
            None => list.span.start,
            Some(before) => GapWalk::new(self.page.text, before.span.end)
                .consume_indicator(b"-")
                .unwrap_or(before.span.end),
        }
    }

    /// How many spaces stand behind the dashes of a list.
    fn dash_gap(&self, list: &Node) -> usize {
        let behind = &self.page.text[list.span.start + 1..];
        let blanks = behind.len() - behind.trim_start_matches(' ').len();
        if behind[blanks..].starts_with(['\r', '\n', '#']) { 1 } else { blanks.clamp(1, 8) }
    }

    /// Where one of a block's children begins with the comment lines right above it. Those above the
    /// first child are its parent's, unless others have comments too.
    fn with_comments(&self, starts: &[(usize, usize)], row: usize) -> usize {
        let own = |row: usize| self.page.line_start(starts[row].0);
        let above = |row: usize| self.comments_above(starts[row].0);
        match row {
            0 if (1..starts.len()).all(|row| above(row) == own(row)) => own(0),
            row => above(row),
        }
    }

    /// Where the comment lines right above a child begin, which is at `child`.
    fn comments_above(&self, child: usize) -> usize {
        let page = self.page;
        let mut start = page.line_start(child);
        while start > 0 {
            let above = page.line_start(start - 1);
            if !page.text[above..start].trim_start().starts_with('#')
                || page.line_indent(above) != page.line_indent(child)
            {
                break;
            }
            start = above;
        }
        start
    }

    /// New lines behind the line on which something ends.
    fn lines_behind(&self, end: usize, lines: &[String]) -> Splice {
        Splice::insert(
            self.page.line_end(end),
            format!("{}{}", self.page.eol, self.join_lines(lines)),
        )
    }

    fn join_lines(&self, lines: &[String]) -> String {
        lines.join(self.page.eol)
    }

    /// What parts the children of brackets on one line.
    fn flow_gap(&self, parent: &Node) -> &'static str {
        let spans = flow::child_spans(parent);
        let tight = |pair: &[Span]| &self.page.text[pair[0].end..pair[1].start] == ",";
        if spans.windows(2).next().is_some_and(tight) { "" } else { " " }
    }
}

fn trailing_blanks(text: &str) -> usize {
    text.len() - text.trim_end_matches([' ', '\t']).len()
}

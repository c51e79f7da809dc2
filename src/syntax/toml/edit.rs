//! Writes a change into TOML text: behind keys, into brackets, or as tables with headers.

use serde_json::Value;

use super::{
    print::{self, Quote},
    section,
};
use crate::{
    schema::pointer::Pointer,
    syntax::{
        change::{Change, Plan, Splice},
        draft::Draft,
        edit::EditError,
        flow,
        page::TextPage,
        place::Span,
        tree::{Member, Node, Shape, Style},
    },
};

const LIST_RULES: flow::Rules = flow::Rules { trailing_comma: true, comments_stay: true };
const TABLE_RULES: flow::Rules = flow::Rules { trailing_comma: false, comments_stay: true };

/// `expected` is the document's value after the change.
pub(crate) fn write_change(
    page: &TextPage<'_>,
    root: &Node,
    plan: &Plan<'_>,
    expected: &Value,
) -> Result<Vec<Splice>, EditError> {
    let pen = Pen { page, root, plan };
    match &plan.change {
        Change::Replace { to, .. } | Change::Add { to, .. } | Change::Insert { to, .. } => {
            pen.check_sayable(to)?;
        }
        _ => {}
    }
    if let Some(splice) = pen.rewrite_braces(expected) {
        return Ok(vec![splice]);
    }
    match &plan.change {
        Change::Replace { node, to } => pen.replace_node(node, to),
        Change::Add { object, key, to } => pen.add_member(object, &pen.header_path(), key, to),
        Change::Insert { list, row, to } => pen.insert_item(list, *row, to),
        Change::Drop { parent, rows } => pen.drop_rows(parent, rows),
        Change::Move { parent, from, to } if matches!(parent.shape, Shape::List { .. }) => {
            Ok(pen.move_item(parent, *from, *to))
        }
        Change::Move { .. } => Err(pen.unsayable_error("another order of members")),
        Change::Rename { object, rows, key } => Ok(pen.rename_key(object, rows, key)),
    }
}

struct Pen<'p> {
    page: &'p TextPage<'p>,
    root: &'p Node,
    plan: &'p Plan<'p>,
}

impl<'p> Pen<'p> {
    fn unsayable_error(&self, what: &str) -> EditError {
        EditError::Unsayable { format: "TOML", what: what.to_owned(), at: self.plan.at.clone() }
    }

    /// TOML has no null, and integers of 64 bits.
    fn check_sayable(&self, to: &Draft) -> Result<(), EditError> {
        match to {
            Draft::Null => Err(self.unsayable_error("null")),
            Draft::Number { text, .. }
                if !text.contains(['.', 'e', 'E']) && text.parse::<i64>().is_err() =>
            {
                Err(self.unsayable_error("an integer of more than 64 bits"))
            }
            Draft::List(items) => items.iter().try_for_each(|item| self.check_sayable(item)),
            Draft::Object(members) => members.iter().try_for_each(|(_, to)| self.check_sayable(to)),
            _ => Ok(()),
        }
    }

    /// Dotted keys between braces are too entangled to be changed one by one: the braces are
    /// written again.
    fn rewrite_braces(&self, expected: &Value) -> Option<Splice> {
        let node = match &self.plan.change {
            Change::Replace { node, .. } if !section::is_dotted(node) => return None,
            Change::Replace { node, .. } => node,
            Change::Add { object, .. } | Change::Rename { object, .. } => object,
            Change::Insert { list, .. } => list,
            Change::Drop { parent, .. } | Change::Move { parent, .. } => parent,
        };
        let mut chain = self.plan.above.iter().copied().chain([*node]).enumerate();
        let dotted = |node: &Node| {
            node.is_flow()
                && section::object_members(node)
                    .iter()
                    .any(|member| section::is_dotted(&member.value))
        };
        let (depth, braces) = chain.find(|(_, node)| dotted(node))?;
        let at: Pointer = self.plan.at.tokens().iter().take(depth).cloned().collect();
        let text = print::print_value(&Draft::of_value(at.get(expected)?));
        Some(Splice::new(braces.span.start, braces.span.end, text))
    }

    /// The keys that lead to the changed node, as a header names them: items of arrays of tables
    /// have no number there.
    fn header_path(&self) -> Vec<String> {
        self.keys_to(&self.plan.at)
    }

    fn keys_to(&self, at: &Pointer) -> Vec<String> {
        let (mut node, mut keys) = (self.root, Vec::new());
        for token in at.tokens() {
            match &node.shape {
                Shape::List { items, .. } => {
                    match token.parse::<usize>().ok().and_then(|row| items.get(row)) {
                        Some(item) => node = item,
                        None => break,
                    }
                }
                Shape::Object { members, .. } => {
                    keys.push(token.clone());
                    match members.get(token) {
                        Some(member) => node = &member.value,
                        None => break,
                    }
                }
                Shape::Scalar | Shape::Alias => break,
            }
        }
        keys
    }

    fn replace_node(&self, node: &Node, to: &Draft) -> Result<Vec<Splice>, EditError> {
        if !section::is_section(node) && !section::is_dotted(node) {
            let text = match to {
                Draft::Text(text) => {
                    print::print_text(text, Quote::detect(self.page.node_text(node)), self.page.eol)
                }
                other => print::print_value(other),
            };
            return Ok(vec![Splice::new(node.span.start, node.span.end, text)]);
        }
        let (Some(parent), Some(key)) = (self.plan.above.last(), self.plan.at.last()) else {
            let Draft::Object(_) = to else {
                return Err(self.unsayable_error("a value that is not a table"));
            };
            return Ok(vec![Splice::new(
                0,
                self.page.text.len(),
                print::print_whole(to, self.page.eol),
            )]);
        };
        let Shape::Object { members, .. } = &parent.shape else {
            return self.replace_item(node, to);
        };
        let rows: Vec<usize> = members.row_of_key(key).into_iter().collect();
        let mut splices = self.remove_children(parent, &rows);
        if section::is_dotted(node) {
            splices
                .extend(rows.first().map(|row| self.replace_dotted(&members.as_slice()[*row], to)));
        } else if print::is_section(to) {
            splices.extend(
                self.in_place(node, &print::print_sections(&self.header_path(), to, self.page.eol)),
            );
        } else {
            splices.extend(self.add_member(
                parent,
                &self.keys_to(&self.plan.at.parent().unwrap_or_default()),
                key,
                to,
            )?);
        }
        Ok(splices)
    }

    /// Another table for one of an array of tables.
    fn replace_item(&self, node: &Node, to: &Draft) -> Result<Vec<Splice>, EditError> {
        let Draft::Object(members) = to else {
            return Err(self.unsayable_error("a value that is not a table among tables"));
        };
        let lines = print::print_section(&self.header_path(), members, true, self.page.eol);
        let blank = [String::new()].into_iter().chain(lines).collect::<Vec<_>>();
        Ok(self.cut_sections(node).into_iter().chain(self.in_place(node, &blank)).collect())
    }

    /// Sections, each after a blank line, where the first of a node's own stood.
    fn in_place(&self, node: &Node, lines: &[String]) -> Option<Splice> {
        let page = self.page;
        let mut found = Vec::new();
        section::collect_headed(node, &mut found);
        let Span { start, end } =
            found.iter().filter_map(|table| section::section_lines(page, table)).min()?;
        let behind = if end < page.text.len() { page.eol } else { "" };
        let text = lines.get(1..).unwrap_or_default().join(page.eol);
        let closing =
            if end == page.text.len() && !page.text.ends_with('\n') { "" } else { page.eol };
        Some(Splice::insert(start, format!("{text}{closing}{behind}")))
    }

    /// A dotted table's new value behind its key, where its first line stood.
    fn replace_dotted(&self, member: &Member, to: &Draft) -> Splice {
        let page = self.page;
        let start = section::line_key(page, member.key_span);
        let key = &page.text[start..member.key_span.end];
        let line =
            format!("{}{key} = {}{}", page.line_indent(start), print::print_value(to), page.eol);
        Splice::insert(page.line_start(start), line)
    }

    /// A new member of a table whose header would be `path`.
    fn add_member(
        &self,
        object: &Node,
        path: &[String],
        key: &str,
        to: &Draft,
    ) -> Result<Vec<Splice>, EditError> {
        let page = self.page;
        let Shape::Object { members, style } = &object.shape else { return Ok(Vec::new()) };
        match style {
            Style::Flow if members.as_slice().is_empty() => {
                let text = format!("{{ {} = {} }}", print::print_key(key), print::print_value(to));
                Ok(vec![Splice::new(object.span.start, object.span.end, text)])
            }
            Style::Flow => {
                let text = format!("{} = {}", print::print_key(key), print::print_value(to));
                Ok(flow::insert_child(page, object, members.as_slice().len(), &text, " "))
            }
            Style::Dotted => Ok(self.add_dotted(object, key, to)),
            Style::Table { .. } | Style::Block => {
                Ok(vec![self.add_to_table(object, path, key, to)])
            }
        }
    }

    fn add_dotted(&self, object: &Node, key: &str, to: &Draft) -> Vec<Splice> {
        let page = self.page;
        let Some(last) = section::object_members(object).last() else { return Vec::new() };
        let start = section::line_key(page, last.key_span);
        let prefix = &page.text[start..last.key_span.start];
        let text = format!("{prefix}{} = {}", print::print_key(key), print::print_value(to));
        if page.begins_line(start) {
            let line = format!("{}{}{text}", page.eol, page.line_indent(start));
            return vec![Splice::insert(page.line_end(last.value.span.end), line)];
        }
        vec![Splice::insert(last.value.span.end, format!(", {text}"))]
    }

    fn add_to_table(&self, object: &Node, path: &[String], key: &str, to: &Draft) -> Splice {
        let page = self.page;
        if print::is_section(to) && self.prefers_sections(object) {
            let below: Vec<String> = path.iter().cloned().chain([key.to_owned()]).collect();
            return self.append_lines(object, &print::print_sections(&below, to, page.eol));
        }
        let line = print::print_member(key, to, page.eol);
        let own = section::object_members(object)
            .iter()
            .filter(|member| !section::is_section(&member.value));
        if let Some(last) = own.max_by_key(|member| member.value.span.end) {
            let indent = page.line_indent(section::line_key(page, last.key_span));
            return Splice::insert(
                page.line_end(last.value.span.end),
                format!("{}{indent}{line}", page.eol),
            );
        }
        match section::header_span(object) {
            Some(header) => {
                Splice::insert(page.line_end(header.end), format!("{}{line}", page.eol))
            }
            None if path.is_empty() => self.first_line(&line),
            // A table that only its inner tables name gets a header of its own.
            None => {
                let start = page.line_start(object.span.start);
                Splice::insert(
                    start,
                    format!("[{}]{eol}{line}{eol}{eol}", print::print_path(path), eol = page.eol),
                )
            }
        }
    }

    /// Whether a new table in this one gets a header of its own: unless the tables beside it stand
    /// behind keys.
    fn prefers_sections(&self, object: &Node) -> bool {
        let tables = section::object_members(object)
            .iter()
            .map(|member| &member.value)
            .filter(|value| value.is_container());
        let mut tables = tables.filter(|value| {
            matches!(value.shape, Shape::Object { .. }) || section::is_section(value)
        });
        tables.next_back().is_none_or(section::is_section)
    }

    /// Lines behind all that belongs to a table.
    fn append_lines(&self, object: &Node, lines: &[String]) -> Splice {
        let page = self.page;
        let lines = lines.join(page.eol);
        let end = if object.span.end > object.span.start && !std::ptr::eq(object, self.root) {
            page.line_end(object.span.end)
        } else {
            // At the end of the text, behind its last line and any comments.
            page.text.trim_end_matches(['\n', '\r', ' ', '\t']).len()
        };
        match end {
            0 => Splice::insert(0, lines.trim_start_matches(['\r', '\n']).to_owned() + page.eol),
            end => Splice::insert(end, format!("{}{lines}", page.eol)),
        }
    }

    /// A member of the root that has none yet: before the first table, behind the comments of the
    /// text's head.
    fn first_line(&self, line: &str) -> Splice {
        let page = self.page;
        let mut found = Vec::new();
        section::collect_headed(self.root, &mut found);
        match found
            .iter()
            .filter_map(|node| section::header_span(node))
            .map(|header| header.start)
            .min()
        {
            Some(first) => {
                let mut start = page.line_start(first);
                while start > 0
                    && page.text[page.line_start(start - 1)..start].trim_start().starts_with('#')
                {
                    start = page.line_start(start - 1);
                }
                Splice::insert(start, format!("{line}{eol}{eol}", eol = page.eol))
            }
            None => {
                let open = !page.text.is_empty() && !page.text.ends_with(['\n', '\u{feff}']);
                Splice::insert(
                    page.text.len(),
                    format!("{}{line}{}", if open { page.eol } else { "" }, page.eol),
                )
            }
        }
    }

    fn insert_item(&self, list: &Node, row: usize, to: &Draft) -> Result<Vec<Splice>, EditError> {
        let page = self.page;
        let Shape::List { items, style } = &list.shape else { return Ok(Vec::new()) };
        if *style == Style::Flow {
            if items.is_empty() {
                return Ok(vec![Splice::new(
                    list.span.start,
                    list.span.end,
                    format!("[{}]", print::print_value(to)),
                )]);
            }
            return Ok(flow::insert_child(page, list, row, &print::print_value(to), " "));
        }
        let Draft::Object(members) = to else {
            return Err(self.unsayable_error("a value that is not a table among tables"));
        };
        let lines =
            print::print_section(&self.header_path(), members, true, page.eol).join(page.eol);
        Ok(vec![match items.get(row) {
            Some(next) => {
                Splice::insert(self.with_comments(next), format!("{lines}{}{}", page.eol, page.eol))
            }
            None => {
                Splice::insert(page.line_end(list.span.end), format!("{0}{0}{lines}", page.eol))
            }
        }])
    }

    fn drop_rows(&self, parent: &Node, rows: &[usize]) -> Result<Vec<Splice>, EditError> {
        let at = &self.plan.at;
        let mut splices = self.remove_children(parent, rows);
        let emptied = match &parent.shape {
            Shape::List { items, style } => items.len() == rows.len() && *style != Style::Flow,
            Shape::Object { members, style } => {
                members.as_slice().len() == rows.len()
                    && !std::ptr::eq(parent, self.root)
                    && matches!(style, Style::Dotted | Style::Table { header: None })
            }
            Shape::Scalar | Shape::Alias => false,
        };
        if !emptied {
            self.trim_blank_lines(&mut splices);
        }
        // What nothing names any more has to be named as empty.
        if let (true, Some(around), Some(key)) = (emptied, self.plan.above.last(), at.last()) {
            let empty = match parent.shape {
                Shape::List { .. } => Draft::List(Vec::new()),
                _ => Draft::Object(Vec::new()),
            };
            match section::object_members(around)
                .iter()
                .find(|member| std::ptr::eq(&raw const member.value, parent))
            {
                Some(member) if section::is_dotted(parent) => {
                    splices.push(self.replace_dotted(member, &empty));
                }
                _ => splices.extend(self.add_member(
                    around,
                    &self.keys_to(&at.parent().unwrap_or_default()),
                    key,
                    &empty,
                )?),
            }
        }
        Ok(splices)
    }

    /// Takes children out of a node.
    fn remove_children(&self, parent: &Node, rows: &[usize]) -> Vec<Splice> {
        let page = self.page;
        match &parent.shape {
            Shape::List { style: Style::Flow, .. } => {
                flow::drop_rows(page, parent, rows, LIST_RULES)
            }
            Shape::Object { style: Style::Flow, .. } => {
                flow::drop_rows(page, parent, rows, TABLE_RULES)
            }
            Shape::List { items, .. } => rows
                .iter()
                .filter_map(|row| items.get(*row))
                .flat_map(|item| self.cut_sections(item))
                .collect(),
            Shape::Object { members, .. } => {
                let named = rows.iter().filter_map(|row| members.as_slice().get(*row));
                named
                    .flat_map(|member| match &member.value {
                        value if section::is_section(value) => self.cut_sections(value),
                        value if section::is_dotted(value) => {
                            let mut found = Vec::new();
                            section::collect_leaves(value, &mut found);
                            found
                                .iter()
                                .map(|leaf| self.cut_line(leaf.key_span, leaf.value.span.end))
                                .collect()
                        }
                        value => vec![self.cut_line(member.key_span, value.span.end)],
                    })
                    .collect()
            }
            Shape::Scalar | Shape::Alias => Vec::new(),
        }
    }

    fn cut_line(&self, key: Span, end: usize) -> Splice {
        let page = self.page;
        let start = page.line_start(key.start);
        let next = page.next_line(end);
        if next == page.text.len() && !page.text.ends_with('\n') && start > 0 {
            return Splice::delete(page.line_end(start - 1), next);
        }
        Splice::delete(start, next)
    }

    fn cut_sections(&self, node: &Node) -> Vec<Splice> {
        let mut found = Vec::new();
        section::collect_headed(node, &mut found);
        found
            .iter()
            .filter_map(|table| section::section_lines(self.page, table))
            .map(|span| Splice::delete(span.start, span.end))
            .collect()
    }

    /// The blank lines that parted a section at the end of the text from what was before it go with
    /// it, and those that parted its first lines from the others.
    fn trim_blank_lines(&self, splices: &mut [Splice]) {
        const BLANK: [char; 4] = ['\n', '\r', ' ', '\t'];
        let page = self.page;
        let first = splices.iter_mut().filter(|splice| splice.span.start == 0);
        if let Some(Splice { span, .. }) = first.max_by_key(|splice| splice.span.end) {
            let rest = &page.text[span.end..];
            let filled = span.end + rest.len() - rest.trim_start_matches(BLANK).len();
            span.end = page.line_start(filled).max(span.end);
        }
        if let Some(Splice { span, .. }) = splices
            .iter_mut()
            .filter(|splice| splice.span.end == page.text.len())
            .min_by_key(|splice| splice.span.start)
        {
            let kept = page.text[..span.start].trim_end_matches(BLANK).len();
            let line = page.next_line(kept).min(span.start);
            span.start = if page.text.ends_with('\n') || kept == 0 { line } else { kept };
        }
    }

    fn move_item(&self, list: &Node, from: usize, to: usize) -> Vec<Splice> {
        let Shape::List { items, style } = &list.shape else { return Vec::new() };
        if *style == Style::Flow {
            return flow::move_with_comments(self.page, &flow::child_spans(list), from, to);
        }
        let whole = |item: &Node| Span {
            start: self.with_comments(item),
            end: self.page.line_end(item.span.end),
        };
        flow::move_spans(self.page, &items.iter().map(whole).collect::<Vec<_>>(), from, to)
    }

    fn rename_key(&self, object: &Node, rows: &[usize], key: &str) -> Vec<Splice> {
        let (page, text) = (self.page, print::print_key(key));
        let depth = self.header_path().len();
        let mut splices = Vec::new();
        for member in rows.iter().filter_map(|row| section::object_members(object).get(*row)) {
            let value = &member.value;
            let spans: Vec<Span> = if section::is_section(value) {
                let mut found = Vec::new();
                section::collect_headed(value, &mut found);
                let headers = found.iter().filter_map(|table| section::header_span(table));
                headers
                    .filter_map(|header| section::header_keys(page, header).get(depth).copied())
                    .collect()
            } else if section::is_dotted(value) {
                let mut found = Vec::new();
                section::collect_leaves(value, &mut found);
                let row = self.dots_above(object);
                let starts = found.iter().map(|leaf| section::line_key(page, leaf.key_span));
                starts
                    .filter_map(|start| section::key_parts(page, start).get(row).copied())
                    .collect()
            } else {
                vec![member.key_span]
            };
            splices.extend(
                spans.into_iter().map(|span| Splice::new(span.start, span.end, text.clone())),
            );
        }
        splices
    }

    /// How many keys of a line stand before those of this object's members.
    fn dots_above(&self, object: &Node) -> usize {
        let around = self.plan.above.iter().rev().copied();
        std::iter::once(object).chain(around).take_while(|node| section::is_dotted(node)).count()
    }

    /// Where an array's table begins with the comment lines right above its header.
    fn with_comments(&self, item: &Node) -> usize {
        let page = self.page;
        let mut start = page
            .line_start(section::header_span(item).map_or(item.span.start, |header| header.start));
        while start > 0
            && page.text[page.line_start(start - 1)..start].trim_start().starts_with('#')
        {
            start = page.line_start(start - 1);
        }
        start
    }
}

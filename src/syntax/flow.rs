//! Children between brackets or braces, in any format: put in, taken out, moved.
//!
//! Children that have lines of their own are handled by lines, so that a comment on the line goes
//! with its child; others are handled with the comma that parts them from their neighbour.

use super::{
    change::Splice,
    page::TextPage,
    place::Span,
    tree::{Member, Node, Shape},
};

/// What a format allows between brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// A comma may stand behind the last child.
    pub trailing_comma: bool,
    /// Comments on lines of their own stay when the last child goes.
    pub comments_stay: bool,
}

/// From the first to the last byte of each child: keys and properties included, commas not.
pub(crate) fn child_spans(node: &Node) -> Vec<Span> {
    let whole = |member: &Member| Span {
        start: member.key_span.start,
        end: member.value.span.end.max(member.key_span.end),
    };
    match &node.shape {
        Shape::List { items, .. } => {
            items.iter().map(|item| Span { start: item.lead, end: item.span.end }).collect()
        }
        Shape::Object { members, .. } => members.iter().map(whole).collect(),
        Shape::Scalar | Shape::Alias => Vec::new(),
    }
}

/// How a child is to stand: on a line of its own with this indentation, or beside its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement<'p> {
    OwnLine(&'p str),
    Beside,
}

/// How a new child would stand in brackets that have children already.
pub(crate) fn child_placement<'p>(
    page: &TextPage<'p>,
    parent: &Node,
    row: usize,
) -> Option<Placement<'p>> {
    let spans = child_spans(parent);
    let beside = spans.get(row.min(spans.len().checked_sub(1)?))?.start;
    Some(if page.begins_line(beside) {
        Placement::OwnLine(page.line_indent(beside))
    } else {
        Placement::Beside
    })
}

/// Puts a child before that row of brackets that have children already. `gap` parts it from a
/// neighbour on its line.
pub(crate) fn insert_child(
    page: &TextPage<'_>,
    parent: &Node,
    row: usize,
    child: &str,
    gap: &str,
) -> Vec<Splice> {
    let spans = child_spans(parent);
    let (Some(stand), Some(last)) = (child_placement(page, parent, row), spans.last()) else {
        return Vec::new();
    };
    // A comment above the next child stays right above it.
    let before = match row.checked_sub(1).and_then(|row| spans.get(row)) {
        Some(before) => comma_behind(page, before.end).map(|comma| comma + 1),
        None => Some(parent.span.start + 1),
    };
    let line_before = before.and_then(|end| page.rest_is_comment(end));
    match (spans.get(row), stand) {
        (Some(next), Placement::OwnLine(indent))
            if line_before.is_some_and(|end| !is_bare(page, end, next.start)) =>
        {
            vec![Splice::insert(
                line_before.unwrap_or(next.start),
                format!("{}{indent}{child},", page.eol),
            )]
        }
        (Some(next), Placement::OwnLine(indent)) => {
            vec![Splice::insert(next.start, format!("{child},{}{indent}", page.eol))]
        }
        (Some(next), Placement::Beside) => {
            vec![Splice::insert(next.start, format!("{child},{gap}"))]
        }
        (None, stand) => match (comma_behind(page, last.end), stand) {
            (Some(comma), Placement::OwnLine(indent)) => {
                vec![Splice::insert(
                    behind_comment(page, comma + 1),
                    format!("{}{indent}{child},", page.eol),
                )]
            }
            (Some(comma), Placement::Beside) => {
                vec![Splice::insert(comma + 1, format!("{gap}{child},"))]
            }
            (None, Placement::OwnLine(indent)) => {
                let end = behind_comment(page, last.end);
                vec![
                    Splice::insert(last.end, ","),
                    Splice::insert(end, format!("{}{indent}{child}", page.eol)),
                ]
            }
            (None, Placement::Beside) => vec![Splice::insert(last.end, format!(",{gap}{child}"))],
        },
    }
}

/// Takes children out.
pub(crate) fn drop_rows(
    page: &TextPage<'_>,
    parent: &Node,
    rows: &[usize],
    rules: Rules,
) -> Vec<Splice> {
    let spans = child_spans(parent);
    let Some(last) = (0..spans.len()).rev().find(|row| !rows.contains(row)) else {
        return clear_children(page, parent, &spans, rules);
    };
    let mut splices: Vec<Splice> =
        rows.iter().map(|row| drop_row(page, &spans, *row, last)).collect();
    let ends_bare = comma_behind(page, spans[spans.len() - 1].end).is_none();
    if last + 1 < spans.len() && ends_bare && !rules.trailing_comma {
        // The comma that parted the last child that stays from those behind it.
        if let Some(comma) =
            comma_behind(page, spans[last].end).filter(|comma| !is_covered(&splices, *comma))
        {
            splices.push(Splice::delete(comma, comma + 1));
        }
    }
    splices
}

/// Moves one of several texts to another place among them; comments on the lines above a child and
/// behind it go with it, everything else that is between them stays.
pub(crate) fn move_with_comments(
    page: &TextPage<'_>,
    spans: &[Span],
    from: usize,
    to: usize,
) -> Vec<Splice> {
    let parts: Vec<ChildParts> =
        spans.iter().map(|span| ChildParts::from_child(page, *span)).collect();
    let of = |part: fn(&ChildParts) -> Span| parts.iter().map(part).collect::<Vec<_>>();
    let pieces = [of(|parts| parts.above), of(|parts| parts.child), of(|parts| parts.behind)];
    pieces.iter().flat_map(|spans| move_spans(page, spans, from, to)).collect()
}

/// The same for texts that have their comments in them.
pub(crate) fn move_spans(
    page: &TextPage<'_>,
    spans: &[Span],
    from: usize,
    to: usize,
) -> Vec<Splice> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    let moved = order.remove(from);
    order.insert(to, moved);
    let swapped = order.iter().enumerate().filter(|(slot, row)| slot != *row);
    swapped
        .map(|(slot, row)| {
            Splice::new(
                spans[slot].start,
                spans[slot].end,
                &page.text[spans[*row].start..spans[*row].end],
            )
        })
        .collect()
}

/// A child with the comments that are about it.
struct ChildParts {
    above: Span,
    child: Span,
    /// Behind its comma, where it has one.
    behind: Span,
}

impl ChildParts {
    fn from_child(page: &TextPage<'_>, child: Span) -> Self {
        let end = comma_behind(page, child.end)
            .filter(|comma| !page.has_line_break(child.end, *comma))
            .map_or(child.end, |comma| comma + 1);
        let behind = page.rest_is_comment(end).unwrap_or(end);
        if !page.begins_line(child.start) {
            let empty = |at| Span { start: at, end: at };
            return Self { above: empty(child.start), child, behind: empty(end) };
        }
        let (mut start, line) = (page.line_start(child.start), page.line_start(child.start));
        while start > 0 {
            let above = page.line_start(start - 1);
            let is_comment = page.comment_end(above + page.line_indent(above).len()).is_some()
                && page.rest_is_comment(above).is_some();
            if !is_comment {
                break;
            }
            start = above;
        }
        let behind = Span { start: end, end: behind };
        Self { above: Span { start, end: line }, child, behind }
    }
}

/// The comma behind a child, over spaces and comments.
pub(crate) fn comma_behind(page: &TextPage<'_>, end: usize) -> Option<usize> {
    let mut at = end;
    let bytes = page.text.as_bytes();
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b',' => return Some(at),
            _ => at = page.comment_end(at)?,
        }
    }
}

fn drop_row(page: &TextPage<'_>, spans: &[Span], row: usize, last: usize) -> Splice {
    let Span { start, end } = spans[row];
    let behind = comma_behind(page, end).map_or(end, |comma| comma + 1);
    if page.begins_line(start)
        && !page.has_line_break(end, behind)
        && page.rest_is_comment(behind).is_some()
    {
        return Splice::delete(page.line_start(start), page.next_line(behind));
    }
    let has_line_before = row > 0 && !page.has_line_break(spans[row - 1].end, start);
    match spans.get(row + 1) {
        Some(next) if row < last && !page.has_line_break(end, next.start) => {
            Splice::delete(start, next.start)
        }
        // The comment of the child before stays.
        _ if has_line_before => Splice::delete(
            comma_behind(page, spans[row - 1].end).unwrap_or(spans[row - 1].end),
            end,
        ),
        Some(_) => Splice::delete(start, behind),
        None => Splice::delete(start, end),
    }
}

/// Takes everything out of brackets.
fn clear_children(page: &TextPage<'_>, parent: &Node, spans: &[Span], rules: Rules) -> Vec<Splice> {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Vec::new() };
    let (open, close) = (parent.span.start + 1, parent.span.end.saturating_sub(1));
    let end = comma_behind(page, last.end)
        .filter(|comma| *comma < close)
        .map_or(last.end, |comma| comma + 1);
    let end = behind_comment(page, end).min(close);
    let bare = |text: Option<&str>| text.is_some_and(|text| text.trim().is_empty());
    if !rules.comments_stay
        || (bare(page.text.get(open..first.start)) && bare(page.text.get(end..close)))
    {
        return vec![Splice::delete(open, close)];
    }
    vec![Splice::delete(first.start, end)]
}

/// The end of the line behind a child, if nothing but a comment follows on it; else the child's own
/// end.
fn behind_comment(page: &TextPage<'_>, end: usize) -> usize {
    page.rest_is_comment(end).unwrap_or(end)
}

/// Whether nothing but spaces and line ends is between two offsets.
fn is_bare(page: &TextPage<'_>, from: usize, to: usize) -> bool {
    page.text.get(from..to).is_some_and(|between| between.trim().is_empty())
}

fn is_covered(splices: &[Splice], at: usize) -> bool {
    splices.iter().any(|splice| splice.span.start <= at && at < splice.span.end)
}

//! A workflow as text, DOT, Mermaid, SVG or JSON; text and SVG from the same layout as the screen.

use std::{collections::BTreeSet, fmt::Write};

use serde_json::{Value, json};

use super::{
    canvas_text::{self, Role},
    gated::{Gated, ToolRow},
    layout::{
        diagram::{Direction, TextMeasure},
        extent::{Choice, PictureExtent, Scale},
        marks::StateMarks,
        picture::{BoxArea, Caption, Picture, Point, Route},
        states::{self, Detail, DrawnTools, StateDiagram, View},
    },
    workflow::{
        analysis::Analysis,
        graph::{Edge, Link, StateRow, Workflow},
    },
    xml::escape_text,
};

/// How a workflow is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Dot,
    Mermaid,
    Svg,
    Json,
}

impl Format {
    pub const ALL: [Self; 5] = [Self::Text, Self::Dot, Self::Mermaid, Self::Svg, Self::Json];
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s, T> {
    pub workflow: &'s Workflow,
    pub analysis: &'s Analysis,
    pub tools: &'s [T],
    /// The state that is marked as the current one.
    pub current: Option<StateRow>,
    pub direction: Direction,
    /// What the pictures (text, SVG, the layout in JSON) show; the other formats hold everything.
    pub scale: Scale,
    /// Which arrows they show; those of groups that are not asked for are broken.
    pub drawn: DrawnTools,
    pub detail: Detail,
    pub measure: TextMeasure,
}

/// How many boxes a part of a workflow has at most.
const MOST: usize = 60;

impl<T: Gated> Subject<'_, T> {
    /// The workflow in a format, ending with a line end.
    #[must_use]
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.render_text(),
            Format::Dot => self.render_dot(),
            Format::Mermaid => self.render_mermaid(),
            Format::Svg => self.render_svg(),
            Format::Json => format!("{:#}\n", self.render_json()),
        }
    }

    /// The diagram, and for each box the states that it represents.
    fn build_diagram(&self) -> (StateDiagram, PictureExtent) {
        let Self { current, direction, measure, detail, scale, drawn, .. } = *self;
        let edges = drawn.edges(self.workflow);
        let choice = Choice { scale, focus: current, opened: &BTreeSet::new(), most: MOST };
        let extent = PictureExtent::choose_states(self.workflow.states().len(), &edges, &choice);
        let marks = StateMarks::from_analysis(self.workflow, self.analysis, current);
        let view =
            View { extent: &extent, marks: &marks, unbundled: None, direction, detail, measure };
        (states::state_diagram(self.workflow, &edges, self.tools, view), extent)
    }

    fn is_asked(&self, tool: ToolRow) -> bool {
        self.workflow.members()[tool].is_admitted()
    }

    fn tool_keys(&self, rows: &[ToolRow]) -> String {
        rows.iter().map(|row| self.tools[*row].key()).collect::<Vec<_>>().join(", ")
    }

    /// What a picture doesn't show itself: the tools that have no arrow, and how many states are
    /// left out.
    fn words_below(&self, states: &StateDiagram, extent: &PictureExtent) -> Vec<String> {
        let staying = (!states.staying.is_empty())
            .then(|| format!("any state stays: {}", self.tool_keys(&states.staying)));
        let all = self.workflow.states().len();
        let part = (extent.left_out() > 0)
            .then(|| format!("{} of {all} states are shown", all - extent.left_out()));
        staying.into_iter().chain(part).collect()
    }

    fn render_text(&self) -> String {
        let (states, extent) = self.build_diagram();
        let is_broken = |part: Role| match part {
            Role::Line(row) | Role::Head(row) => {
                !states.arrows[row].tools().any(|tool| self.is_asked(tool))
            }
            Role::Itself(row) => !states.feet[row].0.iter().any(|tool| self.is_asked(*tool)),
            Role::FromAny(row) => !states.feet[row].1.iter().any(|tool| self.is_asked(*tool)),
            _ => false,
        };
        let mut lines: Vec<String> =
            canvas_text::picture_lines(&states.diagram, &states.diagram.layout(), is_broken)
                .collect();
        let below = self.words_below(&states, &extent);
        lines.extend(below.into_iter().flat_map(|words| [String::new(), words]));
        lines.into_iter().map(|line| line.replace(char::is_control, " ") + "\n").collect()
    }

    /// The arrows that are drawn, and whether the request asks for their tools.
    fn drawn_edges(&self) -> Vec<(Edge, bool)> {
        let others = match self.drawn {
            DrawnTools::All => self.workflow.edges_not_asked(),
            _ => Vec::new(),
        };
        let asked = self.workflow.edges().into_iter().map(|edge| (edge, true));
        asked.chain(others.into_iter().map(|edge| (edge, false))).collect()
    }

    fn render_dot(&self) -> String {
        let mut text =
            String::from("digraph workflow {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
        for (row, name) in self.workflow.states().iter().enumerate() {
            let mut more = String::new();
            if Some(row) == self.current {
                more.push_str(", penwidth=2");
            }
            if !self.analysis.reaches(row) {
                more.push_str(", style=\"rounded,dashed\", fontcolor=gray");
            }
            let _ = writeln!(text, "  s{row} [label={}{more}];", dot_text(name));
        }
        let mut any = false;
        for (edge, is_asked) in self.drawn_edges() {
            let style = if is_asked { "" } else { ", style=dotted, color=gray, fontcolor=gray" };
            let label = dot_text(&self.tool_keys(&edge.tools));
            let any_style = if style.is_empty() { ", style=dashed" } else { style };
            let _ = match edge.link {
                Link::Between { from, to } => {
                    writeln!(text, "  s{from} -> s{to} [label={label}{style}];")
                }
                Link::FromAny { to } => {
                    writeln!(text, "  any -> s{to} [label={label}{any_style}];")
                }
                Link::StayAny => writeln!(text, "  any -> any [label={label}{any_style}];"),
            };
            any |= !matches!(edge.link, Link::Between { .. });
        }
        if any {
            text.push_str("  any [label=\"any state\", style=\"rounded,dashed\"];\n");
        }
        text + "}\n"
    }

    fn render_mermaid(&self) -> String {
        let mut text = String::from("stateDiagram-v2\n  direction LR\n");
        for (row, name) in self.workflow.states().iter().enumerate() {
            let _ = writeln!(text, "  state \"{}\" as s{row}", mermaid_text(name));
        }
        let edges = self.drawn_edges();
        if edges.iter().any(|(edge, _)| !matches!(edge.link, Link::Between { .. })) {
            text.push_str("  state \"any state\" as any\n");
        }
        let _ = writeln!(text, "  [*] --> s{}", self.workflow.start());
        for (edge, is_asked) in edges {
            // Mermaid draws all arrows of states alike.
            let note = if is_asked { "" } else { " (not requested)" };
            let label = mermaid_text(&format!("{}{note}", self.tool_keys(&edge.tools)));
            let _ = match edge.link {
                Link::Between { from, to } => writeln!(text, "  s{from} --> s{to} : {label}"),
                Link::FromAny { to } => writeln!(text, "  any --> s{to} : {label}"),
                Link::StayAny => writeln!(text, "  any --> any : {label}"),
            };
        }
        text
    }

    fn render_json(&self) -> Value {
        let name = |row: &StateRow| Value::from(&*self.workflow.states()[*row]);
        let names = |rows: &[StateRow]| rows.iter().map(name).collect::<Value>();
        let keys = |rows: &[ToolRow]| {
            rows.iter().map(|row| Value::from(self.tools[*row].key())).collect::<Value>()
        };
        let states: Value = (0..self.workflow.states().len())
            .map(|row| {
                json!({
                    "name": name(&row),
                    "tools": self.workflow.offer_count(row),
                    "reachable": self.analysis.reaches(row),
                    "returns": self.analysis.returns[row],
                })
            })
            .collect();
        let edges = |edges: &[Edge]| {
            let edge = |edge: &Edge| {
                let (from, to) = match edge.link {
                    Link::Between { from, to } => (name(&from), name(&to)),
                    Link::FromAny { to } => (Value::Null, name(&to)),
                    Link::StayAny => (Value::Null, Value::Null),
                };
                json!({"from": from, "to": to, "tools": keys(&edge.tools)})
            };
            edges.iter().map(edge).collect::<Value>()
        };
        let sets = |sets: &[Vec<StateRow>]| sets.iter().map(|rows| names(rows)).collect::<Value>();
        let never: Vec<ToolRow> = self.analysis.never_run.iter().map(|(tool, _)| *tool).collect();
        json!({
            "start": name(&self.workflow.start()),
            "states": states,
            "edges": edges(&self.workflow.edges()),
            "edges_not_asked": edges(&self.workflow.edges_not_asked()),
            "dead_ends": names(&self.analysis.dead_ends),
            "traps": sets(&self.analysis.traps),
            "cycles": sets(&self.analysis.cycles),
            "never_run": keys(&never),
            "never_produced": self.analysis.never_produced.iter().map(|found| name(&found.state)).collect::<Value>(),
            "never_awaited": self.analysis.never_awaited.iter().map(|found| name(&found.state)).collect::<Value>(),
            "layout": self.layout_json(),
        })
    }

    /// Where boxes and arrows stand in the picture, in cells.
    fn layout_json(&self) -> Value {
        let (states, extent) = self.build_diagram();
        let picture = states.diagram.layout();
        let names = |row: usize| -> Value {
            extent.nodes[row]
                .states()
                .iter()
                .map(|state| Value::from(&*self.workflow.states()[*state]))
                .collect()
        };
        let boxes = picture.boxes.iter().enumerate().map(|(row, placed)| {
            let BoxArea { x, y, width, height } = placed.area;
            json!({"states": names(row), "x": x, "y": y, "width": width, "height": height})
        });
        let arrows = picture.arrows.iter().zip(&states.arrows).map(|(route, strand)| {
            let points: Value =
                route.points.iter().map(|point| json!([point.x, point.y])).collect();
            let tools: Value =
                strand.tools().map(|tool| Value::from(self.tools[tool].key())).collect();
            json!({"from": strand.from, "to": strand.to, "tools": tools, "points": points})
        });
        json!({
            "width": picture.width,
            "height": picture.height,
            "boxes": boxes.collect::<Value>(),
            "arrows": arrows.collect::<Value>(),
        })
    }

    /// The classes of an arrow in SVG.
    fn arrow_class(&self, mut tools: impl Iterator<Item = ToolRow>, class: &str) -> String {
        let faint = if tools.any(|tool| self.is_asked(tool)) { "" } else { " faint" };
        format!("{class}{faint}")
    }

    /// The diagram laid out for a page: from the top down where it is too wide otherwise.
    fn page_layout(&self) -> (StateDiagram, PictureExtent, Picture) {
        let lay_out = |direction| {
            let (states, extent) = Self { direction, ..*self }.build_diagram();
            let picture = states.diagram.layout();
            (states, extent, picture)
        };
        let asked = lay_out(self.direction);
        if asked.2.width <= PAGE_WIDTH {
            return asked;
        }
        let tall = lay_out(Direction::TopDown);
        if tall.2.width < asked.2.width { tall } else { asked }
    }

    fn render_svg(&self) -> String {
        let (states, extent, picture) = self.page_layout();
        let cells = picture.width.max(LEAST_WIDTH);
        let words = self.words_below(&states, &extent);
        let below: Vec<String> =
            words.iter().flat_map(|words| break_words(words, cells, self.measure)).collect();
        let mut svg = Svg::new(&picture, &below, self.measure);
        for (route, strand) in picture.arrows.iter().zip(&states.arrows) {
            svg.add_route(route, &self.arrow_class(strand.tools(), ""));
        }
        for (row, placed) in picture.boxes.iter().enumerate() {
            let held = extent.nodes[row].states();
            let is_current = held.iter().any(|state| Some(*state) == self.current);
            let of_box = match (is_current, held.iter().any(|state| self.analysis.reaches(*state)))
            {
                (true, _) => "current",
                (false, true) => "state",
                (false, false) => "dim",
            };
            svg.add_box(&placed.area, of_box, &states.diagram.boxes[row].lines);
            let (itself, any) = &states.feet[row];
            placed.to_itself.iter().for_each(|route| {
                svg.add_route(route, &self.arrow_class(itself.iter().copied(), ""));
            });
            placed.from_any.iter().for_each(|route| {
                svg.add_route(route, &self.arrow_class(any.iter().copied(), " any"));
            });
        }
        for (row, line) in below.iter().enumerate() {
            svg.add_text((0, picture.height + 1 + row), line);
        }
        svg.text + "</svg>\n"
    }
}

/// A text in lines of so many cells; longer words have a line of their own.
fn break_words(text: &str, cells: usize, measure: TextMeasure) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let has_room = |line: &&mut String| measure(line) + 1 + measure(word) <= cells;
        match lines.last_mut().filter(has_room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A picture of more cells is too wide for a page.
const PAGE_WIDTH: usize = 180;

/// What is written below a narrow picture may be so many cells wide.
const LEAST_WIDTH: usize = 60;

const CELL_WIDTH: usize = 9;
const CELL_HEIGHT: usize = 18;

struct Svg {
    text: String,
}

impl Svg {
    /// A picture with lines below it, after an empty one.
    fn new(picture: &Picture, below: &[String], measure: TextMeasure) -> Self {
        let cells = below.iter().map(|line| measure(line)).fold(picture.width, usize::max);
        let lines = picture.height + if below.is_empty() { 0 } else { below.len() + 1 };
        let (width, height) = (cells * CELL_WIDTH + 20, lines * CELL_HEIGHT + 20);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 -10 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
             <style>text{{font:14px monospace;fill:#222}}rect{{fill:#fff;stroke:#555;rx:6}}.current rect{{stroke:#06c;stroke-width:2.5}}\
             .dim rect{{stroke:#aaa;stroke-dasharray:4 3}}.dim text{{fill:#767676}}polyline{{fill:none;stroke:#555;marker-end:url(#head)}}\
             .any{{stroke-dasharray:4 3}}.faint{{stroke:#999;stroke-dasharray:2 3}}.plate{{stroke:none;rx:0}}</style>\n\
             <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
        );
        Self { text }
    }

    fn add_box(&mut self, area: &BoxArea, class: &str, lines: &[String]) {
        let (x, y) = (area.x * CELL_WIDTH + CELL_WIDTH / 2, area.y * CELL_HEIGHT + CELL_HEIGHT / 2);
        let (width, height) = ((area.width - 1) * CELL_WIDTH, (area.height - 1) * CELL_HEIGHT);
        let _ = writeln!(
            self.text,
            "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
        for (row, line) in lines.iter().enumerate() {
            self.add_text((area.x + 2, area.y + 1 + row), line);
        }
        self.text.push_str("</g>\n");
    }

    /// Writes a line of text at a cell.
    fn add_text(&mut self, (x, y): (usize, usize), line: &str) {
        let (x, y) = (x * CELL_WIDTH, y * CELL_HEIGHT + 13);
        let _ = writeln!(self.text, "<text x=\"{x}\" y=\"{y}\">{}</text>", xml_text(line));
    }

    fn add_route(&mut self, route: &Route, class: &str) {
        let middle = |point: &Point| {
            format!(
                "{},{}",
                point.x * CELL_WIDTH + CELL_WIDTH / 2,
                point.y * CELL_HEIGHT + CELL_HEIGHT / 2
            )
        };
        let points: Vec<String> = route.points.iter().map(middle).collect();
        let _ = writeln!(
            self.text,
            "<polyline class=\"arrow{class}\" points=\"{}\"/>",
            points.join(" ")
        );
        route.label.iter().for_each(|label| self.add_label(label));
    }

    /// A label is on a plate that hides the line behind it.
    fn add_label(&mut self, label: &Caption) {
        let (x, y) = (label.at.x * CELL_WIDTH, label.at.y * CELL_HEIGHT);
        let width = label.width * CELL_WIDTH;
        let _ = writeln!(
            self.text,
            "<rect class=\"plate\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{CELL_HEIGHT}\"/>"
        );
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{}\">{}</text>",
            y + 13,
            xml_text(&label.text)
        );
    }
}

fn dot_text(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ")
    )
}

/// Letters that Mermaid reads as its own are written as entity codes.
fn mermaid_text(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '"' | '#' | ';' | ':' | '<' | '>' => format!("#{};", u32::from(letter)),
            letter if letter.is_control() => " ".into(),
            letter => letter.into(),
        })
        .collect()
}

fn xml_text(text: &str) -> String {
    escape_text(text, |escaped, sign| escaped.push(if sign.is_control() { ' ' } else { sign }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{filter::AskedGroups, gated::Slot, layout::diagram::char_count},
        model::{
            context::Name,
            tool::{Gate, States},
        },
    };

    fn exported(format: Format) -> String {
        let tool = |key: &str, states: Option<&[&str]>, next: Option<&str>| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: None,
                states: states.map_or(States::Every, |list| {
                    States::Only(list.iter().map(|name| Name::from(*name)).collect())
                }),
                next: next.map(Name::from),
                ..Gate::open()
            },
        };
        let tools = [
            tool("look", Some(&["undefined"]), Some("a \"quoted\" <state>; x")),
            tool("again", Some(&["undefined"]), Some("a \"quoted\" <state>; x")),
            tool("reset", None, Some("undefined")),
            tool("note", None, None),
        ];
        let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, "undefined");
        let analysis = workflow.analysis();
        let subject = Subject {
            workflow: &workflow,
            analysis: &analysis,
            tools: &tools,
            current: Some(0),
            direction: Direction::LeftToRight,
            scale: Scale::All,
            drawn: DrawnTools::All,
            detail: Detail::Usual,
            measure: char_count,
        };
        subject.render(format)
    }

    #[test]
    fn every_format_is_as_it_was() {
        for format in Format::ALL {
            insta::assert_snapshot!(format!("export_{format:?}").to_lowercase(), exported(format));
        }
    }

    #[test]
    fn every_format_names_the_tools_that_keep_every_state() {
        for format in Format::ALL {
            let text = exported(format);
            assert!(text.contains("note"), "{format:?}: {text}");
        }
        assert!(exported(Format::Svg).contains(">any state stays: note</text>"));
        let lines = break_words("any state stays: a, longer, b", 12, char_count);
        assert_eq!(lines, ["any state", "stays: a,", "longer, b"]);
    }

    #[test]
    fn a_long_workflow_is_a_picture_of_a_page() {
        let size = |count: usize| {
            let tools: Vec<Slot> = (0..count)
                .map(|row| Slot {
                    key: format!("tool-{row}").into(),
                    name: format!("tool-{row}").as_str().into(),
                    gate: Gate {
                        states: States::Only(vec![format!("s{row}").as_str().into()]),
                        next: Some(format!("s{}", row + 1).as_str().into()),
                        ..Gate::open()
                    },
                })
                .collect();
            let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, "s0");
            let subject = Subject {
                workflow: &workflow,
                analysis: &workflow.analysis(),
                tools: &tools,
                current: Some(workflow.start()),
                direction: Direction::LeftToRight,
                scale: Scale::All,
                drawn: DrawnTools::All,
                detail: Detail::Usual,
                measure: char_count,
            };
            let (_, _, picture) = subject.page_layout();
            (picture.width, picture.height)
        };
        let (width, height) = size(3);
        assert!(width > height, "{width} × {height}");
        let (width, height) = size(25);
        assert!(width <= PAGE_WIDTH && width < height, "{width} × {height}");
    }

    #[test]
    fn arrows_of_groups_that_are_not_asked_for_are_drawn_broken_or_left_out() {
        let tool = |key: &str, group: &str, from: &str, to: &str| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(vec![group.into()]),
                states: States::Only(vec![from.into()]),
                next: Some(to.into()),
                ..Gate::open()
            },
        };
        let tools =
            [tool("look", "read", "undefined", "found"), tool("wipe", "admin", "found", "gone")];
        let workflow =
            Workflow::for_groups(&tools, &AskedGroups::Only(vec!["read".into()]), "undefined");
        let analysis = workflow.analysis();
        let subject = |drawn| Subject {
            workflow: &workflow,
            analysis: &analysis,
            tools: &tools,
            current: Some(0),
            direction: Direction::LeftToRight,
            scale: Scale::All,
            drawn,
            detail: Detail::Usual,
            measure: char_count,
        };
        let (all, asked) = (subject(DrawnTools::All), subject(DrawnTools::Asked));
        let text = all.render(Format::Text);
        assert!(
            text.contains("─ look ─") && text.contains("╌ wipe ╌") && text.contains('▷'),
            "{text}"
        );
        assert!(!asked.render(Format::Text).contains("wipe"));
        assert!(
            all.render(Format::Svg).contains("arrow faint")
                && !asked.render(Format::Svg).contains("arrow faint")
        );
        assert!(
            all.render(Format::Dot).contains("[label=\"wipe\", style=dotted")
                && !asked.render(Format::Dot).contains("wipe")
        );
        let json: Value = serde_json::from_str(&all.render(Format::Json)).unwrap();
        assert_eq!(json["edges"].as_array().unwrap().len(), 1);
        assert_eq!(json["edges_not_asked"][0]["tools"], json!(["wipe"]));
        // What JSON says of places is what the text shows.
        let placed = &json["layout"]["boxes"][1];
        let (x, y) = (placed["x"].as_u64().unwrap(), placed["y"].as_u64().unwrap());
        let line = text.lines().nth(usize::try_from(y).unwrap() + 1).unwrap();
        let name: String = line.chars().skip(usize::try_from(x).unwrap() + 2).take(5).collect();
        assert_eq!((name.as_str(), &placed["states"]), ("found", &json!(["found"])), "{text}");
    }
}

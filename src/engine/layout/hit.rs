//! What is at a cell of a picture: found by geometry alone, so that it needs no drawing.

use super::picture::{Picture, PlacedBox, Point, Route};

/// What a cell is part of, by the diagram's rows. Labels win over boxes, boxes over lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramHit {
    Box(usize),
    /// An arrow's line or head.
    Arrow(usize),
    /// An arrow's label, with the blank on both sides of it.
    Label(usize),
    /// Line, head or label of the arrow from a box to itself, by the box's row.
    Itself(usize),
    /// The same of the arrow from any box to one.
    FromAny(usize),
    Nothing,
}

impl Picture {
    /// What is at a cell. Where two arrows cross, the earlier one.
    #[must_use]
    pub fn hit_test(&self, at: Point) -> DiagramHit {
        let on = |route: &Route| route.label_contains(at) || route.line_contains(at);
        if let Some(row) = self.arrows.iter().position(|route| route.label_contains(at)) {
            return DiagramHit::Label(row);
        }
        for (row, PlacedBox { area, to_itself, from_any }) in self.boxes.iter().enumerate() {
            if area.contains(at) {
                return DiagramHit::Box(row);
            }
            if to_itself.as_ref().is_some_and(on) {
                return DiagramHit::Itself(row);
            }
            if from_any.as_ref().is_some_and(on) {
                return DiagramHit::FromAny(row);
            }
        }
        self.arrows
            .iter()
            .position(|route| route.line_contains(at))
            .map_or(DiagramHit::Nothing, DiagramHit::Arrow)
    }
}

impl Route {
    /// Whether a cell is part of the line or its head.
    #[must_use]
    pub fn line_contains(&self, at: Point) -> bool {
        let between = |a: usize, b: usize, value: usize| (a.min(b)..=a.max(b)).contains(&value);
        let on = |pair: &[Point]| {
            between(pair[0].x, pair[1].x, at.x) && between(pair[0].y, pair[1].y, at.y)
        };
        self.head == at || self.points.windows(2).any(on)
    }

    /// Whether a cell is part of the label or of the spaces beside it.
    #[must_use]
    pub fn label_contains(&self, at: Point) -> bool {
        let beside =
            |start: usize, width: usize| (start.saturating_sub(1)..=start + width).contains(&at.x);
        self.label.as_ref().is_some_and(|label| {
            !label.text.is_empty() && label.at.y == at.y && beside(label.at.x, label.width)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::layout::diagram::{ArrowSpec, BoxSpec, Diagram, Direction, char_count};

    #[test]
    fn each_part_is_found_at_its_cells() {
        let spec = |name: &str| BoxSpec { lines: vec![name.into()], ..BoxSpec::default() };
        let first = BoxSpec {
            to_itself: Some("again".into()),
            from_any: Some("any: reset".into()),
            ..spec("one")
        };
        let arrows = vec![
            ArrowSpec { from: 0, to: 1, label: "go".into() },
            ArrowSpec { from: 1, to: 0, label: "back".into() },
        ];
        for direction in [Direction::LeftToRight, Direction::TopDown] {
            let boxes = vec![first.clone(), spec("two")];
            let picture =
                Diagram { boxes, arrows: arrows.clone(), first: 0, direction, measure: char_count }
                    .layout();
            for (row, placed) in picture.boxes.iter().enumerate() {
                let area = placed.area;
                assert_eq!(picture.hit_test(Point { x: area.x, y: area.y }), DiagramHit::Box(row));
                assert_eq!(
                    picture.hit_test(Point {
                        x: area.x + area.width - 1,
                        y: area.y + area.height - 1
                    }),
                    DiagramHit::Box(row)
                );
            }
            for (row, route) in picture.arrows.iter().enumerate() {
                assert_eq!(picture.hit_test(route.head), DiagramHit::Arrow(row));
                assert_eq!(picture.hit_test(route.points[0]), DiagramHit::Arrow(row));
                assert_eq!(
                    picture.hit_test(route.label.as_ref().unwrap().at),
                    DiagramHit::Label(row)
                );
            }
            assert_eq!(picture.labels().count(), 4);
            let label = |route: &Option<Route>| route.as_ref().unwrap().label.as_ref().unwrap().at;
            assert_eq!(picture.hit_test(label(&picture.boxes[0].to_itself)), DiagramHit::Itself(0));
            assert_eq!(picture.hit_test(label(&picture.boxes[0].from_any)), DiagramHit::FromAny(0));
            assert_eq!(
                picture.hit_test(Point { x: picture.width, y: picture.height }),
                DiagramHit::Nothing
            );
        }
    }
}

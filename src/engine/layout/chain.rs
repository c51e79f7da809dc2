//! Makes a diagram of steps that run in order: a box for each, and arrows for the order and for
//! what goes from one into another.

use std::collections::BTreeMap;

use super::diagram::{ArrowSpec, BoxSpec, Diagram, Direction, Frame, TextMeasure};

/// A step to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainStep {
    pub lines: Vec<String>,
    pub frame: Frame,
    pub feeds: Vec<ChainFeed>,
}

/// What a step takes from an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFeed {
    /// The earlier step, from 0.
    pub from: usize,
    /// What it goes into.
    pub into: String,
}

/// What an arrow of a chain says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainLink {
    /// One step runs after the other.
    Order,
    /// One step gets what the other stored.
    Data,
}

/// A diagram of steps, and what each of its arrows says. Boxes stand for the steps.
#[derive(Clone, Debug)]
pub struct ChainDiagram {
    pub diagram: Diagram,
    pub links: Vec<ChainLink>,
}

/// Labels name so many inputs; of more, how many there are.
const NAMED: usize = 2;

/// The diagram of steps. A step that gets something of the one right before it has one arrow from
/// there, else the bare one of the order. A feed from a step that does not come before is left out.
#[must_use]
pub fn chain_diagram(
    steps: &[ChainStep],
    direction: Direction,
    measure: TextMeasure,
) -> ChainDiagram {
    let boxes = steps.iter().map(|step| BoxSpec {
        lines: step.lines.clone(),
        frame: step.frame,
        ..BoxSpec::default()
    });
    let mut arrows = Vec::new();
    let mut links = Vec::new();
    for (to, step) in steps.iter().enumerate() {
        let mut inputs: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        if let Some(before) = to.checked_sub(1) {
            inputs.insert(before, Vec::new());
        }
        for feed in step.feeds.iter().filter(|feed| feed.from < to) {
            inputs.entry(feed.from).or_default().push(&feed.into);
        }
        for (from, into) in inputs {
            links.push(if into.is_empty() { ChainLink::Order } else { ChainLink::Data });
            arrows.push(ArrowSpec { from, to, label: input_label(&into) });
        }
    }
    let diagram = Diagram { boxes: boxes.collect(), arrows, first: 0, direction, measure };
    ChainDiagram { diagram, links }
}

fn input_label(into: &[&str]) -> String {
    match into {
        [] => String::new(),
        few if few.len() <= NAMED => format!("output → {}", few.join(", ")),
        [first, rest @ ..] => format!("output → {first}, {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::layout::{diagram::char_count, picture::Picture};

    fn step(name: &str, feeds: &[(usize, &str)]) -> ChainStep {
        let feed = |(from, into): &(usize, &str)| ChainFeed { from: *from, into: (*into).into() };
        ChainStep {
            lines: vec![name.into()],
            feeds: feeds.iter().map(feed).collect(),
            ..ChainStep::default()
        }
    }

    fn layout(steps: &[ChainStep], direction: Direction) -> (ChainDiagram, Picture) {
        let chain = chain_diagram(steps, direction, char_count);
        let picture = chain.diagram.layout();
        (chain, picture)
    }

    #[test]
    fn steps_stand_in_their_order_and_arrows_say_what_goes_where() {
        let steps = [
            step("search", &[]),
            step("count", &[]),
            step("answer", &[(0, "prompt"), (0, "input"), (1, "size")]),
        ];
        for direction in [Direction::LeftToRight, Direction::TopDown] {
            let (chain, picture) = layout(&steps, direction);
            let along = |row: usize| match direction {
                Direction::LeftToRight => picture.boxes[row].area.x,
                Direction::TopDown => picture.boxes[row].area.y,
            };
            assert!(along(0) < along(1) && along(1) < along(2), "{direction:?}");
            let arrows: Vec<_> = chain
                .diagram
                .arrows
                .iter()
                .zip(&chain.links)
                .map(|(arrow, link)| (arrow.from, arrow.to, arrow.label.as_str(), *link))
                .collect();
            assert_eq!(
                arrows,
                [
                    (0, 1, "", ChainLink::Order),
                    (0, 2, "output → prompt, input", ChainLink::Data),
                    (1, 2, "output → size", ChainLink::Data),
                ]
            );
        }
    }

    #[test]
    fn what_comes_later_feeds_nothing() {
        let (chain, _) = layout(
            &[step("a", &[(0, "x"), (1, "y"), (7, "z")]), step("b", &[])],
            Direction::LeftToRight,
        );
        assert_eq!(chain.links, [ChainLink::Order]);
    }

    /// Not a measurement: `benches/inside.rs` has that.
    #[test]
    fn a_long_chain_whose_first_step_feeds_all_is_laid_out() {
        let steps: Vec<ChainStep> = (0..1_000)
            .map(|row| step(&format!("s{row}"), &[(0, "first"), (row / 2, "half")]))
            .collect();
        let (_, picture) = layout(&steps, Direction::TopDown);
        assert_eq!(picture.boxes.len(), 1_000);
        assert!(picture.boxes.windows(2).all(|pair| pair[0].area.y < pair[1].area.y));
    }
}

//! Gives each item its place across: near its neighbours, in order, without overlap.

use super::{
    items::{Items, Kind, Link, LinkRow},
    picture::BoxPosition,
};

const SWEEPS: usize = 24;
/// How much it counts where a box stood before.
const STANDING: f64 = 40.0;

/// Sets [`super::items::Item::at`] of every item; the least is 0.
/// Boxes begin where they stood `earlier`, as far as the others leave room.
pub(crate) fn place_across(items: &mut Items, earlier: &[Option<BoxPosition>]) {
    let mut at: Vec<f64> = vec![0.0; items.items.len()];
    let stood: Vec<Option<f64>> = (0..items.items.len())
        .map(|row| {
            Some(
                earlier.get(row).copied()??.across as f64 - (items.box_size(row).across / 2) as f64,
            )
        })
        .collect();
    for layer in &items.layers {
        let mut next = 0.0;
        for (place, row) in layer.iter().enumerate() {
            at[*row] = stood[*row].map_or(next, |stood| stood.max(next));
            let gap = layer.get(place + 1).map_or(0, |after| items.gap_between(*row, *after));
            next = at[*row] + (items.items[*row].across + gap) as f64;
        }
    }
    let count = items.layers.len();
    let mut best = (f64::INFINITY, at.clone());
    let mut since = 0;
    for sweep in 0..SWEEPS {
        // The later rounds look to both sides, so that neither is favoured.
        let sides = match (sweep * 2 < SWEEPS, sweep % 2) {
            (false, _) => CellSides::Both,
            (true, 0) => CellSides::Before,
            (true, _) => CellSides::Behind,
        };
        for step in 0..count {
            let layer = if sweep % 2 == 1 { count - 1 - step } else { step };
            settle_layer(items, &mut at, layer, sides, &stood);
        }
        let cost = bend_cost(items, &at);
        if cost < best.0 {
            best = (cost, at.clone());
            since = 0;
        }
        since += 1;
        // Only once both sides have been looked to, since that is what brings most.
        if since > 4 && sides == CellSides::Both {
            break;
        }
    }
    let at = best.1;
    let least = at.iter().copied().fold(f64::INFINITY, f64::min);
    for (item, at) in items.items.iter_mut().zip(at) {
        item.at = (at - least).max(0.0) as usize;
    }
}

/// How far links are from straight; that one bends at all counts more than how far.
fn bend_cost(items: &Items, at: &[f64]) -> f64 {
    let bend = |link: &Link| {
        (at[link.from] + link.from_port as f64 - at[link.to] - link.to_port as f64).abs()
    };
    items.links.iter().map(bend).map(|bend| if bend == 0.0 { 0.0 } else { 6.0 + bend }).sum()
}

#[derive(Clone, Copy, PartialEq)]
enum CellSides {
    Before,
    Behind,
    Both,
}

/// Moves the items of one layer as near as they can to where their links want them. Where two want
/// the same room, both give way by their weight: neighbours that push each other are joined into
/// blocks, and each block is at the mean of what its items want.
fn settle_layer(
    items: &Items,
    at: &mut [f64],
    layer: usize,
    sides: CellSides,
    stood: &[Option<f64>],
) {
    struct Block {
        sum: f64,
        weight: f64,
        first: usize,
    }
    let is_linked =
        |row: &usize| !items.items[*row].ins.is_empty() || !items.items[*row].outs.is_empty();
    let rows = &items.layers[layer];
    let linked = rows.iter().take_while(|row| is_linked(row)).count();
    let (rows, loose) = rows.split_at(linked);
    let mut offsets = Vec::with_capacity(rows.len());
    let mut offset = 0.0;
    let mut blocks: Vec<Block> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        offsets.push(offset);
        let (wish, weight) = stood[*row]
            .map_or_else(|| desired_position(items, at, *row, sides), |stood| (stood, STANDING));
        let mut block = Block { sum: (wish - offset) * weight, weight, first: place };
        while let Some(above) = blocks.last()
            && above.sum / above.weight >= block.sum / block.weight
        {
            block = Block {
                sum: above.sum + block.sum,
                weight: above.weight + block.weight,
                first: above.first,
            };
            blocks.pop();
        }
        blocks.push(block);
        let gap = rows.get(place + 1).map_or(0, |after| items.gap_between(*row, *after));
        offset += (items.items[*row].across + gap) as f64;
    }
    let mut last = rows.len();
    for block in blocks.iter().rev() {
        let base = (block.sum / block.weight).round();
        for place in block.first..last {
            at[rows[place]] = base + offsets[place];
        }
        last = block.first;
    }
    // What nothing pulls anywhere hangs below the rest.
    let mut before = rows.last().copied();
    for row in loose {
        at[*row] = before.map_or(0.0, |above| {
            at[above] + (items.items[above].across + items.gap_between(above, *row)) as f64
        });
        before = Some(*row);
    }
}

/// Where an item's links want it, and how much that counts. Arrows that pass want to be straight
/// most.
fn desired_position(items: &Items, at: &[f64], row: usize, sides: CellSides) -> (f64, f64) {
    let item = &items.items[row];
    let before = |link: &LinkRow| {
        let link = &items.links[*link];
        at[link.from] + link.from_port as f64 - link.to_port as f64
    };
    let behind = |link: &LinkRow| {
        let link = &items.links[*link];
        at[link.to] + link.to_port as f64 - link.from_port as f64
    };
    let mut wishes: Vec<f64> = Vec::with_capacity(item.ins.len() + item.outs.len());
    if sides != CellSides::Behind {
        wishes.extend(item.ins.iter().map(before));
    }
    if sides != CellSides::Before {
        wishes.extend(item.outs.iter().map(behind));
    }
    wishes.sort_by(f64::total_cmp);
    let weight = match item.kind {
        Kind::Box(_) => 1.0 + wishes.len() as f64,
        Kind::Bend | Kind::Label => 4.0,
    };
    match wishes.len() {
        0 => (at[row], 0.5),
        // One of the wishes itself, not a mean: then at least that arrow is straight.
        count => (wishes[(count - 1) / 2], weight),
    }
}

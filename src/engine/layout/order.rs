//! Sorts the items of each layer so that few links cross: medians back and forth, then swaps of
//! neighbours.

use super::{
    items::{ItemRow, Items, Link},
    picture::BoxPosition,
};

/// Sweeps at most; small diagrams settle earlier.
const SWEEPS: usize = 16;
/// Above this many items the layers are swept less, and neighbours are not swapped.
const MANY: usize = 4_000;

/// Leaves the layers in the best order found. Boxes that stood somewhere `earlier` keep their
/// order, unless without that far fewer links cross.
pub(crate) fn reduce_crossings(items: &mut Items, earlier: &[Option<BoxPosition>]) {
    let mut places = vec![None; items.items.len()];
    let known = places.iter_mut().zip(earlier).filter_map(|(place, seat)| Some((place, (*seat)?)));
    let known = known.map(|(place, seat)| *place = Some(seat.across)).count();
    let kept = (known > 0).then(|| {
        order_by_places(items, &places);
        (improve_order(items, &places), items.layers.clone())
    });
    if let Some((0, _)) = kept {
        return;
    }
    start_order(items);
    places.fill(None);
    let free = improve_order(items, &places);
    if let Some((crossings, layers)) = kept
        && crossings <= free * 2 + 4
    {
        items.layers = layers;
    }
}

/// Improves the order as it is; how many links still cross. Items with a place are not put out of
/// the order of their places.
fn improve_order(items: &mut Items, places: &[Option<usize>]) -> usize {
    let sweeps = if items.items.len() > MANY { 4 } else { SWEEPS };
    let mut best = (count_crossings(items), items.layers.clone());
    let mut since = 0;
    for sweep in 0..sweeps {
        if best.0 == 0 || since == 4 {
            break;
        }
        since += 1;
        sort_by_medians(
            items,
            if sweep % 2 == 0 { Sweep::Forward } else { Sweep::Backward },
            places,
        );
        if items.items.len() <= MANY {
            swap_neighbours(items, places);
        }
        let count = count_crossings(items);
        if count < best.0 {
            best = (count, items.layers.clone());
            since = 0;
        }
    }
    items.layers = best.1;
    best.0
}

/// By the places that boxes had; what had none is by what it is linked to.
fn order_by_places(items: &mut Items, places: &[Option<usize>]) {
    let mut at: Vec<Option<usize>> = places.to_vec();
    let last = items.layers.len();
    for layer in (0..last).chain((0..last).rev()) {
        for row in &items.layers[layer] {
            if at[*row].is_none() {
                let known: Vec<usize> = [Sweep::Forward, Sweep::Backward]
                    .into_iter()
                    .flat_map(|side| neighbours(items, *row, side))
                    .filter_map(|other| at[other])
                    .collect();
                at[*row] = (!known.is_empty()).then(|| known.iter().sum::<usize>() / known.len());
            }
        }
    }
    let is_loose =
        |row: &ItemRow| items.items[*row].ins.is_empty() && items.items[*row].outs.is_empty();
    let mut layers = items.layers.clone();
    layers
        .iter_mut()
        .for_each(|layer| layer.sort_by_key(|row| (is_loose(row), at[*row].unwrap_or(usize::MAX))));
    items.layers = layers;
}

/// In the order in which a walk along the links from the first layers meets them; what has no link
/// comes last, and stays there.
fn start_order(items: &mut Items) {
    let mut seen = vec![false; items.items.len()];
    let mut layers = vec![Vec::new(); items.layers.len()];
    let roots: Vec<ItemRow> = items.layers.iter().flatten().copied().collect();
    for root in roots {
        let mut waiting = vec![root];
        while let Some(row) = waiting.pop() {
            if std::mem::replace(&mut seen[row], true) {
                continue;
            }
            layers[items.items[row].layer].push(row);
            waiting.extend(items.items[row].outs.iter().rev().map(|link| items.links[*link].to));
        }
    }
    for layer in &mut layers {
        layer.sort_by_key(|row| {
            items.items[*row].ins.is_empty() && items.items[*row].outs.is_empty()
        });
    }
    items.layers = layers;
}

#[derive(Clone, Copy, PartialEq)]
enum Sweep {
    Forward,
    Backward,
}

fn neighbours(items: &Items, row: ItemRow, sweep: Sweep) -> impl Iterator<Item = ItemRow> + '_ {
    let item = &items.items[row];
    let links = if sweep == Sweep::Forward { &item.ins } else { &item.outs };
    links.iter().map(move |link| {
        let Link { from, to, .. } = items.links[*link];
        if sweep == Sweep::Forward { from } else { to }
    })
}

fn sort_by_medians(items: &mut Items, sweep: Sweep, places: &[Option<usize>]) {
    let mut place = items.ranks_within();
    let count = items.layers.len();
    for step in 1..count {
        let layer = if sweep == Sweep::Forward { step } else { count - 1 - step };
        let median = |row: ItemRow| {
            let mut places: Vec<usize> =
                neighbours(items, row, sweep).map(|other| place[other]).collect();
            places.sort_unstable();
            match places.len() {
                0 => None,
                odd if odd % 2 == 1 => Some(places[odd / 2] * 2),
                even => Some(places[even / 2 - 1] + places[even / 2]),
            }
        };
        let medians: Vec<(ItemRow, Option<usize>)> =
            items.layers[layer].iter().map(|row| (*row, median(*row))).collect();
        // Items without neighbours keep their places; the others are sorted into the places left.
        let mut moving: Vec<(ItemRow, usize)> =
            medians.iter().filter_map(|(row, median)| Some((*row, (*median)?))).collect();
        moving.sort_by_key(|(_, median)| *median);
        let mut moving = moving.into_iter().map(|(row, _)| row);
        let mut sorted: Vec<ItemRow> = medians
            .iter()
            .map(
                |(row, median)| if median.is_some() { moving.next().unwrap_or(*row) } else { *row },
            )
            .collect();
        keep_places(&mut sorted, places);
        for (at, row) in sorted.iter().enumerate() {
            place[*row] = at;
        }
        items.layers[layer] = sorted;
    }
}

/// Puts those that have a place into the order of their places, among themselves.
fn keep_places(rows: &mut [ItemRow], places: &[Option<usize>]) {
    let slots: Vec<usize> = (0..rows.len()).filter(|at| places[rows[*at]].is_some()).collect();
    let mut held: Vec<ItemRow> = slots.iter().map(|at| rows[*at]).collect();
    held.sort_by_key(|row| places[*row]);
    slots.into_iter().zip(held).for_each(|(at, row)| rows[at] = row);
}

/// Swaps neighbours while that takes crossings away.
fn swap_neighbours(items: &mut Items, places: &[Option<usize>]) {
    let mut place = items.ranks_within();
    for _ in 0..4 {
        let mut better = false;
        for layer in 0..items.layers.len() {
            // While one layer is sorted, those beside it stand still.
            let mut sides: Vec<[Vec<usize>; 2]> = items.layers[layer]
                .iter()
                .map(|row| {
                    [Sweep::Forward, Sweep::Backward].map(|side| {
                        let mut places: Vec<usize> =
                            neighbours(items, *row, side).map(|other| place[other]).collect();
                        places.sort_unstable();
                        places
                    })
                })
                .collect();
            for at in 1..sides.len() {
                let cost = |first: &[Vec<usize>; 2], second: &[Vec<usize>; 2]| {
                    first
                        .iter()
                        .zip(second)
                        .map(|(first, second)| pair_crossings(first, second))
                        .sum::<usize>()
                };
                let held = |at: usize| places[items.layers[layer][at]];
                if held(at - 1).is_some() && held(at).is_some() {
                    continue;
                }
                if cost(&sides[at], &sides[at - 1]) < cost(&sides[at - 1], &sides[at]) {
                    sides.swap(at - 1, at);
                    items.layers[layer].swap(at - 1, at);
                    better = true;
                }
            }
            for (at, row) in items.layers[layer].iter().enumerate() {
                place[*row] = at;
            }
        }
        if !better {
            break;
        }
    }
}

/// How many links of two items cross on one side when the first is before the second; by the sorted
/// places of their other ends.
fn pair_crossings(first: &[usize], second: &[usize]) -> usize {
    let mut below = 0;
    let mut total = 0;
    for place in first {
        while second.get(below).is_some_and(|other| other < place) {
            below += 1;
        }
        total += below;
    }
    total
}

/// How many pairs of links cross.
pub(crate) fn count_crossings(items: &Items) -> usize {
    let place = items.ranks_within();
    let mut total = 0;
    for layer in &items.layers {
        let mut ends: Vec<usize> = Vec::new();
        let mut size = 0;
        for row in layer {
            let mut places: Vec<usize> =
                neighbours(items, *row, Sweep::Backward).map(|other| place[other]).collect();
            places.sort_unstable();
            size = size.max(places.last().map_or(0, |last| last + 1));
            ends.extend(places);
        }
        total += count_inversions(&ends, size);
    }
    total
}

/// How many pairs stand in the wrong order; by a tree of counts.
fn count_inversions(values: &[usize], size: usize) -> usize {
    let mut tree = vec![0_usize; size + 1];
    let mut total = 0;
    for (seen, value) in values.iter().enumerate() {
        let mut at = value + 1;
        let mut not_above = 0;
        while at > 0 {
            not_above += tree[at];
            at &= at - 1;
        }
        total += seen - not_above;
        let mut at = value + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    total
}

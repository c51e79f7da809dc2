//! How much of the picture is shown in its room, and how it goes on when that or the workflow
//! changes.

use super::{
    super::facts::Facts,
    layout::{GraphView, LaidGraph, Past, PictureRoom},
    name_key,
    pane::Graph,
};
use crate::{
    app::state::State,
    engine::layout::{diagram::Direction, states::Detail},
};

/// Pictures of more states are fitted when that is asked for.
const MOST_FITTED: usize = 60;

/// Frames are worth more than so many labels.
const FEW_HIDDEN: usize = 1;

impl Graph {
    /// Lays out what is shown now, if it or its room changed.
    pub(super) fn update_layout(&mut self, facts: &Facts, state: &State) {
        let before = self.selected_state(facts).and_then(|row| self.laid.as_ref()?.area_of(row));
        let was = self.laid.as_ref().map(|laid| (laid.picture.width, laid.picture.height));
        let room = self.room;
        let is_new_room = self.laid.as_ref().is_none_or(|laid| !laid.is_in_room(room));
        let is_small = facts.workflow.states().len() <= MOST_FITTED;
        let is_due = is_new_room && is_small && !self.is_zoomed;
        let is_asked = std::mem::take(&mut self.fitting);
        let may_turn = self.may_turn || is_asked;
        let kept = self.laid.as_ref().filter(|_| !may_turn).map(LaidGraph::direction);
        // What is asked for is laid out as if it were new.
        if is_asked {
            (self.laid, self.past) = (None, Past::default());
        }
        if is_asked || is_due {
            self.detail_before = None;
            let detail = self.shown.detail;
            self.fit_from(Detail::Usual, (facts, state), kept);
            // What nobody asked to be that small, or is too large even so, is looked at part by
            // part.
            let fits = self.laid.as_ref().is_some_and(LaidGraph::fits_in_view);
            if self.shown.detail == Detail::Dots && (is_due || !fits) {
                let readable = if kept.is_some() { detail } else { Detail::Usual };
                (self.shown.detail, self.laid) = (readable, None);
                self.follow_change(facts, state, kept);
            }
        } else {
            self.follow_change(facts, state, kept.filter(|_| is_new_room));
        }
        // What is looked at stays where it is on the screen, although the rest may have moved.
        let now = self.laid.as_ref().map(|laid| (laid.picture.width, laid.picture.height));
        let after = self.selected_state(facts).and_then(|row| self.laid.as_ref()?.area_of(row));
        match (before, after) {
            (Some(before), Some(after)) if was != now => {
                let shift = |from: usize, to: usize| {
                    i32::try_from(to).unwrap_or(0) - i32::try_from(from).unwrap_or(0)
                };
                self.view.offset = (
                    self.view.offset.0 + shift(before.x, after.x),
                    self.view.offset.1 + shift(before.y, after.y),
                );
            }
            (None, Some(_)) => {
                self.selected_state(facts).into_iter().for_each(|row| self.centre_state(row));
            }
            _ => {}
        }
    }

    /// The most detail, from this one on, with which all is in view. Where names beside the arrows
    /// are never all in view, states are numbers, and their names below.
    fn fit_from(&mut self, most: Detail, scene: (&Facts, &State), kept: Option<Direction>) {
        let room = PictureRoom { size: self.room, direction: kept };
        let earlier = self.laid.take();
        if let Some(laid) = &earlier {
            self.past.keep(laid);
        }
        let earlier = earlier.filter(|_| kept.is_some());
        for detail in Detail::ALL.into_iter().skip_while(|detail| *detail != most) {
            self.shown.detail = detail;
            let laid = LaidGraph::build(earlier.as_ref(), &self.past, scene, &self.shown, room);
            let names = name_key::lines_of(&laid, scene.0, self.room.0);
            let lines = u16::try_from(names.len()).unwrap_or(u16::MAX);
            let is_enough = match detail {
                Detail::Numbers => 2 * lines <= self.room.1 && laid.fits_above(lines),
                _ => laid.fits_in_view(),
            };
            let hidden = laid.count_unlabelled();
            self.laid = Some(laid);
            if is_enough {
                if detail == Detail::Less && hidden > FEW_HIDDEN {
                    self.drop_frames_for_labels(hidden, scene, room);
                }
                break;
            }
        }
    }

    /// Shows names without frames where that names the tools of more than a few arrows that have so
    /// many `hidden` now.
    fn drop_frames_for_labels(
        &mut self,
        hidden: usize,
        scene: (&Facts, &State),
        room: PictureRoom,
    ) {
        let shown = GraphView { detail: Detail::Names, ..self.shown.clone() };
        let frameless = LaidGraph::build(None, &self.past, scene, &shown, room);
        if !frameless.fits_in_view() || frameless.count_unlabelled() + FEW_HIDDEN >= hidden {
            return;
        }
        // Turned, the picture may have room for labels beside its frames, too.
        let turned = self.laid.as_ref().map(|laid| laid.direction().toggled());
        if room.direction.is_none() && turned.is_some() {
            let room = PictureRoom { direction: turned, ..room };
            let framed = LaidGraph::build(None, &self.past, scene, &self.shown, room);
            let fewest = frameless.count_unlabelled();
            if framed.fits_in_view() && framed.count_unlabelled() <= fewest + FEW_HIDDEN {
                self.laid = Some(framed);
                return;
            }
        }
        (self.shown, self.laid) = (shown, Some(frameless));
    }

    /// Takes in what changed in the workflow. A picture that was whole and outgrows the view is
    /// fitted again; where it gets smaller again, it has the detail that it had.
    fn follow_change(&mut self, facts: &Facts, state: &State, kept: Option<Direction>) {
        let room = self.room;
        let is_new = |laid: &LaidGraph| !laid.is_of(facts) && laid.is_shown_as(&self.shown, room);
        let changed = self.laid.as_ref().filter(|laid| is_new(laid));
        let was_whole = changed.is_some_and(LaidGraph::fits_in_view);
        let before = self.detail_before.filter(|_| changed.is_some());
        let detail = self.shown.detail;
        self.shown.detail = before.unwrap_or(detail);
        let laid = LaidGraph::reuse_or_build(
            self.laid.take(),
            &mut self.past,
            (facts, state),
            &self.shown,
            PictureRoom { size: room, direction: kept },
        );
        let fits = laid.fits_in_view();
        self.laid = Some(laid);
        if fits && before.is_some() {
            self.detail_before = None;
        }
        if was_whole && !fits {
            self.detail_before = Some(self.shown.detail);
            self.fit_from(self.shown.detail, (facts, state), None);
        }
    }
}

//! Desktop notifications: which events are worth one, and what they say.

use super::input::Focus;
use crate::{
    engine::mask::Mask,
    model::{
        call::Outcome,
        clock::Millis,
        duration::print_rounded,
        notification::{Notification, NotificationSettings},
        shown::{shorten, visible_text},
    },
};

/// Every title begins with it: no terminal takes the text for a number and its parameters.
const PROGRAM: &str = "toolcrib";

/// Alerts may ring with every message: so many milliseconds lie between two notifications of them.
const ALERTS_APART_MS: u64 = 5_000;

/// Longer lines are cut; terminals and desktops show about as much.
const LONGEST_TITLE: usize = 80;
const LONGEST_BODY: usize = 240;

/// What a user asks of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationMessage {
    /// Switch them on, or off.
    Toggle,
    /// Send one to try it.
    Try,
}

/// Something that may be worth a notification.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Noteworthy<'e> {
    /// A call, a series of calls or a run of a model: its name, how it ended, and how long it took.
    Ended {
        name: &'e str,
        outcome: Outcome,
        took_ms: u64,
    },
    /// The same of many calls, in words.
    SeriesEnded {
        summary: &'e str,
        took_ms: u64,
    },
    Alert(&'e str),
    TestsDone(&'e str),
    /// Something waits for the user.
    Question(&'e str),
}

/// What the user wants to be notified of, and what is still to be sent.
#[derive(Clone, Debug, Default)]
pub struct Notifications {
    pub settings: NotificationSettings,
    pub focus: Focus,
    due: Vec<Notification>,
    last_alert: Option<Millis>,
}

impl Notifications {
    #[must_use]
    pub fn new(settings: NotificationSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Takes in what happens: where the user wants to know of it and isn't looking, a notification
    /// is due.
    pub(crate) fn note(&mut self, event: Noteworthy<'_>, mask: &Mask, now: Millis) {
        if self.settings.on && self.focus != Focus::Gained && self.is_wanted(event, now) {
            if matches!(event, Noteworthy::Alert(_)) {
                self.last_alert = Some(now);
            }
            let (what, body) = describe(event);
            self.due.push(make_notification(&what, &body, mask));
        }
    }

    fn is_wanted(&self, event: Noteworthy<'_>, now: Millis) -> bool {
        let is_long = |took_ms| self.settings.calls.is_some_and(|least| took_ms >= least);
        match event {
            // Who cancels a call is there.
            Noteworthy::Ended { outcome: Outcome::Cancelled, .. } => false,
            Noteworthy::Ended { took_ms, .. } | Noteworthy::SeriesEnded { took_ms, .. } => {
                is_long(took_ms)
            }
            Noteworthy::Alert(_) => {
                let rests = |last: Millis| now.since(last) < ALERTS_APART_MS;
                self.settings.alerts && !self.last_alert.is_some_and(rests)
            }
            Noteworthy::TestsDone(_) => self.settings.tests,
            Noteworthy::Question(_) => self.settings.questions,
        }
    }

    /// One to try it is due, whatever the settings.
    pub(crate) fn try_one(&mut self) {
        let body = "This is what a notification looks like";
        self.due.push(make_notification("a try", body, &Mask::default()));
    }

    /// What is to be sent; it is due no longer.
    pub(crate) fn take_due(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.due)
    }
}

fn describe(event: Noteworthy<'_>) -> (String, String) {
    match event {
        Noteworthy::Ended { name, outcome, took_ms } => {
            let body = format!("{} after {}", outcome.as_str(), print_rounded(took_ms));
            (name.to_owned(), body)
        }
        Noteworthy::SeriesEnded { summary, .. } => ("calls ended".into(), summary.to_owned()),
        Noteworthy::Alert(words) => ("alert in Watch".into(), words.to_owned()),
        Noteworthy::TestsDone(words) => ("test run done".into(), words.to_owned()),
        Noteworthy::Question(words) => ("waiting for you".into(), words.to_owned()),
    }
}

/// A notification of toolcrib about something; secrets are masked, nothing in it steers a terminal.
#[must_use]
pub(crate) fn make_notification(what: &str, body: &str, mask: &Mask) -> Notification {
    let line = |text: &str, longest: usize| {
        shorten(&visible_text(&mask.mask_text(text)), longest).into_owned()
    };
    Notification {
        title: line(&format!("{PROGRAM}: {what}"), LONGEST_TITLE),
        body: line(body, LONGEST_BODY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000_000);

    fn notifications(change: impl FnOnce(&mut NotificationSettings)) -> Notifications {
        let mut settings = NotificationSettings { on: true, ..NotificationSettings::default() };
        change(&mut settings);
        Notifications::new(settings)
    }

    fn bodies(notifications: &mut Notifications, events: &[(Noteworthy<'_>, u64)]) -> Vec<String> {
        for (event, after) in events {
            notifications.note(*event, &Mask::default(), Millis(NOW.0 + after));
        }
        notifications.take_due().into_iter().map(|due| due.body).collect()
    }

    fn ended(took_ms: u64, outcome: Outcome) -> Noteworthy<'static> {
        Noteworthy::Ended { name: "query", outcome, took_ms }
    }

    const ALL: [(Noteworthy<'static>, u64); 5] = [
        (Noteworthy::Ended { name: "query", outcome: Outcome::Failed, took_ms: 12_345 }, 0),
        (Noteworthy::SeriesEnded { summary: "20 calls", took_ms: 10_000 }, 0),
        (Noteworthy::Alert("error:*"), 0),
        (Noteworthy::TestsDone("3 cases passed"), 0),
        (Noteworthy::Question("a model asks"), 0),
    ];

    #[test]
    fn nothing_is_due_unless_switched_on_and_looked_away() {
        let mut off = Notifications::default();
        assert_eq!(bodies(&mut off, &ALL), [""; 0]);
        let mut here = notifications(|_| ());
        here.focus = Focus::Gained;
        assert_eq!(bodies(&mut here, &ALL), [""; 0]);
        for focus in [Focus::Lost, Focus::Unknown] {
            let mut away = notifications(|_| ());
            away.focus = focus;
            assert_eq!(
                bodies(&mut away, &ALL),
                ["failed after 12.3 s", "20 calls", "error:*", "3 cases passed", "a model asks"]
            );
        }
    }

    #[test]
    fn each_kind_can_be_switched_off() {
        let mut few = notifications(|settings| {
            settings.calls = None;
            settings.tests = false;
        });
        assert_eq!(bodies(&mut few, &ALL), ["error:*", "a model asks"]);
        let mut others = notifications(|settings| {
            settings.alerts = false;
            settings.questions = false;
        });
        assert_eq!(
            bodies(&mut others, &ALL),
            ["failed after 12.3 s", "20 calls", "3 cases passed"]
        );
    }

    #[test]
    fn only_long_calls_count_and_none_that_the_user_cancels() {
        let mut all = notifications(|settings| settings.calls = Some(2_000));
        let events = [
            (ended(1_999, Outcome::Succeeded), 0),
            (ended(2_000, Outcome::Succeeded), 0),
            (ended(90_000, Outcome::Cancelled), 0),
        ];
        assert_eq!(bodies(&mut all, &events), ["succeeded after 2 s"]);
    }

    #[test]
    fn alerts_that_ring_without_end_notify_now_and_then() {
        let mut all = notifications(|_| ());
        let alert = |after| (Noteworthy::Alert("x"), after);
        let rings = [alert(0), alert(1), alert(4_999), alert(5_000), alert(5_001)];
        assert_eq!(bodies(&mut all, &rings).len(), 2);
    }

    #[test]
    fn secrets_and_control_characters_never_get_out() {
        let mask = Mask::new(["correct-horse".to_owned()]);
        let body = format!("a\x1b]0;x\x07 correct-horse\r\n\u{9c}\u{202e}{}", "y".repeat(500));
        let sent = make_notification("tool\x1b\\", &body, &mask);
        assert_eq!(sent.title, "toolcrib: tool␛\\");
        assert!(sent.body.starts_with("a␛]0;x␇ ***"), "{}", sent.body);
        assert!(!sent.body.chars().any(char::is_control) && !sent.body.contains('\u{202e}'));
        assert_eq!(sent.body.chars().count(), 241);
    }
}

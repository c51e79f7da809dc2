//! Work that goes on as a task after its call was answered: asked about until its end, in both eras.

use std::time::Duration;

use serde_json::{Number, Value, json};

use crate::systems::mcp::{
    asked::ServerRequest,
    rpc::{
        build::{Call, Client},
        frame::{Frame, Span},
    },
    task::{self, Status, Task},
    version::Era,
};

/// Milliseconds that a task of ours is to be kept.
const KEPT: u64 = 600_000;
/// How often a server is asked where it does not say so, and the bounds of what it may say.
const POLL: Duration = Duration::from_secs(1);
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(20);

/// A task that is followed, and the call that it came of.
#[derive(Debug)]
pub(super) struct Following {
    pub task: Task,
    pub call: Call,
    /// What was notified of it last.
    told: String,
}

/// What is to be done next about a task.
pub(super) enum TaskStep {
    /// Ask about it after that time.
    Poll(Duration),
    /// Send this, which brings its result.
    Fetch(Call),
    /// Its end, as a reply.
    Done(String),
    /// It wants to know more.
    Ask(Vec<(String, ServerRequest)>),
    Cancelled,
}

impl Following {
    /// A task that a result makes, where it makes one.
    #[must_use]
    pub fn of_result(result: &Value, era: Era, call: &Call) -> Option<Self> {
        let is_task = match era {
            Era::Modern => result["resultType"] == "task",
            Era::Legacy => result["task"].is_object() && call.method == "tools/call",
        };
        let task = Task::from_value(result, era).filter(|_| is_task)?;
        Some(Self { task, call: call.clone(), told: String::new() })
    }

    /// Takes in what is said of it later, and says what is wrong with that.
    pub fn update(&mut self, said: &Value, era: Era) {
        if let Some(mut next) = Task::from_value(said, era) {
            let known: Vec<&str> = self.task.faults.iter().map(|fault| fault.id).collect();
            next.faults.retain(|fault| !known.contains(&fault.id));
            self.task.update(next);
        }
    }

    /// How it is, for people; `None` where that was reported.
    pub fn news(&mut self) -> Option<String> {
        let Task { id, status, message, ttl, .. } = &self.task;
        let message = message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
        let kept = ttl
            .as_ref()
            .map_or_else(String::new, |ttl| format!(", kept for {}", seconds(&milliseconds(ttl))));
        let asked = match status.is_final() {
            true => String::new(),
            false => format!(" (asked about every {}{kept})", seconds(&self.poll_interval())),
        };
        let words = format!("task {id} is {}{message}{asked}", status.as_str());
        let is_news = words != self.told;
        self.told.clone_from(&words);
        is_news.then_some(words)
    }

    /// Its result came, which says that it has ended; `None` where that was reported.
    pub fn end(&mut self, frame: &Frame, result: &Span) -> Option<String> {
        if self.task.status.is_final() {
            return None;
        }
        let is_error = frame.parse_value(result)["isError"] == true;
        self.task.status = if is_error { Status::Failed } else { Status::Completed };
        self.task.message = None;
        self.news()
    }

    fn poll_interval(&self) -> Duration {
        let said = self.task.poll.as_ref().map_or(POLL, milliseconds);
        said.clamp(SHORTEST, LONGEST)
    }

    /// What is to be done after the answer to that method.
    #[must_use]
    pub fn next(&self, method: &str, era: Era, client: &Client) -> TaskStep {
        // It was given what it wanted to know, which its state does not say yet.
        if method == task::UPDATE {
            return TaskStep::Poll(self.poll_interval());
        }
        let reply = |member: &str| {
            let value = self.task.told.get(member).cloned().unwrap_or_default();
            TaskStep::Done(json!({"jsonrpc": "2.0", "id": null, member: value}).to_string())
        };
        match (&self.task.status, era) {
            (Status::Working | Status::Other(_), _) => TaskStep::Poll(self.poll_interval()),
            (Status::Cancelled, _) => TaskStep::Cancelled,
            // What it wants to know, the server asks while its result is waited for.
            (Status::InputRequired | Status::Completed | Status::Failed, Era::Legacy) => {
                TaskStep::Fetch(task::result(&self.task.id))
            }
            (Status::Completed, Era::Modern) => reply("result"),
            (Status::Failed, Era::Modern) => reply("error"),
            (Status::InputRequired, Era::Modern) => {
                match ServerRequest::of_result(&self.task.told, client) {
                    asked if asked.is_empty() => TaskStep::Poll(self.poll_interval()),
                    asked => TaskStep::Ask(asked),
                }
            }
        }
    }
}

/// A call as a task, where its tool can only be called so.
#[must_use]
pub(super) fn as_task(call: Call) -> Call {
    task::with_task(call, Some(KEPT))
}

fn milliseconds(number: &Number) -> Duration {
    let milliseconds = number.as_f64().unwrap_or_default().clamp(0.0, 1e12);
    Duration::from_secs_f64(milliseconds / 1_000.0)
}

fn seconds(time: &Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn following(era: Era, said: &Value) -> Following {
        Following::of_result(said, era, &Call::from_method("tools/call")).unwrap()
    }

    #[test]
    fn a_task_is_asked_about_until_its_end() {
        let client = Client::new("t", "1");
        let mut legacy = following(
            Era::Legacy,
            &json!({"task": {"taskId": "t", "status": "working", "ttl": 60000, "pollInterval": 5}}),
        );
        assert_eq!(
            legacy.news().as_deref(),
            Some("task t is working (asked about every 0.05 s, kept for 60 s)")
        );
        assert_eq!(legacy.news(), None, "it was told");
        assert!(matches!(legacy.next("tasks/get", Era::Legacy, &client), TaskStep::Poll(SHORTEST)));
        legacy.update(&json!({"taskId": "t", "status": "completed"}), Era::Legacy);
        let TaskStep::Fetch(call) = legacy.next("tasks/get", Era::Legacy, &client) else {
            panic!("no result")
        };
        assert_eq!(call.method, "tasks/result");

        let mut modern = following(
            Era::Modern,
            &json!({"resultType": "task", "taskId": "t", "status": "working"}),
        );
        let asks = json!({"taskId": "t", "status": "input_required",
            "inputRequests": {"k": {"method": "roots/list"}}});
        modern.update(&asks, Era::Modern);
        assert!(
            matches!(modern.next("tasks/get", Era::Modern, &client), TaskStep::Ask(asked) if asked.len() == 1)
        );
        assert!(matches!(modern.next("tasks/update", Era::Modern, &client), TaskStep::Poll(_)));
        let done = json!({"taskId": "t", "status": "completed", "result": {"n": 1}});
        modern.update(&done, Era::Modern);
        let TaskStep::Done(reply) = modern.next("tasks/get", Era::Modern, &client) else {
            panic!("no end")
        };
        assert_eq!(reply, r#"{"jsonrpc":"2.0","id":null,"result":{"n":1}}"#);
        modern.update(&json!({"taskId": "t", "status": "cancelled"}), Era::Modern);
        assert!(modern.task.faults.iter().any(|fault| fault.id == "task.revived"));
        assert!(matches!(modern.next("tasks/get", Era::Modern, &client), TaskStep::Cancelled));
    }

    #[test]
    fn a_result_says_that_its_task_has_ended() {
        let ends = |told: &str, text: &str| {
            let said = json!({"task": {"taskId": "t", "status": told}});
            following(Era::Legacy, &said).end(&Frame::parse(text), &(0..text.len()))
        };
        let done = ends("input_required", r#"{"content": []}"#);
        assert_eq!(done.as_deref(), Some("task t is completed"));
        let failed = ends("working", r#"{"isError": true}"#);
        assert_eq!(failed.as_deref(), Some("task t is failed"));
        assert_eq!(ends("completed", "{}"), None, "the server said so itself");
    }

    #[test]
    fn other_results_make_no_task() {
        let none = |era, said| {
            Following::of_result(&said, era, &Call::from_method("tools/call")).is_none()
        };
        assert!(none(Era::Legacy, json!({"content": []})));
        assert!(none(
            Era::Modern,
            json!({"resultType": "complete", "taskId": "t", "status": "working"})
        ));
    }
}

//! A call that goes on as a task of this server: its state, and how each era is notified of it.

use serde_json::{Value, json};

use crate::{
    model::clock::Millis,
    systems::mcp::{
        rpc::frame::{Frame, Kind},
        task::Status,
        version::Era,
    },
};

/// How often a client may ask about a task, in milliseconds.
const POLL: u64 = 500;
/// How long a task is kept where its client does not say, and at most, in milliseconds.
const KEPT: u64 = 600_000;
const LONGEST: u64 = 3_600_000;

/// What a task is about to do, or how it ended.
#[derive(Clone, Debug, PartialEq)]
enum TaskState {
    Working,
    /// What its client is to find out, and the state that it repeats.
    InputRequired {
        requests: Value,
        state: String,
    },
    Completed(Value),
    Failed(Value),
    Cancelled,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTask {
    pub id: String,
    created: Millis,
    updated: Millis,
    ttl: u64,
    message: Option<String>,
    state: TaskState,
}

impl ServedTask {
    /// One that begins; `ttl` is how many milliseconds its client wants it to be kept.
    #[must_use]
    pub fn new(id: String, ttl: Option<u64>, now: Millis) -> Self {
        let ttl = ttl.unwrap_or(KEPT).min(LONGEST);
        Self { id, created: now, updated: now, ttl, message: None, state: TaskState::Working }
    }

    /// Whether it need no longer be kept.
    #[must_use]
    pub fn is_expired(&self, now: Millis) -> bool {
        now.since(self.created) > self.ttl
    }

    /// Whether it never changes again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.status().is_final()
    }

    fn status(&self) -> Status {
        match self.state {
            TaskState::Working => Status::Working,
            TaskState::InputRequired { .. } => Status::InputRequired,
            TaskState::Completed(_) => Status::Completed,
            TaskState::Failed(_) => Status::Failed,
            TaskState::Cancelled => Status::Cancelled,
        }
    }

    /// Takes in a frame that its call would have sent to the client. One that has ended stays as it
    /// is.
    pub fn handle_frame(&mut self, text: &str, now: Millis) {
        if self.is_final() {
            return;
        }
        let frame = Frame::parse(text);
        match &frame.kind {
            Kind::Notification { .. } => {
                let params = frame.params();
                let Some(message) = params.get("message").and_then(Value::as_str) else { return };
                self.message = Some(message.to_owned());
            }
            Kind::Reply { error: Some(error), .. } => {
                self.state = TaskState::Failed(frame.parse_value(error));
            }
            Kind::Reply { result: Some(result), .. } => {
                self.state = state_of_result(frame.parse_value(result));
            }
            _ => return,
        }
        self.updated = now;
    }

    /// Nobody wants it any more; `false`: it has ended already.
    pub fn cancel(&mut self, now: Millis) -> bool {
        if self.is_final() {
            return false;
        }
        self.state = TaskState::Cancelled;
        self.updated = now;
        true
    }

    /// The client says what was to be found out: the state under which the call waits for it.
    pub fn take_question(&mut self, now: Millis) -> Option<String> {
        let TaskState::InputRequired { state, .. } = &self.state else { return None };
        let state = state.clone();
        self.state = TaskState::Working;
        self.updated = now;
        Some(state)
    }

    /// The task as that era reports it.
    #[must_use]
    pub fn to_value(&self, era: Era) -> Value {
        let mut task = json!({
            "taskId": self.id,
            "status": self.status().as_str(),
            "createdAt": self.created.to_timestamp(),
            "lastUpdatedAt": self.updated.to_timestamp(),
        });
        if let Some(message) = &self.message {
            task["statusMessage"] = json!(message);
        }
        let (ttl, poll) = match era {
            Era::Legacy => ("ttl", "pollInterval"),
            Era::Modern => ("ttlMs", "pollIntervalMs"),
        };
        task[ttl] = json!(self.ttl);
        task[poll] = json!(POLL);
        task
    }

    /// The same with what came of it, as the modern era has it.
    #[must_use]
    pub fn to_details(&self) -> Value {
        let mut task = self.to_value(Era::Modern);
        match &self.state {
            TaskState::InputRequired { requests, .. } => task["inputRequests"] = requests.clone(),
            TaskState::Completed(result) => task["result"] = result.clone(),
            TaskState::Failed(error) => task["error"] = error.clone(),
            TaskState::Working | TaskState::Cancelled => {}
        }
        task
    }

    /// What the call came to, as the answer to `tasks/result`: a result or an error; `None` where
    /// that is not known yet.
    #[must_use]
    pub fn outcome(&self) -> Option<Result<Value, Value>> {
        match &self.state {
            TaskState::Completed(result) => Some(Ok(result.clone())),
            TaskState::Failed(error) => Some(Err(error.clone())),
            TaskState::Cancelled => {
                Some(Err(json!({"code": -32603, "message": "the task was cancelled"})))
            }
            TaskState::Working | TaskState::InputRequired { .. } => None,
        }
    }
}

fn state_of_result(mut result: Value) -> TaskState {
    if result["resultType"] != "input_required" {
        return TaskState::Completed(result);
    }
    let state = result["requestState"].as_str().unwrap_or_default().to_owned();
    TaskState::InputRequired { requests: result["inputRequests"].take(), state }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> ServedTask {
        ServedTask::new("t".to_owned(), None, Millis(1_000))
    }

    #[test]
    fn a_task_ends_with_the_answer_of_its_call_and_stays_ended() {
        let mut task = task();
        let progress =
            r#"{"method":"notifications/progress","params":{"progress":1,"message":"half"}}"#;
        task.handle_frame(progress, Millis(2_000));
        assert_eq!(
            task.to_value(Era::Modern),
            json!({"taskId": "t", "status": "working", "statusMessage": "half", "ttlMs": KEPT, "pollIntervalMs": POLL,
                "createdAt": "1970-01-01T00:00:01Z", "lastUpdatedAt": "1970-01-01T00:00:02Z"})
        );
        assert_eq!(task.outcome(), None);
        task.handle_frame(r#"{"id":1,"result":{"content":[],"isError":true}}"#, Millis(3_000));
        assert_eq!(task.to_details()["result"], json!({"content": [], "isError": true}));
        assert_eq!(task.outcome(), Some(Ok(json!({"content": [], "isError": true}))));
        assert!(!task.cancel(Millis(4_000)));
        task.handle_frame(r#"{"id":1,"error":{"code":-1}}"#, Millis(4_000));
        assert_eq!(task.to_value(Era::Legacy)["status"], "completed");
    }

    #[test]
    fn a_task_that_asks_goes_on_with_its_answer() {
        let mut task = task();
        assert_eq!(task.take_question(Millis(2_000)), None);
        task.handle_frame(
            r#"{"id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"q":{}}}}"#,
            Millis(2_000),
        );
        let told = task.to_details();
        assert_eq!(
            (&told["status"], &told["inputRequests"]),
            (&json!("input_required"), &json!({"q": {}}))
        );
        assert_eq!(task.take_question(Millis(3_000)).as_deref(), Some("s"));
        task.handle_frame(r#"{"id":1,"error":{"code":-5,"message":"no"}}"#, Millis(4_000));
        assert_eq!(task.to_details()["error"]["code"], -5);
        assert!(task.outcome().unwrap().is_err());
    }

    #[test]
    fn a_task_is_kept_as_long_as_was_asked_for_at_most_an_hour() {
        let kept = |ttl: Option<u64>| ServedTask::new("t".into(), ttl, Millis(0));
        assert!(!kept(Some(5)).is_expired(Millis(5)) && kept(Some(5)).is_expired(Millis(6)));
        assert!(kept(Some(u64::MAX)).is_expired(Millis(LONGEST + 1)));
    }
}

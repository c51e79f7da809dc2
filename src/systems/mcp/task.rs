//! Work that goes on after its call was answered, as both eras have it.

use serde_json::{Number, Value};

use super::{fault::Fault, rpc::build::Call, version::Era};
use crate::schema::{literal::Literal, pointer::Pointer};

/// The state of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
    /// A word that is not known.
    Other(String),
}

impl Status {
    fn parse(word: &str) -> Self {
        match word {
            "working" => Self::Working,
            "input_required" => Self::InputRequired,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word for it on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
        }
    }

    /// Whether it never changes again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A task as a server reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub id: String,
    pub status: Status,
    pub message: Option<String>,
    pub created: Option<String>,
    pub updated: Option<String>,
    /// Milliseconds that it is kept from its creation on; `None`: for ever, or not said.
    pub ttl: Option<Number>,
    /// Milliseconds to wait before it is asked about again.
    pub poll: Option<Number>,
    /// All that was said; in the modern era with `result`, `error` or `inputRequests`.
    pub told: Value,
    /// What is wrong with it; places are within it.
    pub faults: Vec<Fault>,
}

impl Task {
    /// Reads a task: a result that makes one, the answer to `tasks/get`, what a notification says.
    #[must_use]
    pub fn from_value(value: &Value, era: Era) -> Option<Self> {
        let told = value.get("task").filter(|task| task.is_object()).unwrap_or(value);
        let text = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
        let (ttl, poll) = match era {
            Era::Legacy => ("ttl", "pollInterval"),
            Era::Modern => ("ttlMs", "pollIntervalMs"),
        };
        let mut faults = Vec::new();
        for name in ["createdAt", "lastUpdatedAt", ttl] {
            if told.get(name).is_none() {
                faults.push(Fault::new(
                    "task.member-missing",
                    Pointer::root().child(name),
                    "is not said",
                ));
            }
        }
        let status = Status::parse(&text("status")?);
        if matches!(status, Status::Other(_)) {
            faults.push(Fault::new(
                "task.status-unknown",
                Pointer::root().child("status"),
                "is no state of a task",
            ));
        }
        let number = |name: &str| told.get(name).and_then(Value::as_number).cloned();
        Some(Self {
            id: text("taskId")?,
            status,
            message: text("statusMessage"),
            created: text("createdAt"),
            updated: text("lastUpdatedAt"),
            ttl: number(ttl),
            poll: number(poll),
            told: told.clone(),
            faults,
        })
    }

    /// Takes in what is said of the same task later.
    pub fn update(&mut self, mut next: Self) {
        if self.status.is_final() && next.status != self.status {
            let words = "left a state that is final";
            next.faults.push(Fault::new("task.revived", Pointer::root().child("status"), words));
        }
        *self = next;
    }
}

/// The method that waits for a task's result; of the legacy era.
pub const RESULT: &str = "tasks/result";
/// The method that says a task what it wanted to know; of the modern era.
pub const UPDATE: &str = "tasks/update";

fn task_call(method: &str, id: &str) -> Call {
    Call::from_method(method).with_param("taskId", &id.into())
}

/// Asks that a call become a task that is kept for so many milliseconds; of the legacy era. In the
/// modern one the server decides.
#[must_use]
pub fn with_task(call: Call, ttl: Option<u64>) -> Call {
    call.with_param(
        "task",
        &Literal::from(
            ttl.map_or_else(|| serde_json::json!({}), |ttl| serde_json::json!({"ttl": ttl})),
        ),
    )
}

/// How far a task is.
#[must_use]
pub fn get(id: &str) -> Call {
    task_call("tasks/get", id)
}

/// The result of a task, which waits for its end; of the legacy era. In the modern one [`get`]
/// brings it.
#[must_use]
pub fn result(id: &str) -> Call {
    task_call(RESULT, id)
}

/// Asks the server to stop working at a task.
#[must_use]
pub fn cancel(id: &str) -> Call {
    task_call("tasks/cancel", id)
}

/// What the task wanted to know; of the modern era.
#[must_use]
pub fn update(id: &str, responses: &Literal) -> Call {
    task_call(UPDATE, id).with_param("inputResponses", responses)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    #[test]
    fn tasks_of_both_eras_are_read() {
        let legacy = json!({"task": {"taskId": "t", "status": "working", "ttl": null, "createdAt": "c", "lastUpdatedAt": "u", "pollInterval": 5}});
        let task = Task::from_value(&legacy, Era::Legacy).unwrap();
        assert_eq!(
            (task.id.as_str(), &task.status, task.poll, task.ttl),
            ("t", &Status::Working, Some(5.into()), None)
        );
        assert_eq!(task.faults, []);
        let modern = json!({"resultType": "task", "taskId": "t", "status": "completed", "ttlMs": 9, "createdAt": "c", "lastUpdatedAt": "u", "result": {}});
        let task = Task::from_value(&modern, Era::Modern).unwrap();
        assert_eq!(
            (task.ttl, task.told["result"].clone(), task.faults),
            (Some(9.into()), json!({}), vec![])
        );
        let odd =
            Task::from_value(&json!({"taskId": "t", "status": "paused"}), Era::Legacy).unwrap();
        assert_eq!(fault_ids(&odd.faults), ["task.member-missing", "task.status-unknown"]);
        assert_eq!(Task::from_value(&json!({"taskId": "t"}), Era::Legacy), None);
    }

    #[test]
    fn a_final_state_stays() {
        let task = |status: &str| {
            let told = json!({"taskId": "t", "status": status, "ttl": 1, "createdAt": "", "lastUpdatedAt": ""});
            Task::from_value(&told, Era::Legacy).unwrap()
        };
        let mut followed = task("working");
        followed.update(task("completed"));
        assert_eq!(followed.faults, []);
        followed.update(task("completed"));
        assert_eq!(followed.faults, []);
        followed.update(task("working"));
        assert_eq!(fault_ids(&followed.faults), ["task.revived"]);
    }

    #[test]
    fn requests_about_a_task_name_it() {
        assert_eq!(
            (get("t").method.as_str(), get("t").params.to_json().as_str()),
            ("tasks/get", r#"{"taskId":"t"}"#)
        );
        assert_eq!(
            update("t", &json!({"k": 1}).into()).params.to_json(),
            r#"{"taskId":"t","inputResponses":{"k":1}}"#
        );
        assert_eq!(
            with_task(Call::from_method("x"), Some(9)).params.to_json(),
            r#"{"task":{"ttl":9}}"#
        );
        assert_eq!([result("t").method, cancel("t").method], ["tasks/result", "tasks/cancel"]);
    }
}

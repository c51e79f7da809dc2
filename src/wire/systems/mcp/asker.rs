//! Answers what a server asks: folders from the connection's settings, all else by a person, where
//! there is one.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    model::connection::Connection,
    systems::mcp::{
        answering::{Answer, WaitingRequest},
        asked::{Decision, Kind, ServerRequest, roots_result},
        codes,
        fault::Fault,
        settings,
    },
    wire::systems::facets::{
        opener::Questions,
        responder::{Asking, Question},
    },
};

/// Who answers the questions of one server.
#[derive(Clone)]
pub(crate) struct Asker {
    server: String,
    /// Each with its address and its name.
    roots: Vec<(String, Option<String>)>,
    questions: Option<Questions>,
}

/// What becomes of a question.
#[derive(Debug, PartialEq)]
pub(crate) struct QuestionAnswer {
    /// `None`: it is left without an answer.
    pub answer: Option<Answer>,
    /// The same for people, to go on after "the server asks …:".
    pub words: &'static str,
    /// Nobody was there to answer.
    pub is_alone: bool,
}

impl QuestionAnswer {
    fn at_once(result: Value, words: &'static str) -> Self {
        Self { answer: Some(Answer::Result(result)), words, is_alone: false }
    }

    fn refused(words: &'static str, message: &str) -> Self {
        let answer = Answer::Refusal { code: codes::METHOD_NOT_FOUND, message: message.into() };
        Self { answer: Some(answer), words, is_alone: false }
    }
}

/// What is done with a question.
pub(crate) enum AnswerMode {
    AtOnce(QuestionAnswer),
    /// A person has it.
    Person(oneshot::Receiver<Option<Value>>),
}

impl Asker {
    /// Folders count from the workspace's own.
    #[must_use]
    pub fn new(
        connection: &Connection,
        workspace: Option<&Path>,
        questions: Option<Questions>,
    ) -> Self {
        let base = workspace.map(Path::to_owned).or_else(|| std::env::current_dir().ok());
        let base = base.unwrap_or_default();
        let roots = settings::roots(connection).into_iter().map(|root| root_of(&base.join(root)));
        Self { server: connection.name.clone(), roots: roots.collect(), questions }
    }

    /// Whether the server is informed folders.
    #[must_use]
    pub fn has_folders(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Answers a question, or hands it to a person.
    pub async fn ask(&self, asked: &ServerRequest, faults: &[Fault]) -> AnswerMode {
        let is_undeclared = faults.iter().any(|fault| fault.id == "asked.undeclared");
        AnswerMode::AtOnce(match &asked.kind {
            _ if is_undeclared => QuestionAnswer::refused(
                "refused: this client did not declare the capability",
                "not supported by this client",
            ),
            Kind::Roots if self.roots.is_empty() => {
                QuestionAnswer::at_once(roots_result(&[]), "answered with no folder")
            }
            Kind::Roots => QuestionAnswer::at_once(
                roots_result(&self.roots),
                "answered with the folders of `roots`",
            ),
            Kind::Form { .. } | Kind::Url { .. } | Kind::Sampling => {
                if let Some(reply) = self.hand_over(asked, faults).await {
                    return AnswerMode::Person(reply);
                }
                unanswered(&asked.kind)
            }
            Kind::Ping | Kind::Other => QuestionAnswer::refused("refused", "Method not found"),
        })
    }

    async fn hand_over(
        &self,
        asked: &ServerRequest,
        faults: &[Fault],
    ) -> Option<oneshot::Receiver<Option<Value>>> {
        let (reply, answered) = oneshot::channel();
        let waiting = WaitingRequest {
            server: self.server.clone(),
            asked: asked.clone(),
            faults: faults.to_vec(),
        };
        let asking = Asking {
            number: 0,
            arguments: asked.params.as_object().cloned().unwrap_or_default(),
            waiting: Arc::new(waiting),
            failed: None,
        };
        self.questions.as_ref()?.send(Question { asking, reply }).await.ok()?;
        Some(answered)
    }
}

/// What a person's answer becomes; dropped without one, nobody answers.
pub(crate) async fn answer_of(
    kind: &Kind,
    reply: oneshot::Receiver<Option<Value>>,
) -> QuestionAnswer {
    match reply.await {
        Ok(Some(value)) => {
            let answer = Answer::from_value(value);
            let words = match &answer {
                Answer::Refusal { .. } => "refused",
                Answer::Result(result) => match result["action"].as_str() {
                    Some("accept") => "accepted",
                    Some("decline") => "declined",
                    Some("cancel") => "cancelled",
                    _ => "answered",
                },
            };
            QuestionAnswer { answer: Some(answer), words, is_alone: false }
        }
        Ok(None) => {
            QuestionAnswer { answer: None, words: "left without an answer", is_alone: false }
        }
        Err(_) => unanswered(kind),
    }
}

/// The answer where nobody is there who could give one.
fn unanswered(kind: &Kind) -> QuestionAnswer {
    let answer = match kind {
        Kind::Sampling => Answer::Refusal { code: -1, message: "no one to answer".into() },
        _ => Answer::Result(Decision::Decline.into_result()),
    };
    QuestionAnswer {
        answer: Some(answer),
        words: "declined, because nobody answered",
        is_alone: true,
    }
}

/// A folder's address and name; `..` is resolved, as an address with it names no folder.
fn root_of(path: &Path) -> (String, Option<String>) {
    let path = path.components().fold(PathBuf::new(), |mut resolved, part| {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
        resolved
    });
    let uri = reqwest::Url::from_file_path(&path)
        .map_or_else(|()| format!("file://{}", path.display()), |url| url.to_string());
    (uri, path.file_name().map(|name| name.to_string_lossy().into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_from_the_workspace() {
        let connection = settings::with_roots(
            Connection::embedded(),
            &[".".into(), "a b".into(), "../data".into()],
        );
        let asker = Asker::new(&connection, Some(Path::new("/tmp/lab")), None);
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            asker.roots,
            [
                ("file:///tmp/lab".to_owned(), name("lab")),
                ("file:///tmp/lab/a%20b".to_owned(), name("a b")),
                ("file:///tmp/data".to_owned(), name("data"))
            ]
        );
    }
}

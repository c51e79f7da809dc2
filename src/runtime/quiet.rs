//! Work that gives way to the screen: on a thread of its own, which the system lets run only while
//! nothing more urgent does. Threads that it starts are as it is.

use std::thread::Builder;

use tokio::sync::oneshot;

use crate::app::{
    message::{DocumentMessage, Message},
    model_page::PageGoal,
};

/// How much less urgent it is: 0 is as urgent as the rest, 19 the least. Elsewhere than on Linux it
/// would hold for the whole process.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// What the work results in; `None` where it panicked.
pub(crate) async fn run_quietly<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let (done, result) = oneshot::channel();
    let work = move || {
        give_way();
        // Nobody may wait for it any longer.
        let _ = done.send(work());
    };
    // Without another thread nothing comes of it: the next change asks again.
    Builder::new().name("check".into()).spawn(work).ok()?;
    result.await.ok()
}

/// What models see of a tool.
pub(crate) async fn render_model(goal: PageGoal) -> Message {
    let tool = goal.tool.clone();
    let rendered = run_quietly(move || goal.render()).await;
    let text = rendered.unwrap_or_else(|| "# ⚠ it can't be rendered".into());
    Message::Document(DocumentMessage::ModelRendered { tool, text })
}

#[cfg(target_os = "linux")]
fn give_way() {
    // Without it the work is as urgent as the rest.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn it_is_less_urgent_than_what_asks_for_it() {
        let of_thread = || rustix::process::getpriority_process(None).unwrap();
        let before = of_thread();
        let inside = run_quietly(move || {
            let child = std::thread::scope(|scope| scope.spawn(of_thread).join().unwrap());
            (of_thread(), child)
        });
        assert_eq!(inside.await, Some((NICENESS, NICENESS)));
        assert_eq!(of_thread(), before);
    }

    #[tokio::test]
    async fn a_panic_ends_it_alone() {
        assert_eq!(run_quietly(|| -> u8 { panic!("on purpose") }).await, None);
    }
}

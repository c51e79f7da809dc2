//! CommonGround end to end: the real program against a stand-in for a deployment, on a real NATS server and a real PostgreSQL.

use crate::support::commonground::CommonGround;

#[test]
fn the_stand_in_does_what_the_real_one_was_seen_to_do() {
    let (good, words) = CommonGround::check();
    assert!(good && words.contains("cases, 0 failures"), "{words}");
}

//! Lists that come page by page, and an end to those that never end.

use std::collections::HashSet;

use serde_json::Value;

use super::fault::Fault;
use crate::{model::shown::visible_text, schema::pointer::Pointer};

/// More pages than these are not asked for.
pub const MOST_PAGES: usize = 1_000;

/// What a page says about how long and by whom its list may be kept: `ttlMs`, `cacheScope`.
#[must_use]
pub fn caching_words(result: &Value) -> String {
    let kept = result.get("ttlMs").map(|time| match time.as_u64() {
        Some(0) => "not cached".to_owned(),
        Some(time) => format!("may be kept for {time} ms"),
        None => format!("ttlMs {time} is no time"),
    });
    let scope = result.get("cacheScope").map(|scope| match scope.as_str() {
        Some(scope) => visible_text(scope).into_owned(),
        None => format!("cacheScope {scope} is no text"),
    });
    [kept, scope].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What came of a list until now.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    pub items: Vec<Value>,
    /// How many items each page had.
    pub sizes: Vec<usize>,
    cursors: HashSet<String>,
    /// Places are within the result of the last page.
    pub faults: Vec<Fault>,
}

/// What to do after a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPage {
    /// Ask for the page at this cursor, which may be empty.
    Page(String),
    Done,
}

impl Pages {
    /// Takes in the result of a page; `member` is `tools`, `resources`, `resourceTemplates`,
    /// `prompts` or `tasks`.
    pub fn add(&mut self, mut result: Value, member: &str) -> NextPage {
        let mut tell = |id, at: &str, words: &'static str| {
            self.faults.push(Fault::new(id, Pointer::root().child(at), words));
        };
        match result.get_mut(member).map(Value::take) {
            Some(Value::Array(items)) => {
                self.sizes.push(items.len());
                self.items.extend(items);
            }
            _ => {
                self.sizes.push(0);
                tell("page.no-list", member, "the page has no list");
            }
        }
        let cursor = match result.get("nextCursor") {
            None | Some(Value::Null) => return NextPage::Done,
            Some(Value::String(cursor)) => cursor.clone(),
            Some(_) => {
                tell("page.cursor-not-text", "nextCursor", "is not a text; the list ends here");
                return NextPage::Done;
            }
        };
        if self.sizes.len() >= MOST_PAGES {
            tell("page.too-many", "nextCursor", "more than 1,000 pages; the list ends here");
            return NextPage::Done;
        }
        if !self.cursors.insert(cursor.clone()) {
            tell("page.loop", "nextCursor", "was given before; the list ends here");
            return NextPage::Done;
        }
        NextPage::Page(cursor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::fault::fault_ids, *};

    #[test]
    fn an_empty_cursor_is_a_cursor_and_only_none_or_null_ends_a_list() {
        let mut pages = Pages::default();
        assert_eq!(
            pages.add(json!({"tools": [1], "nextCursor": ""}), "tools"),
            NextPage::Page(String::new())
        );
        assert_eq!(
            pages.add(json!({"tools": [2, 3], "nextCursor": null}), "tools"),
            NextPage::Done
        );
        assert_eq!(
            (pages.items, pages.sizes, pages.faults),
            (vec![json!(1), json!(2), json!(3)], vec![1, 2], vec![])
        );
    }

    #[test]
    fn what_a_page_says_about_keeping_it_is_words() {
        for (page, words) in [
            (json!({}), ""),
            (json!({"ttlMs": 0, "cacheScope": "private"}), "not cached, private"),
            (json!({"ttlMs": 5_000}), "may be kept for 5000 ms"),
            (json!({"ttlMs": -1, "cacheScope": 2}), "ttlMs -1 is no time, cacheScope 2 is no text"),
        ] {
            assert_eq!(caching_words(&page), words);
        }
    }

    #[test]
    fn a_list_that_goes_round_ends() {
        let mut pages = Pages::default();
        assert_eq!(
            pages.add(json!({"tools": [], "nextCursor": "a"}), "tools"),
            NextPage::Page("a".into())
        );
        assert_eq!(pages.add(json!({"tools": [], "nextCursor": "a"}), "tools"), NextPage::Done);
        assert_eq!(fault_ids(&pages.faults), ["page.loop"]);
        let mut endless = Pages::default();
        let asked = (0..).take_while(|page| {
            endless.add(json!({"tools": [], "nextCursor": page.to_string()}), "tools")
                != NextPage::Done
        });
        assert_eq!(asked.count(), MOST_PAGES - 1);
        assert_eq!(fault_ids(&endless.faults), ["page.too-many"]);
    }

    #[test]
    fn odd_pages_are_told() {
        let mut pages = Pages::default();
        assert_eq!(pages.add(json!({"tools": {}, "nextCursor": 5}), "tools"), NextPage::Done);
        assert_eq!(pages.add(json!(null), "tools"), NextPage::Done);
        assert_eq!(fault_ids(&pages.faults), ["page.cursor-not-text", "page.no-list"]);
    }
}

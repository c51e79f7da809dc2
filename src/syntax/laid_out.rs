//! Texts as they are written from the start: the layout of a new file.

use std::sync::Arc;

use serde_json::Value;

use super::{draft::Draft, page::TextPage, print, source::Source};

impl Source {
    /// The text of a new file with this value, which is the document's own up to the order of
    /// members. Comments above the document and the spelling of numbers stay. `None` where there is
    /// no document, or more than one.
    #[must_use]
    pub fn laid_out(&self, value: &Value) -> Option<String> {
        let [document] = self.whole_tree()?.documents.as_slice() else { return None };
        let draft = Draft::of_arranged(value, document, self.text());
        Some(format!(
            "{}{}",
            self.leading_comments(),
            print::laid_out(self.format(), &draft, TextPage::new(self.text(), self.format()).eol)
        ))
    }

    /// Whether the text is as a new file's would be; one with nothing but comments is.
    #[must_use]
    pub fn is_laid_out(&self) -> bool {
        let only_head = self.leading_comments().len() == self.text().len();
        only_head
            || self
                .value(0)
                .is_some_and(|value| self.laid_out(value).is_some_and(|text| text == **self.text()))
    }

    /// Whether there is nothing in the document yet.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let is_empty =
            |value: &Arc<Value>| value.as_object().is_some_and(serde_json::Map::is_empty);
        self.is_laid_out() && self.value(0).is_none_or(is_empty)
    }

    /// The comments and empty lines that the text begins with.
    fn leading_comments(&self) -> &str {
        let sign = if self.format().is_json() { "//" } else { "#" };
        let is_head = |line: &&str| line.trim().is_empty() || line.starts_with(sign);
        let len = self.text().split_inclusive('\n').take_while(is_head).map(str::len).sum();
        &self.text()[..len]
    }
}

//! A part of what a server answers: a text as it came, or bytes with their kind and size.

use std::sync::Arc;

use super::size;

/// One part, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContentPart {
    /// Who says it or where it lies: a role, a URI; empty where nothing says that.
    pub source: String,
    /// `text`, `image`, `audio`, `blob`, `link`, or a word that is not known.
    pub kind: String,
    pub mime: Option<String>,
    pub text: Option<String>,
    /// What its base64 represents.
    pub bytes: Option<Arc<[u8]>>,
    /// Where a link leads.
    pub link: Option<String>,
    /// What it says of itself: for whom it is, how important.
    pub notes: Vec<String>,
}

/// Types of bytes that may be opened with another program, and the ending that files of them have:
/// what is only looked at or listened to, nothing that could run.
const VIEWED: &[(&str, &str)] = &[
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/bmp", "bmp"),
    ("image/tiff", "tiff"),
    ("image/avif", "avif"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/mpeg", "mp3"),
    ("audio/mp3", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/flac", "flac"),
    ("audio/aac", "aac"),
    ("audio/mp4", "m4a"),
    ("audio/webm", "weba"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("application/pdf", "pdf"),
];

impl ContentPart {
    /// The part without its text, in a line: `image image/png, 1.2 kB`.
    #[must_use]
    pub fn summary(&self) -> String {
        let bytes = self.bytes.as_ref().map(|bytes| bytes.len());
        let count = bytes.or(self.text.as_ref().map(String::len));
        let size = count.map(|count| format!(", {}", size::format_size(count as u64)));
        let mime = self.mime.as_deref().map(|mime| format!(" {mime}")).unwrap_or_default();
        format!("{}{mime}{}", self.kind, size.unwrap_or_default())
    }

    /// Its type without parameters, in small letters.
    fn media_type(&self) -> Option<String> {
        let mime = self.mime.as_deref()?.split(';').next()?;
        Some(mime.trim().to_ascii_lowercase())
    }

    #[must_use]
    pub fn is_markdown(&self) -> bool {
        let is_named = self.source.rsplit('.').next().is_some_and(|ending| ending == "md");
        match self.media_type().as_deref() {
            Some("text/markdown" | "text/x-markdown") => true,
            Some("text/plain") | None => is_named,
            Some(_) => false,
        }
    }

    #[must_use]
    pub fn is_json(&self) -> bool {
        let media = self.media_type();
        media.is_some_and(|media| media == "application/json" || media.ends_with("+json"))
    }

    /// The ending of a file that another program may open; `None` where what it holds could do more
    /// than be shown.
    #[must_use]
    pub fn viewed_ending(&self) -> Option<&'static str> {
        self.bytes.as_ref()?;
        let mime = self.media_type()?;
        VIEWED.iter().find(|(known, _)| *known == mime).map(|(_, ending)| *ending)
    }

    /// What a file of it holds.
    #[must_use]
    pub fn file_bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref().or(self.text.as_deref().map(str::as_bytes))
    }

    /// A name for a file of it: its number, and the last part of its address or its kind.
    #[must_use]
    pub fn file_name(&self, number: usize) -> String {
        let is_safe = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
        let address = self.source.rsplit(' ').next().filter(|word| word.contains(':'));
        let last = address.and_then(|address| address.rsplit(['/', '\\', ':']).next());
        let last: String = last.unwrap_or_default().chars().filter(is_safe).take(100).collect();
        let last = last.trim_matches('.');
        if last.contains('.') {
            return format!("{number}-{last}");
        }
        let stem = if last.is_empty() { &*self.kind } else { last };
        let stem: String = stem.chars().filter(is_safe).take(100).collect();
        format!("{number}-{stem}.{}", self.ending())
    }

    fn ending(&self) -> String {
        if let Some(ending) = self.viewed_ending() {
            return ending.to_owned();
        }
        let mime = self.media_type().unwrap_or_default();
        let plain = if self.bytes.is_some() { "bin" } else { "txt" };
        let last = mime.rsplit(['/', '+']).next().unwrap_or_default();
        let ending: String = last.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        match (ending.as_str(), mime.starts_with("text/")) {
            ("" | "octetstr" | "plain", _) => plain.to_owned(),
            ("markdown", true) => "md".to_owned(),
            _ => ending,
        }
    }
}

/// Those that are saved, with their numbers: what is not text; where there is none of that, texts.
#[must_use]
pub fn parts_to_save(parts: &[ContentPart]) -> Vec<(usize, &ContentPart)> {
    let numbered = || (1..).zip(parts).filter(|(_, part)| part.file_bytes().is_some());
    let mut saved: Vec<_> = numbered().filter(|(_, part)| part.bytes.is_some()).collect();
    if saved.is_empty() {
        saved = numbered().collect();
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(source: &str, mime: &str, bytes: Option<&[u8]>) -> ContentPart {
        ContentPart {
            source: source.into(),
            kind: "blob".into(),
            mime: (!mime.is_empty()).then(|| mime.to_owned()),
            bytes: bytes.map(Into::into),
            ..ContentPart::default()
        }
    }

    #[test]
    fn a_file_has_a_name_that_leads_nowhere_else() {
        let sources =
            ["file:///../../etc/passwd", "x:..", "x:/.ssh", "a:b\\..\\c", "user", "x:/a\nb"];
        for source in sources {
            let name = part(source, "a/../b", None).file_name(3);
            assert!(name.starts_with("3-") && !name.contains(['/', '\\', '\n']), "{name}");
            assert!(!name.contains(".."), "{name}");
        }
        let names = [
            part("demo://a/b.md", "text/markdown", None),
            part("user demo://img/1", "image/png", Some(b"x")),
            part("user", "audio/x-wav; rate=8000", Some(b"x")),
            part("x:y", "", Some(b"x")),
        ];
        let names = names.map(|part| part.file_name(1));
        assert_eq!(names, ["1-b.md", "1-1.png", "1-blob.wav", "1-y.bin"]);
    }

    #[test]
    fn only_what_cannot_run_is_opened() {
        for mime in ["text/html", "application/x-sh", "image/svg+xml", "application/x-desktop", ""]
        {
            assert_eq!(part("x:y", mime, Some(b"x")).viewed_ending(), None, "{mime}");
        }
        assert_eq!(part("x:y.sh", "image/PNG", Some(b"x")).viewed_ending(), Some("png"));
        assert_eq!(part("x:y", "image/png", None).viewed_ending(), None);
    }

    #[test]
    fn bytes_are_saved_before_texts() {
        let text = ContentPart { text: Some("t".into()), ..ContentPart::default() };
        let bytes = part("x:y", "", Some(b"x"));
        let both = [text.clone(), bytes];
        assert_eq!(parts_to_save(&both), [(2, &both[1])]);
        assert_eq!(parts_to_save(std::slice::from_ref(&text)), [(1, &text)]);
    }
}

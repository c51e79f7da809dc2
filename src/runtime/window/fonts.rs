//! The fonts: one of our own, there at once, and the system's for what that one lacks, read when a
//! character first needs them.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    thread,
};

use fontdb::{Database, FaceInfo, ID, Style};
use swash::FontRef;

use crate::schema::ordering::PutInOrder;

/// DejaVu Sans Mono 2.37; `fonts/LICENSE` is its licence.
const REGULAR: &[u8] = include_bytes!("fonts/DejaVuSansMono.ttf");
const BOLD: &[u8] = include_bytes!("fonts/DejaVuSansMono-Bold.ttf");

/// Fonts of coloured emoji, and those whose wide letters go well with ours; the first ones first.
const EMOJI: &[&str] =
    &["Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", "Twemoji", "Twitter Color Emoji"];
const PREFERRED: &[&str] = &[
    "Noto Sans Mono CJK",
    "Noto Sans CJK",
    "Source Han Mono",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang",
    "Yu Gothic",
    "MS Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi",
    "Noto Sans Mono",
    "Noto Sans",
    "Segoe UI Symbol",
    "Apple Symbols",
    "Menlo",
    "DejaVu Sans",
];

/// How letters are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Face {
    pub is_bold: bool,
    pub is_italic: bool,
}

/// What a cell's text is drawn with.
pub(super) enum Found {
    /// Our own font, which has all of it.
    Own,
    System(ID),
    /// The system's fonts are not read yet.
    NotYet,
    Nothing,
}

pub(super) struct Fonts {
    system: Arc<OnceLock<SystemFonts>>,
    /// The system's fonts are being read, or were.
    is_asked: bool,
    found: HashMap<(char, bool), Option<ID>>,
    /// What to do once they are read; the painter asks for a new picture then.
    on_read: Arc<dyn Fn() + Send + Sync>,
}

/// The system's fonts, those to be asked first in front.
struct SystemFonts {
    database: Database,
    letters: Vec<ID>,
    emoji: Vec<ID>,
}

impl Fonts {
    pub fn new(on_read: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            system: Arc::default(),
            is_asked: false,
            found: HashMap::new(),
            on_read: Arc::new(on_read),
        }
    }

    /// Our own font; `None` only if its file were broken.
    pub fn own(is_bold: bool) -> Option<FontRef<'static>> {
        FontRef::from_index(if is_bold { BOLD } else { REGULAR }, 0)
    }

    /// The font that has a cell's text.
    pub fn find(&mut self, text: &str) -> Found {
        let mut letters = text.chars().filter(|letter| !is_invisible(*letter));
        let Some(first) = letters.next() else { return Found::Own };
        let is_emoji = is_emoji(text, first);
        let own = Self::own(false);
        let has = |letter: char| own.is_some_and(|font| font.charmap().map(letter) != 0);
        if !is_emoji && has(first) && letters.all(has) {
            return Found::Own;
        }
        if let Some(known) = self.found.get(&(first, is_emoji)) {
            return known.map_or(Found::Nothing, Found::System);
        }
        let Some(system) = self.system.get() else {
            self.ask_for_system();
            return if has(first) { Found::Own } else { Found::NotYet };
        };
        let found = system.find(first, is_emoji);
        self.found.insert((first, is_emoji), found);
        match found {
            Some(id) => Found::System(id),
            None if has(first) => Found::Own,
            None => Found::Nothing,
        }
    }

    /// Does something with one of the system's fonts.
    pub fn with_system<T>(&self, id: ID, work: impl FnOnce(FontRef<'_>) -> T) -> Option<T> {
        let work = |data: &[u8], index: u32| {
            let index = usize::try_from(index).ok()?;
            Some(work(FontRef::from_index(data, index)?))
        };
        self.system.get()?.database.with_face_data(id, work)?
    }

    fn ask_for_system(&mut self) {
        if std::mem::replace(&mut self.is_asked, true) {
            return;
        }
        let (system, on_read) = (Arc::clone(&self.system), Arc::clone(&self.on_read));
        // Without it, what our own font lacks stays blank.
        let _ = thread::Builder::new().name("fonts".into()).spawn(move || {
            if system.set(SystemFonts::read()).is_ok() {
                on_read();
            }
        });
    }
}

impl SystemFonts {
    fn read() -> Self {
        let mut database = Database::new();
        database.load_system_fonts();
        let rank = |face: &FaceInfo, names: &[&str]| {
            let starts = |name: &&str| face.families.iter().any(|(own, _)| own.starts_with(*name));
            names.iter().position(starts)
        };
        let mut letters: Vec<(usize, bool, ID)> = Vec::new();
        let mut emoji: Vec<(usize, ID)> = Vec::new();
        for face in database.faces() {
            match rank(face, EMOJI) {
                Some(rank) => emoji.push((rank, face.id)),
                None if face.style == Style::Normal && face.weight.0 == 400 => {
                    let rank = rank(face, PREFERRED).unwrap_or(PREFERRED.len());
                    letters.push((rank, !face.monospaced, face.id));
                }
                None => {}
            }
        }
        letters.order_by_key(|(rank, is_loose, _)| (*rank, *is_loose));
        emoji.order_by_key(|(rank, _)| *rank);
        Self {
            database,
            letters: letters.into_iter().map(|(_, _, id)| id).collect(),
            emoji: emoji.into_iter().map(|(_, id)| id).collect(),
        }
    }

    fn find(&self, letter: char, is_emoji: bool) -> Option<ID> {
        let (first, second) =
            if is_emoji { (&self.emoji, &self.letters) } else { (&self.letters, &self.emoji) };
        first.iter().chain(second).copied().find(|id| {
            let has = |data: &[u8], index: u32| {
                let index = usize::try_from(index).ok()?;
                Some(FontRef::from_index(data, index)?.charmap().map(letter) != 0)
            };
            self.database.with_face_data(*id, has).flatten().unwrap_or(false)
        })
    }
}

/// What only says how others are shown: joiners, selectors, skin tones' carriers.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}')
}

/// Whether a text is to be a coloured picture.
fn is_emoji(text: &str, first: char) -> bool {
    let is_picture = matches!(
        first,
        '\u{1f000}'..='\u{1faff}' | '\u{2614}' | '\u{2615}' | '\u{2648}'..='\u{2653}' | '\u{267f}'
        | '\u{2693}' | '\u{26a1}' | '\u{26aa}' | '\u{26ab}' | '\u{26bd}' | '\u{26be}' | '\u{26c4}'
        | '\u{26c5}' | '\u{26ce}' | '\u{26d4}' | '\u{26ea}' | '\u{26f2}' | '\u{26f3}' | '\u{26f5}'
        | '\u{26fa}' | '\u{26fd}' | '\u{2705}' | '\u{270a}' | '\u{270b}' | '\u{2728}' | '\u{274c}'
        | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2795}'..='\u{2797}' | '\u{27b0}'
        | '\u{27bf}' | '\u{2b1b}' | '\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{231a}' | '\u{231b}'
        | '\u{23e9}'..='\u{23ec}' | '\u{23f0}' | '\u{23f3}'
    );
    (is_picture || text.contains('\u{fe0f}')) && !text.contains('\u{fe0e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_font_has_what_the_screens_draw() {
        let mut fonts = Fonts::new(|| {});
        for letter in "aZ09{}é…·→━│✗⚠✓●•▾▶▸↑↓×›◆▲␛◀◌■▼⏎▤⋯▣⇒↻♦Жλ".chars()
        {
            let is_own = matches!(fonts.find(&letter.to_string()), Found::Own);
            assert!(is_own || letter == '␛', "{letter}");
        }
    }

    #[test]
    fn emoji_differ_from_signs() {
        let is = |text: &str| is_emoji(text, text.chars().next().unwrap());
        for text in ["😀", "🇨🇭", "👩‍👩‍👧", "✅", "⚠\u{fe0f}"] {
            assert!(is(text), "{text}");
        }
        for text in ["a", "✓", "⚠", "→", "日", "✅\u{fe0e}"] {
            assert!(!is(text), "{text}");
        }
    }
}

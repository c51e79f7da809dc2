//! What the terminal sends, and what is drawn of texts from outside.

use std::collections::BTreeMap;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::input::{Code, Input, Key},
    model::{answer_text::AnswerText, shown},
    runtime::{images, input_decoder::InputDecoder},
    ui::{
        actions, line_wrap, theme,
        widgets::{
            code,
            json_tree::JsonTree,
            markdown, reading,
            text_view::{self, Search, TextView},
        },
    },
};

/// The same inputs come of bytes however they are cut, and of plain text nothing is lost.
pub(super) fn read_terminal(bytes: &[u8]) {
    let decode = |size: usize| {
        let mut decoder = InputDecoder::default();
        let mut inputs: Vec<Input> =
            bytes.chunks(size.max(1)).flat_map(|piece| decoder.decode(piece)).collect();
        // A paste without its end comes once its time is over.
        for _ in 0..4 {
            inputs.extend(decoder.flush());
        }
        inputs
    };
    let whole = decode(bytes.len());
    for size in [1, 2, 5] {
        assert_eq!(decode(size), whole, "in pieces of {size}");
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == ' ')
    {
        let typed: String = whole
            .iter()
            .filter_map(|input| match input {
                Input::Key(key) => key.typed_char(),
                _ => None,
            })
            .collect();
        assert_eq!(typed, text);
    }
}

/// An image has the pixels that it says and can be made smaller, or it is said why it isn't drawn.
pub(super) fn read_image(bytes: &[u8]) {
    const MOST: usize = 1 << 16;
    match images::decode_up_to(MOST, bytes) {
        Ok(image) => {
            let (width, height) = image.size;
            assert!(width > 0 && height > 0 && width * height <= MOST);
            assert_eq!(image.pixels.bytes.len(), width * height * 4);
            assert_eq!(image.pixels.scaled((7, 3)).bytes.len(), 7 * 3 * 4);
        }
        Err(words) => assert!(words.starts_with("it "), "{words}"),
    }
}

/// A key's words read back as it; a keymap of any words is a keymap or says what is wrong.
pub(super) fn read_keys(text: &str) {
    for word in text.lines() {
        // Arrows are shown as signs, and letters with Alt in capitals.
        if let Ok(key) = word.parse::<Key>()
            && !matches!(key.code, Code::Char(_) | Code::Left | Code::Right | Code::Up | Code::Down)
        {
            assert_eq!(key.to_string().parse::<Key>(), Ok(key), "{word:?}");
        }
    }
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let keys: BTreeMap<String, Vec<String>> = pairs
        .map(|(action, keys)| (action.trim().to_owned(), vec![keys.trim().to_owned()]))
        .collect();
    _ = actions::build_keymap(&keys);
}

pub(super) fn read_theme(text: &str) {
    _ = theme::parse("mine", text);
}

pub(super) fn read_markdown(text: &str) {
    for cells in [1, 12, 80] {
        let whole = markdown::render_lines(text, cells);
        for (face, text) in whole.iter().flatten() {
            assert!(!text.chars().any(char::is_control), "{face:?} {text:?}");
        }
        let mut growing = markdown::GrowingText::default();
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        growing.render(&text[..half], cells);
        growing.render(text, cells);
        assert_eq!(growing.lines(), whole, "{text:?} in {cells} cells");
    }
}

/// No control character of a text gets to a cell, and no letter is lost where lines are wrapped.
pub(super) fn read_screen_text(text: &str) {
    let shown = shown::visible_text(text);
    for letter in shown.chars().filter(|letter| *letter != '\n' && *letter != '\t') {
        assert!(!letter.is_control(), "{letter:?} of {text:?}");
    }
    let (themes, _) = theme::available_themes(&[]);
    let Some(theme) = themes.first() else { return };
    let area = Rect::new(0, 0, 24, 6);
    let mut buffer = Buffer::empty(area);
    let mut view = TextView::default();
    let answer = &AnswerText::from(text);
    view.draw(answer, &mut buffer, area, &theme.styles);
    view.scroll(answer, 3);
    _ = view.search(answer, "a", Search::Next);
    view.draw(answer, &mut buffer, area, &theme.styles);
    _ = view.position_text(answer);
    let mut tree = JsonTree::new(serde_json::from_str(text).unwrap_or_else(|_| text.into()));
    tree.draw(&mut buffer, area, &theme.styles, true);
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(char::is_control), "{:?} of {text:?}", cell.symbol());
    }
    for line in text.lines() {
        for cells in [1, 7, 40] {
            let rows = text_view::wrap_rows(line, cells);
            let joined: String = rows.iter().filter_map(|row| line.get(row.clone())).collect();
            assert!(joined.len() <= line.len(), "{line:?}");
            _ = line_wrap::wrap(line, cells);
        }
        let parts: String = code::highlight_line(line).iter().map(|(_, part)| *part).collect();
        assert_eq!(parts, line);
    }
    _ = reading::json_lines(text, 20);
}

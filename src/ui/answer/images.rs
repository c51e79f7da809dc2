//! The images of an answer: they follow its text, each below words that say what it is.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    schema::count::count_text,
    ui::{
        canvas::{Pen, wrap},
        images::{ImageFile, LaidImage, MOST_DRAWN, ShownImages},
        styles::{Role, Styles},
        widgets::text_view::TailPlace,
    },
};

/// What is kept of a view beside an image: a line of the text, a blank one, and that which says
/// what the image is.
const BESIDE: u16 = 3;

#[derive(Default)]
pub(crate) struct AnswerImages {
    files: Vec<ImageFile>,
    laid: Vec<LaidRows>,
}

/// What follows a blank line: words, and an image where there is one.
struct LaidRows {
    words: Vec<String>,
    role: Role,
    image: Option<LaidImage>,
}

impl LaidRows {
    fn count(&self) -> usize {
        1 + self.words.len() + self.image.as_ref().map_or(0, LaidImage::rows)
    }
}

impl AnswerImages {
    pub fn new(files: Vec<ImageFile>) -> Self {
        Self { files, laid: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes in how large a view is; answers how many rows they take in all.
    pub fn lay(&mut self, images: &ShownImages, view: Rect) -> usize {
        let cells = usize::from(view.width.max(1));
        let room = (view.width, view.height.saturating_sub(BESIDE));
        let of_image = |file: &ImageFile| {
            let image = images.lay(&file.file, room);
            let words = wrap(&format!("{} · {}", file.words, image.words), cells);
            LaidRows { words, role: image.role, image: Some(image) }
        };
        self.laid = self.files.iter().take(MOST_DRAWN).map(of_image).collect();
        let left_out = self.files.len() - self.laid.len();
        if left_out > 0 {
            let more = count_text(left_out, "image", "images");
            let words = wrap(&format!("{more} more: parts… opens and saves them"), cells);
            self.laid.push(LaidRows { words, role: Role::Dim, image: None });
        }
        self.laid.iter().map(LaidRows::count).sum()
    }

    /// Draws what is in view of them.
    pub fn draw(
        &self,
        buffer: &mut Buffer,
        view: Rect,
        place: TailPlace,
        images: &ShownImages,
        styles: &Styles,
    ) {
        let height = view.height.saturating_sub(place.line);
        let view = Rect { y: view.y + place.line, height, ..view };
        let mut top = 0_usize;
        for rows in &self.laid {
            for (row, words) in (top + 1..).zip(&rows.words) {
                if let Some(Ok(row)) = row.checked_sub(place.first).map(u16::try_from) {
                    Pen::new(buffer, view, row).put_text(words, styles[rows.role]);
                }
            }
            if let Some(image) = &rows.image {
                let below = top + 1 + rows.words.len();
                images.draw(buffer, styles, (view, place.first), (image, below));
            }
            top += rows.count();
        }
    }
}

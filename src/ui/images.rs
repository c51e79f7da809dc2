//! Images of answers, where what is drawn on can show them: the view keeps cells free, and says
//! which image goes there.

use std::{cell::RefCell, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect};

use super::canvas::Pen;
use crate::model::content_part::ContentPart;

/// The text of a cell that shows a piece of an image. What is drawn over it later has another.
pub const IMAGE_CELL: &str = "\u{10eeee}";

/// The types of images that are shown.
const SHOWN: &[&str] = &["image/png", "image/jpeg", "image/jpg"];

/// An image, and the cells that are free for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePlace {
    pub area: Rect,
    /// The file, as PNG or JPEG.
    pub file: Arc<[u8]>,
}

/// The images of a drawing.
#[derive(Debug, Default)]
pub struct ImagePlaces(RefCell<Vec<ImagePlace>>);

impl ImagePlaces {
    /// Keeps an area free for an image.
    pub(crate) fn reserve(&self, buffer: &mut Buffer, area: Rect, file: &Arc<[u8]>) {
        for row in 0..area.height {
            let cells = IMAGE_CELL.repeat(usize::from(area.width));
            Pen::new(buffer, area, row).put_text(&cells, ratatui::style::Style::new());
        }
        self.0.borrow_mut().push(ImagePlace { area, file: Arc::clone(file) });
    }
}

/// The images of the last drawing; none before [`Self::show`], as in a terminal.
#[derive(Debug, Default)]
pub struct ShownImages(Option<Vec<ImagePlace>>);

impl ShownImages {
    /// From now on what is drawn on shows images.
    pub fn show(&mut self) {
        self.0 = Some(Vec::new());
    }

    /// The cells that the last drawing keeps free, and what goes there.
    #[must_use]
    pub fn places(&self) -> &[ImagePlace] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Where a drawing puts its images, if they are shown.
    pub(crate) fn begin(&self) -> Option<ImagePlaces> {
        self.0.is_some().then(ImagePlaces::default)
    }

    pub(crate) fn end(&mut self, drawn: Option<ImagePlaces>) {
        self.0 = drawn.map(|places| places.0.into_inner());
    }
}

/// The files of those parts that are images which can be shown.
pub(crate) fn image_files(parts: &[ContentPart]) -> Vec<Arc<[u8]>> {
    let is_shown = |part: &&ContentPart| {
        part.mime.as_deref().is_some_and(|mime| SHOWN.contains(&mime.to_lowercase().as_str()))
    };
    parts.iter().filter(is_shown).filter_map(|part| part.bytes.clone()).collect()
}

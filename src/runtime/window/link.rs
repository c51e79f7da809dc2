//! Between the window, which has the main thread, and the program, which runs on another.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use ratatui::{buffer::Buffer, layout::Position};
use tokio::sync::mpsc;
use winit::event_loop::EventLoopProxy;

use super::{cells::CellSize, clipboard::Which, colours::Ground};
use crate::{
    app::{
        input::Input,
        message::{ClipboardAct, WindowGoal},
        notices::NoticeKind,
    },
    ui::images::ImagePlace,
};

/// What the window reports.
#[derive(Debug)]
pub(super) enum FromWindow {
    Input(Input),
    /// What the middle button pastes, and where it was pressed, by column and row.
    PasteAt((u16, u16), String),
    Resized,
    /// The user closes it: asked as when leaving.
    Close,
    /// The system's colours are dark, or light.
    SystemDark(bool),
    /// The user looks at it, or no longer.
    Focused(bool),
    /// A file or a folder was dropped on it.
    Dropped(PathBuf),
    /// The program asks for another window.
    OpenWindow(WindowGoal),
    /// Something to be said to the user.
    Notice(NoticeKind, String),
}

/// What the window is asked for.
#[derive(Debug)]
pub(super) enum ToWindow {
    /// A picture is there.
    Picture,
    Copy(String),
    Clipboard(ClipboardAct),
    /// The text that was asked for is here, or why it isn't.
    Pasted(Which, Result<String, String>),
    /// In words, why a text could not be copied.
    NotCopied(String),
    Minimise,
    /// The system's fonts were read.
    FontsRead,
    SystemDark(bool),
    /// The program has ended.
    Ended,
}

/// A drawing of the program.
#[derive(Debug)]
pub(super) struct Picture {
    pub buffer: Buffer,
    pub cursor: Option<Position>,
    pub images: Vec<ImagePlace>,
    pub title: String,
    pub ground: Ground,
}

/// The program's end of the link.
#[derive(Clone)]
pub(super) struct ToWindowLink {
    proxy: EventLoopProxy<ToWindow>,
    shared: Arc<Shared>,
}

/// What both threads see.
#[derive(Default)]
pub(super) struct Shared {
    /// The newest picture, until it is shown.
    picture: Mutex<Option<Picture>>,
    /// Columns and rows; none: not known yet.
    size: Pair,
    /// The pixels of a cell in a row and in a column.
    cell: Pair,
}

/// Two numbers that are seen together, each in 16 bits.
#[derive(Default)]
struct Pair(AtomicU32);

impl Pair {
    fn set(&self, (one, other): (u16, u16)) {
        self.0.store(u32::from(one) << 16 | u32::from(other), Ordering::Release);
    }

    fn get(&self) -> (u16, u16) {
        let both = self.0.load(Ordering::Acquire);
        let part = |bits: u32| u16::try_from(bits & 0xffff).unwrap_or(0);
        (part(both >> 16), part(both))
    }
}

impl Shared {
    pub fn set_size(&self, size: (u16, u16), cell: CellSize) {
        let pixels = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        self.cell.set((pixels(cell.width), pixels(cell.height)));
        self.size.set(size);
    }

    pub fn size(&self) -> (u16, u16) {
        self.size.get()
    }

    pub fn take_picture(&self) -> Option<Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ToWindowLink {
    pub fn new(proxy: EventLoopProxy<ToWindow>, shared: Arc<Shared>) -> Self {
        Self { proxy, shared }
    }

    pub fn size(&self) -> (u16, u16) {
        self.shared.size()
    }

    /// The pixels of a cell in a row and in a column.
    pub fn cell(&self) -> (u16, u16) {
        self.shared.cell.get()
    }

    /// Shows a picture in the place of one that is not shown yet.
    pub fn show(&self, picture: Picture) {
        let mut slot = self.shared.picture.lock().unwrap_or_else(PoisonError::into_inner);
        let is_waiting = slot.replace(picture).is_some();
        drop(slot);
        if !is_waiting {
            self.ask(ToWindow::Picture);
        }
    }

    /// A window that has gone needs nothing any more.
    pub fn ask(&self, what: ToWindow) {
        let _ = self.proxy.send_event(what);
    }
}

/// The window's end.
pub(super) type ToProgram = mpsc::UnboundedSender<FromWindow>;

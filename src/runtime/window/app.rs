//! The window itself: what the system reports of it, and what it shows.

use std::{num::NonZeroU32, ops::Range, rc::Rc, sync::Arc};

use softbuffer::{Context, Rect, SoftBufferError, Surface};
use winit::{
    application::ApplicationHandler,
    dpi::{LogicalSize, PhysicalPosition, PhysicalSize},
    event::{ElementState, Ime, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, OwnedDisplayHandle},
    keyboard::ModifiersState,
    window::{Theme, Window, WindowId},
};

use super::{
    cells::Zoom,
    clipboard::{Answer, ClipboardThread, Which},
    fonts::Fonts,
    glyphs::cell_of,
    icon,
    keys::{self, KeyAct, KeyPress},
    link::{FromWindow, Shared, ToProgram, ToWindow, ToWindowLink},
    paint::{Painter, Scene},
    pointer::{Pointer, PointerAct, Turned},
};
use crate::{
    app::{
        input::{Button, Input, Key, Mods},
        message::ClipboardAct,
        notices::NoticeKind,
    },
    store::window_state::WindowState,
    ui::root::SMALLEST,
};

/// What is said where letters could only become larger by showing too little.
const AS_LARGE_AS_FITS: &str = "the letters are as large as this window has room for";

type WindowSurface = Surface<OwnedDisplayHandle, Rc<Window>>;

pub(super) struct WindowApp {
    shared: Arc<Shared>,
    program: ToProgram,
    clipboard: ClipboardThread,
    shown: Option<ShownWindow>,
    painter: Painter,
    scene: Option<Scene>,
    /// What an input method has of a text that is not typed yet.
    preedit: String,
    /// What the user did after a paste that the clipboard has not answered yet: it comes after it.
    after_paste: Option<Vec<Input>>,
    pointer: Pointer,
    held: ModifiersState,
    /// What the user wants; the window may have no room for it.
    zoom: Zoom,
    /// How it was left, and is to be kept.
    state: WindowState,
    /// Why it could not be opened, or had to end.
    failure: Option<String>,
}

/// The window once the system has made it.
struct ShownWindow {
    window: Rc<Window>,
    surface: WindowSurface,
    title: String,
    scale: f64,
    is_visible: bool,
    takes_text: bool,
    /// A drawing was asked for; without that, the system has lost what was there.
    is_asked: bool,
    /// The rows of pixels of the last drawing: a surface of two buffers lacks them.
    before: Vec<Range<usize>>,
}

impl WindowApp {
    pub fn new(
        state: WindowState,
        shared: Arc<Shared>,
        program: ToProgram,
        link: &ToWindowLink,
    ) -> Self {
        let zoom = Zoom::from_steps(state.zoom);
        let (fonts, pasted) = (link.clone(), link.clone());
        let fonts = Fonts::new(move || fonts.ask(ToWindow::FontsRead));
        Self {
            shared,
            program,
            clipboard: ClipboardThread::start(move |answer| {
                pasted.ask(match answer {
                    Answer::Pasted(which, text) => ToWindow::Pasted(which, text),
                    Answer::NotCopied(words) => ToWindow::NotCopied(words),
                });
            }),
            shown: None,
            painter: Painter::new(fonts, zoom.letter_size(1.0)),
            scene: None,
            preedit: String::new(),
            after_paste: None,
            pointer: Pointer::default(),
            held: ModifiersState::empty(),
            zoom,
            state,
            failure: None,
        }
    }

    pub fn is_open(&self) -> bool {
        self.shown.is_some()
    }

    /// How the window was at its end, and why it ended if not by the program.
    pub fn finish(mut self) -> (WindowState, Option<String>) {
        self.state.zoom = self.zoom.steps();
        (self.state, self.failure)
    }

    fn report(&self, what: FromWindow) {
        // A program that has ended wants nothing any more.
        let _ = self.program.send(what);
    }

    fn send(&mut self, input: Input) {
        match &mut self.after_paste {
            Some(later) => later.push(input),
            None => self.report(FromWindow::Input(input)),
        }
    }

    fn paste(&mut self, which: Which) {
        self.after_paste.get_or_insert_default();
        self.clipboard.paste(which);
    }

    fn on_pasted(&mut self, which: Which, pasted: Result<String, String>) {
        self.report(match (which, pasted) {
            (Which::Copied, Ok(text)) => FromWindow::Input(Input::Paste(text)),
            (Which::Selected(cell), Ok(text)) => FromWindow::PasteAt(cell, text),
            (_, Err(words)) => FromWindow::Notice(NoticeKind::Warning, words),
        });
        let later = self.after_paste.take().unwrap_or_default();
        later.into_iter().for_each(|input| self.send(input));
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), String> {
        let attributes = Window::default_attributes()
            .with_title("toolcrib")
            .with_inner_size(LogicalSize::new(self.state.width, self.state.height))
            .with_maximized(self.state.is_maximised)
            .with_window_icon(icon::icon())
            // It is shown with its first picture.
            .with_visible(false);
        let attributes = match self.state.place {
            Some((x, y)) => attributes.with_position(PhysicalPosition::new(x, y)),
            None => attributes,
        };
        let attributes = with_name(attributes);
        let window = event_loop.create_window(attributes).map_err(|error| error.to_string())?;
        let window = Rc::new(window);
        let surface = Context::new(event_loop.owned_display_handle())
            .and_then(|context| Surface::new(&context, Rc::clone(&window)))
            .map_err(|error| error.to_string())?;
        prepare_keys(&window);
        let scale = window.scale_factor();
        if let Some(theme) = window.theme() {
            self.report(FromWindow::SystemDark(theme == Theme::Dark));
        }
        self.shown = Some(ShownWindow {
            title: String::new(),
            scale,
            is_visible: false,
            takes_text: false,
            is_asked: false,
            before: Vec::new(),
            window,
            surface,
        });
        self.take_scale();
        Ok(())
    }

    /// The display has that scale: the smallest window, and the letters in this one, go with it.
    fn take_scale(&mut self) {
        let Some(shown) = &self.shown else { return };
        let (cell, _) = cell_of(Zoom::default().letter_size(shown.scale));
        let length = |cells: u16, pixels: usize| {
            u32::try_from(usize::from(cells) * pixels).unwrap_or(u32::MAX)
        };
        let (width, height) = (length(SMALLEST.0, cell.width), length(SMALLEST.1, cell.height));
        shown.window.set_min_inner_size(Some(PhysicalSize::new(width, height)));
        self.count_cells(shown.window.inner_size());
    }

    /// The window has that size: so many cells fit, of letters that leave room for enough of them.
    fn count_cells(&mut self, size: PhysicalSize<u32>) {
        let Some(shown) = &self.shown else { return };
        if size.width == 0 || size.height == 0 {
            return;
        }
        if !self.state.is_maximised {
            let points = size.to_logical::<f64>(shown.scale);
            (self.state.width, self.state.height) = (points.width, points.height);
        }
        let zoom = fitted_zoom(self.zoom, shown.scale, size);
        self.painter.set_letter_size(zoom.letter_size(shown.scale));
        let cell = self.painter.cell();
        let cells = cell.cells_in(size.width, size.height);
        if self.shared.size() != cells {
            self.pointer.drop_selection();
        }
        self.shared.set_size(cells, cell);
        self.report(FromWindow::Resized);
    }

    fn ask_for_drawing(&mut self) {
        if let Some(shown) = &mut self.shown
            && shown.is_visible
        {
            shown.is_asked = true;
            shown.window.request_redraw();
        }
    }

    fn take_picture(&mut self) {
        let Some(picture) = self.shared.take_picture() else { return };
        let Some(shown) = &mut self.shown else { return };
        if shown.title != picture.title {
            shown.window.set_title(&picture.title);
            shown.title = picture.title;
        }
        let takes_text = picture.cursor.is_some();
        if std::mem::replace(&mut shown.takes_text, takes_text) != takes_text {
            shown.window.set_ime_allowed(takes_text);
            self.preedit.clear();
        }
        if let Some(at) = picture.cursor {
            let cell = self.painter.cell();
            let pixels = |cells: u16, length: usize| u32::try_from(usize::from(cells) * length);
            if let (Ok(x), Ok(y)) = (pixels(at.x, cell.width), pixels(at.y, cell.height))
                && let (Ok(width), Ok(height)) = (pixels(1, cell.width), pixels(1, cell.height))
            {
                let place = PhysicalPosition::new(x, y);
                shown.window.set_ime_cursor_area(place, PhysicalSize::new(width, height));
            }
        }
        self.scene = Some(Scene {
            buffer: picture.buffer,
            cursor: picture.cursor,
            images: picture.images,
            preedit: self.preedit.clone(),
            selection: self.pointer.selection(),
            ground: picture.ground,
        });
        if !shown.is_visible {
            shown.is_visible = true;
            shown.window.set_visible(true);
        }
        self.ask_for_drawing();
    }

    /// What lies over the picture is another: the selection, or what an input method has.
    fn show_overlay(&mut self) {
        if let Some(scene) = &mut self.scene {
            scene.selection = self.pointer.selection();
            scene.preedit.clone_from(&self.preedit);
        }
        self.ask_for_drawing();
    }

    fn draw(&mut self) -> Result<(), SoftBufferError> {
        let (Some(shown), Some(scene)) = (&mut self.shown, &self.scene) else { return Ok(()) };
        let size = shown.window.inner_size();
        let lengths = NonZeroU32::new(size.width).zip(NonZeroU32::new(size.height));
        let Some((width, height)) = lengths else { return Ok(()) };
        shown.surface.resize(width, height)?;
        let to_length = |length: u32| usize::try_from(length).unwrap_or(0);
        let (columns, rows) = (to_length(size.width), to_length(size.height));
        let changed = self.painter.paint(scene, (columns, rows));
        let is_asked = std::mem::take(&mut shown.is_asked);
        if is_asked && changed.is_empty() {
            return Ok(());
        }
        let mut target = shown.surface.buffer_mut()?;
        let everything = std::iter::once(0..rows).collect::<Vec<_>>();
        let lost = match target.age() {
            1 => changed.clone(),
            2 => changed.iter().chain(&shown.before).cloned().collect(),
            _ => everything.clone(),
        };
        for lines in lost {
            let pixels = lines.start * columns..lines.end * columns;
            target[pixels.clone()].copy_from_slice(&self.painter.pixels()[pixels]);
        }
        let damaged = if is_asked { changed.clone() } else { everything };
        let damaged: Vec<Rect> = damaged
            .iter()
            .filter_map(|lines| {
                let line = |at: usize| u32::try_from(at).ok();
                let height = NonZeroU32::new(line(lines.end - lines.start)?)?;
                Some(Rect { x: 0, y: line(lines.start)?, width, height })
            })
            .collect();
        shown.before = changed;
        shown.window.pre_present_notify();
        target.present_with_damage(&damaged)
    }

    fn on_key(&mut self, event: &KeyEvent) {
        let press = KeyPress {
            key: &event.logical_key,
            place: event.physical_key,
            text: event.text.as_deref(),
            held: self.held,
        };
        match keys::interpret(press) {
            // What is selected on the screen is copied as anywhere else.
            KeyAct::Send(inputs)
                if inputs == [Input::Key(Key::ctrl('c'))] && self.pointer.selection().is_some() =>
            {
                self.copy_selection();
            }
            KeyAct::Send(inputs) => inputs.into_iter().for_each(|input| self.send(input)),
            KeyAct::Paste => self.paste(Which::Copied),
            KeyAct::Copy => self.copy_selection(),
            KeyAct::Zoom(steps) => self.change_zoom(steps),
            KeyAct::ResetZoom => self.set_zoom(Zoom::default()),
            KeyAct::Nothing => {}
        }
    }

    /// Makes the letters larger by so many steps, as far as there is room in the window.
    fn change_zoom(&mut self, steps: i8) {
        let Some(shown) = &self.shown else { return };
        let fitted = |zoom| fitted_zoom(zoom, shown.scale, shown.window.inner_size());
        let now = fitted(self.zoom);
        let wanted = now.changed_by(steps);
        let zoom = fitted(wanted);
        if zoom == now && wanted != now {
            let words = AS_LARGE_AS_FITS.to_owned();
            return self.report(FromWindow::Notice(NoticeKind::Hint, words));
        }
        self.set_zoom(zoom);
    }

    fn set_zoom(&mut self, zoom: Zoom) {
        if zoom != self.zoom {
            self.zoom = zoom;
            if let Some(shown) = &self.shown {
                self.count_cells(shown.window.inner_size());
            }
        }
    }

    fn copy_selection(&self) {
        if let (Some(selection), Some(scene)) = (self.pointer.selection(), &self.scene) {
            let text = selection.text(&scene.buffer);
            self.clipboard.select(text.clone());
            self.clipboard.copy(text);
        }
    }

    fn mods(&self) -> Mods {
        keys::held_mods(self.held)
    }

    fn on_pointer(&mut self, act: PointerAct) {
        match act {
            PointerAct::Send(input) => self.send(input),
            PointerAct::Selected => self.show_overlay(),
            PointerAct::Copy => self.copy_selection(),
            PointerAct::PasteAt(cell) => self.paste(Which::Selected(cell)),
            PointerAct::Zoom(steps) => self.change_zoom(steps),
        }
    }

    fn on_ime(&mut self, ime: Ime) {
        match ime {
            Ime::Preedit(text, _) => {
                self.preedit = text;
                self.show_overlay();
            }
            Ime::Commit(text) => {
                self.preedit.clear();
                if let KeyAct::Send(inputs) = keys::typed_text(&text) {
                    inputs.into_iter().for_each(|input| self.send(input));
                }
                self.show_overlay();
            }
            Ime::Enabled | Ime::Disabled => {}
        }
    }

    fn on_event(&mut self, event: WindowEvent) {
        match event {
            WindowEvent::Resized(size) => {
                if let Some(shown) = &self.shown {
                    self.state.is_maximised = shown.window.is_maximized();
                }
                self.count_cells(size);
            }
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                if let Some(shown) = &mut self.shown {
                    shown.scale = scale_factor;
                }
                self.take_scale();
            }
            WindowEvent::Moved(place) if !self.state.is_maximised => {
                self.state.place = Some((place.x, place.y));
            }
            WindowEvent::ThemeChanged(theme) => {
                self.report(FromWindow::SystemDark(theme == Theme::Dark));
            }
            WindowEvent::Focused(is_focused) => self.report(FromWindow::Focused(is_focused)),
            WindowEvent::CloseRequested => self.report(FromWindow::Close),
            WindowEvent::DroppedFile(path) => self.report(FromWindow::Dropped(path)),
            WindowEvent::ModifiersChanged(held) => self.held = held.state(),
            // Keys that were held while the window had no focus were meant for others.
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                self.on_key(&event);
            }
            WindowEvent::Ime(ime) => self.on_ime(ime),
            WindowEvent::CursorMoved { position, .. } => {
                let place = self.painter.cell().cell_at(position.into(), self.shared.size());
                let scene = self.scene.as_ref();
                let cell = scene.map_or(place, |scene| scene.cell_drawn_at(place));
                let act = self.pointer.on_moved(cell, self.mods());
                act.into_iter().for_each(|act| self.on_pointer(act));
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let Some(button) = known_button(button) else { return };
                let mods = self.mods();
                match state {
                    ElementState::Pressed => {
                        let acts = self.pointer.on_pressed(button, mods);
                        acts.into_iter().for_each(|act| self.on_pointer(act));
                    }
                    ElementState::Released => {
                        let act = self.pointer.on_released(button, mods);
                        act.into_iter().for_each(|act| self.on_pointer(act));
                    }
                }
            }
            WindowEvent::MouseWheel { delta, .. } => {
                // The system says how the content moves, which is the other way.
                let turned = match delta {
                    MouseScrollDelta::LineDelta(x, y) => {
                        Turned::Notches(-f64::from(x), -f64::from(y))
                    }
                    MouseScrollDelta::PixelDelta(by) => Turned::Pixels(-by.x, -by.y),
                };
                let (cell, mods) = (self.painter.cell(), self.mods());
                let acts = self.pointer.on_wheel(turned, cell, mods);
                acts.into_iter().for_each(|act| self.on_pointer(act));
            }
            _ => {}
        }
    }
}

impl ApplicationHandler<ToWindow> for WindowApp {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        event_loop.set_control_flow(ControlFlow::Wait);
        if self.shown.is_none()
            && let Err(failure) = self.open(event_loop)
        {
            self.failure = Some(failure);
            event_loop.exit();
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, asked: ToWindow) {
        match asked {
            ToWindow::Picture => self.take_picture(),
            ToWindow::Copy(text) => self.clipboard.copy(text),
            ToWindow::Clipboard(ClipboardAct::Paste) => self.paste(Which::Copied),
            ToWindow::Clipboard(ClipboardAct::Select(text)) => self.clipboard.select(text),
            ToWindow::NotCopied(words) => {
                self.report(FromWindow::Notice(NoticeKind::Warning, words));
            }
            ToWindow::Pasted(which, pasted) => self.on_pasted(which, pasted),
            ToWindow::Minimise => {
                if let Some(shown) = &self.shown {
                    shown.window.set_minimized(true);
                }
            }
            ToWindow::FontsRead => {
                self.painter.draw_again();
                self.ask_for_drawing();
            }
            ToWindow::SystemDark(is_dark) => self.report(FromWindow::SystemDark(is_dark)),
            ToWindow::Ended => event_loop.exit(),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if let WindowEvent::RedrawRequested = event {
            if let Err(error) = self.draw() {
                self.failure = Some(error.to_string());
                event_loop.exit();
            }
            return;
        }
        self.on_event(event);
    }
}

/// A zoom, or the largest below it with which the window shows as much as the program needs.
fn fitted_zoom(zoom: Zoom, scale: f64, size: PhysicalSize<u32>) -> Zoom {
    zoom.fitted(|zoom| {
        let (cell, _) = cell_of(zoom.letter_size(scale));
        let (columns, rows) = cell.cells_in(size.width, size.height);
        columns >= SMALLEST.0 && rows >= SMALLEST.1
    })
}

fn known_button(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Middle => Some(Button::Middle),
        MouseButton::Right => Some(Button::Right),
        _ => None,
    }
}

/// The name by which desktops find the window's launcher entry, and its icon.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn with_name(attributes: winit::window::WindowAttributes) -> winit::window::WindowAttributes {
    use winit::platform::{wayland, x11};
    let attributes = wayland::WindowAttributesExtWayland::with_name(attributes, "toolcrib", "");
    x11::WindowAttributesExtX11::with_name(attributes, "toolcrib", "toolcrib")
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
fn with_name(attributes: winit::window::WindowAttributes) -> winit::window::WindowAttributes {
    attributes
}

/// The left Option key is Alt; the right one types what is printed on the keys.
#[cfg(target_os = "macos")]
fn prepare_keys(window: &Window) {
    use winit::platform::macos::{OptionAsAlt, WindowExtMacOS as _};
    window.set_option_as_alt(OptionAsAlt::OnlyLeft);
}

#[cfg(not(target_os = "macos"))]
fn prepare_keys(_window: &Window) {}

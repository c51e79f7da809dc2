//! What the terminal is drawn through: the crossterm backend, which takes as long for a cell as for
//! a run of cells that look the same, and gets runs as one cell each.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};

/// A run of fewer cells is given cell by cell: behind each run the cursor has to be moved.
const LEAST: usize = 8;

/// A cell and its place.
type Placed<'c> = (u16, u16, &'c Cell);

/// The crossterm backend, in runs.
pub(super) struct RunBackend<W: Write>(CrosstermBackend<W>);

impl<W: Write> RunBackend<W> {
    pub fn new(writer: W) -> Self {
        Self(CrosstermBackend::new(writer))
    }
}

/// The same cells, runs of those that look the same as one with the letters of all.
fn runs_of<'c>(cells: impl Iterator<Item = Placed<'c>>) -> Vec<(u16, u16, Cow<'c, Cell>)> {
    let mut runs = Vec::new();
    let mut run: Vec<Placed<'c>> = Vec::new();
    for (x, y, cell) in cells {
        let goes_on = run.last().is_some_and(|(before, row, last)| {
            before.saturating_add(1) == x && *row == y && looks_alike(last, cell)
        });
        if !goes_on {
            end_run(&mut run, &mut runs);
        }
        run.push((x, y, cell));
    }
    end_run(&mut run, &mut runs);
    runs
}

fn end_run<'c>(run: &mut Vec<Placed<'c>>, runs: &mut Vec<(u16, u16, Cow<'c, Cell>)>) {
    if run.len() < LEAST {
        return runs.extend(run.drain(..).map(|(x, y, cell)| (x, y, Cow::Borrowed(cell))));
    }
    let (x, y, first) = run[0];
    let mut whole = first.clone();
    whole.set_symbol(&run.drain(..).map(|(.., cell)| cell.symbol()).collect::<String>());
    runs.push((x, y, Cow::Owned(whole)));
}

fn looks_alike(one: &Cell, other: &Cell) -> bool {
    one.fg == other.fg
        && one.bg == other.bg
        && one.underline_color == other.underline_color
        && one.modifier == other.modifier
}

impl<W: Write> Backend for RunBackend<W> {
    type Error = io::Error;

    fn draw<'c, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'c Cell)>,
    {
        let runs = runs_of(content);
        self.0.draw(runs.iter().map(|(x, y, cell)| (*x, *y, &**cell)))
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.0.append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.0.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.0.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.0.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.0)
    }
}

impl<W: Write> Write for RunBackend<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{
        buffer::Buffer,
        layout::Rect,
        style::{Color, Modifier, Style},
    };

    use super::*;

    #[test]
    fn runs_hold_the_same_cells_at_the_same_places() {
        let area = Rect::new(0, 0, 40, 3);
        let mut shown = Buffer::empty(area);
        let red = Style::new().fg(Color::Red);
        shown.set_string(2, 0, "a run of one colour", red);
        shown.set_string(21, 0, "and one that is bold", red.add_modifier(Modifier::BOLD));
        shown.set_string(0, 1, "wide 世界 letters, a \u{1f469}\u{200d}\u{1f4bb}, more", red);
        shown.set_string(0, 2, "short", red.bg(Color::Blue));
        shown.set_string(30, 2, "apart from it", red.bg(Color::Blue));
        let before = Buffer::empty(area);
        let cells = before.diff(&shown);
        let runs = runs_of(cells.iter().copied());
        assert!(runs.len() < cells.len() / 2, "{} of {}", runs.len(), cells.len());
        let mut cells = cells.into_iter();
        for (x, y, run) in runs {
            let (mut text, mut at) = (String::new(), x);
            while text.len() < run.symbol().len() {
                let (column, row, cell) = cells.next().unwrap();
                assert_eq!((column, row), (at, y));
                assert!(looks_alike(&run, cell), "{run:?}, {cell:?}");
                text.push_str(cell.symbol());
                at += 1;
            }
            assert_eq!(text, run.symbol());
        }
        assert_eq!(cells.next(), None);
    }
}

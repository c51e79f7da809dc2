//! A screen as a picture: SVG text in cells, as sharp as a terminal and readable without one.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// A cell's width and height, and where the letters stand in it.
const CELL: (f32, f32) = (8.4, 18.0);
const BASELINE: f32 = 13.5;
const MARGIN: f32 = 10.0;

/// What a terminal shows where the program names no colour.
const PAPER: &str = "#16181d";
const INK: &str = "#d6d9de";

/// A piece of a row in one style.
struct Run {
    from: u16,
    cells: u16,
    text: String,
    ink: String,
    attachment: String,
    manner: String,
}

/// The screen as SVG, with words for those who cannot see it.
pub fn svg(screen: &Screen, words: &str) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let (width, height) =
        (f32::from(columns) * CELL.0 + 2.0 * MARGIN, f32::from(rows) * CELL.1 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" \
         aria-label=\"{words}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n<g font-family=\"ui-monospace, \
         'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    for row in 0..rows {
        svg.push_str(&drawn_row(screen, row, columns, f32::from(row) * CELL.1));
    }
    svg + "</g>\n</svg>\n"
}

/// A row as SVG, at this height.
fn drawn_row(screen: &Screen, row: u16, columns: u16, top: f32) -> String {
    let mut svg = String::new();
    for run in runs(screen, row, columns) {
        let (x, y) = (f32::from(run.from) * CELL.0 + MARGIN, top + MARGIN);
        let length = f32::from(run.cells) * CELL.0;
        if run.attachment != PAPER {
            let (height, attachment) = (CELL.1, &run.attachment);
            writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"{attachment}\"/>"
            )
            .unwrap();
        }
        if !run.text.trim().is_empty() {
            let (y, text) = (y + BASELINE, escape(&run.text));
            let (ink, manner) = (&run.ink, &run.manner);
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" fill=\"{ink}\"{manner}>{text}</text>")
                .unwrap();
        }
    }
    svg
}

/// Screens of one size, shown one after another for so many seconds each, again and again. Without
/// animation the first one is seen. A row that several of them have is written once.
pub struct Moving {
    size: (u16, u16),
    rows: Vec<String>,
    frames: Vec<(Vec<usize>, f32)>,
}

impl Moving {
    pub fn new(columns: u16, rows: u16) -> Self {
        Self { size: (columns, rows), rows: Vec::new(), frames: Vec::new() }
    }

    /// The screen as it is now, to be shown for so many seconds.
    pub fn add(&mut self, screen: &Screen, seconds: f32) {
        let (columns, rows) = self.size;
        let frame = (0..rows).map(|row| {
            let drawn = drawn_row(screen, row, columns, 0.0);
            self.rows.iter().position(|known| *known == drawn).unwrap_or_else(|| {
                self.rows.push(drawn);
                self.rows.len() - 1
            })
        });
        let frame = frame.collect();
        self.frames.push((frame, seconds));
    }

    /// The picture, with words for those who cannot see it.
    pub fn svg(&self, words: &str) -> String {
        let (width, height) = (
            f32::from(self.size.0) * CELL.0 + 2.0 * MARGIN,
            f32::from(self.size.1) * CELL.1 + 2.0 * MARGIN,
        );
        let whole: f32 = self.frames.iter().map(|(_, seconds)| seconds).sum();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" \
             aria-label=\"{words}\">\n<style>\n"
        );
        let mut begin = 0.0;
        for (number, (_, seconds)) in self.frames.iter().enumerate() {
            let (from, to) = (begin / whole * 100.0, (begin + seconds) / whole * 100.0);
            begin += seconds;
            let before = if number == 0 { "" } else { "0%{visibility:hidden}" };
            let after =
                if number + 1 == self.frames.len() { "" } else { "100%{visibility:hidden}" };
            let base = if number == 0 { "visible" } else { "hidden" };
            writeln!(
                svg,
                "@keyframes k{number}{{{before}{from:.2}%{{visibility:visible}}{to:.2}%{{visibility:hidden}}{after}}}\n\
                 #f{number}{{visibility:{base};animation:k{number} {whole:.1}s step-end infinite}}"
            )
            .unwrap();
        }
        write!(
            svg,
            "</style>\n<defs>\n<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" \
             xml:space=\"preserve\">\n"
        )
        .unwrap();
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            write!(svg, "<g id=\"r{number}\">\n{row}</g>\n").unwrap();
        }
        writeln!(
            svg,
            "</g>\n</defs>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n<g font-family=\"ui-monospace, \
             'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">"
        )
        .unwrap();
        for (number, (rows, _)) in self.frames.iter().enumerate() {
            writeln!(svg, "<g id=\"f{number}\">").unwrap();
            for (row, drawn) in
                rows.iter().enumerate().filter(|(_, row)| !self.rows[**row].is_empty())
            {
                let y = row as f32 * CELL.1;
                writeln!(svg, "<use href=\"#r{drawn}\" y=\"{y:.0}\"/>").unwrap();
            }
            svg.push_str("</g>\n");
        }
        svg + "</g>\n</svg>\n"
    }
}

fn runs(screen: &Screen, row: u16, columns: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else { continue };
        if cell.is_wide_continuation() {
            runs.last_mut().unwrap().cells += 1;
            continue;
        }
        let (ink, attachment) = colours(cell);
        let manner = manner(cell);
        let text = if cell.has_contents() { cell.contents() } else { " " };
        match runs.last_mut() {
            Some(run) if run.ink == ink && run.attachment == attachment && run.manner == manner => {
                run.cells += 1;
                run.text.push_str(text);
            }
            _ => runs.push(Run {
                from: column,
                cells: 1,
                text: text.into(),
                ink,
                attachment,
                manner,
            }),
        }
    }
    runs
}

fn colours(cell: &Cell) -> (String, String) {
    let ink = named(cell.fgcolor()).unwrap_or_else(|| INK.into());
    let attachment = named(cell.bgcolor()).unwrap_or_else(|| PAPER.into());
    if cell.inverse() { (attachment, ink) } else { (ink, attachment) }
}

fn manner(cell: &Cell) -> String {
    let mut manner = String::new();
    for (has, words) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
        (cell.dim(), " opacity=\"0.6\""),
    ] {
        if has {
            manner.push_str(words);
        }
    }
    manner
}

fn named(color: Color) -> Option<String> {
    const SIXTEEN: [&str; 16] = [
        "#1c1f26", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
        "#5c6370", "#ef8891", "#b1d196", "#ecd09c", "#84c1f3", "#d398e6", "#7fc8d1", "#ffffff",
    ];
    match color {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(index @ 0..16) => Some(SIXTEEN[usize::from(index)].into()),
        Color::Idx(index @ 16..232) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let (red, green, blue) = ((index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6);
            Some(format!("#{:02x}{:02x}{:02x}", level(red), level(green), level(blue)))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * (index - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

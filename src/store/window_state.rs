//! Where the window was and how large, for the next start.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::paths::Paths;

/// The window at the end of the last session; lengths in points, which are the same on displays of
/// any density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowState {
    pub width: f64,
    pub height: f64,
    /// From the left and the top, in pixels, where the system says it.
    pub place: Option<(i32, i32)>,
    pub is_maximised: bool,
    /// How many steps larger the letters are than they come.
    pub zoom: i64,
}

impl Default for WindowState {
    fn default() -> Self {
        Self { width: 1100.0, height: 720.0, place: None, is_maximised: false, zoom: 0 }
    }
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join("window.json")
}

/// Reads it; what is missing or makes no sense is as it comes.
#[must_use]
pub fn read_window_state(paths: &Paths) -> WindowState {
    let text = fs::read_to_string(file(paths)).unwrap_or_default();
    let kept: Value = serde_json::from_str(&text).unwrap_or_default();
    let length =
        |name: &str| kept[name].as_f64().filter(|length| (100.0..=20_000.0).contains(length));
    let at = |name: &str| kept[name].as_i64().and_then(|at| i32::try_from(at).ok());
    let usual = WindowState::default();
    WindowState {
        width: length("width").unwrap_or(usual.width),
        height: length("height").unwrap_or(usual.height),
        place: at("x").zip(at("y")),
        is_maximised: kept["maximised"].as_bool().unwrap_or(false),
        zoom: kept["zoom"].as_i64().unwrap_or(0),
    }
}

/// Keeps it; where that fails, the next window is as windows come.
pub fn keep_window_state(paths: &Paths, state: WindowState) {
    let WindowState { width, height, place, is_maximised, zoom } = state;
    let kept = json!({
        "width": width.round(),
        "height": height.round(),
        "x": place.map(|(x, _)| x),
        "y": place.map(|(_, y)| y),
        "maximised": is_maximised,
        "zoom": zoom,
    });
    let kept = paths
        .private_folder(".")
        .map_err(|problem| problem.to_string())
        .and_then(|_| fs::write(file(paths), kept.to_string()).map_err(|error| error.to_string()));
    if let Err(cause) = kept {
        tracing::warn!("the window's place can't be kept: {cause}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_kept_and_nonsense_is_as_it_comes() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        assert_eq!(read_window_state(&paths), WindowState::default());
        let state = WindowState {
            width: 900.0,
            height: 500.0,
            place: Some((-10, 20)),
            is_maximised: true,
            zoom: -2,
        };
        keep_window_state(&paths, state);
        assert_eq!(read_window_state(&paths), state);
        for nonsense in ["", "[]", r#"{"width": 3, "height": "x", "x": 1, "zoom": true}"#] {
            fs::write(file(&paths), nonsense).unwrap();
            assert_eq!(read_window_state(&paths), WindowState::default(), "{nonsense}");
        }
    }
}

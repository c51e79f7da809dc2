//! The user's browser, opened only when the user asks for it. No shell reads the URL.

use std::{
    io,
    process::{Command, Stdio},
};

/// Opens a page.
///
/// # Errors
/// When it is no page over HTTP, or there is nothing that opens one.
pub(crate) fn open_page(url: &str) -> io::Result<()> {
    let is_page = url.starts_with("https://") || url.starts_with("http://");
    if !is_page || url.contains(char::is_control) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no page over HTTP"));
    }
    let (program, first): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_vendor = "apple") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_pages_is_opened() {
        for url in ["file:///etc/passwd", "calc.exe", "-x", "https://h/\nx"] {
            assert_eq!(open_page(url).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{url}");
        }
    }
}

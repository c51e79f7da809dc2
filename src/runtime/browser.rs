//! The user's browser and the programs that show files, opened only when the user asks for it. No
//! shell reads the URL or the path.

use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{Command, Stdio},
};

/// Opens a page.
///
/// # Errors
/// When it is no page over HTTP, or there is nothing that opens one.
pub(crate) fn open_page(url: &str) -> io::Result<()> {
    let is_page = url.starts_with("https://") || url.starts_with("http://");
    if !is_page || url.contains(char::is_control) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it isn't an http:// or https:// \
            page",
        ));
    }
    open_target(url.as_ref())
}

/// Opens a file with the system's program for its type.
///
/// # Errors
/// When there is nothing that opens one.
pub(crate) fn open_file(path: &Path) -> io::Result<()> {
    open_target(path.as_os_str())
}

fn open_target(target: &OsStr) -> io::Result<()> {
    let (program, first): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_vendor = "apple") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(target);
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

//! Packs the documentation, and asks the linker of a release on Linux for a program that is smaller and holds less memory.
//!
//! Each option of the linker is tried first, on a program that does nothing: a linker that doesn't know it, or a system that can't run what it makes, builds without it.
//! `docs/performance.md` has what each is worth.

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flate2::{Compression, write::DeflateEncoder};

/// The pages of `toolcrib help`.
const PAGES: &str = "docs";

/// For `-T`: no tables for unwinding. A release aborts when it panics, and has no symbols that a backtrace could name.
const NO_UNWINDING: &str = "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) *(.gcc_except_table .gcc_except_table.*) } } INSERT AFTER .text;\n";

/// The functions that a usual session runs, which are put beside each other: `packaging/order.py` writes it.
const ORDER: &str = "packaging/function-order.txt";

fn main() {
    report("rerun-if-changed=build.rs");
    report(&format!("rerun-if-changed={ORDER}"));
    report("rerun-if-env-changed=TOOLCRIB_FUNCTION_ORDER");
    report(&format!("rerun-if-changed={PAGES}"));
    let folder = PathBuf::from(variable("OUT_DIR"));
    if let Err(error) = pack_pages(&folder) {
        report(&format!("error=packing the pages of {PAGES}: {error}"));
    }
    if variable("PROFILE") != "release" || variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let script = folder.join("no-unwinding.ld");
    let program = folder.join("empty.rs");
    if fs::write(&script, NO_UNWINDING).is_err() || fs::write(&program, "fn main() {}\n").is_err() {
        return;
    }
    let order = match variable("TOOLCRIB_FUNCTION_ORDER") {
        named if named.is_empty() => Path::new(&variable("CARGO_MANIFEST_DIR")).join(ORDER),
        named => named.into(),
    };
    let script = format!("-T{}", script.display());
    let order = format!("--symbol-ordering-file={}", order.display());
    // Functions with the same code are there once. All addresses are fixed at the start, and can't be
    // changed after it: .cargo/config.toml leaves that to this.
    let mut options: Vec<&[&str]> = vec![&["-z", "now"], &["--icf=all"]];
    // Packed relocations are read by glibc from 2.36 on. A linker of one's own may link for an older one.
    if variable("CARGO_CFG_TARGET_ENV") != "gnu" || variable("RUSTC_LINKER").is_empty() {
        options.push(&["-z", "pack-relative-relocs"]);
    }
    let (script, order) = (["--no-eh-frame-hdr", &script], ["--no-warn-symbol-ordering", &order]);
    options.extend([&script[..], &order[..]]);
    let mut accepted = Vec::new();
    for option in options {
        // A linker that a compiler calls has its options behind `-Wl`.
        let behind = format!("-Wl,{}", option.join(","));
        let ways = [vec![behind], option.iter().map(|&word| word.to_owned()).collect()];
        let tried = ways.into_iter().map(|way| [accepted.clone(), way].concat());
        if let Some(works) = tried.into_iter().find(|way| links(&program, &folder, way)) {
            accepted = works;
        }
    }
    for argument in accepted {
        report(&format!("rustc-link-arg-bin=toolcrib={argument}"));
    }
}

/// Deflates each page into a file of its name and `.deflate`: `src/cli/help.rs` unpacks the one that
/// is asked for.
fn pack_pages(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(PAGES)? {
        let page = entry?.path();
        if page.extension().is_some_and(|ending| ending == "md") {
            let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
            packed.write_all(&fs::read(&page)?)?;
            let name = page.with_extension("md.deflate");
            fs::write(folder.join(name.file_name().unwrap_or_default()), packed.finish()?)?;
        }
    }
    Ok(())
}

/// Whether a program is linked with these arguments, and runs.
fn links(program: &Path, folder: &Path, arguments: &[String]) -> bool {
    let linked = folder.join("empty");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.arg(program).arg("-o").arg(&linked).args(["--target", &variable("TARGET")]);
    rustc.args(["--edition", "2024", "-C", "panic=abort", "-C", "strip=symbols"]);
    let linker = variable("RUSTC_LINKER");
    if !linker.is_empty() {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS").split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    succeeds(&mut rustc) && succeeds(&mut Command::new(linked))
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// A variable of the environment, or nothing where it is not set.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn report(line: &str) {
    println!("cargo::{line}");
}

//! Numbers of any size and spelling stay as they are, from the file and the command line to what is
//! sent.

use std::{fs, path::Path, process::Command};

use toolcrib::app::message::ScreenId;

use crate::support::workbench::Workbench;

/// Beyond 64 bits, just beyond them, and one that a float would print differently.
pub const NUMBERS: [&str; 3] =
    ["12345678901234567890123", "18446744073709551616", "0.12345678901234567890123"];

const FILE: &str = "# kept\ntool:\n  count: {type: mcp-tool, mcp-tool: c, name: count, description: Counts,\n    limit: 5, \
                    huge: 12345678901234567890123, arguments: [{name: n, type: number, description: N}]}\n";

fn toolcrib(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_request_carries_every_digit_of_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tools.yaml"), FILE).unwrap();
    for number in NUMBERS {
        let file = folder.path().join("given.json");
        fs::write(&file, format!("{{\"n\": {number}}}")).unwrap();
        let pair = format!("n:={number}");
        for given in [vec![pair.as_str()], vec!["--args", "given.json"]] {
            let arguments =
                [vec!["call", "count", "--dry-run", "--connection", "ws://127.0.0.1:1"], given]
                    .concat();
            let (code, data, words) = toolcrib(folder.path(), &arguments);
            assert!(code == Some(0) && data.contains(number), "{number}: {data}{words}");
        }
    }
}

#[test]
fn other_numbers_in_an_entry_stay_when_a_field_is_edited() {
    let mut bench = Workbench::yaml(FILE, 120, 36).on(ScreenId::Tools);
    bench.keys("enter");
    // It is required, so it goes when that is asked for twice.
    bench.types("d");
    assert!(bench.shows("is required; remove again to remove it"), "{}", bench.screen());
    bench.types("d");
    let (_, document) = bench.state.documents.iter().next().unwrap();
    let text = document.source.as_ref().unwrap().text();
    assert!(text.contains("huge: 12345678901234567890123") && **text != *FILE, "{text}");
    assert!(document.is_changed());
}

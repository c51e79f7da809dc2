//! The client scenarios of MCP's conformance suite, as `tests/setup` installs it: all but those of
//! skills. `tests/real/mcp_conformance.py` does what a person at a terminal would do.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
};

use crate::support::{key_store::KeyRing, services::program};

/// What is not for us.
const LEFT_OUT: &str = "sep-2640-";

/// Those of both eras.
const IN_BOTH: &[&str] = &[
    "tools_call",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "json-schema-2020-12-preservation",
];

/// Those of the legacy era alone.
const LEGACY: &[&str] = &["initialize", "elicitation-sep1034-client-defaults", "sse-retry"];

/// Those of the modern era alone.
const MODERN: &[&str] = &[
    "request-metadata",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
];

/// What only the first servers with authorization did.
const OLDER: &[&str] =
    &["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];

/// Tokens that are got, or bound, in other ways.
const EXTENSIONS: &[&str] = &[
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/enterprise-managed-authorization",
    "auth/dpop",
    "auth/dpop-nonce",
    "auth/wif-jwt-bearer",
];

/// Runs the scenarios of a suite at once, in one process, whose clients wait in line.
fn run_suite(selection: &[&str], expected: &[&[&str]]) {
    let folder = tempfile::tempdir().unwrap();
    let turn = folder.path().join("turn");
    File::create(&turn).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/mcp_conformance.py");
    let python = program("TOOLCRIB_PYTHON");
    let client = format!("'{}' '{}' --drive", python.display(), script.display());
    let programs = program("TOOLCRIB_NPM");
    let ring = KeyRing::start();
    let (bus, address) = ring.variable();
    let ran = Command::new(programs.join("node"))
        .arg(programs.join("conformance"))
        .args(["client", "--verbose", "--timeout", "500000", "--command", &client])
        .args(selection)
        .arg("--output-dir")
        .arg(folder.path().join("out"))
        .env("TOOLCRIB", env!("CARGO_BIN_EXE_toolcrib"))
        .env("MCP_CONFORMANCE_TURN", &turn)
        .env(bus, address)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let summary = said.split("=== SUITE SUMMARY ===").nth(1);
    let summary = summary.unwrap_or_else(|| {
        panic!("no summary:\n{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    });
    let verdicts = |sign: &str| -> BTreeSet<&str> {
        let lines = summary.lines().filter_map(|line| line.strip_prefix(sign));
        let names = lines.filter_map(|line| line.trim().split(": ").next());
        names.filter(|name| !name.starts_with(LEFT_OUT)).collect()
    };
    let failed = verdicts("✗");
    let clients: String =
        failed.iter().map(|name| said_by_client(&folder.path().join("out"), name)).collect();
    assert_eq!(failed, BTreeSet::new(), "{summary}\n{clients}");
    assert_eq!(verdicts("✓"), expected.concat().into_iter().collect(), "{summary}");
}

/// What the client of a scenario printed, whose folder has its name and the time.
fn said_by_client(out: &Path, scenario: &str) -> String {
    let (folder, name) = scenario.rsplit_once('/').unwrap_or(("", scenario));
    let runs = fs::read_dir(out.join(folder)).into_iter().flatten().flatten();
    let of_it = runs.filter(|run| run.file_name().to_string_lossy().starts_with(name));
    let said = of_it.filter_map(|run| fs::read_to_string(run.path().join("stderr.txt")).ok());
    said.map(|text| format!("client of {scenario}:\n{text}\n")).collect()
}

#[test]
fn scenarios_of_2025_11_25_pass() {
    run_suite(&["--suite", "all", "--spec-version", "2025-11-25"], &[IN_BOTH, LEGACY]);
}

#[test]
fn scenarios_of_2026_07_28_pass() {
    run_suite(&["--suite", "all", "--spec-version", "2026-07-28"], &[IN_BOTH, MODERN]);
}

#[test]
fn scenarios_of_2025_03_26_pass() {
    run_suite(&["--suite", "backcompat"], &[OLDER]);
}

#[test]
fn scenarios_of_extensions_pass() {
    run_suite(&["--suite", "extensions"], &[EXTENSIONS]);
}

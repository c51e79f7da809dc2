#!/usr/bin/env python3
"""Makes packages of a binary that is already built; needs Python 3.9 and nothing else.

    packaging/build.py stage    BINARY              a tree with man pages, completions, icon, licences
    packaging/build.py archive  BINARY              the same as .tar.gz (.zip for Windows), with its SHA-256
    packaging/build.py wheel    BINARY              a wheel for PyPI that carries the binary
    packaging/build.py npm      BINARY              npm packages: one with the binary, one that chooses it
    packaging/build.py homebrew ARCHIVE… --repository OWNER/NAME
                                                    a formula that installs these archives

All write below target/package, or below --out. --target names what the binary runs on (by default this machine), --runs names
another binary that runs here, where BINARY itself doesn't (man pages and completions are asked from it).
"""

import argparse, base64, hashlib, io, json, os, platform, re, shutil, subprocess, sys, tarfile, time, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "toolcrib"
SUMMARY = "Terminal workbench for people who make tools for LLM agents"
# Of a released file, so that the same binary makes the same package.
EPOCH = (1980, 1, 1, 0, 0, 0)

# Rust's name of a platform: (npm's system, npm's processor, the wheel's platform where it isn't read from the binary)
TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64", None),
    "x86_64-unknown-linux-musl": ("linux", "x64", None),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", None),
    "aarch64-unknown-linux-musl": ("linux", "arm64", None),
    "x86_64-apple-darwin": ("darwin", "x64", "macosx_10_12_x86_64"),
    "aarch64-apple-darwin": ("darwin", "arm64", "macosx_11_0_arm64"),
    "x86_64-pc-windows-msvc": ("win32", "x64", "win_amd64"),
    "x86_64-pc-windows-gnu": ("win32", "x64", "win_amd64"),
}


def version():
    manifest = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', manifest, re.M).group(1)


def here():
    processor = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    system = {"Darwin": "apple-darwin", "Windows": "pc-windows-msvc"}.get(platform.system(), "unknown-linux-gnu")
    return f"{processor}-{system}"


def asked(program, *words):
    """What the program prints, with no settings of whoever runs this."""
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout


def commands(program, *above):
    """Its commands and theirs, as its help lists them: each as its words."""
    _, found, rest = asked(program, *above, "--help").decode().partition("\nCommands:\n")
    if not found:
        return
    for row in rest.split("\n\n", 1)[0].splitlines():
        if re.match(r"  \S", row) and row.split()[0] != "help":
            words = (*above, row.split()[0])
            yield words
            yield from commands(program, *words)


def has_window(runs):
    """Whether it was built with a window; only then its help lists the option."""
    return "--window" in asked(runs, "--help").decode()


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def third_parties(target, features):
    """The licences of every crate that is in the binary for that target: each text once."""
    tree = asked("cargo", "tree", "--locked", "--prefix", "none", "--edges", "normal", "--target", target, "--format", "{p}", *features).decode()
    wanted = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
    metadata = json.loads(asked("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target, *features))
    texts, bare, crates = {}, [], []
    for crate in sorted(metadata["packages"], key=lambda crate: (crate["name"], crate["version"])):
        if crate["name"] == NAME or (crate["name"], "v" + crate["version"]) not in wanted:
            continue
        title = f'{crate["name"]} {crate["version"]}'
        crates.append(f'{title}: {crate["license"] or "see its text"}')
        folder = Path(crate["manifest_path"]).parent
        files = [
            path for path in sorted(folder.iterdir())
            if path.is_file() and re.match(r"(licen[cs]e|copying|notice|unlicense|copyright)", path.name, re.I)
        ]
        for path in files:
            text = "\n".join(line.rstrip() for line in path.read_text(errors="replace").strip().splitlines())
            texts.setdefault(text, []).append(title)
        if not files:
            bare.append(f'{title} ({crate["license"]}), by {", ".join(crate["authors"]) or "its authors"}')
    missing = wanted - {(c["name"], "v" + c["version"]) for c in metadata["packages"]}
    if missing or len(crates) < 2:
        sys.exit(f"cargo metadata doesn't know {sorted(missing)[:5]}: are the crates fetched?")
    rule = "\n" + "=" * 100 + "\n"
    parts = [f"{NAME} {version()} contains these {len(crates)} crates:\n\n" + "\n".join(crates)]
    if bare:
        parts.append("Packages without a file of their licence, which is the one named here:\n\n" + "\n".join(bare))
    parts += [", ".join(titles) + "\n\n" + text for text, titles in sorted(texts.items(), key=lambda item: item[1])]
    return rule.join(parts) + "\n"


def debian_changelog():
    """The CHANGELOG's versions as Debian's tools read them; what changed is in the CHANGELOG itself."""
    maintainer = re.search(r'^maintainer = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    released = re.findall(r"^## \[(\d[^]]*)\] - (\d+-\d+-\d+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    entries = []
    for number, day in released:
        date = time.strftime("%a, %d %b %Y 00:00:00 +0000", time.strptime(day, "%Y-%m-%d"))
        entries.append(f"{NAME} ({number}-1) unstable; urgency=medium\n\n  * New version: changelog.gz says what changed.\n\n -- {maintainer}  {date}\n")
    return "\n".join(entries)


def stage(binary, target, runs, out):
    """The files of a package as they lie below /usr."""
    tree = fresh(out / "root")
    put(out / "changelog.Debian", debian_changelog())
    share = tree / "share"
    ending = ".exe" if "windows" in target else ""
    put(tree / "bin" / (NAME + ending), binary.read_bytes())
    (tree / "bin" / (NAME + ending)).chmod(0o755)
    put(share / f"man/man1/{NAME}.1", asked(runs, "man"))
    for words in commands(runs):
        put(share / "man/man1" / f"{'-'.join((NAME, *words))}.1", asked(runs, "man", *words))
    for shell, path in {
        "bash": f"bash-completion/completions/{NAME}",
        "zsh": f"zsh/site-functions/_{NAME}",
        "fish": f"fish/vendor_completions.d/{NAME}.fish",
        "powershell": f"{NAME}/completions/_{NAME}.ps1",
        "elvish": f"elvish/lib/completions/{NAME}.elv",
    }.items():
        put(share / path, asked(runs, "completions", shell))
    entry = (ROOT / f"packaging/{NAME}.desktop").read_text()
    window = has_window(runs)
    if not window:
        entry = entry.replace(f"{NAME} --window", NAME).replace("Terminal=false", "Terminal=true")
    put(share / f"applications/{NAME}.desktop", entry)
    put(share / f"icons/hicolor/scalable/apps/{NAME}.svg", (ROOT / f"packaging/{NAME}.svg").read_bytes())
    for file in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"):
        put(share / "doc" / NAME / file, (ROOT / file).read_bytes())
    if window:
        put(share / "doc" / NAME / "FONT-LICENSE", (ROOT / "src/runtime/window/fonts/LICENSE").read_bytes())
    put(share / "doc" / NAME / "THIRD-PARTY-LICENSES", third_parties(target, ["--features", "window"] if window else []))
    return tree


def archive(binary, target, runs, out):
    tree = stage(binary, target, runs, out)
    top = f"{NAME}-{version()}-{target}"
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    if "windows" in target:
        made = out / f"{top}.zip"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as pack:
            for path in files:
                pack.writestr(zipfile.ZipInfo(f"{top}/{path.relative_to(tree)}", EPOCH), path.read_bytes())
    else:
        made = out / f"{top}.tar.gz"
        with tarfile.open(made, "w:gz") as pack:
            for path in files:
                info = tarfile.TarInfo(f"{top}/{path.relative_to(tree)}")
                info.size, info.mode = path.stat().st_size, 0o755 if path.parent.name == "bin" else 0o644
                pack.addfile(info, io.BytesIO(path.read_bytes()))
    put(out / (made.name + ".sha256"), f"{digest(made)}  {made.name}\n")
    return made


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def platform_tag(binary, target):
    """What the wheel runs on: for Linux by the newest glibc that the binary asks for, or any where it is static."""
    known = TARGETS[target][2]
    if known:
        return known
    processor = target.split("-")[0]
    asks = binary.read_bytes()
    minors = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", asks)]
    # Packed relocations, which the loader reads from 2.36 on.
    if b"GLIBC_ABI_DT_RELR" in asks:
        minors.append(36)
    if "musl" in target and not minors:
        return f"manylinux_2_17_{processor}.manylinux2014_{processor}.musllinux_1_1_{processor}"
    if not minors:
        sys.exit(f"{binary} asks for no glibc, but is named {target}")
    return f"manylinux_2_{max(17, max(minors))}_{processor}"


def wheel(binary, target, runs, out):
    tree = stage(binary, target, runs, out)
    tag = platform_tag(binary, target)
    data, info = f"{NAME}-{version()}.data", f"{NAME}-{version()}.dist-info"
    files = {}
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        inner = path.relative_to(tree).as_posix()
        # Scripts go where pip puts commands, the rest below its prefix.
        files[f"{data}/scripts/{path.name}" if inner.startswith("bin/") else f"{data}/data/{inner}"] = path.read_bytes()
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        files[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: {NAME}\nVersion: {version()}\nSummary: {SUMMARY}\n"
        "License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\n"
        "Keywords: llm,agent,tools,tui,mcp\nRequires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n"
        + packages_readme()
    ).encode()
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n{tags}".encode()
    hashed = {name: base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode() for name, body in files.items()}
    record = "".join(f"{name},sha256={hashed[name]},{len(body)}\n" for name, body in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    made = out / f"{NAME}-{version()}-py3-none-{tag}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, body in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            pack.writestr(entry, body)
    return made


def packages_readme():
    """The README without its pictures and links, which lead nowhere outside of the repository."""
    lines = [line for line in (ROOT / "README.md").read_text().splitlines() if not line.startswith("![")]
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", "\n".join(lines)) + "\n"


def npm(binary, target, runs, out):
    """npm's way for programs: a package for each platform, and one that names them all as optional."""
    tree = stage(binary, target, runs, out)
    system, processor, _ = TARGETS[target]
    own = f"{NAME}-{system}-{processor}"
    common = {"version": version(), "license": "MIT OR Apache-2.0", "description": SUMMARY}
    folder = fresh(out / "npm" / own)
    shutil.copytree(tree, folder, dirs_exist_ok=True)
    put(folder / "README.md", f"The binary of {NAME} for {system} on {processor}. Install the package `{NAME}`.\n")
    manifest = {"name": own, **common, "os": [system], "cpu": [processor], "preferUnplugged": True, "files": ["bin", "share"]}
    put(folder / "package.json", json.dumps(manifest, indent=2) + "\n")
    chooser = fresh(out / "npm" / NAME)
    shutil.copy(ROOT / f"packaging/npm/{NAME}.js", chooser)
    put(chooser / "README.md", packages_readme())
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        shutil.copy(ROOT / name, chooser)
    platforms = sorted({f"{NAME}-{system}-{processor}" for system, processor, _ in TARGETS.values()})
    manifest = {
        "name": NAME, **common, "keywords": ["llm", "agent", "tools", "tui", "mcp"], "engines": {"node": ">=16"},
        "bin": {NAME: f"{NAME}.js"}, "files": [f"{NAME}.js", "LICENSE-*"],
        "optionalDependencies": {name: version() for name in platforms},
    }
    put(chooser / "package.json", json.dumps(manifest, indent=2) + "\n")
    return folder


def homebrew(archives, repository, out):
    if not repository or not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        sys.exit("--repository OWNER/NAME says where the archives are released")
    sums = {path.name.removeprefix(f"{NAME}-{version()}-").removesuffix(".tar.gz"): digest(path) for path in archives}
    blocks = []
    for system, word in (("apple-darwin", "macos"), ("unknown-linux-musl", "linux")):
        rows = []
        for processor, cpu in (("aarch64", "arm"), ("x86_64", "intel")):
            target = f"{processor}-{system}"
            if target in sums:
                url = f"https://github.com/{repository}/releases/download/v{version()}/{NAME}-{version()}-{target}.tar.gz"
                rows.append(f'    on_{cpu} do\n      url "{url}"\n      sha256 "{sums[target]}"\n    end\n')
        if rows:
            blocks.append(f"  on_{word} do\n{''.join(rows)}  end\n")
    if not blocks:
        sys.exit("none of these archives is for macOS, or static for Linux")
    formula = (ROOT / "packaging/homebrew.rb").read_text()
    for key, text in {"VERSION": version(), "REPOSITORY": repository, "  ARCHIVES\n": "\n".join(blocks)}.items():
        formula = formula.replace(key, text)
    made = out / f"{NAME}.rb"
    put(made, formula)
    return made


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("kind", choices=("stage", "archive", "wheel", "npm", "homebrew"))
    words.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    words.add_argument("--target", default=here(), choices=sorted(TARGETS))
    words.add_argument("--runs", type=Path)
    words.add_argument("--out", type=Path, default=ROOT / "target/package")
    words.add_argument("--repository")
    given = words.parse_args()
    paths = [path.resolve() for path in given.paths]
    out = given.out.resolve()
    runs = (given.runs or given.paths[0]).resolve()
    os.chdir(ROOT)
    if given.kind == "homebrew":
        print(homebrew(paths, given.repository, out))
    else:
        print(globals()[given.kind](paths[0], given.target, runs, out))


main()

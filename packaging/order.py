#!/usr/bin/env python3
"""Writes down which functions a usual session runs, so that the linker puts them beside each other.

    cargo rustc --release --bin toolcrib -- -C strip=none
    packaging/order.py target/release/toolcrib

It needs valgrind, and Linux. A page of the file that holds one function in use is held with all its neighbours: beside each other they take 3 MB, and 18 MB where they are spread.

The names hold the version of the compiler and of each crate. Where these differ, the linker finds none of them and nothing is lost; so write the file again when the compiler is a new one, when
Cargo.lock or the version in Cargo.toml changes, and sometimes beside that. --found says how many of the names a program has.
"""

import argparse, fcntl, os, pty, re, select, struct, subprocess, sys, tempfile, termios, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDER = ROOT / "packaging/function-order.txt"
SERVER = [sys.executable, str(ROOT / "benches/support/peers.py"), "mcp", "20", "500", "100000"]

KEYS = {"Enter": "\r", "Esc": "\x1b", "Tab": "\t", "Space": " ", "Up": "\x1b[A", "Down": "\x1b[B", "Left": "\x1b[D", "Right": "\x1b[C", "F6": "\x1b[17~", "BackTab": "\x1b[Z", "Ctrl+P": "\x10"}

# What is run, and the keys that are pressed then. The first is what everybody runs, and comes first in the file.
DEMO = ["demo"]
SESSIONS = [
    (DEMO, ""),
    (DEMO, "Down Down Up j k PageDown"),
    (DEMO, "2 Down Space Down Space Down s u Right Left Up 3 Tab Down Up F6 4 Down Up 1"),
    (DEMO, "Tab Down Down Enter X Y Esc u Down Down Enter Esc BackTab / a Enter Esc ? Down Esc Ctrl+P s a v e Esc"),
    (["mcp", "add", "bench", "--", *SERVER], None),
    (["mcp", "keep", "bench"], None),
    (["--allow-start", "."], "3 BackTab Down Down F6 Up Up F6 Down F6"),
    (["check", str(ROOT / "samples/demo")], None),
]


def program(line):
    """Runs a command line under callgrind, which writes the functions that ran."""
    return ["valgrind", "-q", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={line[0]}", *line[1:]]


def watch(terminal, seconds):
    """Takes what the program draws, and answers what it asks a terminal."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                drawn = os.read(terminal, 65536)
            except OSError:
                return False
            if b"\x1b[c" in drawn:
                os.write(terminal, b"\x1b[?62c")
    return True


def on_a_screen(command, keys, folder, variables):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, variables)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    # Under valgrind all takes fifty times as long.
    watch(terminal, 8)
    for key in keys.split():
        os.write(terminal, KEYS.get(key, key).encode())
        watch(terminal, 1.5)
    for key in "\x1bqn":
        os.write(terminal, key.encode())
        if not watch(terminal, 4):
            break
    else:
        os.kill(process, 15)
    os.waitpid(process, 0)


def names_that_ran(binary):
    """Each name once, in the order of the sessions."""
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "HOME": folder, "TERM": "xterm-256color"}
        variables = {name: value for name, value in variables.items() if not name.startswith("XDG_")}
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        (workspace / "toolcrib.toml").write_text('name = "order"\n')
        for number, (words, keys) in enumerate(SESSIONS):
            notes = Path(folder, f"functions-{number}")
            command = program([notes, str(binary), *words])
            if keys is None:
                subprocess.run(command, cwd=workspace, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            else:
                on_a_screen(command, keys, workspace, variables)
            before = len(names)
            for found in re.finditer(r"^c?fn=\(\d+\) (\S+?)(?:'\d+)?$", notes.read_text(), re.M):
                names.setdefault(found[1])
            print(f"{' '.join(words[:2])} {keys or ''}: {len(names) - before} functions more")
    return names


def symbols(binary):
    """Address and size of each name of a function."""
    listed = subprocess.run(["nm", "-S", binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [row.split() for row in listed.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "tTwW"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the program, with its symbols")
    parser.add_argument("--out", type=Path, default=ORDER)
    parser.add_argument("--found", action="store_true", help="say how many names of the file the program has, and write nothing")
    words = parser.parse_args()
    binary = words.binary.resolve()
    there = symbols(binary)
    if not there:
        sys.exit(f"{binary} has no symbols: build it with `-C strip=none`")
    if words.found:
        listed = [row for row in words.out.read_text().splitlines() if not row.startswith("#")]
        print(f"{sum(name in there for name in listed)} of {len(listed)} names")
        return
    # Functions with the same code are one, with many names.
    ran = {there[name]: name for name in reversed(names_that_ran(binary)) if name in there}
    compiler = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    head = f"# Functions that a usual session runs. Written by packaging/order.py; {compiler}.\n"
    words.out.write_text(head + "".join(f"{name}\n" for name in reversed(ran.values())))
    print(f"{len(ran)} functions, {sum(size for _, size in ran) / 1e6:.1f} MB, in {words.out}")


if __name__ == "__main__":
    main()

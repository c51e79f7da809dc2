#!/usr/bin/env python3
"""Runs toolcrib for a long time under conditions that no user wants, and prints a report.

    cargo build --release
    python3 tests/soak/soak.py --toolcrib target/release/toolcrib --hours 2

Parts, one after another, each with the same seed:

    monkey    random keys, mouse events, pastes and sizes in a pseudo-terminal, on a copy of each sample
    kills     the program is killed while it saves, and started again: files are whole, and the drafts are there
    full      no file may grow (RLIMIT_FSIZE, as on a full disk): saving fails, and says so; no file is harmed
    peers     servers that send nothing, nonsense, halves and floods, and cut connections: each command ends, and says why
    readers   every reader of src/fuzzing.rs takes mutations of its corpus, as in ./test but with other seeds and for long

The monkey and the readers share the time; the others run so many times. --part NAME runs one of them, --seed N the same run again, --events N the monkey's number of events in place of the
time, --session N one of its sessions. It needs Python 3.10 and Linux
(/proc), and cargo for the readers. It ends with 1 where something was found; the report names the seed, and the folder with what is left of each finding.
"""
import argparse
import fcntl
import json
import os
import pathlib
import pty
import random
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples"

# ---------------------------------------------------------------------------------------------------------------------------- a terminal


class Terminal:
    """The program in a pseudo-terminal of its own."""

    def __init__(self, command, folder, home, size=(120, 36), limit=None):
        self.output = bytearray()
        self.hangs = False
        self.command = command
        self.process, self.file = pty.fork()
        if self.process == 0:
            if limit is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            os.chdir(folder)
            os.execvpe(command[0], command, environment(home))
        os.set_blocking(self.file, False)
        self.resize(*size)
        self.ended = None

    def resize(self, columns, rows):
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def go_on(self):
        """As a shell does with fg, where the program has suspended itself."""
        try:
            state = pathlib.Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "T":
            os.kill(self.process, signal.SIGCONT)

    def describe(self):
        """What each thread does: its state, where it waits, and the ticks of processor time that it takes in a second."""

        def threads():
            for task in sorted(pathlib.Path(f"/proc/{self.process}/task").glob("*")):
                name, _, rest = (task / "stat").read_text().rpartition(")")
                fields = rest.split()
                yield task.name, name.partition("(")[2], fields[0], int(fields[11]) + int(fields[12]), (task / "wchan").read_text()

        try:
            before = {thread: ticks for thread, _, _, ticks, _ in threads()}
            time.sleep(1)
            lines = [f"{name} {state} {wchan} +{ticks - before.get(thread, 0)}" for thread, name, state, ticks, wchan in threads()]
        except OSError as error:
            lines = [str(error)]
        return "\n".join(lines + [f"load {os.getloadavg()}"])

    def send(self, data):
        """Writes all of it; False if the program has ended, or takes nothing for half a minute."""
        end = time.monotonic() + 30
        while data:
            if self.has_ended():
                return False
            try:
                data = data[os.write(self.file, data):]
                end = time.monotonic() + 30
            except BlockingIOError:
                self.read(0.01)
                self.go_on()
                if time.monotonic() > end:
                    self.hangs = True
                    return False
            except OSError:
                self.has_ended()
                return False
        return True

    def read(self, seconds):
        """Takes in what comes until nothing has come for so long."""
        while select.select([self.file], [], [], seconds)[0]:
            try:
                data = os.read(self.file, 1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                break
            if not data:
                break
            self.output += data
            if b"\x1b[c" in data:
                os.write(self.file, b"\x1b[?62;22c")
            del self.output[:-200_000]

    def wait_for(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text.encode() not in self.output and time.monotonic() < end and not self.has_ended():
            self.read(0.05)
        return text.encode() in self.output

    def has_ended(self):
        if self.ended is None:
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                self.ended = os.waitstatus_to_exitcode(status)
        return self.ended is not None

    def kill(self):
        if not self.has_ended():
            os.kill(self.process, signal.SIGKILL)
            _, status = os.waitpid(self.process, 0)
            self.ended = os.waitstatus_to_exitcode(status)
        os.close(self.file)

    def measure(self):
        """Memory in MB, and how many files are open."""
        try:
            status = pathlib.Path(f"/proc/{self.process}/status").read_text()
            files = len(os.listdir(f"/proc/{self.process}/fd"))
        except OSError:
            return None
        held = next((line for line in status.splitlines() if line.startswith("VmRSS")), "VmRSS: 0 kB")
        return int(held.split()[1]) / 1024, files


def environment(home):
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
    return kept | {
        "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor", "EDITOR": "true", "VISUAL": "true", "BROWSER": "true",
        "NO_AT_BRIDGE": "1", "RUST_BACKTRACE": "1",
    }


# ------------------------------------------------------------------------------------------------------------------------------- the run


class Run:
    def __init__(self, toolcrib, seed, folder):
        self.toolcrib = str(pathlib.Path(toolcrib).resolve())
        self.seed = seed
        self.folder = folder
        self.findings = []
        self.counts = {}

    def place(self, name):
        home = self.folder / name / "home"
        work = self.folder / name / "work"
        home.mkdir(parents=True)
        work.mkdir()
        return home, work

    def find(self, part, words, terminal=None):
        number = len(self.findings) + 1
        self.findings.append(f"{part}: {words}")
        print(f"FOUND {part}: {words}", flush=True)
        if terminal is not None:
            (self.folder / f"finding-{number}.txt").write_bytes(bytes(terminal.output))
            if not terminal.has_ended():
                (self.folder / f"finding-{number}-threads.txt").write_text(terminal.describe())

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def check_end(self, part, terminal, home, words):
        """What must never be seen, however the program ended."""
        if terminal.ended == 101 or (terminal.ended or 0) < 0 and terminal.ended != -signal.SIGKILL:
            self.find(part, f"{words}: the program ended with {terminal.ended}", terminal)
        elif b"panicked at" in terminal.output:
            self.find(part, f"{words}: a panic is on the screen", terminal)
        for log in home.rglob("*.log*"):
            if "panicked at" in log.read_text(errors="replace"):
                self.find(part, f"{words}: a panic is in {log}")
                log.unlink()


# ----------------------------------------------------------------------------------------------------------------------------- the monkey

KEYS = [
    *("\r \t \x1b[Z \x1b[A \x1b[B \x1b[C \x1b[D \x1b[H \x1b[F \x1b[5~ \x1b[6~ \x1b[2~ \x1b[3~ \x7f".split(" ")),
    *("\x1bOP \x1bOQ \x1bOR \x1b[17~ \x1b[18~ \x1b[19~ \x1b[20~ \x1b[1;2A \x1b[1;2B \x1b[1;3C \x1b[1;5D \x1b[1;5C".split(" ")),
    *(chr(number) for number in (1, 2, 4, 5, 6, 7, 10, 11, 12, 14, 16, 18, 20, 21, 22, 23, 24, 25)),
    *"123456", *"123456", "\x1b\x1b", "\x1b\x1b", "\r", "\r", "\t", "\x1b[A", "\x1b[B",
]
TEXTS = ["joke", "read-only", "nats://127.0.0.1:1", "{\"a\": [1, 2", "äöü€😀👨‍👩‍👧", "\u202egnirts", "x" * 3000, "- a\n- b: [\n", "null", "1e400", "${parameters.q}", "\x00\x07"]


def event(luck, size):
    kind = luck.random()
    if kind < 0.55:
        return luck.choice(KEYS).encode()
    if kind < 0.8:
        return luck.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789 ./?<>[]+-*=:,;!\"'#$%&()_").encode()
    column, row = luck.randint(1, size[0]), luck.randint(1, size[1])
    if kind < 0.9:
        button = luck.choice([0, 0, 0, 2, 64, 65])
        pressed = f"\x1b[<{button};{column};{row}M"
        return (pressed if button > 60 else pressed + f"\x1b[<{button};{column};{row}m").encode()
    if kind < 0.94:
        return f"\x1b[<0;{column};{row}M\x1b[<32;{luck.randint(1, size[0])};{luck.randint(1, size[1])}M\x1b[<0;{column};{row}m".encode()
    if kind < 0.98:
        return b"\x1b[200~" + luck.choice(TEXTS).encode("utf-8", "surrogatepass") + b"\x1b[201~"
    return bytes(luck.randrange(256) for _ in range(luck.randint(1, 6)))


SIZES = [(120, 36), (80, 24), (200, 60), (60, 16), (99, 30), (1, 1), (250, 16), (40, 80)]
SESSION = 20_000


def monkey(run, seconds, events, only=None):
    samples = sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir())
    end = time.monotonic() + seconds
    done, session = 0, only or 0
    grown = []
    while (done < events) if events else (time.monotonic() < end):
        if only not in (None, session):
            break
        luck = random.Random(f"{run.seed} monkey {session}")
        sample = samples[session % len(samples)]
        home, work = run.place(f"monkey-{session}")
        shutil.copytree(SAMPLES / sample, work, dirs_exist_ok=True)
        size = luck.choice(SIZES[:3])
        terminal = Terminal([run.toolcrib, "."], work, home, size)
        terminal.wait_for("NAV")
        first, sent = None, 0
        limit = SESSION if not events else min(SESSION, events - done)
        while sent < limit and (events or time.monotonic() < end):
            if luck.random() < 0.002:
                size = luck.choice(SIZES)
                terminal.resize(*size)
            if not terminal.send(event(luck, size)):
                break
            sent += 1
            if sent % 20 == 0:
                terminal.read(0)
            if sent % 500 == 0:
                terminal.read(0.02)
            if sent == 1_000:
                first = terminal.measure()
        terminal.go_on()
        last = terminal.measure()
        if terminal.hangs:
            run.find("monkey", f"session {session} ({sample}) takes no keys after {sent} events", terminal)
        elif not terminal.has_ended():
            # It still answers: a size that it has to draw for.
            terminal.resize(120, 36)
            terminal.read(0.3)
            del terminal.output[:]
            terminal.resize(121, 36)
            # A busy machine may take long over it.
            patience = time.monotonic() + 30
            while not terminal.output and not terminal.has_ended() and time.monotonic() < patience:
                terminal.read(0.2)
            if not terminal.output and not terminal.has_ended():
                run.find("monkey", f"session {session} ({sample}) draws nothing after {sent} events", terminal)
            if first and last:
                grown.append((last[0] - first[0], last[1] - first[1], sample))
        terminal.kill()
        run.check_end("monkey", terminal, home, f"session {session} ({sample}), event {sent}")
        run.count("events of the monkey", sent)
        run.count("its sessions")
        done += sent
        session += 1
        if not run.findings:
            shutil.rmtree(work.parent, ignore_errors=True)
    if grown:
        memory, files = max(grown, key=lambda row: row[0]), max(grown, key=lambda row: row[1])
        run.counts["memory at the end of a session, more than after 1,000 events, at most"] = f"{memory[0]:.1f} MB ({memory[2]})"
        run.counts["open files, the same, at most"] = f"{files[1]} ({files[2]})"
        if files[1] > 50:
            run.find("monkey", f"{files[1]} more files are open at the end of a session ({files[2]})")


# ------------------------------------------------------------------------------------------------------------------------ kills, full disk

TOOLS = "tool:\n" + "".join(
    f"  tool-{number}:\n    type: text-completion\n    name: Tool {number}\n    description: Does a thing of kind {number}.\n" for number in range(300))


def tools_file(work):
    (work / "tools.yaml").write_text(TOOLS)
    (work / "toolcrib.toml").write_text('name = "soak"\n')


def type_description(terminal, luck, again=False):
    """Goes to a tool, types into its description, and saves."""
    terminal.send((b"\x1b[Z" if again else b"") + b"\x1b[B" * luck.randint(1, 30) + b"\t")
    terminal.send((b"" if again else b"\x1b[B" * 2) + b"i" + f"soak{luck.randrange(10**6)} ".encode() + b"\x1b")
    # A key right after Esc is one with Alt.
    terminal.read(0.1)
    terminal.send(b"s")


def is_whole(run, work):
    """Whether every file of the workspace can be read."""
    ran = subprocess.run([run.toolcrib, "check", "--json"], cwd=work, capture_output=True, text=True, env=environment(work.parent / "home"), timeout=60)
    if ran.returncode not in (0, 1):
        return f"check ends with {ran.returncode}: {ran.stderr.strip()[:200]}"
    text = (work / "tools.yaml").read_text()
    if text.count("\n  tool-") != 300:
        return f"tools.yaml has {text.count(chr(10) + '  tool-')} tools of 300"
    return None


def kills(run, times):
    luck = random.Random(f"{run.seed} kills")
    home, work = run.place("kills")
    tools_file(work)
    saved = TOOLS
    for number in range(times):
        terminal = Terminal([run.toolcrib, "."], work, home)
        if not terminal.wait_for("NAV"):
            run.find("kills", f"start {number} shows nothing", terminal)
        for turn in range(luck.randint(1, 3)):
            type_description(terminal, luck, turn > 0)
        time.sleep(luck.random() * 0.05)
        terminal.kill()
        run.check_end("kills", terminal, home, f"kill {number}")
        wrong = is_whole(run, work)
        saved, before = (work / "tools.yaml").read_text(), saved
        run.count("kills after which the file was another", int(saved != before))
        if wrong:
            run.find("kills", f"after kill {number}: {wrong}", terminal)
            tools_file(work)
        run.count("kills")


def full(run, times):
    luck = random.Random(f"{run.seed} full")
    home, work = run.place("full")
    tools_file(work)
    for number in range(times):
        before = (work / "tools.yaml").read_bytes()
        limit = luck.choice([0, 1, 100, 4_096, 20_000])
        terminal = Terminal([run.toolcrib, "."], work, home, limit=limit)
        terminal.wait_for("NAV")
        type_description(terminal, luck)
        terminal.read(0.3)
        if terminal.has_ended():
            run.find("full", f"run {number}, files of at most {limit} bytes: the program ended with {terminal.ended}", terminal)
        terminal.kill()
        run.check_end("full", terminal, home, f"run {number}")
        if (work / "tools.yaml").read_bytes() != before:
            run.find("full", f"run {number}: tools.yaml changed although files may have {limit} bytes at most", terminal)
            tools_file(work)
        run.count("runs on a full disk")


# ----------------------------------------------------------------------------------------------------------------------------------- peers


def greeting(luck, kind):
    """What a peer begins with, by what it pretends to be."""
    return {
        "nats": b'INFO {"server_id":"x","version":"2.10.0","max_payload":1048576,"headers":true}\r\nPING\r\n',
        "http": b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    }.get(kind, b"")


def behave(connection, luck, kind, stop):
    """One of the ways in which a peer can be bad."""
    way = luck.choice(["silent", "noise", "half", "flood", "close", "slow", "long line"])
    connection.settimeout(2)
    try:
        if way == "close":
            return
        if luck.random() < 0.7:
            start = greeting(luck, kind)
            connection.sendall(start if way != "half" else start[: luck.randint(0, len(start))])
        if way == "half":
            return
        while not stop.is_set():
            if way == "silent":
                stop.wait(0.2)
            elif way == "noise":
                connection.sendall(luck.randbytes(luck.randint(1, 500)))
            elif way == "flood":
                connection.sendall(b"PING\r\n" * 1000 if kind == "nats" else b"5\r\ndata:\r\n" * 1000)
            elif way == "long line":
                connection.sendall(b"x" * 100_000)
            else:
                connection.sendall(luck.randbytes(1))
                stop.wait(0.05)
    except OSError:
        pass
    finally:
        connection.close()


def peers(run, times):
    luck = random.Random(f"{run.seed} peers")
    for number in range(times):
        kind = luck.choice(["nats", "http", "ws", "amqp", "mcp", "model"])
        home, work = run.place(f"peer-{number}")
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]
        stop = threading.Event()
        seed = luck.randrange(1 << 30)

        def serve():
            ways = random.Random(seed)
            while not stop.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=behave, args=(connection, random.Random(ways.random()), kind, stop), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        shutil.copytree(SAMPLES / "first-call", work, dirs_exist_ok=True)
        tool = "tell-joke"
        address = {"nats": "nats", "http": "http", "ws": "ws", "amqp": "amqp", "mcp": "http", "model": "http"}[kind] + f"://127.0.0.1:{port}"
        settings = f'\n[connections.peer]\nservers = ["{address}"]\n'
        settings += 'system = "mcp"\n' if kind == "mcp" else ""
        settings += '[connections.peer.model]\nname = "m"\n' if kind == "model" else ""
        with (work / "toolcrib.toml").open("a") as file:
            file.write(settings)
        commands = {
            "mcp": [["mcp", "ping", "peer"], ["mcp", "list", "peer"]],
            "model": [["ask", "hello", "--model", "peer", "--yes", "--timeout", "2s"]],
        }.get(kind, [["call", tool, "topic=cats", "--connection", "peer", "--timeout", "2s"], ["tools", "--deployed", "--connection", "peer"], ["watch", "--for", "1s", "--connection", "peer"]])
        command = luck.choice(commands)
        begun = time.monotonic()
        try:
            ran = subprocess.run([run.toolcrib, *command], cwd=work, capture_output=True, env=environment(home), timeout=60, stdin=subprocess.DEVNULL)
            if ran.returncode not in (0, 1, 2, 3, 4):
                run.find("peers", f"{number}: {kind} {' '.join(command)} ends with {ran.returncode}: {ran.stderr.decode(errors='replace')[-300:]}")
            elif b"panicked" in ran.stderr:
                run.find("peers", f"{number}: {kind} {' '.join(command)} panics: {ran.stderr.decode(errors='replace')[-300:]}")
            elif ran.returncode and not ran.stderr.strip():
                run.find("peers", f"{number}: {kind} {' '.join(command)} ends with {ran.returncode} and no word")
            run.count(f"peers, {kind}")
        except subprocess.TimeoutExpired:
            run.find("peers", f"{number}: {kind} {' '.join(command)} still runs after {time.monotonic() - begun:.0f} s (seed {seed})")
        stop.set()
        server.close()
        shutil.rmtree(work.parent, ignore_errors=True)


# --------------------------------------------------------------------------------------------------------------------------------- readers

ROUND = 2_000
# What the largest corpus needs, a test binary with debug assertions around it.
MOST_MEMORY = 1 << 30


def test_binary():
    """The library's tests, built if need be."""
    command = ["cargo", "test", "--lib", "--features", "window", "--no-run", "--message-format", "json"]
    built = subprocess.run(command, cwd=HERE.parent.parent, stdout=subprocess.PIPE, text=True, check=True)
    artifacts = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return next(artifact["executable"] for artifact in artifacts if artifact.get("executable"))


def readers(run, seconds):
    binary = test_binary()
    names = sorted(folder.name for folder in (HERE.parent.parent / "fuzz" / "corpus").iterdir())
    end, number, most = time.monotonic() + seconds, 0, (0, "")
    while time.monotonic() < end:
        name, seed = names[number % len(names)], run.seed + number // len(names)
        number += 1
        given = os.environ | {"TOOLCRIB_READER": name, "TOOLCRIB_READER_CASES": str(ROUND), "PROPTEST_RNG_SEED": str(seed)}
        words = f"TOOLCRIB_READER={name} TOOLCRIB_READER_CASES={ROUND} PROPTEST_RNG_SEED={seed} ./test --lib readers_take_odd_texts"
        said = run.folder / f"reader-{name}.txt"
        with said.open("wb") as output:
            process = subprocess.Popen(
                [binary, "readers_take_odd_texts"], cwd=HERE.parent.parent, env=given, stdout=output, stderr=subprocess.STDOUT)
        timer = threading.Timer(600, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        most = max(most, (used.ru_maxrss * 1024, name))
        run.count("mutated texts that readers took", ROUND)
        if process.returncode == -signal.SIGKILL:
            run.find("readers", f"{words}: still runs after 600 s")
        elif process.returncode:
            run.find("readers", f"{words}: ends with {process.returncode}: {said}")
        elif used.ru_maxrss * 1024 > MOST_MEMORY:
            run.find("readers", f"{words}: takes {used.ru_maxrss // 1024} MB")
        else:
            said.unlink()
    run.counts["memory of the test binary, at most"] = f"{most[0] >> 20} MB ({most[1]})"


# ------------------------------------------------------------------------------------------------------------------------------------ main


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--toolcrib", required=True)
    options.add_argument("--hours", type=float, default=0.1)
    options.add_argument("--events", type=int, default=0)
    options.add_argument("--session", type=int, help="one session of the monkey alone")
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options.add_argument("--part", choices=["monkey", "kills", "full", "peers", "readers"], action="append")
    options.add_argument("--json", action="store_true", help="also print the counts as JSON")
    chosen = options.parse_args()
    run = Run(chosen.toolcrib, chosen.seed, pathlib.Path(tempfile.mkdtemp(prefix="toolcrib-soak-")))
    print(f"seed {run.seed}, {run.folder}", flush=True)
    begun = time.monotonic()
    left = lambda: chosen.hours * 3600 - (time.monotonic() - begun)
    # The readers have a third of the time where the monkey runs too.
    share = 1 if chosen.part == ["readers"] else 3
    parts = {
        "kills": lambda: kills(run, chosen.kills),
        "full": lambda: full(run, chosen.kills // 4),
        "peers": lambda: peers(run, chosen.kills),
        "readers": lambda: readers(run, max(60, left() / share)),
        "monkey": lambda: monkey(run, max(60, left()), chosen.events, chosen.session),
    }
    for name, part in parts.items():
        if not chosen.part or name in chosen.part:
            part()
    print(f"\n{time.monotonic() - begun:.0f} s, seed {run.seed}")
    for what, number in run.counts.items():
        print(f"{what}: {number}")
    print(f"findings: {len(run.findings)}")
    for finding in run.findings:
        print(f"  {finding}")
    if chosen.json:
        print(json.dumps({"seed": run.seed, "counts": run.counts, "findings": run.findings}))
    if not run.findings:
        shutil.rmtree(run.folder, ignore_errors=True)
    sys.exit(1 if run.findings else 0)


if __name__ == "__main__":
    main()

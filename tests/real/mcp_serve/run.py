"""Lets MCP clients and the conformance suite that others wrote use `toolcrib serve --mcp`, over stdio and HTTP, in both eras, and prints a table.
Needs npm with a network the first time, for Node 22, the Inspector and the suite. See README.md of the folder above."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ["node@22", "@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.2.0-alpha.12"]
# Scenarios that want what this server does not have, and says so: skills, tools of the modern era that ask under keys that the scenario chooses, tools that
# can be called as tasks alone.
NOT_HERE = re.compile(r"^(sep-2640|input-required-|tasks-required-task-error|tasks-mrtr-composition)")
# Checks of other scenarios that want it: tools that cannot be called without sampling or elicitation.
KNOWN = {
    # A tool that fails is a result with isError, also where its server refuses the call.
    "tasks-lifecycle": {"sep-2663-tasks-get-status-failed"},
    # What a server behind the tools asks goes to the client one by one.
    "tasks-mrtr-input": {"tasks-mrtr-partial-fulfillment"},
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream"},
}
parser = argparse.ArgumentParser()
parser.add_argument("--toolcrib", required=True)
parser.add_argument("--clients", default="target/mcp-clients", help="where the clients are installed, once")
parser.add_argument("--only", default="", help="what stands in the first columns of the table")
arguments = parser.parse_args()
TOOLCRIB, CLIENTS = str(Path(arguments.toolcrib).resolve()), Path(arguments.clients).resolve()
failed = []


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **options)


def install():
    for major, wanted in (("1", "mcp<2"), ("2", "mcp==2.3.0")):
        folder = CLIENTS / f"python{major}"
        if not (folder / "done").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([folder / "bin/pip", "install", "-q", wanted], check=True)
            (folder / "done").touch()
    npm = CLIENTS / "npm"
    if not (npm / "done").exists():
        npm.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "init", "-y"], cwd=npm, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["npm", "install", "--silent", PACKAGES[0]], cwd=npm, check=True)
        # The others want that Node already when they are installed.
        path = f"{npm / 'node_modules/.bin'}:{os.environ['PATH']}"
        subprocess.run(["npm", "install", "--silent", *PACKAGES[1:]], cwd=npm, check=True, env={**os.environ, "PATH": path})
        (npm / "done").touch()
    os.environ["PATH"] = f"{npm / 'node_modules/.bin'}:{os.environ['PATH']}"


def workspace():
    """A copy of the fixture with the list of its server, in a home of its own."""
    home = Path(tempfile.mkdtemp(prefix="toolcrib-serve-"))
    # Clients hand on HOME, and none of these.
    os.environ["HOME"] = str(home)
    for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        os.environ.pop(variable, None)
    place = home / "workspace"
    shutil.copytree(HERE, place)
    for line in (["mcp", "add", "fixture", "--", sys.executable, str(place / "fixture.py")], ["mcp", "keep", "fixture"]):
        done = run(TOOLCRIB, *line, cwd=place)
        assert done.returncode == 0, done.stderr
    return place


def row(client, what, holds, words=""):
    print(f"{'ok  ' if holds else 'FAIL' if holds is not None else '-   '} {client:<34} {what:<44} {words}".rstrip(), flush=True)
    if holds is False:
        failed.append(f"{client}: {what}")


class Serving:
    """The server over HTTP; a fresh one each time, as calls move its state."""

    def __init__(self, place):
        self.line = [TOOLCRIB, "serve", "--mcp", "--stub", "stubs.yaml", "--http", "127.0.0.1:0"]
        self.place = place

    def __enter__(self):
        self.child = subprocess.Popen(self.line, cwd=self.place, stderr=subprocess.PIPE, text=True)
        for line in self.child.stderr:
            if line.startswith("listening at "):
                self.log = open(self.place.parent / "log", "a")
                self.drain = subprocess.Popen(["cat"], stdin=self.child.stderr, stdout=self.log)
                return line.split()[-1]
        raise SystemExit("it did not start")

    def __exit__(self, *_):
        self.child.terminate()
        if self.child.wait() != 0:
            failed.append("the server did not end cleanly")
        self.drain.wait()


def wanted(*columns):
    return arguments.only in " ".join(columns)


def sdk(place):
    stdio = [TOOLCRIB, "serve", "--mcp", "--workspace", str(place), "--stub", str(place / "stubs.yaml")]
    for major, era in (("1", "legacy"), ("2", "legacy"), ("2", "auto")):
        for over in ("stdio", "http"):
            client = f"mcp {major}.x, {era}, {over}"
            if not wanted(client):
                continue
            python = CLIENTS / f"python{major}/bin/python"
            if over == "stdio":
                done = run(python, HERE / "sdk_client.py", era, *stdio)
            else:
                with Serving(place) as url:
                    done = run(python, HERE / "sdk_client.py", era, url)
            for line in done.stdout.splitlines():
                told = json.loads(line)
                row(client, told["check"], told["holds"], "" if told["holds"] else told["saw"])
            row(client, "it ends", done.returncode == 0, done.stderr.strip()[-200:] if done.returncode else "")


def inspector(place):
    stdio = [TOOLCRIB, "serve", "--mcp", "--workspace", place, "--stub", place / "stubs.yaml"]
    calls = (("tools/list", [], '"test_simple_text"'), ("tools/call", ["--tool-name", "test_simple_text"], "for testing"),
             ("tools/call", ["--tool-name", "test_error_handling"], "intentionally"))
    for over in ("stdio", "http"):
        for method, more, expected in calls:
            client, what = f"Inspector --cli, {over}", " ".join([method, *more[1:]])
            if not wanted(client, what):
                continue
            if over == "stdio":
                done = run("mcp-inspector", "--cli", *stdio, "--method", method, *more)
            else:
                with Serving(place) as url:
                    done = run("mcp-inspector", "--cli", url, "--transport", "http", "--method", method, *more)
            said = done.stdout + done.stderr
            row(client, what, expected in said, "" if expected in said else said.strip()[-200:])


def conformance(place):
    listed = run("conformance", "list").stdout.split("Client scenarios")[0]
    scenarios = re.findall(r"^\s+- (\S+) \[([^\]]*)\]", listed, re.M)
    for scenario, versions in scenarios:
        for version in [version for version in ("2025-11-25", "2026-07-28") if version in versions or ("extension" in versions and version > "2026")]:
            client = f"conformance, {version}"
            if not wanted(client, scenario):
                continue
            if NOT_HERE.match(scenario):
                row(client, scenario, None, "not here")
                continue
            with Serving(place) as url:
                forced = ["--force"] if "extension" in versions else []
                done = run("conformance", "server", "--url", url, "--scenario", scenario, "--spec-version", version, *forced)
            said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
            result = re.search(r"Passed: .*", said)
            holds = done.returncode == 0
            words = result.group(0) if result else said.strip()[-200:]
            broken = set(re.findall(r"\[(\S+)\s*\] FAILURE", said))
            if not holds and broken and broken <= KNOWN.get(scenario, set()):
                holds, words = True, f"{words}; all of them want what is not here"
            row(client, scenario, holds, words)


install()
place = workspace()
sdk(place)
inspector(place)
conformance(place)
print(f"\n{len(failed)} failed" if failed else "\nall passed")
sys.exit(bool(failed))

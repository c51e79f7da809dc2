#!/usr/bin/env python3
"""Runs the client scenarios of MCP's conformance suite against toolcrib, one by one, and prints a table.

    npm install --prefix DIR @modelcontextprotocol/conformance@0.2.0-alpha.12 node@22
    eval "$(tests/setup)"
    tests/real/mcp_conformance.py --suite DIR --toolcrib target/debug/toolcrib [--only NAME] [--version 2025-11-25] [--keep FOLDER]

The suite runs a client with a server's URL. Here the client is this script with --drive: it does what a person at a terminal would do, with toolcrib's
own commands (`mcp list`, `mcp auth --sign-in`, `call`), in a workspace of its own with a key store of its own. Where toolcrib prints the URL of a page,
the script opens it, as a browser would; the suite's authorization servers allow everything. The scenarios about skills are left out.

tests/all/mcp_conformance.rs has the suite run all scenarios of a revision at once, whose clients then wait in line (MCP_CONFORMANCE_TURN names a file
for that) and share a key store.
"""
import argparse
import fcntl
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

LEFT_OUT = "sep-2640-"
# How often a person would sign in again.
TRIES = 4


def toolcrib(*arguments, **options):
    return subprocess.run([os.environ["TOOLCRIB"], *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


class KeyStore:
    """GNOME Keyring on a bus of its own."""

    def __init__(self, folder):
        at = pathlib.Path(folder)
        (at / "services").mkdir()
        (at / "password").write_text("the keyring's own")
        libraries = os.environ.get("TOOLCRIB_KEYRING_LIBRARIES")
        env = f"LD_LIBRARY_PATH='{libraries}' " if libraries else ""
        (at / "wake").write_text(
            f"#!/bin/sh\ncd '{at}'\necho $$ > pid\nexec env {env}HOME='{at}' '{os.environ['TOOLCRIB_KEYRING']}' --foreground --components=secrets "
            f"--control-directory=control --unlock < password\n")
        (at / "wake").chmod(0o700)
        (at / "services/org.freedesktop.secrets.service").write_text(f"[D-BUS Service]\nName=org.freedesktop.secrets\nExec={at}/wake\n")
        (at / "bus.conf").write_text(
            f"<busconfig><type>session</type><listen>unix:dir={at}</listen><auth>EXTERNAL</auth><servicedir>{at}/services</servicedir>"
            '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>')
        self.at = at
        self.bus = subprocess.Popen([os.environ["TOOLCRIB_DBUS_DAEMON"], "--nofork", "--print-address=1", "--config-file", str(at / "bus.conf")],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
        self.address = self.bus.stdout.readline().strip()

    def stop(self):
        self.bus.kill()
        self.bus.wait()
        try:
            os.kill(int((self.at / "pid").read_text()), signal.SIGKILL)
        except (OSError, ValueError):
            pass


class Client:
    """toolcrib in a workspace with a connection `server`."""

    def __init__(self, folder, url):
        self.folder = folder
        version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
        self.context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
        era = "modern" if version >= "2026" else "legacy"
        settings = ["[connections.server]", 'system = "mcp"', 'transport = "http"', f"servers = {json.dumps(url)}", f'era = "{era}"']
        scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
        client = self.context.get("client_id")
        if scenario == "auth/basic-cimd":
            client = "https://conformance-test.local/client-metadata.json"
        if client:
            settings.append(f"client-id = {json.dumps(client)}")
        if "client_secret" in self.context:
            os.environ["CLIENT_SECRET"] = self.context["client_secret"]
            settings.append('client-secret-variable = "CLIENT_SECRET"')
        if scenario.startswith("auth/client-credentials"):
            settings.append('grant = "client-credentials"')
        if "private_key_pem" in self.context:
            os.environ["CLIENT_PEM"] = self.context["private_key_pem"]
            settings.append('client-pem-variable = "CLIENT_PEM"')
        identity = self.context.get("valid_jwt") or self.context.get("idp_id_token")
        if identity:
            os.environ["IDENTITY_TOKEN"] = identity
            settings.append('identity-token-variable = "IDENTITY_TOKEN"')
            settings.append(f'grant = "{"workload-identity" if "valid_jwt" in self.context else "enterprise-managed"}"')
        for name in ("idp_token_endpoint", "idp_client_id"):
            if name in self.context:
                settings.append(f"{name.replace('_', '-')} = {json.dumps(self.context[name])}")
        pathlib.Path(folder, "toolcrib.toml").write_text("\n".join(settings) + "\n")

    def run(self, *arguments):
        ran = toolcrib(*arguments, cwd=self.folder)
        print("$ toolcrib", shlex.join(arguments), f"-> {ran.returncode}\n{ran.stdout[-4000:]}{ran.stderr[-4000:]}", file=sys.stderr)
        return ran

    def sign_in(self, *scopes):
        """As a person: asks for a token, opens the page that is printed, waits."""
        arguments = ["mcp", "auth", "server", "--sign-in", *(word for scope in scopes for word in ("--scope", scope))]
        print("$ toolcrib", shlex.join(arguments), file=sys.stderr)
        child = subprocess.Popen([os.environ["TOOLCRIB"], *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        page = child.stdout.readline().strip()
        if page:
            try:
                urllib.request.urlopen(page, timeout=10).read()
            except OSError as error:
                print(f"the page answers {error}", file=sys.stderr)
        child.stdout.read()
        return child.wait() == 0

    def authorized(self, *arguments):
        """Runs a command; where the server wants another token, gets one and runs it again, as often as toolcrib says that it helps."""
        for _ in range(TRIES):
            ran = self.run(*arguments)
            if ran.returncode == 0:
                return ran
            if "--sign-in --scope" in ran.stderr:
                wanted = ran.stderr.split('--sign-in --scope "')[1].split('"')[0].split()
            elif "--sign-in" in ran.stderr:
                wanted = []
            else:
                return ran
            if not self.sign_in(*wanted):
                return ran
        return ran

    def tools(self):
        ran = self.authorized("mcp", "list", "server", "--json")
        return json.loads(ran.stdout)["tools"] if ran.returncode == 0 else None

    def call(self, name, arguments):
        # The scenarios send what they want to see refused, too; a form is accepted as it is filled in.
        given = ["--connection", "server", "--no-check", "--args", json.dumps(arguments), "--answer", "accept"]
        return self.authorized("call", name, *given).returncode == 0


def arguments_of(tool):
    """Something for each argument that a tool requires."""
    schema = tool.get("inputSchema") or {}
    samples = {"string": "text", "integer": 5, "number": 5, "boolean": True, "array": [], "object": {}}
    properties = schema.get("properties", {})
    kind = lambda name: properties.get(name, {}).get("type", "string")
    return {name: samples.get(kind(name), "text") for name in schema.get("required", [])}


def drive(url):
    """One scenario; where a file is named to wait in line at, when it is this one's turn."""
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    if scenario.startswith(LEFT_OUT):
        return 0
    with open(os.environ.get("MCP_CONFORMANCE_TURN", os.devnull)) as turn:
        if "MCP_CONFORMANCE_TURN" in os.environ:
            fcntl.flock(turn, fcntl.LOCK_EX)
        return drive_scenario(url, scenario)


def drive_scenario(url, scenario):
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{kind}_HOME": f"{folder}/{kind}" for kind in ("CONFIG", "STATE", "CACHE")}, HOME=folder)
        os.mkdir(f"{folder}/keyring")
        shared = "MCP_CONFORMANCE_TURN" in os.environ
        store = KeyStore(f"{folder}/keyring") if scenario.startswith("auth/") and not shared else None
        if store:
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = store.address
        try:
            os.mkdir(f"{folder}/work")
            return drive_in(f"{folder}/work", url, scenario)
        finally:
            if store:
                store.stop()


def drive_in(folder, url, scenario):
    client = Client(folder, url)
    tools = client.tools()
    if tools is None:
        return 1
    # The server of the second has its list alone.
    if scenario in ("initialize", "json-schema-ref-no-deref"):
        return 0
    if scenario == "json-schema-2020-12-preservation":
        focal = next(tool for tool in tools if tool["name"] != "json_schema_echo")
        return 0 if client.call("json_schema_echo", {"schema": focal["inputSchema"]}) else 1
    given = client.context.get("toolCalls")
    calls = [(call["name"], call.get("arguments", {})) for call in given] if given else [(tool["name"], arguments_of(tool)) for tool in tools]
    done = [client.call(name, arguments) for name, arguments in calls]
    if scenario == "auth/authorization-server-migration":
        done.append(client.call(*calls[0]))
    if scenario == "http-standard-headers":
        client.run("mcp", "list", "server")
    return 0 if all(done) else 1


def listed(suite):
    text = subprocess.run([*suite, "list"], capture_output=True, text=True).stdout
    names = []
    for line in text.split("Client scenarios")[1].split("Authorization server scenarios")[0].splitlines():
        if line.startswith("  - "):
            name, versions = line[4:].rsplit(" [", 1)
            names.append((name, versions.rstrip("]").split(",")))
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("url", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--suite", help="the folder that the suite was installed in")
    parser.add_argument("--toolcrib", default="target/debug/toolcrib")
    parser.add_argument("--only", action="append", default=[], help="scenarios whose names begin so")
    parser.add_argument("--version", help="one revision of the protocol; else each scenario in all of its own from 2025-11-25 on")
    parser.add_argument("--keep", help="keeps what the suite wrote of each scenario")
    options = parser.parse_args()
    if options.drive:
        sys.exit(drive(options.url))
    binaries = pathlib.Path(options.suite, "node_modules/.bin").resolve()
    suite = [str(binaries / "node"), str(binaries / "conformance")]
    os.environ["TOOLCRIB"] = str(pathlib.Path(options.toolcrib).resolve())
    command = f"{sys.executable} {pathlib.Path(__file__).resolve()} --drive"
    kept = pathlib.Path(options.keep or tempfile.mkdtemp())
    rows = []
    for name, versions in listed(suite):
        if name.startswith(LEFT_OUT) or options.only and not any(name.startswith(only) for only in options.only):
            continue
        wanted = [version for version in versions if version[0].isdigit() and version >= "2025-11-25" and version in (options.version or version)]
        # Extensions and what was only in older revisions run once, as the suite likes.
        for version in wanted or [None] * (not options.version or "extension" in versions):
            begun = time.monotonic()
            out = kept / name / (version or "any")
            line = [*suite, "client", "--command", command, "--scenario", name, "-o", str(out), "--timeout", "60000"]
            line += ["--spec-version", version] if version else ["--spec-version", versions[0]] if versions[0] != "extension" else []
            ran = subprocess.run(line, capture_output=True, text=True)
            out.mkdir(parents=True, exist_ok=True)
            (out / "suite.txt").write_text(ran.stdout + ran.stderr)
            summary = [text for text in (ran.stdout + ran.stderr).splitlines() if text.startswith("Passed: ")]
            rows.append((name, version or versions[0], ran.returncode == 0))
            print(f"{'pass' if ran.returncode == 0 else 'FAIL'}  {name:44} {version or versions[0]:12} {time.monotonic() - begun:5.1f} s  {summary[-1] if summary else ''}", flush=True)
    passed = sum(ok for *_, ok in rows)
    print(f"{passed} of {len(rows)} pass; what was said is in {kept}")
    if not options.keep and passed == len(rows):
        shutil.rmtree(kept)
    sys.exit(0 if passed == len(rows) else 1)


main()

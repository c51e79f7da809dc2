"""TrustGraph's own gateway, configuration service, agent and MCP service on a Pulsar broker, without a database and a language model.

    deployment.py BROKER PORT

Upstream's programs run as they are but for two: the configuration service keeps its table in memory, and a script answers for the language
model (and for the librarian, which the agent tells its thoughts). Everybody may do everything, but a token must look like one. Prints READY
once the gateway and the agent answer, and then a line for each prompt that it was asked and for each time the agent has loaded its tools. Ends when standard input is closed.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
import types
import urllib.error
import urllib.request

SERVICES = ["prompt", "mcp-tool", "agent", "text-completion", "graph-rag", "structured-query", "embeddings", "row-embeddings-query"]
TOOLS = {
    "ask-model": {"type": "text-completion", "name": "ask-model", "description": "Asks", "group": ["read"], "state": "asked"},
    "shout": {"type": "prompt", "name": "shout", "description": "Shouts", "template": "shout", "group": ["read"],
              "arguments": [{"name": "words", "type": "string", "description": "What"}],
              "applicable-states": ["asked"], "state": "shouted"},
}


def pair(service):
    return {way: f"{way}:tg:{service}:default:default" for way in ("request", "response")}


def seed():
    agent = dict(pair("agent"), next="request:tg:agent:default:default", explainability="flow:tg:explainability:default:default")
    for service in SERVICES:
        agent |= {f"{service}-{way}": queue for way, queue in pair(service).items()}
    agent |= {"librarian-request": "request:tg:librarian:default", "librarian-response": "response:tg:librarian:default"}
    flow = {"description": "", "interfaces": {service: pair(service) for service in SERVICES}}
    entries = {
        "flow": {"default": flow},
        "processor:agent-manager": {"default": {"topics": agent, "parameters": {}}},
        "processor:mcp-tool": {"default": {"topics": pair("mcp-tool"), "parameters": {}}},
        "tool": TOOLS,
        "prompt": {"system": "Be brief.", **{f"template.{name}": {"prompt": "x"} for name in ("agent-react", "question", "shout")}},
    }
    table = {("default", kind, key): json.dumps(value) for kind, of in entries.items() for key, value in of.items()}
    table[("__workspaces__", "workspace", "default")] = json.dumps({"enabled": True})
    return table


class Table:
    """In place of Cassandra's."""

    def __init__(self, *_):
        self.version, self.rows = 1, seed()

    async def inc_version(self):
        self.version += 1

    async def get_version(self):
        return self.version

    async def put_config(self, workspace, kind, key, value):
        self.rows[(workspace, kind, key)] = value

    async def get_value(self, workspace, kind, key):
        return self.rows.get((workspace, kind, key))

    async def get_values(self, workspace, kind):
        return [[k, v] for (w, c, k), v in self.rows.items() if (w, c) == (workspace, kind)]

    async def get_values_all_ws(self, kind):
        return [(w, k, v) for (w, c, k), v in self.rows.items() if c == kind]

    async def get_keys_all_ws(self, kind):
        return [(w, k) for (w, c, k) in self.rows if c == kind]

    async def get_all(self):
        return [(*place, value) for place, value in self.rows.items()]

    async def get_all_for_workspace(self, workspace):
        return [(c, k, v) for (w, c, k), v in self.rows.items() if w == workspace]

    async def get_keys(self, workspace, kind):
        return [k for (w, c, k) in self.rows if (w, c) == (workspace, kind)]

    async def delete_key(self, workspace, kind, key):
        self.rows.pop((workspace, kind, key), None)


def config():
    for name in ("cassandra", "cassandra.cluster", "cassandra.auth", "cassandra.query"):
        sys.modules.setdefault(name, types.ModuleType(name))
    table = types.ModuleType("trustgraph.tables.config")
    table.ConfigTableStore = Table
    sys.modules["trustgraph.tables.config"] = table
    from trustgraph.config.service import run

    run()


def gateway():
    from aiohttp import web
    from trustgraph.gateway import auth, service

    bound, start = web.run_app, auth.IamAuth.start
    # As it comes it listens everywhere, and waits a minute for a key that never comes.
    service.web.run_app = lambda app, **rest: bound(app, host="127.0.0.1", **rest)
    auth.IamAuth.start = lambda self: start(self, max_retries=1, retry_delay=0.1)
    service.run()


def other(module):
    def role():
        __import__(module, fromlist=["run"]).run()

    return role


ROLES = {
    "config": config,
    "gateway": gateway,
    "no-auth": other("trustgraph.iam.noauth"),
    "agent": other("trustgraph.agent.react"),
    "mcp": other("trustgraph.agent.mcp_tool"),
}


def answer(id, terms, streaming):
    """What the language model says, in pieces."""
    if id != "agent-react":
        said = {"question": "The answer is ", "shout": "HEY "}.get(id)
        if said is None:
            return None
        given = next(iter(terms.values()), "")
        return [said, given.upper() if id == "shout" else given, "."] if streaming else [said + given + "."]
    done = len(terms.get("history") or [])
    wanted = terms["question"].split(" then ")
    names = [tool["name"] for tool in terms["tools"]]
    print(json.dumps({"tools": names, "history": done}), flush=True)
    if wanted[0] == "fail":
        return None
    if done >= len(wanted):
        text = "Thought: That is all\nFinal Answer: done after " + str(done)
    else:
        argument = "words" if wanted[done] == "shout" else "question"
        text = f"Thought: I will use {wanted[done]}\nAction: {wanted[done]}\nArgs: " + json.dumps({argument: "why"})
    return [line + "\n" for line in text.split("\n")] if streaming else [text]


class Model:
    """Answers for the language model, and says nothing much for the librarian."""

    def __init__(self, broker):
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        from buses import Pulsar

        self.prompt, self.librarian, self.broker = Pulsar(), Pulsar(), broker

    async def run(self):
        for bus in (self.prompt, self.librarian):
            await bus.open(self.broker)
        await self.prompt.listen("non-persistent://tg/request/prompt:default:default", self.asked)
        await self.librarian.listen("non-persistent://tg/request/librarian:default", self.told)
        print("model listens", flush=True)
        await asyncio.Event().wait()

    async def told(self, message):
        await self.librarian.send("non-persistent://tg/response/librarian:default", b"{}", message.id)
        await self.librarian.flush()

    async def asked(self, message):
        request = json.loads(message.data)
        terms = {name: json.loads(value) for name, value in request["terms"].items()}
        pieces = answer(request["id"], terms, request["streaming"])
        replies = [{"error": {"type": "llm-error", "message": "the model is out"}, "text": "", "end_of_stream": True}]
        if pieces is not None:
            replies = [{"error": None, "text": piece, "end_of_stream": False} for piece in pieces]
            replies = replies + [{"text": "", "end_of_stream": True}] if request["streaming"] else [replies[0] | {"end_of_stream": True}]
        for reply in replies:
            await self.prompt.send("non-persistent://tg/response/prompt:default:default", json.dumps(reply).encode(), message.id)
        await self.prompt.flush()


ready = threading.Event()


def lines_of(child, wanted, seen, heard):
    for line in child.stdout:
        text = line.decode(errors="replace")
        seen.append(text)
        if wanted in text:
            heard.set()
        if text.startswith("{"):
            print(text, end="", flush=True)
        loaded = re.search(r"Loaded (\d+) tools for", text)
        if loaded and ready.is_set():
            print(json.dumps({"loaded": int(loaded[1])}), flush=True)


def answers(port):
    try:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/config", b'{"operation":"list","type":"tool"}')
        return urllib.request.urlopen(request, timeout=5).status == 200
    except (urllib.error.URLError, OSError):
        return False


def main(broker, port):
    common = ["--pulsar-host", broker, "--no-metrics", "--no-loki-enabled"]
    starts = [
        ("model", [broker], "model listens"),
        ("config", [*common, "--cassandra-host", "none"], ""),
        ("no-auth", common, ""),
        ("mcp", [*common, "--id", "mcp-tool"], "Started flow: default/default"),
        ("agent", [*common, "--id", "agent-manager"], "Loaded 2 tools"),
        ("gateway", [*common, "--port", port, "--timeout", "5"], ""),
    ]
    children, waits, logs = [], [], {}
    for role, arguments, wanted in starts:
        command = [sys.executable, os.path.abspath(__file__), "--as", role, *arguments]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        heard, seen = threading.Event(), logs.setdefault(role, [])
        threading.Thread(target=lines_of, args=(child, wanted or "\0", seen, heard), daemon=True).start()
        children.append(child)
        waits += [(role, heard)] if wanted else []

    def end():
        for child in children:
            child.kill()
        os._exit(0)

    threading.Thread(target=lambda: (sys.stdin.read(), end()), daemon=True).start()
    while not (all(heard.is_set() for _, heard in waits) and answers(port)):
        if any(child.poll() is not None for child in children):
            print("\n".join(f"== {role}\n{''.join(seen[-40:])}" for role, seen in logs.items()), flush=True)
            end()
        time.sleep(0.1)
    print("READY", flush=True)
    ready.set()
    threading.Event().wait()


if __name__ == "__main__":
    if sys.argv[1] == "--as":
        role, sys.argv = sys.argv[2], [sys.argv[0], *sys.argv[3:]]
        if role == "model":
            asyncio.run(Model(sys.argv[1]).run())
        else:
            ROLES[role]()
    else:
        main(*sys.argv[1:])

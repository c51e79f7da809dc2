"""An MCP server for cases: it counts, fails, hangs and dies as they want it."""

import json
import os
import sys

NAMES = ["echo", "count", "login", "fail", "hang", "die"]
counted = 0


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def result(number, text, failed=False):
    content = [{"type": "text", "text": text}]
    send({"id": number, "result": {"content": content, "isError": failed}})


def call(number, name, arguments):
    global counted
    if name == "echo":
        result(number, arguments.get("text", ""))
    elif name == "count":
        counted += 1
        result(number, f"call {counted}")
    elif name == "login":
        result(number, json.dumps({"visit": "v-17", "rows": [{"id": 7}]}))
    elif name == "fail":
        result(number, "upstream unavailable", failed=True)
    elif name == "hang":
        open("hanging", "w").close()
    elif name == "die":
        # The first time two other calls are under way.
        if not os.path.exists("died"):
            open("died", "w").close()
            sys.stdin.readline()
            sys.stdin.readline()
        sys.exit(1)


for line in iter(sys.stdin.readline, ""):
    message = json.loads(line)
    number, method = message.get("id"), message.get("method")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        about = {"name": "cases", "version": "1"}
        send({"id": number, "result": {
            "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}})
    elif method == "tools/list":
        tools = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in NAMES]
        send({"id": number, "result": {"tools": tools}})
    elif method == "tools/call":
        call(number, message["params"]["name"], message["params"].get("arguments", {}))
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})

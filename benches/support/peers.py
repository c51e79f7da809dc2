"""What the programs of benches/peers.rs talk to: an MCP server, or an HTTP server that prints its port.

    peers.py mcp TOOLS MESSAGES BYTES
    peers.py http BYTES
"""

import json
import sys

LINE = "%08d " + "abcdefghij" * 7 + "\n"


def large(size):
    return "".join(LINE % number for number in range(size // 80))


def mcp(tools, many, size):
    def say(message):
        sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n")
        sys.stdout.flush()

    def answer(id, text):
        say({"id": id, "result": {"content": [{"type": "text", "text": text}]}})

    def tool(name):
        schema = {"type": "object", "properties": {}}
        return {"name": name, "description": "Does one of many things", "inputSchema": schema}

    # Progress for a client that asks for it, log messages for the others.
    progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d of many"}}\n'
    log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"bench","data":"step %d of many"}}\n'

    def flood(id, params):
        token = params.get("_meta", {}).get("progressToken")
        for step in range(many):
            sys.stdout.write(log % step if token is None else progress % (json.dumps(token), step + 1, many, step))
        answer(id, "all work is done")

    for line in sys.stdin:
        message = json.loads(line)
        id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if method == "initialize":
            version = params["protocolVersion"]
            capabilities = {"tools": {}, "logging": {}}
            say({"id": id, "result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "bench", "version": "1"}}})
        elif method == "tools/list":
            names = ["flood", "large"] + ["tool-%05d" % number for number in range(tools)]
            say({"id": id, "result": {"tools": [tool(name) for name in names]}})
        elif method == "tools/call" and params["name"] == "flood":
            flood(id, params)
        elif method == "tools/call":
            answer(id, large(size) if params["name"] == "large" else "a small answer")
        elif method in ("ping", "logging/setLevel"):
            say({"id": id, "result": {}})
        elif id is not None:
            say({"id": id, "error": {"code": -32601, "message": "no such method"}})


def http(size):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    bodies = {"/large": large(size).encode(), "/small": b"a small answer\n"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = bodies[self.path]
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


{"mcp": mcp, "http": http}[sys.argv[1]](*map(int, sys.argv[2:]))

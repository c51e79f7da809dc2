"""Unique's own search proxy on loopback: the real program, with what it asks outside answered here.

    PYTHON search_proxy.py

Google's API is a server of this process, Gemini writes what it is told to, and pages of the host `pages.test` are read from this process.
All else is the package's: routes, checks, errors, events. It prints its address once it listens.
"""
import asyncio
import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit


class Upstream(BaseHTTPRequestHandler):
    """Google's custom search: results that repeat what was asked for."""

    def do_GET(self):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        query = asked.get("q", "")
        if query == "broken":
            return self.answer(500, {"error": {"message": "backend error"}})
        told = " ".join(f"{name}={asked[name]}" for name in ("gl", "num", "safe") if name in asked)
        items = [{"link": f"https://example.org/{row}", "title": f"{query} {row}", "snippet": told} for row in (1, 2)]
        self.answer(200, {"items": [] if query == "nothing" else items})

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
threading.Thread(target=upstream.serve_forever, daemon=True).start()
os.environ.update(
    EXPOSE_DOCS=os.environ.get("EXPOSE_DOCS", "true"),
    GOOGLE_SEARCH_API_KEY="k",
    GOOGLE_SEARCH_ENGINE_ID="cx",
    GOOGLE_SEARCH_API_ENDPOINT=f"http://127.0.0.1:{upstream.server_port}/customsearch/v1",
)

import uvicorn  # noqa: E402
from unique_search_proxy_client.web.app import app  # noqa: E402
from unique_search_proxy_client.web.core.agent_engines.vertexai import service as vertexai  # noqa: E402


async def written(*, contents, **_):
    """What Gemini streams for a question: its words, one by one; `fail` breaks off."""
    for word in contents.split(" "):
        if word == "fail":
            raise RuntimeError("the model stopped")
        yield SimpleNamespace(text=word + " ")
        await asyncio.sleep(0)


vertexai.get_vertex_client = lambda _: object()
vertexai.stream_vertexai_response = written
vertexai.serialize_vertex_response = lambda chunk: {"text": chunk.text}

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
# Whoever connects from now on waits until it is served.
listener.listen(128)
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)


def end_with_input():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])

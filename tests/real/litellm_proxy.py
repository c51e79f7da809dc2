#!/usr/bin/env python3
"""Runs `toolcrib ask` against LiteLLM's proxy, over both APIs, whole and streamed, and prints a table.

    python3 -m venv DIR && DIR/bin/pip install 'litellm[proxy]'
    cargo build
    tests/real/litellm_proxy.py --litellm DIR/bin/litellm --toolcrib target/debug/toolcrib

Two kinds of models stand behind the proxy: its own mocks (`mock_response`, `mock_tool_calls`, a mocked rate limit), and an upstream of this script that
speaks OpenAI's chat completions. Of the upstream's replies LiteLLM itself makes both APIs' forms, also Anthropic's stream, so what toolcrib reads is
LiteLLM's and nobody's here. LiteLLM's mocks stream no tool calls, and its mocks of Anthropic's API are always whole.
"""
import argparse
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

KEY = "sk-test-1234567890"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Upstream(http.server.BaseHTTPRequestHandler):
    """Calls tools as the question says, then answers with their results."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = asked["messages"]
        results = [message["content"] for message in messages if message["role"] == "tool"]
        question = next(message["content"] for message in messages if message["role"] == "user")
        if not isinstance(question, str):
            question = "".join(part.get("text", "") for part in question)
        if results:
            text = "Results: " + "; ".join(part if isinstance(part, str) else json.dumps(part) for part in results)
            message, finish = {"role": "assistant", "content": text}, "stop"
        else:
            count = 2 if "two" in question else 1
            calls = [{"id": f"call_{row}", "type": "function", "index": row,
                      "function": {"name": "calculator", "arguments": json.dumps({"expression": f"6*{7 + row}"})}} for row in range(count)]
            message, finish = {"role": "assistant", "content": "Let me see.", "tool_calls": calls}, "tool_calls"
        usage = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}
        base = {"id": "c1", "created": 1, "model": "up"}
        if not asked.get("stream"):
            body = {**base, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
            return self.answer("application/json", json.dumps(body))
        pieces = [{"role": "assistant", "content": message["content"][:3]}, {"content": message["content"][3:]}]
        for call in message.get("tool_calls", []):
            arguments = call["function"]["arguments"]
            for row, part in enumerate([arguments[:5], arguments[5:]]):
                piece = {"index": call["index"], "function": {"arguments": part}}
                if row == 0:
                    piece |= {"id": call["id"], "type": "function"}
                    piece["function"]["name"] = call["function"]["name"]
                pieces.append({"tool_calls": [piece]})
        chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        chunks.append({**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        chunks.append({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        self.answer("text/event-stream", "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n")

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def config(upstream):
    mock = {"model": "openai/gpt-4o", "api_key": "x"}
    calls = [{"id": "call_1", "type": "function", "function": {"name": "calculator", "arguments": "{\"expression\": \"6*7\"}"}}]
    models = {
        "words": {**mock, "mock_response": "It is sunny."},
        "calls": {**mock, "mock_response": "Let me look.", "mock_tool_calls": calls},
        "limited": {**mock, "mock_response": "litellm.RateLimitError"},
        "up": {"model": "hosted_vllm/up", "api_key": "x", "api_base": f"http://127.0.0.1:{upstream}/v1"},
    }
    listed = [{"model_name": name, "litellm_params": parameters} for name, parameters in models.items()]
    return {"model_list": listed, "litellm_settings": {"num_retries": 0}, "general_settings": {"master_key": KEY}}


def settings(port):
    text = 'connection = "embedded"\n[context]\ngroups = ["*"]\nstate = "findings"\n'
    for model in ["words", "calls", "limited", "up"]:
        for api in ["openai", "anthropic"]:
            for how in ["stream", "whole"]:
                name = f"{model}-{api}-{how}"
                text += f'[connections.{name}]\nservers = "http://127.0.0.1:{port}"\ntoken-variable = "LITELLM_KEY"\n'
                text += f'[connections.{name}.model]\nname = "{model}"\napi = "{api}"\n'
                if how == "whole":
                    options = ", stream_options = {}" if api == "openai" else ""
                    text += f"body = {{ stream = false{options} }}\n"
    return text


# (model, question, --max-turns, how it ends, in the answer, how many calls)
CASES = [
    ("words", "Hello?", 3, "succeeded", "It is sunny.", 0),
    ("up", "one", 3, "succeeded", "Results: 42", 1),
    ("up", "two", 3, "succeeded", "Results: 42; 48", 2),
    ("limited", "Hello?", 3, "failed", "", 0),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--litellm", required=True, help="LiteLLM's program")
    parser.add_argument("--toolcrib", default="target/debug/toolcrib")
    options = parser.parse_args()
    toolcrib = str(pathlib.Path(options.toolcrib).resolve())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "config.yaml").write_text(json.dumps(config(server.server_port)))
        work = at / "work"
        work.mkdir()
        for name in ["tools.yaml", "services.yaml"]:
            shutil.copy(ROOT / "samples" / "demo" / name, work / name)
        (work / "toolcrib.toml").write_text(settings(port))
        env = {**os.environ, "HOME": folder, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_KEY": KEY, "XDG_STATE_HOME": str(at / "state")}
        with open(at / "log", "w") as log:
            proxy = subprocess.Popen([options.litellm, "--config", str(at / "config.yaml"), "--port", str(port), "--host", "127.0.0.1"],
                                     stdout=log, stderr=log, env=env, start_new_session=True)
        try:
            wait_for(port, proxy, at / "log")
            for model, question, turns, outcome, answer, calls in CASES:
                for api in ["openai", "anthropic"]:
                    for how in ["stream", "whole"]:
                        name = f"{model}-{api}-{how}"
                        words = ["ask", question, "--model", name, "--yes", "--json", "--max-turns", str(turns)]
                        ran = subprocess.run([toolcrib, *words], cwd=work, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
                        lines = [json.loads(line) for line in ran.stdout.splitlines()]
                        end = lines[-1] if lines else {}
                        said = (end.get("outcome"), end.get("calls"))
                        held = said == (outcome, calls) and answer in end.get("answer", "") and KEY not in ran.stdout + ran.stderr
                        failed += not held
                        pieces = sum(line["event"] == "text" for line in lines)
                        detail = end.get("answer") or (end.get("error") or {}).get("message", ran.stderr.strip())
                        print(f"{'ok  ' if held else 'DIFF'} {name:<24} {question:<8} {said[0]}, {said[1]} calls, {pieces} pieces, "
                              f"tokens {end.get('usage')}: {detail[:90]!r}", flush=True)
        finally:
            os.killpg(proxy.pid, signal.SIGTERM)
            proxy.wait()
    print(f"{failed} differences")
    sys.exit(failed > 0)


def wait_for(port, proxy, log):
    for _ in range(240):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=2).read()
        except OSError:
            if proxy.poll() is not None:
                break
            time.sleep(0.5)
    sys.exit(f"LiteLLM did not start:\n{log.read_text()}")


main()

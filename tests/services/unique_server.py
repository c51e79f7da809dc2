"""An MCP server of the legacy era whose one tool says what Unique reads of it, and answers with what it was told in `_meta`."""
import json
import sys

JOKE = {
    "name": "joke",
    "description": "Tells a joke",
    "inputSchema": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
    "_meta": {
        "unique.app/config-schema": {
            "json_schema": {"type": "object", "properties": {"tone": {"enum": ["dry", "warm"]}, "maxWords": {"type": "integer", "maximum": 500}}},
            "ui_schema": {},
            "default_config": {"tone": "dry", "maxWords": 40},
        },
        "unique.app/system-prompt": "Use it for jokes",
        "unique.app/context-requirements": {"required": ["unique.app/chat/chat-id"], "optional": [], "accepts_custom": False},
    },
}


def result(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "jokes", "version": "1"}}
    if method == "tools/list":
        return {"tools": [JOKE]}
    if method == "tools/call":
        told = {name: value for name, value in params.get("_meta", {}).items() if name.startswith("unique.app/")}
        return {"content": [{"type": "text", "text": json.dumps(told)}], "structuredContent": told, "isError": params["arguments"]["topic"] == "none"}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"result": result(message)} if message["method"] in ("initialize", "tools/list", "tools/call", "ping") else {"error": {"code": -32601, "message": "no such method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)

"""An MCP server on standard input and output whose messages are allowed but odd: members that nobody knows, large and exact numbers, content of an unknown
kind, a tool without a schema. The argument is `legacy` or `modern`: the one era that it speaks."""
import json
import sys

# As text, so that every digit and every member stays as it stands here.
TOOLS = r"""[
{"name":"odd","title":"Odd","description":"odd \u001b[31mred\u001b[0m",
 "inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890123,"multipleOf":1.50},"zz":{"type":"string"},"aa":{"type":"string"}},"x-vendor":{"k":1}},
 "outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},
 "annotations":{"readOnlyHint":true,"vendorHint":"keep me"},"execution":{"taskSupport":"optional"},
 "icons":[{"src":"https://e.x/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark","vendor":1}],
 "_meta":{"unique.app/config-schema":{"json_schema":{"type":"object"}},"big":9007199254740993},"x-unknown":{"deep":[1,2,{"n":9007199254740993}]}},
{"name":"noschema","description":"no inputSchema at all"},
{"name":"badheader","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A B"}}}},
{"name":"booladditional","inputSchema":{"type":"object","properties":{"a":true,"b":{"type":["string","null"]}}}}
]"""
CONTENT = ('"content":[{"type":"text","text":"hi","x-block":7},{"type":"hologram","data":"??"}],'
           '"structuredContent":{"n":12345678901234567890123,"exact":1.10,"big":9007199254740993},"isError":false,"x-result":"keep"')
ABOUT = '{"name":"odd","version":"1","vendor":true}'
is_modern = sys.argv[1] == "modern"


def out(text):
    sys.stdout.write(text.replace("\n", "") + "\n")
    sys.stdout.flush()


def result(id, members):
    common = '"resultType":"complete","ttlMs":0,"cacheScope":"private",' if is_modern else ""
    out('{"jsonrpc":"2.0","id":%s,"result":{%s%s},"x-envelope":1}' % (id, common, members))


for line in sys.stdin:
    message = json.loads(line)
    id, method = json.dumps(message.get("id")), message.get("method")
    if is_modern and method == "server/discover":
        result(id, '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":%s},"x-top":1' % ABOUT)
    elif not is_modern and method == "initialize":
        result(id, '"protocolVersion":"2025-11-25","capabilities":{"tools":{"vendorCap":true},"vendorCap2":{}},"serverInfo":%s,"x-top":1' % ABOUT)
    elif method == "tools/list":
        result(id, '"tools":%s,"x-list":true,"_meta":{"a":1}' % TOOLS)
    elif method == "tools/call":
        token = json.dumps(message["params"].get("_meta", {}).get("progressToken"))
        out('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":0.1,"total":1.0,"message":"hm","x":1}}' % token)
        out('{"jsonrpc":"2.0","method":"notifications/vendor/thing","params":{"big":9007199254740993}}')
        result(id, CONTENT)
    elif "id" in message and method:
        out('{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found","data":{"n":9007199254740993}}}' % id)

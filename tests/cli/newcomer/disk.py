# SPDX-License-Identifier: Apache-2.0
"""An MCP server with a tool that it calls destructive, and one about which it says nothing."""
import json
import sys

TEXT = {"type": "string"}
TOOLS = [
    {"name": "remove", "description": "Removes a directory with all its contents.",
     "inputSchema": {"type": "object", "properties": {"path": TEXT, "why": TEXT, "options": {}},
                     "required": ["path"]},
     "annotations": {"destructiveHint": True}},
    {"name": "list", "description": "Lists a directory.", "inputSchema": {"type": "object"}},
]

if "fail" in sys.argv:
    print('Traceback (most recent call last):\n  File "disk.py", line 7\n'
          'OSError: the disk \x1b[1m/dev/sdb\x1b[0m is not here', file=sys.stderr)
    sys.exit(1)
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "disk", "version": "1"}}
    elif request["method"] == "tools/list":
        answer["result"] = {"tools": TOOLS}
    elif request["method"] == "tools/call":
        path = request["params"]["arguments"].get("path")
        answer["result"] = {"content": [{"type": "text", "text": f"removed {path}"}]}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)

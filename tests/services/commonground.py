"""A stand-in for CommonGround v1r4, which is in no package registry: management API, UI worker, two tool services (a lenient one, that
counts words, and a strict one) and agents (commonground_agents.py), on a real NATS server and a real PostgreSQL. What it does is what the real ones were seen to do.

    commonground.py NATS DSN PORT [--no-god] [--no-tools] [--twice] [--ack-wait SECONDS] [--watchdog SECONDS] [--refuse TOOL] [--check VECTORS]

Prints READY once it answers. With --check it tries itself on the vectors, says what differs, and ends.

A call whose arguments say "hold" waits for a line "go" on standard input; one that says "fail" is given back each time; the service that is
called with "die" never comes back. The lines "api off" and "tools off" end the API, and the services; each line is answered with DONE once it is done.
"""

import argparse
import asyncio
import hashlib
import json
import os
import re
import sys
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, Optional

import commonground_cards as cards
import jsonschema
import nats
import psycopg
import pydantic
import yaml
from aiohttp import web
from nats.errors import TimeoutError as Quiet
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, StreamConfig
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commonground_agents as agents

RESERVED = {"delegate_async", "launch_principal", "ask_expert", "fork_join", "provision_agent"}
CONTROL = {"agent_id", "agent_turn_id", "turn_epoch", "tool_call_id", "step_id", "project_id", "channel_id", "parent_agent_id",
           "parent_agent_turn_id", "parent_step_id", "trace_id", "traceparent", "recursion_depth"}
MOST = 20


def fresh(prefix=""):
    return prefix + uuid.uuid4().hex


class Refusal(Exception):
    """What is told to whoever asked."""

    def __init__(self, code, message, status=400):
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


class Undispatched(Exception):
    """The command of a call, whose card is there, was not sent."""

    def __init__(self, card, why):
        super().__init__(why)
        self.card = card


class Dropped(Exception):
    """The command is taken and forgotten; only the log says why."""


class Deferred(Exception):
    """The command is given back, to come again."""


class Died(Exception):
    """The service is gone, in the middle of a command."""


class Store:
    """The database, one statement at a time."""

    def __init__(self, dsn):
        self.dsn, self.lock = dsn, asyncio.Lock()

    async def open(self):
        self.db = await psycopg.AsyncConnection.connect(self.dsn, autocommit=True, row_factory=dict_row)

    async def run(self, sql, *values):
        async with self.lock:
            cursor = await self.db.execute(sql, values)
            return await cursor.fetchall() if cursor.description else []

    async def one(self, sql, *values):
        return next(iter(await self.run(sql, *values)), None)

    async def card(self, project, card):
        return await self.one("select * from cards where tenant_id = %s and card_id = %s", project, card)

    async def keep_card(self, project, card, kind, author, call, content, labels):
        if fault := cards.fault(content):
            raise ValueError(fault)
        at = datetime.now(timezone.utc).isoformat()
        labels = {"type": kind, "project_id": project, "author_id": author, "created_at": at, "tool_call_id": call, **labels}
        await self.run("insert into cards (card_id, tenant_id, content, tool_call_id, metadata) values (%s, %s, %s, %s, %s)",
                       card, project, Jsonb(content), call, Jsonb({k: v for k, v in labels.items() if v is not None}))
        return card

    async def keep_result(self, project, author, function, call, content, labels):
        labels = {"role": "tool", "function_name": function, **labels}
        return await self.keep_card(project, fresh(), "tool.result", author, call, {"__type__": "ToolResultContent", **content}, labels)

    async def message(self, kind, status, project, channel, agent, call, turn, epoch, headers, payload):
        rows = await self.run(
            "insert into state.agent_inbox (inbox_id, project_id, agent_id, channel_id, message_type, correlation_id, agent_turn_id,"
            " turn_epoch, context_headers, payload, status) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
            " on conflict do nothing returning inbox_id",
            fresh("inbox_"), project, agent, channel, kind, call, turn, epoch, Jsonb(headers), Jsonb(payload), status)
        return bool(rows)

    async def edge(self, primitive, phase, project, channel, source, target, call, depth):
        rows = await self.run(
            "insert into state.execution_edges (edge_id, project_id, channel_id, primitive, edge_phase, source_agent_id, target_agent_id,"
            " correlation_id, recursion_depth) values (%s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing returning edge_id",
            fresh("edge_"), project, channel, primitive, phase, source, target, call, depth)
        return bool(rows)

    async def agent(self, project, agent):
        return await self.one("select * from resource.project_agents where project_id = %s and agent_id = %s", project, agent)

    async def tool(self, project, name):
        return await self.one("select * from resource.tools where project_id = %s and tool_name = %s", project, name)

    async def set_state(self, project, agent, status, turn=None, epoch=0):
        await self.run("insert into state.agent_state_head (project_id, agent_id, status, active_agent_turn_id, turn_epoch)"
                       " values (%s, %s, %s, %s, %s) on conflict (project_id, agent_id) do update set status = excluded.status,"
                       " active_agent_turn_id = excluded.active_agent_turn_id, turn_epoch = excluded.turn_epoch, updated_at = now()",
                       project, agent, status, turn, epoch)

    async def box(self, project, agent, *cards):
        """Puts cards into the agent's box."""
        row = await self.one("select output_box_id from state.agent_state_head where project_id = %s and agent_id = %s", project, agent)
        box = row and row["output_box_id"]
        if not box:
            box = uuid.uuid4()
            await self.run("insert into card_boxes (box_id, tenant_id, card_ids) values (%s, %s, '[]')", box, project)
            await self.run("update state.agent_state_head set output_box_id = %s where project_id = %s and agent_id = %s", box, project, agent)
        await self.run("update card_boxes set card_ids = card_ids || %s where box_id = %s", Jsonb(list(cards)), box)
        return str(box)

    async def state(self, project, agent):
        row = await self.one("select * from state.agent_state_head where project_id = %s and agent_id = %s", project, agent)
        return row["status"] if row else "idle"


# ---------------------------------------------------------------------------------------------------------------- management API


class Definition(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="ignore")
    tool_name: str = pydantic.Field(min_length=1)
    description: Optional[str] = None
    target_subject: str = pydantic.Field(min_length=1)
    after_execution: str = pydantic.Field(min_length=1)
    parameters: Dict[str, Any] = pydantic.Field(default_factory=dict)
    options: Dict[str, Any] = pydantic.Field(default_factory=dict)


def bare_list(schema, at="$"):
    """Where a list stands without a schema of its items."""
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "array" and not (isinstance(schema.get("items"), dict) and schema["items"]):
        return at
    inner = [(f"{at}.items", schema.get("items"))]
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            inner += [(f"{at}.{key}.{name}", part) for name, part in schema[key].items()]
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            inner += [(f"{at}.{key}[{index}]", part) for index, part in enumerate(schema[key])]
    return next((found for found in (bare_list(part, at) for at, part in inner) if found), None)


def definition(text):
    value = yaml.safe_load(text)
    if not isinstance(value, dict):
        raise Refusal("bad_request", "YAML root must be a mapping")
    name = value.get("tool_name") or value.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Refusal("bad_request", "tool_name is required")
    name = name.strip()
    tool = Definition.model_validate({**value, "tool_name": name})
    bare = bare_list(tool.parameters)
    if bare:
        raise Refusal("bad_request", f"tool_yaml[{name}].parameters: {bare} is array but missing `items` object")
    try:
        jsonschema.Draft202012Validator.check_schema(tool.parameters)
    except jsonschema.SchemaError as error:
        raise Refusal("bad_request", f"tool_yaml[{name}].parameters: invalid JSON Schema ({error.message})") from error
    return tool


def is_external(subject):
    return ".cmd.tool." in subject and ".cmd.sys." not in subject


def shown_card(row):
    labels, content = row["metadata"] or {}, dict(row["content"] or {})
    content.pop("__type__", None)
    return {"card_id": row["card_id"], "project_id": row["tenant_id"], "type": labels.get("type"), "content": content,
            "created_at": labels.get("created_at", row["created_at"].isoformat()), "author_id": labels.get("author_id"),
            "metadata": {key: value for key, value in labels.items() if key not in ("author_id", "created_at", "project_id")},
            "tool_calls": row["tool_calls"], "tool_call_id": row["tool_call_id"], "ttl_seconds": row["ttl_seconds"]}


@web.middleware
async def in_words(request, handler):
    try:
        return await handler(request)
    except Refusal as refusal:
        detail, status = {"error_code": refusal.code, "error_message": refusal.message}, refusal.status
    except web.HTTPException:
        raise
    except Exception as error:  # as upstream does
        detail, status = {"error_code": "internal_error", "error_message": str(error)}, 500
    return web.json_response({"detail": detail}, status=status)


class Api:
    def __init__(self, store, bus, god, refused=None):
        self.store, self.bus, self.god, self.refused = store, bus, god, refused
        self.app = web.Application(middlewares=[in_words])
        project = "/projects/{project}"
        self.app.add_routes([
            web.get("/health", self.health), web.post("/projects", self.make_project),
            web.get(project, self.project), web.get(project + "/agents/{agent}", self.agent),
            web.get(project + "/boxes/{box}/cards", self.box),
            web.get(project + "/tools", self.tools), web.post(project + "/tools", self.put_tool),
            web.get(project + "/tools/{name}", self.get_tool), web.delete(project + "/tools/{name}", self.delete_tool),
            web.get(project + "/agents", self.agents), web.post(project + "/agents", self.put_agent),
            web.post(project + "/profiles", self.put_profile), web.get(project + "/cards/{card}", self.card),
            web.get(project + "/state/agents", self.states), web.get(project + "/state/execution/edges", self.edges),
            web.post(project + "/god/pmo/{name}:call", self.call),
        ])

    async def health(self, _):
        return web.json_response({"status": "ok"})

    async def known(self, request):
        project = request.match_info["project"]
        if not await self.store.one("select 1 from public.projects where project_id = %s", project):
            raise Refusal("not_found", f"project not found: {project}", 404)
        return project

    async def project(self, request):
        row = await self.store.one("select * from public.projects where project_id = %s", request.match_info["project"])
        if not row:
            raise Refusal("not_found", "project not found", 404)
        return web.json_response(row)

    async def agent(self, request):
        row = await self.store.agent(request.match_info["project"], request.match_info["agent"])
        if not row:
            raise Refusal("not_found", "agent not found", 404)
        return web.json_response({**row, "profile_box_id": str(row["profile_box_id"])})

    async def box(self, request):
        project, box = request.match_info["project"], request.match_info["box"]
        row = await self.store.one("select card_ids from card_boxes where tenant_id = %s and box_id::text = %s", project, box)
        if not row:
            raise Refusal("not_found", "box not found", 404)
        cards = [await self.store.card(project, card) for card in row["card_ids"]]
        return web.json_response([shown_card(card) for card in cards if card])

    async def make_project(self, request):
        body = await request.json()
        project = body.get("project_id") or fresh("proj_")
        await self.store.run("insert into public.projects (project_id, title, owner_id) values (%s, %s, %s) on conflict do nothing",
                             project, body["title"], body["owner_id"])
        if body.get("bootstrap", True):
            subject = "cg.v1r4.{project_id}.{channel_id}.cmd.tool.skills.load"
            await self.put(project, Definition(tool_name="skills.load", target_subject=subject, after_execution="suspend"))
        return web.json_response({"project_id": project, **body}, status=201)

    async def upload(self, request):
        missing = [{"type": "missing", "loc": ["body", "file"], "msg": "Field required", "input": None}]
        if not request.content_type.startswith("multipart/"):
            raise web.HTTPUnprocessableEntity(text=json.dumps({"detail": missing}), content_type="application/json")
        async for part in await request.multipart():
            if part.name == "file" and part.filename:
                return await part.read()
        raise web.HTTPUnprocessableEntity(text=json.dumps({"detail": missing}), content_type="application/json")

    async def put_tool(self, request):
        raw = await self.upload(request)
        try:
            tool = definition(raw.decode("utf-8"))
        except Refusal:
            raise
        except Exception as error:
            raise Refusal("bad_request", str(error)) from error
        return web.json_response(await self.put(await self.known(request), tool), status=201)

    async def put(self, project, tool):
        if tool.tool_name == self.refused:
            raise Exception("the connection to the database is lost")
        if tool.tool_name in RESERVED:
            raise Refusal("bad_request", f"tool_name is reserved for internal tools: {tool.tool_name}")
        if tool.after_execution not in ("suspend", "terminate"):
            raise Refusal("bad_request", "after_execution must be 'suspend' or 'terminate'")
        if not is_external(tool.target_subject):
            raise Refusal("bad_request", "target_subject must be an external tool subject (contain '.cmd.tool.' and not '.cmd.sys.')")
        return await self.store.one(
            "insert into resource.tools values (%s, %s, %s, %s, %s, %s, %s) on conflict (project_id, tool_name) do update set"
            " description = excluded.description, parameters = excluded.parameters, target_subject = excluded.target_subject,"
            " after_execution = excluded.after_execution, options = excluded.options returning *",
            project, tool.tool_name, tool.description, Jsonb(tool.parameters), tool.target_subject, tool.after_execution,
            Jsonb(tool.options))

    async def tools(self, request):
        project = await self.known(request)
        limit, offset = int(request.query.get("limit", 200)), int(request.query.get("offset", 0))
        rows = await self.store.run("select * from resource.tools where project_id = %s order by tool_name limit %s offset %s",
                                    project, limit, offset)
        return web.json_response([row for row in rows if row["tool_name"] not in RESERVED and is_external(row["target_subject"])])

    async def get_tool(self, request):
        row = await self.store.tool(await self.known(request), request.match_info["name"])
        if not row or row["tool_name"] in RESERVED:
            raise Refusal("not_found", "tool not found", 404)
        return web.json_response(row)

    async def delete_tool(self, request):
        project, name = await self.known(request), request.match_info["name"]
        if name in RESERVED:
            raise Refusal("bad_request", f"cannot delete internal tool via tool api: {name}")
        gone = await self.store.run("delete from resource.tools where project_id = %s and tool_name = %s returning 1", project, name)
        if not gone:
            raise Refusal("not_found", "tool not found", 404)
        return web.Response(status=204)

    # Agents are listed and made without a look at the project, as upstream does.
    async def agents(self, request):
        rows = await self.store.run("select *, profile_box_id::text from resource.project_agents where project_id = %s limit %s",
                                    request.match_info["project"], int(request.query.get("limit", 200)))
        return web.json_response(rows, dumps=lambda rows: json.dumps(rows, default=str))

    async def put_profile(self, request):
        value = yaml.safe_load(bytes(await self.upload(request)))
        return web.json_response({"project_id": await self.known(request), "name": value["name"], "profile_box_id": str(uuid.uuid4())}, status=201)

    async def put_agent(self, request):
        project, body = request.match_info["project"], await request.json()
        if not body.get("profile_box_id") and not body.get("profile_name"):
            raise Refusal("bad_request", "profile_box_id or profile_name is required")
        box = body.get("profile_box_id") or str(uuid.uuid5(uuid.NAMESPACE_URL, body["profile_name"]))
        row = await self.store.one(
            "insert into resource.project_agents (project_id, agent_id, profile_box_id, worker_target, display_name)"
            " values (%s, %s, %s, %s, %s) on conflict (project_id, agent_id) do update set worker_target = excluded.worker_target"
            " returning *, profile_box_id::text", project, body["agent_id"], uuid.UUID(box),
            body.get("worker_target") or "worker_generic", body.get("display_name"))
        await self.store.run("insert into state.agent_state_head (project_id, agent_id) values (%s, %s) on conflict do nothing",
                             project, body["agent_id"])
        return web.json_response({**row, "profile_box_id": str(row["profile_box_id"])}, status=201)

    async def states(self, request):
        rows = await self.store.run("select project_id, agent_id, status, active_agent_turn_id, turn_epoch, output_box_id::text"
                                    " from state.agent_state_head where project_id = %s order by updated_at desc limit %s",
                                    request.match_info["project"], int(request.query.get("limit", 50)))
        return web.json_response(rows)

    async def edges(self, request):
        rows = await self.store.run("select edge_id, project_id, primitive, edge_phase, source_agent_id, target_agent_id, correlation_id, recursion_depth"
                                    " from state.execution_edges where project_id = %s and correlation_id = %s",
                                    request.match_info["project"], request.query.get("correlation_id", ""))
        return web.json_response(rows)

    async def card(self, request):
        row = await self.store.card(request.match_info["project"], request.match_info["card"])
        if not row:
            raise Refusal("not_found", "card not found", 404)
        return web.json_response(shown_card(row))

    async def call(self, request):
        if not self.god:
            raise Refusal("not_found", "Not Found", 404)
        project, name, body = request.match_info["project"], request.match_info["name"], await request.json()
        agent, channel = body["caller_agent_id"], body.get("channel_id", "public")
        tool = agents.internal(name) or await self.store.tool(project, name)
        if not tool:
            raise Refusal("not_found", f"tool definition not found: {name}", 404)
        if not await self.store.agent(project, agent):
            raise Refusal("bad_request", f"caller agent not found: {agent}")
        call = {"call": fresh("call_"), "step": fresh("step_gc_"), "turn": fresh("turn_gc_"), "epoch": 1, "depth": 0}
        await self.store.message("command_anchor", "consumed", project, channel, agent, call["call"], call["turn"], 1, {}, {})
        trace = f"00-{body.get('trace_id') or uuid.uuid4().hex}-{uuid.uuid4().hex[:16]}-01"
        try:
            await dispatch(self.store, self.bus, project, channel, agent, tool, dict(body.get("args") or {}), call, trace=trace,
                           after=body.get("after_execution", "suspend"))
        except Undispatched as why:
            code = "protocol_violation" if "protocol_violation" in str(why) else "internal_error"
            raise Exception(f"ToolCaller dispatch rejected: status=rejected code={code}") from why
        payload = await result_of(self.store, project, agent, call["call"], float(body.get("timeout_seconds", 180)))
        if payload is None:
            raise Exception("400: {'error_code': 'bad_request', 'error_message': 'timeout waiting for tool_result inbox'}")
        return web.json_response({"status": "ok", "tool_call_id": call["call"], "step_id": call["step"],
                                  "tool_result_card_id": payload.get("tool_result_card_id"), "tool_result": payload})


async def result_of(store, project, agent, call, seconds):
    """What was reported for a call, taken out of the inbox; none where nothing came in time."""
    until = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < until:
        row = await store.one("update state.agent_inbox set status = 'consumed' where project_id = %s and agent_id = %s"
                              " and correlation_id = %s and message_type = 'tool_result' returning payload", project, agent, call)
        if row:
            return row["payload"]
        await asyncio.sleep(0.03)
    return None


# ---------------------------------------------------------------------------------------------------------------- dispatching


def merged(given, options, context):
    """The arguments that the tool gets, with what the labels say of them."""
    groups = options.get("args") if isinstance(options.get("args"), dict) else {}
    defaults, fixed = (groups.get(key) if isinstance(groups.get(key), dict) else {} for key in ("defaults", "fixed"))
    envs = {key: name for key, name in (options.get("envs") or {}).items() if isinstance(name, str)}

    def filled(value):
        return re.sub(r"\{(\w+)\}", lambda it: str(context.get(it[1]) or it[0]), value) if isinstance(value, str) else value

    result, labels = {key: value for key, value in given.items() if key not in envs}, {}
    added = [key for key in defaults if key not in result and key not in envs]
    forced = [key for key in fixed if key not in envs]
    result |= {key: filled(defaults[key]) for key in added} | {key: filled(fixed[key]) for key in forced}
    if added:
        labels["tool_args_defaults_applied"] = added
    if forced:
        labels["tool_args_fixed_applied"] = forced
    if envs:
        labels["tool_args_envs"] = envs
    return result, labels


async def dispatch(store, bus, project, channel, agent, tool, arguments, call, labels=None, trace=None, after=None, more=None):
    """Keeps the call's card and edge, and sends its command; the card."""
    subject = tool["target_subject"]
    for name, value in (("project_id", project), ("channel_id", channel), ("agent_id", agent)):
        subject = subject.replace("{" + name + "}", value)
    trace = trace or f"00-{uuid.uuid4().hex}-{uuid.uuid4().hex[:16]}-01"
    tokens = subject.split(".")
    is_sent = len(tokens) >= 8 and tokens[0] == "cg" and tokens[4] == "cmd" and tokens[2:4] == [project, channel] and \
        not (tokens[5] == "agent" and tokens[7:] == ["wakeup"])
    content = {"__type__": "ToolCallContent", "tool_name": tool["tool_name"], "arguments": arguments, "status": "called", "target_subject": subject}
    card = await store.keep_card(project, fresh(), "tool.call", agent, call["call"], content, {
        "agent_turn_id": call["turn"], "step_id": call["step"], "trace_id": trace.split("-")[1], "parent_step_id": call.get("parent"), **(labels or {})})
    if not is_sent:
        raise Undispatched(card, "L0 command_intent rejected status=rejected code=protocol_violation")
    await store.edge("tool_call", "request", project, channel, agent, agent, call["call"], call["depth"])
    headers = {"CG-Project-Id": project, "CG-Channel-Id": channel, "CG-Agent-Id": agent, "CG-Turn-Id": call["turn"],
               "CG-Turn-Epoch": str(call["epoch"]), "CG-Step-Id": call["step"], "CG-Tool-Call-Id": call["call"],
               "CG-Recursion-Depth": str(call["depth"]), "traceparent": trace, **(more or {})}
    payload = {"tool_name": tool["tool_name"], "after_execution": after or tool["after_execution"], "tool_call_card_id": card}
    try:
        await bus.publish(subject, payload, headers)
    except (Quiet, nats.js.errors.NoStreamResponseError) as error:
        raise Undispatched(card, str(error)) from error
    return card


class Bus:
    def __init__(self, client):
        self.client, self.js = client, client.jetstream()
        # Whoever is held waits for a "go" of its own.
        self.released = asyncio.Semaphore(0)

    async def publish(self, subject, payload, headers):
        await self.js.publish(subject, json.dumps(payload).encode(), headers={**headers, "CG-Version": "v1r4"}, timeout=2)

    async def make_streams(self):
        for kind in ("cmd", "evt"):
            config = StreamConfig(name=f"cg_{kind}_v1r4", subjects=[f"cg.v1r4.*.*.{kind}.*.*.>"], max_age=86_400, duplicate_window=120)
            await self.js.add_stream(config)
        self.marks = await self.js.create_key_value(bucket="cg_tool_idem_v1", history=64)
        await self.js.create_key_value(bucket="cg_ui_action_idem_v1", ttl=86_400)

    async def take(self, durable, subject, ack_wait, handle, deliveries=3):
        """Gives each command to a handler, one at a time."""
        config = ConsumerConfig(durable_name=durable, deliver_policy=DeliverPolicy.ALL, ack_policy=AckPolicy.EXPLICIT, ack_wait=ack_wait,
                                max_deliver=deliveries, filter_subject=subject)
        subscription = await self.js.pull_subscribe(subject, durable=durable, stream="cg_cmd_v1r4", config=config)
        while True:
            try:
                [message] = await subscription.fetch(1, timeout=5)
            except Quiet:
                continue
            try:
                await handle(message)
                await message.ack()
            except Dropped as why:
                print(f"{durable}: {why}", file=sys.stderr)
                await message.ack()
            except Deferred as why:
                print(f"{durable}: {why}", file=sys.stderr)
                await message.nak()
            except Died:
                return


class UiWorker:
    def __init__(self, store, bus, watchdog):
        self.store, self.bus, self.watchdog, self.running = store, bus, watchdog, set()

    async def take(self, message):
        headers, tokens = message.headers or {}, message.subject.split(".")
        project, channel, agent = tokens[2], tokens[3], headers.get("CG-Agent-Id", "").strip()
        try:
            payload = json.loads(message.data)
        except ValueError as error:
            raise Dropped("not JSON") from error
        forbidden = CONTROL & set(payload)
        action = payload.get("action_id")
        if not agent or forbidden or not action:
            raise Dropped(f"no answer: agent {agent!r}, control fields {sorted(forbidden)}, action {action!r}")

        async def tell(status, **more):
            more = {key: value for key, value in more.items() if value}
            subject = f"cg.v1r4.{project}.{channel}.evt.sys.ui.action_ack"
            await self.bus.publish(subject, {"action_id": action, "agent_id": agent, "status": status, **more}, {})

        refusal, tool = await self.refusal(project, agent, headers, payload)
        if refusal:
            return await tell("rejected", error_code=refusal)
        if await self.store.state(project, agent) != "idle":
            return await tell("busy", error_code="agent_busy")
        # The turn is a new one, whatever the action's header says.
        call = {"call": action, "step": fresh("step_ui_"), "turn": fresh("turn_"), "epoch": 1, "depth": 0}
        await self.store.set_state(project, agent, "dispatched", call["turn"], 1)
        if not await self.store.message("ui_action", "consumed", project, channel, agent, action, call["turn"], 1, dict(headers), payload):
            # The turn is leased, the message is refused, and nobody gives the turn back.
            return await tell("rejected", error_code="protocol_violation")
        bell = {"CG-Project-Id": project, "CG-Channel-Id": channel, "CG-Agent-Id": agent, "CG-Turn-Id": call["turn"], "CG-Turn-Epoch": "1",
                "traceparent": headers.get("traceparent", "")}
        await self.bus.publish(f"cg.v1r4.{project}.{channel}.cmd.agent.ui_worker.wakeup", {}, bell)
        await tell("accepted")
        task = asyncio.create_task(self.run(project, channel, agent, tool, payload, call, headers.get("traceparent"), tell))
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    async def refusal(self, project, agent, headers, payload):
        if not payload.get("tool_name"):
            return "missing_required_fields", None
        if not isinstance(payload.get("args"), dict):
            return "invalid_args", None
        if not isinstance(payload.get("metadata", {}), dict):
            return "invalid_metadata", None
        if not headers.get("CG-Turn-Id"):
            return "missing_agent_turn_id", None
        known = await self.store.agent(project, agent)
        if not known:
            return "agent_not_found", None
        if known["worker_target"] != "ui_worker":
            return "invalid_worker_target", None
        tool = agents.internal(payload["tool_name"]) or await self.store.tool(project, payload["tool_name"])
        if not tool:
            return "tool_definition_missing", None
        return (None, tool) if tool["options"].get("ui_allowed") is True else ("ui_not_allowed", None)

    async def state(self, project, channel, agent, call, trace, status):
        headers = {"CG-Project-Id": project, "CG-Channel-Id": channel, "CG-Agent-Id": agent, "CG-Turn-Id": call["turn"], "CG-Turn-Epoch": "1",
                   "traceparent": trace or ""}
        body = {"agent_id": agent, "agent_turn_id": call["turn"], "status": status, "turn_epoch": 1, "metadata": {}}
        await self.bus.publish(f"cg.v1r4.{project}.{channel}.evt.agent.{agent}.state", body, headers)

    async def run(self, project, channel, agent, tool, payload, call, trace, tell):
        given = {**payload["args"], **({"metadata": payload["metadata"]} if payload.get("metadata") else {})}
        context = {"project_id": project, "channel_id": channel, "agent_id": agent, "agent_turn_id": call["turn"], "turn_epoch": 1,
                   "step_id": call["step"], "tool_call_id": call["call"]}
        arguments, labels = merged(given, tool["options"], context)
        try:
            await dispatch(self.store, self.bus, project, channel, agent, tool, arguments, call, labels, trace)
            await self.state(project, channel, agent, call, trace, "suspended")
            result = await result_of(self.store, project, agent, call["call"], self.watchdog)
        except Undispatched as why:
            error = {"code": "internal_error", "message": f"Execution error: {why}", "source": "worker", "http_status": 500}
            failed = await self.store.keep_result(project, agent, tool["tool_name"], call["call"], {
                "status": "failed", "after_execution": "suspend", "result": {"error": error}, "error": error},
                {"agent_turn_id": call["turn"], "step_id": call["step"]})
            await self.store.box(project, agent, why.card, failed)
            await self.store.set_state(project, agent, "idle")
            await self.state(project, channel, agent, call, trace, "idle")
            return await tell("rejected", error_code="dispatch_failed")
        if result is None:
            error = {"code": "tool_timeout", "message": "tool call timed out", "source": "watchdog"}
            card = await self.store.keep_result(project, "sys.pmo", tool["tool_name"], call["call"], {
                "status": "timeout", "after_execution": "suspend", "result": None, "error": error},
                {"agent_turn_id": call["turn"], "step_id": call["step"]})
            result = {"status": "timeout", "tool_result_card_id": card}
        card = await self.store.card(project, result["tool_result_card_id"])
        await self.store.box(project, agent, card["card_id"])
        await self.store.set_state(project, agent, "idle")
        await self.state(project, channel, agent, call, trace, "idle")
        told, error = card["content"].get("result"), card["content"].get("error") or {}
        told = told if isinstance(told, dict) else {}
        # A result that brings one of these has it as its own.
        status = told.get("status") if told.get("status") in ("accepted", "busy", "rejected", "done") else "done"
        if result["status"] == "failed" and status == "done":
            status = "rejected"
        await tell(status, tool_result_card_id=card["card_id"], error_code=told.get("error_code") or error.get("code"), error=error.get("message"))


# ---------------------------------------------------------------------------------------------------------------- tool services


def number(headers, name, words):
    text = headers.get(name, "0")
    if not re.fullmatch(r"\d+", text):
        raise Dropped(words)
    return int(text)


def count_words(arguments):
    mode, text = arguments.get("mode", "count"), arguments.get("text")
    if not isinstance(text, str):
        raise Refusal("bad_request", f"mode={mode} requires string field 'text'")
    words = text.split()
    return {"counts_map": {word: words.count(word) for word in sorted(set(words))}} if mode == "map" else {"count": len(words)}


class ToolService:
    """A service as upstream's executor makes it; `needed` are the payload's fields that it minds."""

    def __init__(self, store, bus, name, needed, strict, ack_wait):
        self.store, self.bus, self.name, self.needed, self.strict, self.ack_wait = store, bus, name, needed, strict, ack_wait
        # What became of each command, for who tries the stand-in itself.
        self.seen = {}

    async def take(self, message):
        seen = self.seen.setdefault(message.metadata.sequence.stream, {"deliveries": 0, "over": asyncio.Event()})
        seen["deliveries"] = message.metadata.num_delivered
        try:
            await self.handle(message, seen)
            seen["over"].set()
        except Dropped as why:
            seen["log"] = str(why)
            seen["over"].set()
            raise
        except Deferred:
            if seen["deliveries"] == 3:
                seen["over"].set()
            raise

    async def handle(self, message, seen):
        headers, tokens = message.headers or {}, message.subject.split(".")
        project, channel = tokens[2], tokens[3]
        agent = headers.get("CG-Agent-Id", "").strip()
        if not agent:
            raise Dropped("missing required CG-Agent-Id")
        for header, own in (("CG-Project-Id", project), ("CG-Channel-Id", channel)):
            if headers.get(header, own) != own:
                raise Dropped(f"{header} mismatch")
        epoch = number(headers, "CG-Turn-Epoch", "invalid CG-Turn-Epoch")
        depth = number(headers, "CG-Recursion-Depth", "invalid CG-Recursion-Depth header")
        trace = headers.get("traceparent")
        if trace is not None and (not re.fullmatch(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", trace.lower()) or trace[3:35] == "0" * 32):
            raise Dropped("invalid traceparent")
        try:
            payload = json.loads(message.data)
        except ValueError as error:
            raise Deferred("not JSON") from error
        if not isinstance(payload, dict):
            raise Deferred("not an object")
        named = payload.get("tool_call_card_id")
        card = await self.store.card(project, named) if isinstance(named, str) else None
        labels = (card or {}).get("metadata") or {}
        call = headers.get("CG-Tool-Call-Id") or (card or {}).get("tool_call_id")
        if not call:
            raise Deferred("no call id, and no card to take it from")
        context = {"project": project, "channel": channel, "agent": agent, "turn": headers.get("CG-Turn-Id"), "epoch": epoch, "depth": depth,
                   "call": call, "step": headers.get("CG-Step-Id") or labels.get("step_id"), "trace": trace, "labels": labels,
                   "function": payload.get("tool_name") or self.name, "seen": seen}
        lifecycle = payload.get("after_execution")
        try:
            self.ingress(headers, payload)
        except Refusal as refusal:
            return await self.report(context, "suspend", await self.refused(context, "suspend", refusal))
        if not context["turn"]:
            await self.mark(context, "running")
            await asyncio.sleep(self.ack_wait)
            raise Deferred("no turn")
        await self.once(context, lifecycle, named, card)

    def ingress(self, headers, payload):
        if not headers.get("CG-Tool-Call-Id"):
            raise Refusal("bad_request", "CGContext: missing required tool_call_id")
        forbidden = sorted(CONTROL & set(payload))
        if forbidden:
            raise Refusal("bad_request", f"cmd ingress: payload contains forbidden control fields: {', '.join(forbidden)}")
        if set(payload) - {"tool_name", "after_execution", "tool_call_card_id"}:
            raise Refusal("bad_request", "missing required fields ['unknown']")
        missing = [field for field in self.needed if not payload.get(field)]
        if missing:
            raise Refusal("bad_request", f"missing required fields {missing}")
        lifecycle = payload.get("after_execution")
        if lifecycle not in ("suspend", "terminate"):
            raise Refusal("invalid_after_execution", f"invalid after_execution={lifecycle!r}")

    def key(self, context):
        parts = [re.sub(r"[^A-Za-z0-9_-]+", "_", part) for part in (context["project"], context["function"])]
        return ".".join(["tool", *parts, hashlib.sha256(context["call"].encode()).hexdigest()])

    async def mark(self, context, status, payload=None):
        value = {"status": status, "timestamp": datetime.now(timezone.utc).timestamp(), **({"payload": payload} if payload else {})}
        await self.bus.marks.put(self.key(context), json.dumps(value).encode())

    async def marked(self, context):
        try:
            return json.loads((await self.bus.marks.get(self.key(context))).value)
        except KeyNotFoundError:
            return None

    async def claimed(self, context):
        """Makes the mark; where it is there, what it says. The server refuses a second one, and whoever listens hears it all the same."""
        value = {"status": "running", "timestamp": datetime.now(timezone.utc).timestamp()}
        try:
            await self.bus.marks.create(self.key(context), json.dumps(value).encode())
        except KeyWrongLastSequenceError:
            return await self.marked(context)
        return None

    async def once(self, context, lifecycle, named, card):
        mark = await self.claimed(context)
        if mark and mark["status"] == "running":
            await asyncio.sleep(self.ack_wait)
            raise Deferred("somebody else has been at it")
        if not mark:
            payload = await self.answer(context, lifecycle, named, card)
            await self.mark(context, "done", payload)
        else:
            payload = mark["payload"]
        await self.report(context, lifecycle, payload)

    async def answer(self, context, lifecycle, named, card):
        try:
            if not card:
                raise Refusal("not_found", f"tool_call_card_id not found: {named}")
            if self.strict and context["labels"].get("type") != "tool.call":
                raise Refusal("bad_request", f"tool_call_card_id type mismatch: expected 'tool.call', got '{context['labels'].get('type')}'")
            if self.strict and card["tool_call_id"] != context["call"]:
                raise Refusal("bad_request", "tool_call_id mismatch between payload and tool.call card")
            if card["content"].get("__type__") != "ToolCallContent":
                raise Refusal("bad_request", "tool.call content must be ToolCallContent")
            if self.strict and not await self.store.tool(context["project"], context["function"]):
                raise Refusal("not_found", f"Tool '{context['function']}' not found in DB")
            arguments = card["content"]["arguments"]
            if arguments.get("die"):
                raise Died
            if arguments.get("fail"):
                raise Deferred("it fails")
            if arguments.get("hold"):
                await self.bus.released.acquire()
            result = {"data": "found"} if self.strict else count_words(arguments)
        except Refusal as refusal:
            return await self.refused(context, lifecycle, refusal)
        return await self.keep(context, {"status": "success", "after_execution": lifecycle, "result": result, "error": None})

    async def refused(self, context, lifecycle, refusal):
        status = {"not_found": 404, "bad_request": 400}.get(refusal.code, 400)
        error = {"code": refusal.code, "message": refusal.message, "source": "tool", "http_status": status}
        result = {"error_code": refusal.code, "error_message": refusal.message, "error": error}
        context["seen"]["refusal"] = refusal
        return await self.keep(context, {"status": "failed", "after_execution": lifecycle, "result": result, "error": error})

    async def keep(self, context, content):
        labels = {"agent_turn_id": context["turn"], "step_id": context["step"], "trace_id": context["labels"].get("trace_id"),
                  "parent_step_id": context["labels"].get("parent_step_id")}
        try:
            card = await self.store.keep_result(context["project"], f"tool.{self.name}", context["function"], context["call"], content, labels)
        except psycopg.errors.UniqueViolation as error:
            await asyncio.sleep(self.ack_wait)
            raise Deferred("a result of that call already exists") from error
        return {"after_execution": content["after_execution"], "status": content["status"], "tool_result_card_id": card}

    async def report(self, context, lifecycle, payload):
        """Tells the caller, unless one of the conditions for that is not met."""
        store, (project, agent, call) = self.store, (context[key] for key in ("project", "agent", "call"))
        known = await store.agent(project, agent)
        turn = await store.one("select * from state.agent_inbox where project_id = %s and agent_id = %s and agent_turn_id = %s"
                               " and message_type in ('turn', 'ui_action', 'command_anchor') and (%s = 0 or turn_epoch = %s)",
                               project, agent, context["turn"], context["epoch"], context["epoch"])
        edge = await store.one("select * from state.execution_edges where project_id = %s and correlation_id = %s and edge_phase = 'request'",
                               project, call)
        card = await store.card(project, payload["tool_result_card_id"])
        labels = (card or {}).get("metadata") or {}
        is_result = labels.get("type") == "tool.result" and call in (card["tool_call_id"], labels.get("tool_call_id"))
        is_ours = labels.get("author_id") == f"tool.{self.name}" and labels.get("function_name")
        if not known or not turn or not edge or not is_result or not is_ours:
            raise Deferred(self.unreported(context, "protocol_violation"))
        if edge["recursion_depth"] >= MOST:
            raise Deferred(self.unreported(context, "recursion_depth_exceeded"))
        headers = {"CG-Recursion-Depth": str(context["depth"]), "traceparent": context["trace"] or ""}
        if not await store.message("tool_result", "pending", project, agent=agent, channel=context["channel"], call=call, turn=context["turn"],
                                   epoch=turn["turn_epoch"], headers=headers, payload=payload):
            raise Deferred(self.unreported(context, "protocol_violation"))
        await store.edge("report", "response", project, context["channel"], f"tool.{self.name}", agent, call, context["depth"])
        subject = f"cg.v1r4.{project}.{context['channel']}.cmd.agent.{known['worker_target']}.wakeup"
        headers = {"CG-Project-Id": project, "CG-Channel-Id": context["channel"], "CG-Agent-Id": agent, "CG-Turn-Id": context["turn"] or "",
                   "CG-Turn-Epoch": str(turn["turn_epoch"]), "traceparent": context["trace"] or ""}
        await self.bus.publish(subject, {}, headers)
        context["seen"]["reported"] = payload

    def unreported(self, context, code):
        context["seen"]["code"] = code
        return f"publish_tool_result_report rejected: status=rejected code={code}"


# ---------------------------------------------------------------------------------------------------------------- running


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nats")
    parser.add_argument("dsn")
    parser.add_argument("port", type=int)
    parser.add_argument("--no-god", action="store_true")
    parser.add_argument("--no-tools", action="store_true")
    parser.add_argument("--twice", action="store_true", help="two services that listen for the target twice")
    parser.add_argument("--ack-wait", type=float, default=30)
    parser.add_argument("--watchdog", type=float, default=33)
    parser.add_argument("--refuse", help="a tool that cannot be stored")
    parser.add_argument("--check")
    options = parser.parse_args()
    store, bus = Store(options.dsn), Bus(await nats.connect(options.nats))
    await store.open()
    await bus.make_streams()
    runner = web.AppRunner(Api(store, bus, not options.no_god, options.refuse).app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", options.port).start()
    ui = UiWorker(store, bus, options.watchdog)
    words = ToolService(store, bus, "word_count", ["tool_call_card_id", "after_execution"], False, options.ack_wait)
    strict = ToolService(store, bus, "jina", ["tool_call_card_id", "tool_name", "after_execution"], True, options.ack_wait)
    listening = [("ui_worker_ui_action_v1r4", "cg.v1r4.*.*.cmd.sys.ui.action", ui)]
    if not options.no_tools:
        listening += [("tool_word_count_cmd_v1r4", "cg.v1r4.*.*.cmd.tool.word_count.*", words),
                      ("tool_jina_openapi_cmd_v1r4", "cg.v1r4.*.*.cmd.tool.jina.*", strict)]
    for name in ("once", "again") if options.twice else ():
        service = ToolService(store, bus, "twice", words.needed, False, options.ack_wait)
        listening.append((f"tool_twice_{name}_cmd_v1r4", "cg.v1r4.*.*.cmd.tool.twice.*", service))
    workers = agents.Agents(store, bus, dispatch, options.watchdog)
    takers = [(durable, subject, of.take) for durable, subject, of in listening] + [
        ("pmo_service_cmd_v1r4", "cg.v1r4.*.*.cmd.sys.pmo.internal.*", workers.take_delegation),
        ("agent_worker_cmd_v1r4", "cg.v1r4.*.*.cmd.agent.worker_generic.wakeup", workers.take_wakeup)]
    tasks = [asyncio.create_task(bus.take(durable, subject, options.ack_wait, take)) for durable, subject, take in takers]
    if options.check:
        import commonground_check
        sys.exit(await commonground_check.check(options, store, bus, {"word_count": words, "openapi": strict}))
    print("READY", flush=True)
    # Whoever started it holds the other end.
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        if line.strip() == "go":
            bus.released.release()
        elif line.strip() == "api off":
            await runner.cleanup()
        elif line.strip() == "tools off":
            for task in tasks[1:len(listening)]:
                task.cancel()
        print("DONE", flush=True)
    for task in tasks:
        task.cancel()
    os._exit(0)


asyncio.run(main())

"""Agents for the stand-in of CommonGround: PMO's tools that delegate, and a worker that takes turns as the real one was seen to. In place of
a model it follows a plan, a list of steps:

    {"say": "I count.", "pace": 0.1, "calls": [{"tool": "word_count", "args": {"mode": "map", "text": "a b"}}]}

A step says its words, one chunk each, `pace` seconds apart, and makes its calls. The last step makes none, or one that ends the turn. A call of
`fork_join` or `delegate_async` with `{"agent_id": …, "plan": […]}` is a turn of another agent; the first waits for it. As upstream's own,
`delegate_async` takes `target_ref` and `instruction` too; the instruction is the plan as JSON, or what the agent says.
"""

import asyncio
import json
import uuid
from datetime import datetime, timedelta, timezone

DELEGATING = ("delegate_async", "fork_join")


def internal(name):
    """The row of a tool that PMO itself answers."""
    if name not in DELEGATING:
        return None
    subject = "cg.v1r4.{project_id}.{channel_id}.cmd.sys.pmo.internal." + name
    return {"tool_name": name, "target_subject": subject, "after_execution": "suspend", "options": {"ui_allowed": True}}


def fresh(prefix=""):
    return prefix + uuid.uuid4().hex


def child_of(trace):
    """The same errand, another span."""
    trace = trace if trace and len(trace.split("-")) == 4 else f"00-{uuid.uuid4().hex}-{uuid.uuid4().hex[:16]}-01"
    version, errand, _, flags = trace.split("-")
    return "-".join([version, errand, uuid.uuid4().hex[:16], flags])


def plan_of(arguments):
    if "plan" in arguments:
        return arguments["plan"]
    try:
        return json.loads(arguments["instruction"])
    except ValueError:
        return [{"say": arguments["instruction"]}]


class Turn:
    def __init__(self, project, channel, agent, plan, trace, parent):
        self.project, self.channel, self.agent, self.plan, self.trace, self.parent = project, channel, agent, plan, trace, parent
        self.id, self.epoch, self.rung, self.began = fresh("turn_"), 2, asyncio.Event(), asyncio.get_running_loop().time()
        # What ends with it, for who waits for that.
        self.over = asyncio.get_running_loop().create_future()

    def headers(self):
        return {"CG-Project-Id": self.project, "CG-Channel-Id": self.channel, "CG-Agent-Id": self.agent, "CG-Turn-Id": self.id,
                "CG-Turn-Epoch": str(self.epoch), "traceparent": child_of(self.trace)}

    def subject(self, rest):
        return f"cg.v1r4.{self.project}.{self.channel}.{rest}"


class Agents:
    """PMO and the agents' worker. `dispatch` keeps a call's card and sends its command."""

    def __init__(self, store, bus, dispatch, watchdog):
        self.store, self.bus, self.dispatch, self.watchdog = store, bus, dispatch, watchdog
        self.turns, self.running = {}, set()

    def spawn(self, work):
        task = asyncio.create_task(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    # ------------------------------------------------------------------------------------------------------------ PMO

    async def take_delegation(self, message):
        headers, tokens = message.headers or {}, message.subject.split(".")
        project, channel, name = tokens[2], tokens[3], tokens[-1]
        payload = json.loads(message.data)
        card = await self.store.card(project, payload["tool_call_card_id"])
        arguments = card["content"]["arguments"]
        parent = {"CG-Parent-Agent-Id": headers["CG-Agent-Id"], "CG-Parent-Turn-Id": headers["CG-Turn-Id"],
                  "CG-Parent-Step-Id": headers["CG-Step-Id"], "CG-Parent-Traceparent": headers["traceparent"]}
        agent = arguments.get("agent_id") or arguments["target_ref"]
        turn = Turn(project, channel, agent, plan_of(arguments), headers["traceparent"], parent)
        if await self.store.state(project, agent) != "idle":
            return self.spawn(self.answer(turn, name, headers, card, payload["after_execution"], "busy"))
        self.turns[turn.id] = turn
        await self.store.message("turn", "consumed", project, channel, turn.agent, fresh("corr_"), turn.id, turn.epoch, turn.headers(), {})
        target = (await self.store.agent(project, turn.agent))["worker_target"]
        wakeup = {"inbox_id": turn.id, "reason": "dispatch_next"}
        await self.bus.publish(turn.subject(f"cmd.agent.{target}.wakeup"), wakeup, turn.headers())
        self.spawn(self.answer(turn, name, headers, card, payload["after_execution"]))

    async def answer(self, turn, name, headers, card, after, refusal=None):
        """Reports to who delegated: at once, or when the turn is over."""
        result = await turn.over if name == "fork_join" else {"status": "accepted", "agent_id": turn.agent, "turn_epoch": turn.epoch}
        labels = {key: card["metadata"].get(key) for key in ("agent_turn_id", "step_id", "trace_id", "parent_step_id")}
        result = {"agent_turn_id": turn.id, **result} if not refusal else {"status": refusal, "error_code": "agent_busy", "agent_id": turn.agent}
        content = {"status": "success", "after_execution": after, "result": result, "error": None}
        call = card["tool_call_id"]
        kept = await self.store.keep_result(turn.project, "sys.pmo", name, call, content, labels)
        caller = headers["CG-Agent-Id"]
        payload = {"after_execution": after, "status": "success", "tool_result_card_id": kept}
        await self.store.message("tool_result", "pending", turn.project, turn.channel, caller, call, headers["CG-Turn-Id"],
                                 int(headers["CG-Turn-Epoch"]), {}, payload)
        await self.store.edge("report", "response", turn.project, turn.channel, "sys.pmo", caller, call, 0)
        target = (await self.store.agent(turn.project, caller))["worker_target"]
        back = {key: value for key, value in headers.items() if key not in ("CG-Step-Id", "CG-Tool-Call-Id", "CG-Recursion-Depth", "CG-Version")}
        await self.bus.publish(turn.subject(f"cmd.agent.{target}.wakeup"), {}, back)

    # ------------------------------------------------------------------------------------------------------------ the worker

    async def take_wakeup(self, message):
        turn = self.turns.get((message.headers or {}).get("CG-Turn-Id"))
        if not turn:
            return
        if json.loads(message.data).get("reason") == "dispatch_next":
            self.spawn(self.run(turn))
        else:
            turn.rung.set()

    async def event(self, turn, kind, payload):
        payload = {"agent_id": turn.agent, "agent_turn_id": turn.id, **payload}
        await self.bus.publish(turn.subject(f"evt.agent.{turn.agent}.{kind}"), payload, turn.headers())

    async def state(self, turn, status, **about):
        await self.store.set_state(turn.project, turn.agent, status, turn.id, turn.epoch)
        await self.event(turn, "state", {"status": status, "turn_epoch": turn.epoch, "metadata": about})

    async def says(self, turn, step, words, pace):
        async def chunk(kind, **more):
            body = {"agent_turn_id": turn.id, "step_id": step, "chunk_type": kind, **more}
            await self.bus.client.publish(turn.subject(f"str.agent.{turn.agent}.chunk"), json.dumps(body).encode())

        config = {"model": "openai/stand-in", "stream": True, "api_key": "", "provider_options": {"api_base": "http://127.0.0.1:9/v1"}}
        row = await self.store.agent(turn.project, turn.agent) or {}
        await chunk("start", metadata={"agent_id": turn.agent, "display_name": row.get("display_name"), "llm_config": config})
        tokens = [word + " " for word in words.split()]
        for token in tokens:
            await asyncio.sleep(pace)
            await chunk("content", content=token)
        await chunk("end", usage={"prompt_tokens": 10, "completion_tokens": len(tokens)})

    async def run(self, turn):
        ended = {"status": "failed", "error": {"code": "internal_error", "message": "the plan has no last step"}}
        try:
            await self.state(turn, "dispatched")
            for step in turn.plan:
                last = await self.step(turn, step)
                if last:
                    ended = last
                    break
        except Exception as error:
            ended = {"status": "failed", "error": {"code": "internal_error", "message": str(error)}}
        await self.event(turn, "task", {"deliverable_card_id": None, "tool_result_card_id": None, "output_box_id": fresh(), "error": None,
                                        "stats": {"duration_ms": int(1000 * (asyncio.get_running_loop().time() - turn.began))}, **ended})
        await self.state(turn, "idle")
        turn.over.set_result({"status": ended["status"], "deliverable_card_id": ended.get("deliverable_card_id")})

    async def step(self, turn, step):
        """One step; how the turn ends with it, if it does."""
        own = fresh("step_")
        await self.event(turn, "step", {"step_id": own, "phase": "started", "new_card_ids": []})
        await self.state(turn, "running", activity="thinking")
        await self.says(turn, own, step.get("say", ""), step.get("pace", 0))
        labels = {"agent_turn_id": turn.id, "step_id": own, "trace_id": turn.trace.split("-")[1]}
        calls = step.get("calls", [])
        kind = "agent.thought" if calls else "task.deliverable"
        thought = await self.store.keep_card(turn.project, fresh(), kind, turn.agent, None, {"__type__": "TextContent", "text": step.get("say", "")}, labels)
        if not calls:
            await self.event(turn, "step", {"step_id": own, "phase": "completed", "new_card_ids": [thought]})
            return {"status": "success", "deliverable_card_id": thought}
        made = {}
        for call in calls:
            await self.state(turn, "running", activity="executing_tool", current_tool=call["tool"])
            tool = internal(call["tool"]) or await self.store.tool(turn.project, call["tool"])
            ids = {"call": fresh("call_"), "step": own, "turn": turn.id, "epoch": turn.epoch, "depth": 1 if turn.parent else 0,
                   "parent": turn.parent.get("CG-Parent-Step-Id")}
            made[ids["call"]] = await self.dispatch(self.store, self.bus, turn.project, turn.channel, turn.agent, tool, call["args"], ids,
                                                    trace=child_of(turn.trace), after=call.get("after"), more=turn.parent)
        deadline = (datetime.now(timezone.utc) + timedelta(seconds=self.watchdog)).isoformat().replace("+00:00", "Z")
        await self.state(turn, "suspended", activity="awaiting_tool_result", waiting_tool_call_ids=list(made), resume_deadline=deadline)
        await self.event(turn, "step", {"step_id": own, "phase": "completed", "new_card_ids": [thought, *made.values()]})
        results = await self.results(turn, made)
        await self.event(turn, "step", {"step_id": fresh("step_res_"), "phase": "completed",
                                        "new_card_ids": [result["tool_result_card_id"] for result in results]})
        turn.epoch += 1
        await self.store.run("update state.agent_inbox set turn_epoch = %s where project_id = %s and agent_turn_id = %s and message_type = 'turn'",
                             turn.epoch, turn.project, turn.id)
        await self.state(turn, "running")
        ending = [result for result in results if result["after_execution"] == "terminate"]
        if ending:
            card = ending[0]["tool_result_card_id"]
            return {"status": ending[0]["status"], "deliverable_card_id": card, "tool_result_card_id": card}
        return None

    async def results(self, turn, made):
        """What was reported for the calls; what takes too long is ended as the watchdog does."""
        loop, results = asyncio.get_running_loop(), {}
        until = loop.time() + self.watchdog
        while len(results) < len(made):
            turn.rung.clear()
            rows = await self.store.run("update state.agent_inbox set status = 'consumed' where project_id = %s and agent_id = %s and"
                                        " agent_turn_id = %s and message_type = 'tool_result' and status = 'pending'"
                                        " returning correlation_id, payload", turn.project, turn.agent, turn.id)
            results |= {row["correlation_id"]: row["payload"] for row in rows}
            if len(results) == len(made):
                break
            try:
                await asyncio.wait_for(turn.rung.wait(), max(0, until - loop.time()))
            except asyncio.TimeoutError:
                for call in set(made) - set(results):
                    error = {"code": "tool_timeout", "message": "tool call timed out", "source": "watchdog"}
                    content = {"status": "timeout", "after_execution": "suspend", "result": None, "error": error}
                    card = await self.store.keep_result(turn.project, "sys.pmo", "unknown", call, content, {"agent_turn_id": turn.id})
                    results[call] = {"status": "timeout", "after_execution": "suspend", "tool_result_card_id": card}
        return [results[call] for call in made]

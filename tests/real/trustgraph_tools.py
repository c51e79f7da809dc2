"""Runs TrustGraph's own loader and filter beside toolcrib on random tool sets, and prints where they differ.

    PYTHON tests/real/trustgraph_tools.py --toolcrib target/debug/toolcrib [--sets 1000] [--seed 1] [--keep FOLDER]

PYTHON is the Python of an environment that has the package trustgraph-flow.
"""

import argparse
import asyncio
import json
import logging
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import trustgraph.agent.react.service as react
import trustgraph.agent.orchestrator.service as orchestrator
from trustgraph.agent.tool_filter import filter_tools_by_group_and_state

TYPES = ["knowledge-query", "text-completion", "mcp-tool", "prompt", "structured-query", "row-embeddings-query", "tool-service"]
GROUPS = ["default", "read", "write", "*", "größe", "A"]
STATES = ["undefined", "start", "done", "*", "größe"]
LIMITS = [5, "20", "1_0", "٣", " 7 ", "", "ten", 1.5, -1, None, True, [], {}, "1__0", "+3", 10**30, "0x10", "１２", "1" * 4301, "²", "\x1c5", "\u2003 5"]
NAMES = ["look", "tell", "find", "größe", "", " ", "a b", None, 1, 1.0, True, 0, False, -0.0, ["x"], {"a": 1}, 10**25, "None", "1"]
ODD = [None, 0, 1, -7, 2.5, True, False, "", "x", "read", [], {}, ["a"], [1], [None], {"a": 1}, [["x"]], 10**40, "٣", "*"]
# Raw pieces of JSON that only Python reads, or that nothing does.
RAW = ["NaN", "Infinity", "-Infinity", "1e999", "1" * 4301, '"\\ud800"', '"x\\udfffy"', "[NaN]", "[" * 1200 + "]" * 1200, "[" * 300 + "]" * 300]
BROKEN = ["{broken", "", "nonsense", "{'type': 'prompt'}", '{"type": "prompt",}', "\ufeff{}", "01", '"\\x"', '{"a": "b', "[1", "{}x", "[1,]", '{"a" 1}']
NO_OBJECTS = ["null", "3", "true", '"text"', "[]", '["a"]', "NaN", '"{}"', "1.5"]


class Dice(random.Random):
    def often(self, share):
        return self.random() < share

    def some(self, values, most=3):
        return [self.choice(values) for _ in range(self.randint(0, most))]


def names_of(dice, names):
    """A list of names as a tool has it; sometimes something else."""
    if dice.often(0.93):
        return dice.some(names)
    return dice.choice(ODD + [["read", 1], ["read", None], names[0]])


def arguments(dice):
    if dice.often(0.06):
        return dice.choice(ODD)
    item = lambda: {"name": dice.choice(["topic", "q", None, 5]), "type": "string", "description": "d"}
    items = [item() for _ in range(dice.randint(0, 2))]
    if dice.often(0.05):
        items.append(dice.choice(ODD))
    return items


def tool(dice, services, calm):
    """A tool that mostly loads. A calm set has nothing odd but what is optional."""
    odd = 0.0 if calm else 0.06
    value = {"type": dice.choice(TYPES), "name": dice.choice(NAMES[:4]), "description": "d"}
    if dice.often(0.6):
        value["group"] = dice.some(GROUPS) if calm else names_of(dice, GROUPS)
    if dice.often(0.5):
        value["applicable-states"] = dice.some(STATES) if calm else names_of(dice, STATES)
    if dice.often(0.4):
        value["state"] = dice.choice(STATES + [""])
    if value["type"] == "tool-service":
        value["service"] = dice.choice(services or ["s"])
        value |= {key: dice.choice(ODD) for key in ["style", "tone"] if dice.often(0.8)}
    if value["type"] == "row-embeddings-query" and dice.often(0.6):
        value["limit"] = dice.choice(LIMITS[:5] if calm else LIMITS)
    if dice.often(0.4):
        value["arguments"] = [] if calm else arguments(dice)
    if dice.often(odd):
        value["name"] = dice.choice(NAMES)
    if dice.often(odd):
        value.pop("name")
    if dice.often(odd / 2):
        value[dice.choice(["type", "service", "group", "applicable-states", "state", "arguments", "limit", "description"])] = dice.choice(ODD)
    if dice.often(odd / 3):
        value.pop("type")
    return value


def service(dice, calm):
    value = {"request-queue": "request:tg:x", "response-queue": "response:tg:x"}
    if dice.often(0.7):
        value["config-params"] = [
            dice.choice(["style", {"name": "tone"}, {"name": "style", "required": False}]) for _ in range(dice.randint(0, 2))
        ]
    if calm:
        return value
    if dice.often(0.1):
        value["config-params"] = dice.choice(ODD + [
            [{"required": True}], [{"name": None, "required": "false"}], [{"name": "tone", "required": "false"}],
            [{"name": "tone", "required": 0}], [{"name": ["x"]}], [["x"]], ["style", None, 3], [{"name": "style", "required": []}],
            "st", {"style": 1}, [{}], [{"name": 5, "required": 1}], [True], [{"name": "absent", "required": True}],
        ])
    if dice.often(0.06):
        value[dice.choice(["request-queue", "response-queue"])] = dice.choice(ODD)
    if dice.often(0.03):
        value.pop(dice.choice(["request-queue", "response-queue"]))
    return value


def text_of(dice, value, calm):
    """The JSON text of an entry; sometimes with what json.dumps would not write."""
    text = json.dumps(value, ensure_ascii=dice.often(0.5))
    if calm or dice.often(0.97):
        return text
    if dice.often(0.3):
        return dice.choice(BROKEN)
    if dice.often(0.3):
        return dice.choice(NO_OBJECTS)
    key = dice.choice(["extra", "description", "limit", "name", "state", "group", "style", "request-queue", "service"])
    return text[:-1] + (", " if len(value) else "") + json.dumps(key) + ": " + dice.choice(RAW) + "}"


def make_set(dice):
    """A configuration: JSON texts by kind and key."""
    calm = dice.often(0.4)
    keys = dice.sample(["a", "b", "B", "c1", "c10", "c2", "é", "z", "ﬀ", "𝒂", "-", "a.b"], dice.randint(1, 6))
    services = dice.sample(["s", "t", "Ü"], dice.randint(0, 2))
    tools = {}
    for key in keys:
        value = tool(dice, services, calm)
        value["key-of-entry"] = key
        tools[key] = text_of(dice, value, calm)
    return {"tool": tools, "tool-service": {key: text_of(dice, service(dice, calm), calm) for key in services}}


class Log(logging.Handler):
    def __init__(self):
        super().__init__()
        self.error = None

    def emit(self, record):
        words = record.getMessage()
        if words.startswith("on_tools_config Exception: "):
            self.error = words.removeprefix("on_tools_config Exception: ")


def load(module, config):
    """What the processor's own handler makes of a configuration: its tools, or the error that it logs."""
    processor = module.Processor.__new__(module.Processor)
    processor.config_key, processor.agents, processor.meta_routers = "agent", {}, {}
    log = Log()
    module.logger.addHandler(log)
    module.logger.propagate = False
    module.logger.setLevel(logging.ERROR)
    # The table that holds the configuration answers by the order of keys.
    held = {kind: dict(sorted(entries.items(), key=lambda entry: entry[0].encode())) for kind, entries in config.items()}
    asyncio.run(processor.on_tools_config("w", held, 1))
    module.logger.removeHandler(log)
    agent = processor.agents.get("w")
    return (agent.tools, None) if agent else (None, log.error)


def offered(tools, groups, state):
    """The keys of the entries behind the tools that a request gets, in order; and whether their names can be joined."""
    try:
        found = filter_tools_by_group_and_state(tools, groups, state)
    except Exception as error:
        return f"raises {error}", True
    try:
        ",".join(found.keys())
        joins = True
    except TypeError:
        joins = False
    return [tool.config.get("key-of-entry") for tool in found.values()], joins


def run(toolcrib, folder, *arguments):
    command = [toolcrib, "--workspace", str(folder), "--mode", "as-deployed", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return None, done.stderr + done.stdout


def as_file(dice, config):
    """The workspace's file: entries as JSON text, or as values where JSON can say them."""
    if dice.often(0.5):
        return json.dumps(config | {"mcp": {"m": {"url": "http://localhost"}}})
    def entry(text):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return json.dumps(text)
        # A text is taken for JSON text, and files are read to a depth of 128 only.
        return json.dumps(text) if isinstance(value, str) or "[" * 100 in text else text
    kinds = [f"{json.dumps(kind)}: {{" + ", ".join(f"{json.dumps(key)}: {entry(text)}" for key, text in entries.items()) + "}" for kind, entries in config.items()]
    return "{" + ", ".join(kinds) + ', "mcp": {"m": {"url": "http://localhost"}}}'


def compare(toolcrib, folder, number, seed):
    """The differences of one set, each as (what, the real answer, ours)."""
    dice = Dice(f"{seed}/{number}")
    config = make_set(dice)
    home = folder / str(number)
    home.mkdir()
    (home / "set.json").write_text(as_file(dice, config), encoding="utf-8", errors="surrogatepass")
    requests = [(dice.choice([None, [], ["*"], dice.sample(GROUPS, 2), dice.sample(GROUPS[:3], 1)]), dice.choice([None, *STATES])) for _ in range(3)]
    with LOCK:
        tools, error = load(react, config)
        other, other_error = load(orchestrator, config)
    differences = []
    if (error, tools and list(tools)) != (other_error, other and list(other)):
        differences.append(("the two agents", str(error), str(other_error)))
    findings, words = run(toolcrib, home, "check")
    if findings is None:
        return [("check fails", error, words)], Counter()
    refused = [finding for finding in findings if finding["code"] == "load.set-refused"]
    if bool(refused) != (tools is None):
        differences.append(("verdict of check", error or "loads", [finding["message"] for finding in refused] or "loads"))
    kinds = Counter({"loads" if tools is not None else "refused": 1})
    for groups, state in requests:
        asked = [*(["--groups", ",".join(groups)] if groups is not None else []), *(["--state", state] if state is not None else [])]
        rows, words = run(toolcrib, home, "tools", *asked)
        if rows is None:
            differences.append(("tools fails", error, words))
            continue
        ours = [row["key"] for row in rows if row["available"]]
        real, joins = offered(tools or {}, groups, state)
        kinds["requests"] += 1
        kinds["tools offered"] += len(real)
        if ours != real:
            differences.append((f"offered to {groups} in {state}", real, ours))
        if error is not None and error not in words:
            differences.append(("words of the log", error, words.strip()))
        if ("every request that offers it" in words) == joins:
            differences.append(("request that breaks", "joins" if joins else "breaks", words.strip()))
    return differences, kinds


class Lock:
    """Loading writes to a logger that all share."""

    def __init__(self):
        import threading
        self.inner = threading.Lock()

    def __enter__(self):
        self.inner.acquire()

    def __exit__(self, *_):
        self.inner.release()


LOCK = Lock()


def main():
    sys.setrecursionlimit(1000)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--toolcrib", required=True, help="the program to compare")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", default=None, help="as printed by an earlier run; else a new one")
    parser.add_argument("--only", type=int, help="one set of that seed alone")
    parser.add_argument("--keep", help="a folder for the workspaces, to look at them afterwards")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    seed = options.seed or str(random.SystemRandom().randrange(10**6))
    print(f"seed {seed}", flush=True)
    logging.basicConfig(level=logging.CRITICAL)
    numbers = range(options.sets) if options.only is None else [options.only]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(options.keep or made)
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda number: compare(options.toolcrib, folder, number, seed), numbers))
    counts = sum((kinds for _, kinds in results), Counter())
    found = [(number, *difference) for number, (differences, _) in zip(numbers, results) for difference in differences]
    print(f"\n{'sets':<20}{len(results):>8}")
    for what in ["loads", "refused", "requests", "tools offered"]:
        print(f"{what:<20}{counts[what]:>8}")
    print(f"{'differences':<20}{len(found):>8}")
    for number, what, real, ours in found:
        print(f"\nset {number}: {what}\n  real: {str(real)[:400]}\n  ours: {str(ours)[:800]}")
    sys.exit(1 if found else 0)


main()

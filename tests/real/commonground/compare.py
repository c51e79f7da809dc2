"""Compares toolcrib with CommonGround's own code on random inputs, and prints a table. See tests/real/README.md.

    VENV/bin/python tests/real/commonground/compare.py CHECKOUT [--cases 2000] [--seed 1] [--only commands]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHOWN = 15


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", help="a checkout of CommonGround, tag v1r4")
    parser.add_argument("--cases", type=int, default=2000, help="random inputs for each section")
    parser.add_argument("--definitions", type=int, default=300, help="random definitions")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", action="append", help="a section; again for more")
    parser.add_argument("--keep", help="a folder that keeps the cases")
    asked = parser.parse_args()

    import real

    real.load(asked.checkout)
    sys.path.insert(0, str(HERE))
    import cases
    import schemas

    makers = {name: getattr(cases, name) for name in (
        "arguments", "model_arguments", "model_schema", "tool_results", "card_content", "effective_after_execution", "result_card_checks",
        "report_gate", "traceparents", "trace_ids", "idempotency_keys", "subject_templates", "jina_requests", "commands")}
    makers |= {"patterns": schemas.patterns, "tool_definitions": schemas.tool_definitions}
    made: dict[str, list] = {"about": {"seed": asked.seed}}
    for name, make in makers.items():
        if asked.only and name not in asked.only:
            continue
        count = asked.definitions if name == "tool_definitions" else asked.cases * 5 if name == "patterns" else asked.cases
        rows = [make(cases.Make(f"{asked.seed} {name} {row}")) for row in range(count)]
        rows = [{"id": f"{name}-{row}", **case} for row, case in enumerate(rows) if "raises" not in str(case["expect"])[:12]]
        made[name] = rows
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(asked.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "commonground.json").write_text(json.dumps(made))
        return table(made, compared(folder))


def compared(folder: Path) -> dict[str, list[str]]:
    """Differences by section, from the test that runs vectors."""
    run = subprocess.run(
        ["./test", "every_case_of_every_file_holds"], cwd=ROOT, env={**os.environ, "TOOLCRIB_VECTORS": str(folder)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    differences: dict[str, list[str]] = {}
    if run.returncode and "cases fail" not in run.stdout:
        print(run.stdout[-4000:])
        sys.exit("the comparison did not run")
    for line in dict.fromkeys(run.stdout.splitlines()):
        if found := re.match(r'\s*commonground\.json "([a-z_]+)-(\d+)": (.*)', line):
            differences.setdefault(found[1], []).append(f"{found[1]}-{found[2]}: {found[3]}")
    return differences


def table(made: dict, differences: dict) -> int:
    print(f"{'section':28} {'inputs':>7} {'different':>9}")
    for name, rows in made.items():
        if name != "about":
            print(f"{name:28} {len(rows):7} {len(differences.get(name, [])):9}")
    for name, found in differences.items():
        print(f"\n{name}:")
        by_id = {case["id"]: case for case in made[name]}
        for line in found[:SHOWN]:
            case = {key: value for key, value in by_id[line.split(":")[0]].items() if key not in ("id", "expect")}
            print(f"  {line[:600]}\n    {json.dumps(case, ensure_ascii=False)[:900]}")
        if len(found) > SHOWN:
            print(f"  and {len(found) - SHOWN} more")
    return 1 if differences else 0


if __name__ == "__main__":
    began = time.monotonic()
    code = main()
    print(f"\n{time.monotonic() - began:.0f} s")
    sys.exit(code)

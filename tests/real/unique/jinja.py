"""Renders templates with Jinja2 as Unique's toolkit does, and writes what came of them to jinja.json, which a unit test reads.

    PYTHON tests/real/unique/jinja.py

PYTHON is the Python of an environment that has the package jinja2. A template that is new goes to `templates` of jinja.json,
with any text; one that Jinja2 refuses is named.
"""

import copy
import json
import pathlib
import re

from jinja2 import Template

FILE = pathlib.Path(__file__).with_name("jinja.json")


def main() -> None:
    cases = json.loads(FILE.read_text())
    for template in list(cases["templates"]):
        try:
            text = Template(template, lstrip_blocks=True).render(**copy.deepcopy(cases["context"]))
        except Exception as error:
            print(f"{template!r}: {type(error).__name__}: {error}")
            del cases["templates"][template]
        else:
            # Where an object was is other each time.
            cases["templates"][template] = re.sub(r"\bat 0x[0-9a-f]+>", "at 0x…>", text)
    FILE.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

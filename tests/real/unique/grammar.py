"""Makes small templates by chance, as authors write them and with what goes wrong in them, and holds toolcrib against Jinja2.

    PYTHON tests/real/unique/grammar.py --toolcrib target/debug/toolcrib [--count 2000] [--seed 1] [--keep]

PYTHON is the Python of an environment that has the package jinja2. What differs is printed; docs/unique.md has what is known to.
--keep writes those in which both agree to grammar.json, which a unit test reads.
"""

import argparse
import copy
import json
import pathlib
import random
import re
import subprocess
import tempfile
import warnings
from collections import Counter

from jinja2 import Template

FILE = pathlib.Path(__file__).with_name("grammar.json")

CONTEXT = {
    "language": "de", "display": "Ada Lovelace", "max_hits": 20, "threshold": 0.75, "whole": 3.0, "neg": -7, "flag": True, "off": False, "nil": None,
    "empty": "", "no_items": [], "tags": ["größe", "b", "Alpha"], "nums": [3, 1, 2], "mixed": ["a", 1, None, True], "floats": [1.5, 2.0],
    "tree": {"zeta": 1, "alpha": 2}, "nested": {"b": {"x": [1, 2]}, "limits": {"max_words": 3}},
    "people": [{"name": "Ann", "age": 31, "city": "Basel"}, {"name": "Bob", "age": 25, "city": "Bern"}, {"name": "Cy", "age": 31, "city": "Basel"}],
    "html": "<b>a & 'b'</b>", "long": "The quick brown fox jumps over the lazy dog. It was not amused.", "multi": "one\ntwo\n\nthree", "digits": "12",
}

# A rule has its alternatives; <name> is another rule. The first few are those that a deep template ends with.
GRAMMAR = {
    "text": [
        "language", "display", "empty", "html", "long", "multi", "digits", "'a b'", "'Hello'", "'x,y,z'", '"it\'s"',
        *(f"<text>.{call}" for call in (
            "upper()", "lower()", "title()", "capitalize()", "strip()", "swapcase()", "replace('a', 'b')", "lstrip('T')", "zfill(5)", "center(9)",
            "ljust(8)", "rjust(8, '*')", "removeprefix('de')", "casefold()", "upper", "split(',')[0]", "join(<list>)")),
        *(f"<any>|{name}" for name in (
            "upper", "lower", "title", "capitalize", "trim", "e", "striptags", "string", "replace('e', 'E')", "truncate(9)", "truncate(9, True)",
            "truncate(12, False, '…')", "indent(2)", "indent(2, true)", "center(20)", "urlencode", "reverse", "safe", "default('z')",
            "default('z', true)", "d", "first", "last", "tojson", "tojson(indent=2)", "join(', ')", "join")),
        "people|join(', ', attribute='name')", "<text> + <any>", "<text> ~ <any>", "<text>[<slice>]", "'%s: %s'|format(<any>, <any>)", "<percent>|format(<any>)",
        "<percent> % <num>", "'%s and %s' % (<any>, <any>)", "'%(n)s has %(m)d'|format(n=<any>, m=<num>)", "<braces>.format(<any>)",
        "'{} and {}'.format(<any>, <any>)", "'{0}-{1}-{0}'.format(<any>, <num>)", "', '.join(<list>)", "<text> if <cond> else <text>", "<text> * 2",
    ],
    "slice": ["0", "-1", "1:3", ":2", "::-1", "9", "0:100"],
    "percent": ["'%d'", "'%5d'", "'%05d'", "'%.2f'", "'%5.1f'", "'%s'", "'%x'", "'%e'", "'%g'", "'%+d'", "'%-5d|'", "'%d%%'", "'%5s|'", "'%r'", "'%.1s'"],
    "braces": ["'{}'", "'{0}'", "'{:>8}'", "'{:<8}|'", "'{:^9}'", "'{:.2f}'", "'{:,}'", "'{:05d}'", "'{:d}'", "'{:+}'", "'{:*^9}'", "'{:.3}'", "'{:.1%}'",
               "'{:.0%}'", "'{:e}'", "'{:,.2f}'", "'{!r}'", "'{:s}'"],
    "num": [
        "max_hits", "neg", "threshold", "whole", "3", "0", "1", "7", "1.5",
        *(f"<num> {sign} <num>" for sign in ("+", "-", "*", "/", "//", "%")), "(<num> + <num>)", "-<num>",
        *(f"<any>|{name}" for name in ("length", "count", "int", "float", "int(5)", "abs", "round", "round(1)", "wordcount", "sum")),
        *(f"<num>|{name}" for name in ("abs", "round", "round(1)", "round(0, 'floor')", "round(2, 'ceil')", "int", "float", "filesizeformat")),
        *(f"<list>|{name}" for name in ("length", "sum", "min", "max", "first", "last")), "people|sum(attribute='age')", "<list>[0]", "<list>[-1]",
        "people|map(attribute='age')|max", "<text>.find('a')", "<text>.count('a')",
    ],
    "list": [
        "tags", "nums", "floats", "people", "mixed", "no_items", "[1, 2]", "['a', 'b']", "(1, 2)", "range(3)", "range(1, 10, 2)",
        *(f"<list>|{name}" for name in (
            "sort", "list", "reverse", "reverse|list", "unique", "unique|list", "sort(reverse=true)", "batch(2)|list", "slice(2)|list", "map('upper')",
            "map('upper')|list", "map('string')|list", "map('int')|list", "map('length')|list", "select|list", "reject('none')|list", "select('string')|list",
            "select('gt', 1)|list", "select('odd')|list", "map('default', '-')|list")),
        *(f"people|{name}" for name in (
            "map(attribute='name')", "map(attribute='name')|list", "selectattr('age', 'gt', 30)|list", "rejectattr('age', 'equalto', 31)|list",
            "groupby('city')", "sort(attribute='age')", "sort(attribute='age,name')", "map(attribute='nope')|list", "sort(attribute='nope')",
            "selectattr('nope')|list", "selectattr('city', 'eq', 'Bern')|map(attribute='name')|list", "unique(attribute='city')|list",
            "map(attribute='name')|map('upper')|list", "map(attribute='name')|sort|join(', ')")),
        *(f"<dict>.{name}" for name in ("items()", "keys()", "values()", "items()|list", "keys()|list", "items", "keys()|sort", "values()|sum")),
        *(f"<dict>|{name}" for name in ("dictsort", "items|list", "list", "sort", "length", "first")),
        "<text>.split()", "<text>.split(',')", "<text>.splitlines()", "<text>|list", "<list> + <list>", "<list>[1:]", "<list>[:2]", "[<any>, <any>]", "<list> * 2",
        "range(<num>)",
    ],
    "dict": [
        "tree", "nested", "people[0]", "nested.b", "nested.limits", "{'a': 1}", "{}", "dict(a=<any>, b=2)", "{'k': <any>, 'j': <any>}", "<dict>.get('x')",
        "<dict>.get('zeta', 0)", "<dict>.b", "people|first", "<dict>['x']", "dict(tree, c=3)",
    ],
    "cond": [
        "flag", "off", "tags", "nil", "missing", "max_hits", "language == 'de'", "threshold > 0.5", "no_items",
        *(f"<num> {sign} <num>" for sign in ("<", ">", "<=", "==", "!=")), *(f"<any> {sign} <any>" for sign in ("<", ">", "==", "!=")),
        "<any> in <any>", "<any> not in <any>", "'b' in <list>", "not <cond>", "<cond> and <cond>", "<cond> or <cond>",
        *(f"<any> is {name}" for name in (
            "defined", "undefined", "none", "string", "number", "mapping", "sequence", "iterable", "odd", "even", "not defined", "not none", "boolean",
            "integer", "float", "true", "callable", "lower", "upper", "divisibleby(3)", "eq(3)", "gt(1)", "in(tags)")),
        *(f"<text>.{call}" for call in ("startswith('a')", "endswith('e')", "isdigit()", "isalpha()", "isupper()", "istitle()")),
    ],
    "any": ["<text>", "<text>", "<num>", "<list>", "<dict>", "nil", "missing", "flag", "<cond>"],
    "template": [
        "{{ <any> }}", "{{ <any> }}", "{{ <any> }}", "{% if <cond> %}<body>{% else %}no{% endif %}", "{% if <cond> %}a{% elif <cond> %}b{% endif %}",
        "{% for x in <list> %}{{ x }},{% endfor %}", "{% for x in <list> %}{{ loop.index }}/{{ loop.length }} {{ x }}{{ ', ' if not loop.last }}{% else %}none{% endfor %}",
        "{% for x in <list> %}- {{ x|upper }}\n{% endfor %}", "{% for x in <list> %}{{ x.name }} {% endfor %}", "{% for x in <list> %}{% if x > 1 %}{{ x }}{% endif %}{% endfor %}",
        "{% for x in <list> if x %}{{ x }}{{ loop.cycle('a', 'b') }}{% endfor %}", "{% for k, v in <dict>.items() %}{{ k }}={{ v }} {% endfor %}",
        "{% for k, v in <dict>|dictsort %}{{ k }}={{ v }} {% endfor %}", "{% for k, v in <dict>.items %}{{ k }}{% endfor %}",
        "{% for city, all in people|groupby('city') %}{{ city }}: {{ all|map(attribute='name')|join(', ') }}; {% endfor %}",
        "{% set v = <any> %}{{ v }}{{ v|length }}", "{% set v %}<body>{% endset %}[{{ v|upper }}]", "{% macro m(a, b='x') %}({{ a }}-{{ b }}){% endmacro %}{{ m(<any>) }}",
        "{% with v = <any> %}{{ v }}{% endwith %}", "{% filter upper %}<body>{% endfilter %}", "a\n  {%- if <cond> -%}  \n b {% endif %}\n c\n",
        "{% set ns = namespace(n=0) %}{% for x in <list> %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
    ],
    "body": ["text ", "\n", "{{ <any> }}"],
}
ENDS = {"text": 11, "num": 9, "list": 11, "dict": 7, "cond": 9}


def expand(rule: str, depth: int, chance: random.Random) -> str:
    alternatives = GRAMMAR[rule]
    is_end = rule in ENDS and (depth <= 0 or chance.random() < 0.3)
    chosen = chance.choice(alternatives[: ENDS[rule]] if is_end else alternatives)
    return re.sub(r"<(\w+)>", lambda name: expand(name[1], depth - 1, chance) if name[1] in GRAMMAR else name[0], chosen)


def made(count: int, seed: int) -> list[str]:
    chance, templates = random.Random(seed), {}
    while len(templates) < count:
        template = expand("template", chance.choice([1, 2, 2, 3]), chance)
        if len(template) < 160:
            templates[template] = None
    return list(templates)


def rendered(template: str) -> str | None:
    try:
        text = Template(template, lstrip_blocks=True).render(**copy.deepcopy(CONTEXT))
    except Exception:
        return None
    return re.sub(r"\bat 0x[0-9a-f]+>", "at 0x…>", text)


def shown(toolcrib: str, templates: list[str]) -> dict[str, tuple[str | None, str | None]]:
    """Of each template its text, or why there is none."""
    texts = {f"p{row:05}": template for row, template in enumerate(templates)}
    entry = {"name": "T", "displayName": "T", "icon": "IconBook", "selectionPolicy": "ByUser", "isExclusive": False, "configuration": CONTEXT | texts}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "entry.json").write_text(json.dumps([entry]))
        ran = subprocess.run([toolcrib, "-w", folder, "tools", "--model", "T", "--json"], capture_output=True, text=True, check=True)
    prompts = {prompt["place"]: prompt for prompt in json.loads(ran.stdout)["prompts"]}
    return {template: (prompts[place]["text"], prompts[place]["fault"]) for place, template in texts.items()}


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--toolcrib", required=True)
    reader.add_argument("--count", type=int, default=2000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--keep", action="store_true")
    asked = reader.parse_args()
    warnings.simplefilter("ignore")
    here, agreed, kinds = shown(asked.toolcrib, made(asked.count, asked.seed)), {}, Counter()
    for template, (text, fault) in here.items():
        wanted = rendered(template)
        if text == wanted:
            agreed[template] = wanted
            continue
        kind = "not rendered here" if "not rendered here" in (fault or "") else "other text"
        kind = "refused by Jinja2" if wanted is None else "refused here" if fault and kind == "other text" else kind
        kinds[kind] += 1
        print(f"{kind}: {template!r}\n  Jinja2:   {wanted!r}\n  toolcrib: {text if fault is None else fault!r}")
    print(f"{len(agreed)} of {len(here)} are the same", dict(kinds))
    if asked.keep:
        FILE.write_text(json.dumps({"context": CONTEXT, "templates": agreed}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

//! Texts in odd but valid formatting, as people write them.

use toolcrib::syntax::source::Format::{self, Json, Toml, Yaml};

/// Name, format, text.
pub const ALL: &[(&str, Format, &str)] = &[
    (
        "json, pretty",
        Json,
        "{\n  \"name\": \"a\",\n  \"group\": [\"x\", \"y\"],\n  \"n\": 1.50\n}\n",
    ),
    ("json, one line", Json, r#"{"a":1,"b":[1,2,3],"c":{"d":null}}"#),
    ("json, one line with blanks", Json, r#"{ "a": 1, "b": [ 1, 2 ], "c": { "d": {} } }"#),
    ("json, tabs", Json, "{\n\t\"a\": {\n\t\t\"b\": []\n\t},\n\t\"c\": [\n\t\t1,\n\t\t2\n\t]\n}"),
    (
        "json, four blanks and crlf",
        Json,
        "{\r\n    \"a\": [\r\n        {\"b\": 1},\r\n        {\"b\": 2}\r\n    ]\r\n}\r\n",
    ),
    ("json, byte order mark", Json, "\u{feff}{\"a\": \"ü\"}\n"),
    ("json, wrapped list", Json, "{\n  \"a\": [1, 2, 3,\n        4, 5, 6],\n  \"b\": {}\n}\n"),
    ("json, odd blanks", Json, "\n\n{\"a\"\n:\n1\n,\"b\" : [ ]\n,\n\"c\":{ }}\n\n"),
    ("json, duplicate keys", Json, "{\n  \"a\": 1,\n  \"a\": 2,\n  \"b\": 3\n}\n"),
    ("json, escapes", Json, r#"{"\u00fc\n": "\ud83d\ude42", "a": "\u00e4"}"#),
    ("json, list of objects", Json, "[{\"a\": 1},\n {\"a\": 2},\n {\"a\": 3}]\n"),
    ("yaml, plain", Yaml, "name: a\ngroup:\n  - x\n  - y\nn: 1.50\n"),
    (
        "yaml, dashes at the key",
        Yaml,
        "tools:\n- name: a\n  group: [x, y]\n- name: b\n  deep:\n  - - 1\n    - 2\n  -\n    - 3\nend: yes\n",
    ),
    (
        "yaml, comments everywhere",
        Yaml,
        "# head\n\n# about tools\ntools: # here\n  # first\n  a: # one\n    x: 1 # value\n    # between\n    y: [p, q] # list\n\n  # second\n  b:\n    x: 2\n  # tail of tools\n# tail\n",
    ),
    (
        "yaml, comments in lists",
        Yaml,
        "l:\n  # first\n  - a # one\n  # second\n  - b: 1 # two\n    # inner\n    c: 2\n\n  - # third\n    d: 3\n  # end\nm: 1\n",
    ),
    (
        "yaml, crlf",
        Yaml,
        "a: 1\r\nb:\r\n  - x\r\n  - y # c\r\nc: |\r\n  one\r\n  two\r\nd: {e: f}\r\n",
    ),
    ("yaml, no final newline", Yaml, "a: 1\nb:\n  c: 2\n  d: x"),
    ("yaml, byte order mark", Yaml, "\u{feff}a: 1\nb: ü\n"),
    (
        "yaml, block texts",
        Yaml,
        "a: |\n  one\n    two\n\n  three\nb: >-\n  folded text\n  goes on\n\n  here\nc: |2-\n    lead\n   x\nd: |+ # keeps\n  end\n\ne: >+\n  k\n\nf: 1\n",
    ),
    (
        "yaml, block texts in lists",
        Yaml,
        "- |\n  a\n  b\n- >-\n  c\n- k: |-\n    d\n    e\n  l: 2\n- - |\n    f\n  - g\n",
    ),
    (
        "yaml, quotes",
        Yaml,
        "a: \"x\\n\\u00fc\"\nb: 'it''s'\n\"c d\": \"y\"\n'e': 'z'\nf: \"two\n  lines\"\ng: plain\n  goes on\n",
    ),
    (
        "yaml, flow over lines",
        Yaml,
        "a: [\n  x, # first\n  y, # second\n]\nb: {\n  c: 1,\n  d: [2, 3]\n}\ne: [1,2,3]\nf: { g: h }\n",
    ),
    ("yaml, json within", Yaml, "{\n  \"a\": [1, 2],\n  \"b\": {\"c\": \"d\"},\n  \"e\": []\n}\n"),
    ("yaml, empties", Yaml, "a:\nb: ~\nc: {}\nd: []\ne: ''\nf:\n  g:\n  h: # c\n"),
    (
        "yaml, anchors",
        Yaml,
        "base: &b\n  x: 1\n  y: [1, 2]\nuse: *b\nmore:\n  <<: *b\n  z: 3\nlist:\n  - &i item\n  - *i\n",
    ),
    ("yaml, tags", Yaml, "a: !!str 5\nb: !local x\nc: !!int \"7\"\nd: !thing\n  e: 1\nf: ! 8\n"),
    ("yaml, document marks", Yaml, "%YAML 1.2\n---\n# c\na: 1\nb: [x]\n...\n"),
    ("yaml, two documents", Yaml, "a: 1\nb:\n  - x\n---\nc: 2\n"),
    ("yaml, four blanks", Yaml, "a:\n    b:\n        c: 1\n    d:\n        - 1\n        - 2\n"),
    ("yaml, wide dashes", Yaml, "-   a: 1\n    b: 2\n-   c\n-   - d\n    - e\n"),
    ("yaml, explicit keys", Yaml, "? a\n: 1\n? b\n: - x\n  - y\nc: 3\n"),
    ("yaml, odd colons", Yaml, "a  :   1\nb :\n     c:   2\n\"d\":  'x'   # c\n"),
    ("yaml, key like values", Yaml, "1: a\ntrue: b\nnull: c\n~: d\nyes: e\n2026-11-21: f\n"),
    ("yaml, blank lines", Yaml, "\n\na: 1\n\n\nb:\n\n  c: 2\n\n  d: 3\n\n\ne:\n\n- 1\n\n- 2\n\n"),
    ("toml, plain", Toml, "name = \"a\"\ngroup = [\"x\", \"y\"]\nn = 1.50\n"),
    (
        "toml, tables and comments",
        Toml,
        "# head\ntitle = 'x' # t\n\n[a] # table\n# about b\nb = 1 # one\nc = 2\n\n# deeper\n[a.d]\ne = [\n  1, # first\n  2,\n]\n\n[f]\n",
    ),
    (
        "toml, arrays of tables",
        Toml,
        "[[tools]]\nname = \"a\"\n\n# second\n[[tools]]\nname = \"b\"\n[tools.deep]\nx = 1\n\n[[tools]]\n",
    ),
    (
        "toml, dotted keys",
        Toml,
        "a.b = 1\na.c.d = 'x'\n\n[t]\n\"q r\".s = 2\n\"q r\".u = 3\nv = { w.x = 1, y = 2 }\n",
    ),
    ("toml, crlf", Toml, "a = 1\r\n[b]\r\nc = \"x\"\r\n"),
    ("toml, no final newline", Toml, "a = 1\n[b]\nc = 2"),
    (
        "toml, texts",
        Toml,
        "a = \"\"\"\none\ntwo\"\"\"\nb = '''\nraw \\ \n'''\nc = 'lit'\nd = 2026-11-21T10:00:00Z\ne = 0xff\nf = 1_000\n",
    ),
    ("toml, implicit tables", Toml, "[a.b.c]\nx = 1\n[a.b.d]\ny = 2\n[e.f]\n"),
    (
        "toml, inline tables",
        Toml,
        "a = { b = 1, c = [ 1, 2 ], d = {} }\nl = [{ x = 1 }, { x = 2 }]\n",
    ),
    ("toml, indented", Toml, "[a]\n  x = 1\n  y = 2\n\n  [a.b]\n    z = 3\n"),
    ("toml, only comments", Toml, "# nothing\n"),
];

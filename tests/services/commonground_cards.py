"""CommonGround's cards as upstream's own package has them: their table, and the checks of what they hold.

    commonground_cards.py DSN

makes the tables of a deployment in an empty database: the package's, and those of commonground.sql.
"""

import importlib
import importlib.util
import pathlib
import sys
import types

import psycopg

# The package's head imports all of it, and with it much that is not here; its parts can do without.
_place = list(importlib.util.find_spec("cardbox").submodule_search_locations)
_package = types.ModuleType("cardbox")
_package.__path__ = _place
sys.modules["cardbox"] = _package
structures = importlib.import_module("cardbox.structures")

SCHEMA = pathlib.Path(_place[0], "adapters", "postgres_schema.sql").read_text()


def fault(content):
    """What the package says against the content of a card, as it is stored; none where it takes it."""
    kind = getattr(structures, content.get("__type__") or "", None)
    if kind is None:
        return f"no content is of the type {content.get('__type__')!r}"
    try:
        kind(**{name: value for name, value in content.items() if name != "__type__"})
    except ValueError as error:
        return str(error)
    return None


if __name__ == "__main__":
    with psycopg.connect(sys.argv[1], autocommit=True) as database:
        database.execute(SCHEMA)
        database.execute(pathlib.Path(__file__).with_name("commonground.sql").read_text())

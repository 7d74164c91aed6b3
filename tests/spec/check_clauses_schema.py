# SPDX-License-Identifier: Apache-2.0
"""Validates clauses.json against its schema, and shows that the schema refuses what it should.

Usage: check_clauses_schema.py FOLDER   with clauses.json and clauses.schema.json
"""

import copy
import json
import pathlib
import sys

import jsonschema


def broken_copies(clauses):
    """Yields (what is wrong, document) for documents that must not validate."""

    def changed(what, change):
        document = copy.deepcopy(clauses)
        change(document)
        return what, document

    yield changed("unknown member", lambda d: d.update(extra=1))
    yield changed("no clauses", lambda d: d.pop("clauses"))
    yield changed("other format", lambda d: d.update(format="poolproof-clauses/2"))
    yield changed("unknown clause member", lambda d: d["clauses"][0].update(extra=1))
    yield changed("unknown kind", lambda d: d["clauses"][0].update(kind="opinion"))
    yield changed("unknown strength", lambda d: d["clauses"][0].update(strength="strong"))
    yield changed("unknown profile", lambda d: d["clauses"][0].update(profiles=["atlas-a9"]))
    yield changed("no profile", lambda d: d["clauses"][0].update(profiles=[]))
    yield changed("negative status", lambda d: d["clauses"][0].update(expect={"status": -1}))
    yield changed("status without answer", lambda d: d["clauses"][0].pop("expect"))
    yield changed("empty statement", lambda d: d["clauses"][0].update(statement=""))
    yield changed("unknown edition", lambda d: d["clauses"][0].update(only="today"))
    yield changed("another id in the newest edition", lambda d: d["clauses"][0].update(newest={"id": "MP3-S99"}))
    yield changed("nothing else in the newest edition", lambda d: d["clauses"][0].update(newest={}))
    yield changed("malformed id", lambda d: d["clauses"][0].update(id="first"))


def main(folder):
    schema = json.loads((folder / "clauses.schema.json").read_text(encoding="utf-8"))
    clauses = json.loads((folder / "clauses.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(clauses)]
    for what, document in broken_copies(clauses):
        if validator.is_valid(document):
            errors.append(f"the schema accepts a document with: {what}")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

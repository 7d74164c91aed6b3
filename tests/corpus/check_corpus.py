# SPDX-License-Identifier: Apache-2.0
"""check_corpus.py <conformance/corpus> <clauses.json>: the vector files satisfy their schema, names
are unique in the whole corpus, flags are explained and used, clauses exist where a vector runs."""
import copy
import json
import pathlib
import sys

import jsonschema

SUPPORTED = ["atlas-a2", "atlas-a3", "ascend-950"]


def load(path):
    with open(path, encoding="ascii") as stream:
        return json.load(stream)


def faults(document):
    """Copies of a valid file with one fault each."""
    def spoil(change):
        broken = copy.deepcopy(document)
        change(broken, broken["vectors"][0], next(iter(broken["notes"].values())))
        return broken

    yield spoil(lambda d, v, n: d.update(surplus=1))
    yield spoil(lambda d, v, n: d.update(schema="poolproof-vectors/2"))
    yield spoil(lambda d, v, n: d.update(vectors=[]))
    yield spoil(lambda d, v, n: v.update(surplus=1))
    yield spoil(lambda d, v, n: v.update(flags=[]))
    yield spoil(lambda d, v, n: v.update(clauses=[]))
    yield spoil(lambda d, v, n: v.update(profiles=["atlas-training"]))
    yield spoil(lambda d, v, n: v.update(case="pp1:a b"))
    yield spoil(lambda d, v, n: v.update(expect={"grad_input": "f32:1.5"}))
    yield spoil(lambda d, v, n: v.update(expect={"grad_input": "f32:3f80"}))
    yield spoil(lambda d, v, n: v.pop("comment"))
    yield spoil(lambda d, v, n: n.pop("bugType"))
    yield spoil(lambda d, v, n: n.update(bugType="other"))


def main():
    folder = pathlib.Path(sys.argv[1])
    clauses = {clause["id"]: clause.get("profiles") for clause in load(sys.argv[2])["clauses"]}
    schema = load(folder / "poolproof-vectors-1.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = []
    names = set()
    notes = {}
    vectors = 0
    paths = sorted(folder.glob("*_vectors.json"))
    for path in paths:
        document = load(path)
        problems += [f"{path.name}: {e.json_path}: {e.message[:200]}"
                     for e in validator.iter_errors(document)]
        used = set()
        for vector in document["vectors"]:
            vectors += 1
            where = f"{path.name}: {vector['name']}"
            if vector["name"] in names:
                problems.append(f"{where}: the name is taken")
            names.add(vector["name"])
            used.update(vector["flags"])
            for flag in set(vector["flags"]) - set(document["notes"]):
                problems.append(f"{where}: flag {flag} is not explained")
            for clause in vector["clauses"]:
                if clause not in clauses:
                    problems.append(f"{where}: no clause {clause}")
                elif clauses[clause] is not None:
                    ran = set(vector.get("profiles", SUPPORTED))
                    if not ran <= set(clauses[clause]):
                        problems.append(f"{where}: {clause} does not hold on all of {sorted(ran)}")
        for flag in set(document["notes"]) - used:
            problems.append(f"{path.name}: flag {flag} is not used")
        for flag, note in document["notes"].items():
            if notes.setdefault(flag, note) != note:
                problems.append(f"{path.name}: flag {flag} is explained otherwise elsewhere")
        for broken in faults(document):
            if validator.is_valid(broken):
                problems.append(f"{path.name}: the schema accepts a spoilt copy")
    if vectors < 90:
        problems.append(f"{vectors} vectors in {len(paths)} files; wanted at least 90")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()

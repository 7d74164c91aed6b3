# SPDX-License-Identifier: Apache-2.0
"""check_case_schema.py <case_text_test> <schema>: what the printer writes satisfies the schema, and
texts with one fault each do not."""
import copy
import json
import os
import subprocess
import sys
import tempfile

import jsonschema


def faults(example):
    """Copies of a valid two-level object with one fault each."""
    paths = [[], ["calls", 0], ["calls", 0, "tensors"], ["calls", 0, "tensors", "self"]]
    for path in paths:
        broken = copy.deepcopy(example)
        target = broken
        for step in path:
            target = target[step]
        target["surplus"] = 1
        yield broken
    for key, value in [("schema", "poolproof-case/2"), ("calls", []), ("plan", {"repeat": "2"})]:
        yield {**example, key: value}
    yield {**example, "case": "pp1:x"}
    yield {"schema": "poolproof-case/1", "case": "pp1:a b"}
    yield {"schema": "poolproof-case/1"}
    yield {"schema": "poolproof-case/1", "case": "pp1:x", "finding": {}}
    yield {**example, "finding": {"implementation": "x", "profile": "atlas-a2", "signature": "s",
                                  "clauses": [], "message": ""}}
    broken = copy.deepcopy(example)
    broken["calls"][0]["tensors"]["self"]["data"] = {"values": "f32:0"}
    yield broken
    broken["calls"][0]["tensors"]["self"]["data"] = {"kind": "literal", "values": [1.5]}
    yield broken


def main():
    program, schema_path = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as stream:
        schema = json.load(stream)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "examples.jsonl")
        subprocess.run([program, "--gtest_filter=CaseJson.WritesExamplesForTheSchema"], check=True,
                       env={**os.environ, "POOLPROOF_CASE_EXAMPLES": path},
                       stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as stream:
            examples = [json.loads(line) for line in stream]
    if len(examples) < 1000:
        sys.exit(f"only {len(examples)} examples")
    for example in examples:
        validator.validate(example)
    base = next(e for e in examples if e.get("calls") and e["calls"][0]["tensors"]["self"])
    for broken in faults(base):
        if validator.is_valid(broken):
            sys.exit(f"the schema accepts {json.dumps(broken)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers the problems of `poolproof emit` for valid calls of AdaptiveMaxPool2dBackward on FLOAT32 (docs/simulators.md).
A simulator takes the place of `backward`. usage: simulator.py FOLDER"""

import itertools
import json
import pathlib
import struct
import sys


def places(tensor):
    """The byte of each element in the tensor's file, row by row."""
    for index in itertools.product(*map(range, tensor["shape"])):
        element = tensor["offset"] + sum(i * s for i, s in zip(index, tensor["strides"]))
        yield tensor["storage_at"] + element * tensor["element_bytes"]


def read(folder, tensor, code):
    image = (folder / tensor["file"]).read_bytes()
    return [struct.unpack_from("<" + code, image, place)[0] for place in places(tensor)]


def backward(gradients, indices, planes, plane):
    """Each gradient is added where its index says, in the plane of the same n and c."""
    result = [0.0] * (planes * plane)
    for k, (gradient, index) in enumerate(zip(gradients, indices)):
        at = k // (len(gradients) // planes) * plane + index
        result[at] = struct.unpack("<f", struct.pack("<f", result[at] + gradient))[0]
    return result


def answer(folder, call):
    tensors = {tensor["name"]: tensor for tensor in call["tensors"]}
    if call["operator"] != "AdaptiveMaxPool2dBackward" or tensors["self"]["dtype"] != "f32":
        return None
    shape = tensors["self"]["shape"]
    plane = shape[-2] * shape[-1]
    planes = 1
    for extent in shape[:-2]:
        planes *= extent
    codes = {"i32": "i", "i64": "q"}
    result = backward(read(folder, tensors["gradOutput"], "f"),
                      read(folder, tensors["indices"], codes[tensors["indices"]["dtype"]]), planes, plane)
    output = tensors["gradInput"]
    image = bytearray((folder / output["file"]).read_bytes())
    for place, value in zip(places(output), result):
        struct.pack_into("<f", image, place, value)
    (folder / output["answer_file"]).write_bytes(image)
    return {"phase_one": 0, "phase_two": 0, "synchronise": 0}


root = pathlib.Path(sys.argv[1])
for problem in json.loads((root / "problems.json").read_text())["problems"]:
    folder = root / problem["folder"]
    text = json.loads((folder / "problem.json").read_text())
    calls = [answer(folder, call) for call in text["calls"]]
    if None not in calls:
        (folder / "answer.json").write_text(json.dumps({"schema": "poolproof-answer/1", "calls": calls}))

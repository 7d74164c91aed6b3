# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's MaxPool with Indices, by its package for node: a process of node has the library.

The package has no headers, so nothing is linked with it. For each call a model of one node is made."""
import json
import os
import pathlib
import struct
import subprocess

import numpy as np

SERVER = pathlib.Path(__file__).with_name("onnxruntime_server.js")
node = subprocess.Popen([os.environ.get("POOLPROOF_NODE", "node"), SERVER, os.environ["POOLPROOF_ONNXRUNTIME"]],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def number(value):
    """A varint of protobuf."""
    value %= 1 << 64
    low = bytes([value & 127])
    return low if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)


def field(place, value):
    """A field of a message: a number, or the bytes of a text or of another message."""
    if isinstance(value, int):
        return number(place << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(place << 3 | 2) + number(len(value)) + value


def attribute(name, values):
    numbers = b"".join(field(8, int(value)) for value in values)
    return field(5, field(1, name) + numbers + field(20, 7))


def model(kernel_size, stride, padding, dilation, ceil_mode):
    """ModelProto, as onnx.proto numbers its fields."""
    pool = b"".join([field(1, "x"), field(2, "y"), field(2, "i"), field(4, "MaxPool"),
                     attribute("kernel_shape", kernel_size), attribute("strides", stride),
                     attribute("pads", [*padding, *padding]), attribute("dilations", dilation),
                     field(5, field(1, "ceil_mode") + field(3, int(ceil_mode)) + field(20, 2))])

    def value(name, kind):
        return field(1, name) + field(2, field(1, field(1, kind)))

    graph = b"".join([field(1, pool), field(2, "g"), field(11, value("x", 1)), field(12, value("y", 1)),
                      field(12, value("i", 7))])
    return field(1, 8) + field(7, graph) + field(8, field(2, 12))


def ask(message, data):
    """One call of the server: its answer, and the two tensors."""
    text = json.dumps(message).encode()
    node.stdin.write(struct.pack("<I", len(text)) + text + data)
    node.stdin.flush()
    answer = json.loads(node.stdout.read(struct.unpack("<I", node.stdout.read(4))[0]))
    if "error" in answer:
        raise RuntimeError(answer["error"])
    size = int(np.prod(answer["dims"]))
    out = np.frombuffer(node.stdout.read(4 * size), np.float32).reshape(answer["dims"])
    return out, np.frombuffer(node.stdout.read(8 * size), np.int64).reshape(answer["dims"])


def max_pool(self, kernel_size, stride, padding, dilation, ceil_mode):
    windows = model(kernel_size, stride, padding, dilation, ceil_mode)
    out, indices = ask({"model": windows.hex(), "dims": self.shape, "bytes": self.nbytes},
                       np.ascontiguousarray(self).tobytes())
    # They count from the start of the batch.
    planes = np.arange(self.shape[0] * self.shape[1]) * self[0, 0].size
    return out, indices - planes.reshape(*self.shape[:2], *[1] * (self.ndim - 2))


max_pool2d_with_indices = max_pool3d_with_argmax = max_pool

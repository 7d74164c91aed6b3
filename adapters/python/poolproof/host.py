# SPDX-License-Identifier: Apache-2.0
"""The process that runs a module's functions for libpoolproof_python.so, which starts it.

    python3 host.py <module or file.py> <bytes of the memory> <names that functions may have>...

Descriptor 3 is a socket with a message for each call, 4 the memory that operands lie in."""
import importlib
import importlib.util
import json
import mmap
import os
import resource
import socket
import sys
import traceback

# Which exceptions count as which status of the stream: the first that fits.
STATUSES = (
    (MemoryError, 207001),  # ACL_ERROR_RT_MEMORY_ALLOCATION
    (NotImplementedError, 207000),  # ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    ((TypeError, ValueError, IndexError, KeyError), 107000),  # ACL_ERROR_RT_PARAM_INVALID
    (BaseException, 507015),  # ACL_ERROR_RT_AICORE_EXCEPTION
)
TYPES = {0: "float32", 1: "float16", 3: "int32", 9: "int64", 11: "float64", 27: "uint16"}
BF16 = 27
MEMORY_MIB = 4096  # of the process, beside the operands: POOLPROOF_PYTHON_MEMORY_MIB, 0 for any


def load(name):
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    sys.path.insert(0, os.path.dirname(name))
    stem = os.path.splitext(os.path.basename(name))[0]
    spec = importlib.util.spec_from_file_location(stem, name)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(stem, module)
    spec.loader.exec_module(module)
    return module


def text_of(error):
    """The kind, the message and the line of the module, on one line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}{place}".split())


def message_of(error):
    status = next(status for kinds, status in STATUSES if isinstance(error, kinds))
    return f"{status} {text_of(error)}".encode("utf-8", "replace")[:2000]


class Host:
    def __init__(self, module, memory, names):
        import numpy

        import poolproof

        self.numpy, self.poolproof, self.memory = numpy, poolproof, memory
        found = ((name, getattr(module, name, None)) for name in names)
        self.functions = {name: function for name, function in found if callable(function)}

    def array(self, operand, flat):
        """An operand as it lies in memory; without D where the operator has none."""
        offset, kind, shape, strides = operand
        if flat:
            del shape[2], strides[2]
        dtype = self.numpy.dtype(TYPES[kind])
        strides = [stride * dtype.itemsize for stride in strides]
        return self.numpy.ndarray(shape, dtype, self.memory, offset, strides)

    def store(self, name, operand, target, result):
        """A result of the operand's type, or in float32 to be rounded to it once."""
        numpy = self.numpy
        result = numpy.asarray(result)
        if result.shape != target.shape:
            raise ValueError(f"{name} that was returned has shape {result.shape}, expected {target.shape}")
        if result.dtype == numpy.float32 and operand[1] == BF16:
            result = self.poolproof.bf16(result)
        rounds = result.dtype == numpy.float32 and target.dtype == numpy.float16
        counts = name == "indices" and result.dtype.kind in "iu"
        if result.dtype != target.dtype and not rounds and not counts:
            raise TypeError(f"{name} that was returned is {result.dtype}, expected {target.dtype} or float32")
        with numpy.errstate(all="ignore"):
            target[...] = result

    def call(self, message):
        name = message["function"]
        flat = "2d" in name
        operands = ("grad_output", "self", "indices", "grad_input", "out")
        arrays = {key: self.array(message[key], flat) for key in operands if key in message}
        lists = ("kernel_size", "stride", "padding", "dilation")
        window = {key: tuple(message[key][1:] if flat else message[key]) for key in lists}
        window["ceil_mode"] = message["ceil_mode"]
        self.poolproof.deterministic = message["deterministic"]
        backward = name.endswith("_backward")
        outputs = ("grad_input",) if backward else ("out", "indices")
        given = [arrays[key] for key in ("grad_output", "self", "indices") if key in arrays and key not in outputs]
        if name.startswith("adaptive"):
            window = {} if backward else {"output_size": arrays["out"].shape[2:]}
        try:
            result = self.functions[name](*given, **window)
        finally:
            for array in given:  # a function that keeps one may not write to the operands of later calls
                array.flags.writeable = False
        results = (result,) if backward else result
        if not isinstance(results, tuple) or len(results) != len(outputs):
            raise TypeError(f"expected {' and '.join(outputs)} to be returned, got {type(result).__name__}")
        for key, one in zip(outputs, results):
            self.store(key, message[key], arrays[key], one)


def limit_memory():
    limit = int(os.environ.get("POOLPROOF_PYTHON_MEMORY_MIB") or MEMORY_MIB) << 20
    if limit > 0:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def start(name, size, functions):
    """The host, or a text that says what is missing."""
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        import numpy  # noqa: F401
    except ImportError:
        return "has no numpy: install python3-numpy, or name another interpreter in POOLPROOF_PYTHON"
    try:
        limit_memory()
        host = Host(load(name), mmap.mmap(4, size), functions)
    except BaseException as error:  # pylint: disable=broad-except
        return f"cannot load {os.path.basename(name)}: {text_of(error)}"
    if not host.functions:
        return f"finds no operator in {os.path.basename(name)}, expected a function with the name of one, such as {functions[0]}"
    return host


def main():
    line = socket.socket(fileno=3)
    host = start(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
    if isinstance(host, str):
        line.send(host.encode("utf-8", "replace")[:2000])
        return
    line.send(("ok " + " ".join(host.functions)).encode())
    while True:
        message = line.recv(4096)
        if not message:
            return
        try:
            host.call(json.loads(message))
            answer = b"0"
        except BaseException as error:  # pylint: disable=broad-except
            answer = message_of(error)
        line.send(answer)


main()

# SPDX-License-Identifier: Apache-2.0
"""Cases from what others write down of their pooling layers: behind `poolproof import`, run as a program.

Every line of the input is imported, refused with a reason, or counted as one that holds no layer."""
import argparse
import collections
import csv
import itertools
import json
import math
import os
import re
import sys

FORMATS = ("benchdnn", "pytorch", "onnx", "csv", "json")
TYPES = {"f32": "f32", "float32": "f32", "float": "f32", "fp32": "f32", "c10::float": "f32", "1": "f32",
         "f16": "f16", "float16": "f16", "half": "f16", "fp16": "f16", "c10::half": "f16", "10": "f16",
         "bf16": "bf16", "bfloat16": "bf16", "c10::bfloat16": "bf16", "16": "bf16"}
ONNX_POOLS = {"MaxPool": "fixed", "GlobalMaxPool": "adaptive"}


class Refusal(Exception):
    """Why a line cannot be taken."""


class Layer:
    """A max pooling: its input N, C, (D,) H, W, and windows, or the extents of an adaptive output."""

    def __init__(self, shape, dtype, batched=True):
        self.shape, self.dtype, self.batched = shape, dtype, batched
        self.kernel = self.stride = self.padding = self.dilation = self.output = None
        self.ceil = False

    @property
    def axes(self):
        return len(self.shape) - (2 if self.batched else 1)


def type_of(word):
    found = TYPES.get(str(word).lower())
    if found is None:
        raise Refusal(f"type {word}, expected float32, float16 or bfloat16")
    return found


def joined(values, sign="x"):
    return sign.join(map(str, values))


def whole(value, what):
    """A number as programs write it: 3, "3", 3.0."""
    try:
        number = int(value) if isinstance(value, str) else value
        if isinstance(number, bool) or number != int(number):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise Refusal(f"{what} is {value!r}, expected a whole number") from None
    return int(number)


def whole_list(value, what):
    """[1, 2], "1x2", "1,2", "(1, 2)", 3."""
    if isinstance(value, str):
        value = [part for part in re.split(r"[\sx,;]+", value.strip("()[]{} ")) if part]
    if not isinstance(value, (list, tuple)):
        value = [value]
    return [whole(one, what) for one in value]


def spread(values, axes, what):
    """One value for all axes, or one for each."""
    if len(values) == 1:
        return values * axes
    if len(values) != axes:
        raise Refusal(f"{what} has {len(values)} values, expected 1 or {axes}")
    return values


def flag(value):
    text = str(value).strip().lower()
    if text in ("", "0", "false", "no", "none"):
        return False
    if text in ("1", "true", "yes"):
        return True
    raise Refusal(f"ceil mode is {value!r}, expected true or false")


def outputs_of(layer, ceil):
    result = []
    for n, k, s, p, d in zip(layer.shape[-layer.axes:], layer.kernel, layer.stride, layer.padding, layer.dilation):
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil else room // s) + 1
        if ceil and (count - 1) * s >= n + p:
            count -= 1  # the last window would begin in the padding
        result.append(count)
    return result


def match_outputs(layer, wanted):
    """Ceil mode, where the extents that the line gives are those of ceil mode alone."""
    floor, ceil = outputs_of(layer, False), outputs_of(layer, True)
    if wanted not in (floor, ceil):
        raise Refusal(f"output {joined(wanted)} is neither that of floor mode, {joined(floor)}, nor of ceil mode, {joined(ceil)}")
    layer.ceil = wanted != floor


def case_of(layer, forward, planes):
    """A case line. Without depth the operators of planes, with it those of volumes; a 1-d layer is one of planes with H = 1."""
    shape = list(layer.shape)
    lists = [layer.kernel, layer.stride, layer.padding, layer.dilation]
    output = layer.output
    if layer.axes == 1:
        shape.insert(-1, 1)
        lists = [one and [neutral, *one] for one, neutral in zip(lists, (1, 1, 0, 1))]
        output = output and [1, *output]
    axes = len(shape) - (2 if layer.batched else 1)
    if axes not in (2, 3):
        raise Refusal(f"{axes} spatial axes, expected 1, 2 or 3")
    if min(shape) < 1:
        raise Refusal(f"an extent of the input {joined(shape)} is below 1")
    if planes:
        for axis in reversed(range(len(shape) - axes)):  # channels stay as long as they can
            shape[axis] = min(shape[axis], max(1, planes // math.prod(shape[axis + 1:len(shape) - axes])))
    extents = f"self={layer.dtype}[{joined(shape, ',')}]"
    if output is not None:
        if min(output) < 1:
            raise Refusal(f"the output {joined(output)} is empty")
        pooled = f"o={joined(output, ',')}" if forward else f"go=[{joined([*shape[:-axes], *output], ',')}]"
        return f"pp1:AdaptiveMaxPool{axes}d{'' if forward else 'Backward'}:{extents};{pooled}"
    for values, least, name in zip(lists, (1, 1, 0, 1), ("kernel", "stride", "padding", "dilation")):
        if min(values) < least:
            raise Refusal(f"{name} {joined(values)}, expected at least {least}")
    if min(outputs_of(layer, layer.ceil)) < 1:
        raise Refusal("the windows are larger than the padded input")
    if any(2 * p > (k - 1) * d + 1 for k, p, d in zip(lists[0], lists[2], lists[3])):
        raise Refusal(f"padding {joined(lists[2])} is more than half of the kernel")
    name = {2: "MaxPool2dWithIndices", 3: "MaxPool3dWithArgmax"}[axes] + ("" if forward else "Backward")
    windows = ";".join(f"{key}={joined(values, ',')}" for key, values in zip("kspd", lists))
    return f"pp1:{name}:{extents};{windows}{';ceil' if layer.ceil else ''}"


# --- benchdnn ------------------------------------------------------------------------------------

AXES = "dhw"


def benchdnn_layer(word, dtype, batch):
    plain = re.sub(r'n"[^"]*"?$|n[\w:.*/+-]*$', "", word)
    pairs = re.findall(r"([a-z]{1,2})(\d+)", plain.replace("_", ""))
    if "".join(key + value for key, value in pairs) != plain.replace("_", ""):
        raise Refusal(f"{word!r} is no pooling problem")
    numbers = {key: int(value) for key, value in pairs}
    left = set(numbers) - {"mb", "ic", *(a + b for a in "ikspdo" for b in AXES)}
    if left or "ic" not in numbers or not any(f"i{axis}" in numbers for axis in AXES):
        raise Refusal(f"{word!r} is no pooling problem" + (f": {min(left)} is unknown" if left else ""))
    # What is missing is as in the axis before; the deepest axis that is given makes the rank.
    first = min(i for i, axis in enumerate(AXES) if any(part + axis in numbers for part in "ik"))

    def axis_values(part, otherwise):
        values = []
        for axis in AXES[first:]:
            values.append(numbers.get(part + axis, values[-1] if values else otherwise))
        return values

    layer = Layer([], dtype)
    extents = axis_values("i", None)
    layer.shape = [batch or numbers.get("mb", 2), numbers["ic"], *extents]
    layer.kernel = axis_values("k", None)
    if None in extents or None in layer.kernel:
        raise Refusal(f"{word!r} has no extent or no kernel for an axis")
    layer.stride = axis_values("s", 1)
    layer.dilation = [value + 1 for value in axis_values("d", 0)]
    wanted, layer.padding = axis_values("o", None), axis_values("p", None)
    for i, n in enumerate(extents):
        reach = layer.dilation[i] * (layer.kernel[i] - 1) + 1
        if layer.padding[i] is None:  # half of what the output needs
            layer.padding[i] = max(0, ((wanted[i] - 1) * layer.stride[i] - n + reach) // 2) if wanted[i] is not None else 0
        if wanted[i] is None:
            wanted[i] = (n - reach + 2 * layer.padding[i]) // layer.stride[i] + 1
    match_outputs(layer, wanted)
    return layer


def read_benchdnn(text):
    options = {}
    for number, line in enumerate(text.splitlines(), 1):
        problems = 0
        words = [word for word in line.split("#")[0].split() if not word.endswith("benchdnn")]
        for word in words:  # options hold for what is behind them
            if word.startswith("-"):
                key, _, value = word.lstrip("-").partition("=")
                if key == "reset":
                    options = {}
                elif key == "batch":
                    yield number, [], f"names the file {value}: import that one"
                options[key] = value
                continue
            problems += 1
            for kind, dtype in itertools.product(options.get("alg", "max").split(","), options.get("dt", "f32").split(",")):
                try:
                    if kind not in ("max", "pooling_max"):
                        raise Refusal(f"algorithm {kind}, expected max")
                    batch = whole(options.get("mb") or 0, "--mb")
                    yield number, benchdnn_layer(word, type_of(dtype.split(":")[0]), batch), None
                except Refusal as refusal:
                    yield number, [], str(refusal)
        if words and not problems:
            yield number, None, "settings"


# --- PyTorch -------------------------------------------------------------------------------------

TORCH = {"max_pool1d": 1, "max_pool2d": 2, "max_pool3d": 3, "max_pool1d_with_indices": 1, "max_pool2d_with_indices": 2,
         "max_pool3d_with_indices": 3, "adaptive_max_pool1d": 1, "adaptive_max_pool2d": 2, "adaptive_max_pool3d": 3}


def torch_layer(name, arguments):
    """arguments: tensors as (shape, type), and lists, numbers and booleans, in the order of the operator."""
    name = name.replace("aten::", "").replace("aten.", "").split(".")[0].lstrip("_")
    base, backward = re.sub(r"_backward$", "", name), name.endswith("_backward")
    if base not in TORCH:
        raise Refusal(f"operator {name}, expected a max pooling")
    tensors = [one for one in arguments if isinstance(one, tuple)]
    if len(tensors) <= backward:
        raise Refusal(f"{name} without the shape of its input")
    shape, dtype = tensors[1 if backward else 0]
    rank = TORCH[base]
    if len(shape) not in (rank + 1, rank + 2):
        raise Refusal(f"{name} of {len(shape)} axes, expected {rank + 1} or {rank + 2}")
    layer = Layer(list(shape), type_of(dtype), len(shape) == rank + 2)
    rest = [one for one in arguments if not isinstance(one, tuple)]
    if base.startswith("adaptive"):
        if backward:
            layer.output = list(tensors[0][0])[-rank:]
        elif not rest:
            raise Refusal(f"{name} without output_size")
        else:
            layer.output = spread(whole_list(rest[0], "output_size"), rank, "output_size")
        return layer
    if not rest:
        raise Refusal(f"{name} without kernel_size")
    lists = []
    for i, key in enumerate(("kernel_size", "stride", "padding", "dilation")):
        given = whole_list(rest[i], key) if i < len(rest) and rest[i] not in ([], "", None) else []
        lists.append(spread(given, rank, key) if given else [lists[0], [0] * rank, [1] * rank][i - 1])
    layer.kernel, layer.stride, layer.padding, layer.dilation = lists
    layer.ceil = flag(rest[4]) if len(rest) > 4 else False
    return layer


def torch_arguments(text):
    """((T([2, 3], f32), [3, 3], False), {}): what the operator logs of PyTorch hold."""
    refusal = Refusal(f"arguments {text[:60]!r}, expected such as ((T([2, 3], f32), [3, 3]), {{}})")
    text = re.sub(r"T\(\s*(\[[^\]]*\])\s*,\s*([\w:]+)(?:[^()]|\([^()]*\))*\)", r'{"T": [\1, "\2"]}', text.strip())
    text = re.sub(r"\bTrue\b", "true", re.sub(r"\bFalse\b", "false", re.sub(r"\bNone\b", "null", text)))
    if not re.fullmatch(r"\(\((.*?),?\s*\)\s*,\s*\{\s*\}\s*\)", text, re.DOTALL):
        raise refusal
    inner = re.sub(r",\s*$", "", re.fullmatch(r"\(\((.*?)\)\s*,\s*\{\s*\}\s*\)", text, re.DOTALL).group(1))
    try:
        values = json.loads(f"[{inner}]")
    except ValueError:
        raise refusal from None
    return [tuple(one["T"]) if isinstance(one, dict) and "T" in one else one for one in values]


def torch_event(event):
    """An event of the profiler (record_shapes=True)."""
    about = event.get("args") or {}
    kinds = [str(kind) for kind in about.get("Input type") or []]
    dims, values = about.get("Input Dims") or [], about.get("Concrete Inputs") or []
    arguments = []
    for i, shape in enumerate(dims):
        if shape:
            arguments.append((shape, kinds[i] if i < len(kinds) else "float"))
        elif i < len(values) and values[i] != "":
            arguments.append(values[i])
    return torch_layer(str(event.get("name", "")), arguments)


def read_pytorch(text):
    if text.lstrip()[:1] in "{[":
        for number, event in elements(text, "traceEvents"):
            yield from attempt(number, torch_event, event)
        return
    name = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        header = re.fullmatch(r"Operator:\s*(\S+)", words)
        call = re.fullmatch(r"(?:cnt:\s*\d+,\s*)?(\(\(.*)", words)
        one = re.fullmatch(r"(?:\S+ = )?(?:torch\.(?:_?ops\.)?)?(aten[.:]\S*?[a-z0-9_](?:\.\w+)?)\s*(\(\(.*)", words)
        if header:
            name = header.group(1)
            yield number, None, "settings"
        elif call and name:
            yield from attempt(number, lambda: torch_layer(name, torch_arguments(call.group(1))))
        elif one:
            yield from attempt(number, lambda: torch_layer(one.group(1), torch_arguments(one.group(2))))
        elif words and not words.startswith("#"):
            yield number, [], "no call of an operator"


# --- ONNX ----------------------------------------------------------------------------------------


def onnx_layer(kind, attributes, name, shapes):
    if kind not in ONNX_POOLS:
        raise Refusal(f"node {kind}, expected MaxPool or GlobalMaxPool")
    if name not in shapes:
        raise Refusal(f"the shape of {name!r} is not in the file")
    shape, dtype = shapes[name]
    if any(not isinstance(extent, int) for extent in shape):
        raise Refusal(f"the shape of {name!r} is not fixed: {joined(shape)}")
    layer = Layer(list(shape), type_of(dtype))
    axes = layer.axes
    if axes < 1:
        raise Refusal(f"the shape of {name!r} has {len(shape)} axes, expected at least 3")
    if ONNX_POOLS[kind] == "adaptive":
        layer.output = [1] * axes
        return layer
    if "kernel_shape" not in attributes:
        raise Refusal("MaxPool without kernel_shape")

    def numbers(key, otherwise):
        return spread(whole_list(attributes.get(key, otherwise), key), axes, key)

    layer.kernel = numbers("kernel_shape", None)
    layer.stride, layer.dilation = numbers("strides", [1]), numbers("dilations", [1])
    layer.ceil = flag(attributes.get("ceil_mode", 0))
    if flag(attributes.get("storage_order", 0)):
        raise Refusal("storage_order 1: indices are column-major")
    auto = str(attributes.get("auto_pad", "NOTSET")).strip('"')
    pads = whole_list(attributes.get("pads", [0] * 2 * axes), "pads")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        pads = [0] * 2 * axes
        for i, n in enumerate(layer.shape[2:]):
            reach = layer.dilation[i] * (layer.kernel[i] - 1) + 1
            total = max(0, (-(-n // max(1, layer.stride[i])) - 1) * layer.stride[i] + reach - n)
            few = total // 2
            pads[i], pads[axes + i] = (few, total - few) if auto == "SAME_UPPER" else (total - few, few)
    elif auto == "VALID":
        pads = [0] * 2 * axes
    elif auto != "NOTSET":
        raise Refusal(f"auto_pad is {auto}")
    if len(pads) != 2 * axes:
        raise Refusal(f"pads has {len(pads)} values, expected {2 * axes}")
    if pads[:axes] != pads[axes:]:
        raise Refusal(f"padding before and behind differ: {pads[:axes]} and {pads[axes:]}")
    layer.padding = pads[:axes]
    return layer


def onnx_json_shapes(graph):
    shapes = {}
    for info in [part for key in ("input", "output", "valueInfo", "value_info") for part in graph.get(key) or []]:
        if not isinstance(info, dict):
            continue
        tensor = (info.get("type") or {}).get("tensorType") or (info.get("type") or {}).get("tensor_type") or {}
        dims = (tensor.get("shape") or {}).get("dim") or []
        extents = [dim.get("dimValue", dim.get("dim_value", dim.get("dimParam", "?"))) for dim in dims]
        shapes[info.get("name")] = ([int(one) if str(one).isdigit() else one for one in extents],
                                    tensor.get("elemType", tensor.get("elem_type", 1)))
    return shapes


def onnx_json_node(node, shapes):
    attributes = {}
    for one in node.get("attribute") or []:
        value = next((one[key] for key in ("ints", "i", "s", "floats", "f") if key in one), None)
        attributes[one.get("name")] = {"U0FNRV9VUFBFUg==": "SAME_UPPER", "U0FNRV9MT1dFUg==": "SAME_LOWER", "VkFMSUQ=": "VALID",
                                       "Tk9UU0VU": "NOTSET"}.get(value, value) if isinstance(value, str) else value
    inputs = node.get("input") or ["?"]
    if "shape" in node:  # a node by itself
        shapes = {**shapes, inputs[0]: (whole_list(node["shape"], "shape"), node.get("type", 1))}
    return onnx_layer(node.get("opType", node.get("op_type")), attributes, inputs[0], shapes)


ONNX_VALUE = re.compile(r"%?([\w./:-]+)\[([A-Z]\w*), ([^\]]+)\]|\b(float|float16|bfloat16|double|u?int\d+)\[([^\]]+)\] ([\w./:-]+)")
ONNX_ATTRIBUTE = re.compile(r"(\w+)(?:\s*:\s*\w+)? = (\[[^\]]*\]|\"[^\"]*\"|'[^']*'|[\w.-]+)")


def read_onnx(text):
    if text.lstrip()[:1] in "{[":
        try:
            whole_text = json.loads(text)
        except ValueError:
            whole_text = {}
        graph = whole_text.get("graph", whole_text) if isinstance(whole_text, dict) else {}
        shapes = onnx_json_shapes(graph)
        for number, node in elements(text, "node"):
            yield from attempt(number, onnx_json_node, node, shapes)
        return
    shapes = {}
    for found in ONNX_VALUE.finditer(text):
        name, kind, extents = (found.group(i) for i in ((1, 2, 3) if found.group(1) else (6, 4, 5)))
        shapes[name] = ([int(one) if one.isdigit() else one for one in re.split(r"[x,\s]+", extents.strip())], kind)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        values = ONNX_VALUE.sub("", words)
        # Attributes hold brackets: their ends are looked for from the back.
        node = re.fullmatch(r"(?:%?[\w./:-]+(?:,\s*)?)+\s*=\s*(\w+)\s*([<\[].*[>\]])?\s*\(%?([\w./:-]*)[^()]*\)\s*(<.*>)?", words)
        if node:
            attributes = dict(ONNX_ATTRIBUTE.findall((node.group(2) or "")[1:-1] + " " + (node.group(4) or "")))
            yield from attempt(number, onnx_layer, node.group(1), attributes, node.group(3), shapes)
        elif words and not words.startswith(("#", "//")):
            frame = re.fullmatch(r"[\s{}()<>,%=;\[\]:\"]*|(agraph|graph|return|ir_version|opset_import|producer)\b.*|\w+\s*\(.*=>.*", words)
            yield number, (None if frame or values != words else []), "settings" if frame or values != words else "no node"


# --- Tables --------------------------------------------------------------------------------------

NAMES = {"n": "n", "batch": "n", "mb": "n", "c": "c", "channels": "c", "ic": "c", "d": "d", "id": "d", "in_d": "d", "depth": "d",
         "h": "h", "ih": "h", "in_h": "h", "height": "h", "w": "w", "iw": "w", "in_w": "w", "width": "w",
         "shape": "shape", "input": "shape", "input_shape": "shape", "self": "shape",
         "kernel": "kernel", "kernel_size": "kernel", "kernel_shape": "kernel", "k": "kernel", "stride": "stride", "strides": "stride",
         "s": "stride", "padding": "padding", "pad": "padding", "pads": "padding", "p": "padding", "dilation": "dilation",
         "dilations": "dilation", "ceil": "ceil", "ceil_mode": "ceil", "dtype": "dtype", "type": "dtype", "dt": "dtype",
         "output": "output", "output_size": "output", "out": "output", "pool": "pool", "alg": "pool", "algorithm": "pool", "name": "name",
         "layer": "name", "network": "name", "model": "name", "source": "name", "comment": "name",
         **{f"{key}{end}{axis}": f"{full}_{axis}" for key, full in (
             ("k", "kernel"), ("kernel", "kernel"), ("s", "stride"), ("stride", "stride"), ("p", "padding"), ("padding", "padding"),
             ("dilation", "dilation"), ("o", "output"), ("out", "output")) for end in ("", "_") for axis in AXES}}


def table_layer(row):
    values = {}
    for key, value in row.items():
        name = NAMES.get(str(key).strip().lower())
        if name is None:
            raise Refusal(f"column {key!r} is unknown")
        if value not in (None, "", []):
            values[name] = value
    if str(values.get("pool", "max")).lower().replace("_", "") not in ("max", "maxpool", "maxpooling", "adaptivemax", "maxpool2d", "maxpool3d"):
        raise Refusal(f"pooling {values['pool']}, expected max")
    if "shape" in values:
        shape = whole_list(values["shape"], "shape")
        if len(shape) not in (3, 4, 5):
            raise Refusal(f"shape of {len(shape)} axes, expected 3, 4 or 5")
    else:
        missing = [key for key in "chw" if key not in values]
        if missing:
            raise Refusal(f"no shape, and no {missing[0]}")
        shape = [whole(values[key], key) for key in "ncdhw" if key in values]
    batched = "n" in values if "shape" not in values else len(shape) > 3
    layer = Layer(shape, type_of(values.get("dtype", "f32")), batched)

    def numbers(key, otherwise):
        single = [values.get(f"{key}_{axis}") for axis in AXES[-layer.axes:]]
        if any(one is not None for one in single):
            if None in single:
                raise Refusal(f"{key} is not given for each axis")
            return [whole(one, key) for one in single]
        if key not in values:
            return otherwise
        return spread(whole_list(values[key], key), layer.axes, key)

    layer.kernel, wanted = numbers("kernel", None), numbers("output", None)
    if layer.kernel is None:
        if wanted is None:
            raise Refusal("neither a kernel nor an output size")
        layer.output = wanted
        return layer
    layer.stride = numbers("stride", layer.kernel)
    layer.padding, layer.dilation = numbers("padding", [0] * layer.axes), numbers("dilation", [1] * layer.axes)
    layer.ceil = flag(values.get("ceil", ""))
    if wanted is not None and min(*layer.kernel, *layer.stride, 1) == 1:
        match_outputs(layer, wanted)
    return layer


def read_csv(text):
    lines = text.splitlines()
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]
    if not rows:
        return
    separator = max(",;\t", key=rows[0][1].count)
    header = next(csv.reader([rows[0][1]], delimiter=separator))
    yield rows[0][0], None, "settings"
    for number, line in rows[1:]:
        cells = next(csv.reader([line], delimiter=separator))
        if len(cells) != len(header):
            yield number, [], f"{len(cells)} cells, expected {len(header)}"
        else:
            yield from attempt(number, table_layer, dict(zip(header, cells)))


def read_json(text):
    for number, row in elements(text, "layers"):
        yield from attempt(number, table_layer, row)


def elements(text, member):
    """The objects of an array, of that member of an object, or one on each line, with their lines."""
    decoder, at = json.JSONDecoder(), 0
    found = re.search(rf'"{member}"\s*:\s*\[', text)
    stripped = len(text) - len(text.lstrip())
    listed = found or text[stripped:stripped + 1] == "["
    if listed:
        at = found.end() if found else stripped + 1
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        if at >= len(text) or (listed and text[at] == "]"):
            return
        number = text.count("\n", 0, at) + 1
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as error:
            if listed:  # where the next one begins is not known
                rest = text.count("\n", at) + number
                yield number, Refusal(f"no JSON: {error}; lines {number} to {rest} are not read")
                return
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            value = Refusal("no JSON")
        yield number, value if isinstance(value, (dict, Refusal)) else Refusal(f"{type(value).__name__}, expected an object")


def attempt(number, function, *arguments):
    try:
        if arguments and isinstance(arguments[0], Refusal):
            raise arguments[0]
        yield number, function(*arguments), None
    except Refusal as refusal:
        yield number, [], str(refusal)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:  # of a shape that nobody thought of
        yield number, [], f"not understood ({type(error).__name__}: {error})"


def guess(text):
    start = text.lstrip()[:1]
    if start and start in "{[":
        if '"traceEvents"' in text or "aten::" in text:
            return "pytorch"
        return "onnx" if re.search(r'"op_?[tT]ype"', text) else "json"
    if re.search(r"\baten[.:]", text):
        return "pytorch"
    if re.search(r"^\s*--\w|\bic\d+_?i[dhw]\d", text, re.MULTILINE):
        return "benchdnn"
    return "onnx" if re.search(r"=\s*(Global)?(Max|Average)Pool\b", text) else "csv"


def main():
    parser = argparse.ArgumentParser(prog="poolproof import", add_help=False)
    parser.add_argument("input")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--format")
    parser.add_argument("--forwards", action="store_true")
    parser.add_argument("--planes", default="0")
    options = parser.parse_args()

    def fail(text):
        print(f"poolproof: {text}", file=sys.stderr)
        return 2

    if options.format and options.format not in FORMATS:
        return fail(f"--format: '{options.format}' is none of {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if not options.planes.isdigit():
        return fail(f"--planes: '{options.planes}' is no whole number")
    try:
        with (sys.stdin if options.input == "-" else open(options.input, encoding="utf-8", errors="replace")) as file:
            text = file.read()
    except OSError as error:
        return fail(f"import: cannot read '{options.input}': {error.strerror}")
    name = os.path.basename(options.input)
    cases, lines, refused, settings = {}, set(), collections.defaultdict(set), set()
    for number, layer, why in globals()["read_" + (options.format or guess(text))](text):
        try:
            if layer is None:
                settings.add(number)
                continue
            if why is not None:
                raise Refusal(why)
            for forward in (False, True) if options.forwards else (False,):
                cases.setdefault(case_of(layer, forward, int(options.planes)), []).append(number)
            lines.add(number)
        except Refusal as refusal:
            if str(refusal) not in refused[number]:
                print(f"{name}:{number}: {refusal}", file=sys.stderr)
            refused[number].add(str(refusal))
    if not cases:
        return fail(f"import: '{options.input}' holds no layer that can be taken")
    written = "".join(f"# {name}:{','.join(map(str, dict.fromkeys(numbers)))}\n{case}\n" for case, numbers in cases.items())
    try:
        if options.output == "-":
            sys.stdout.write(written)
        else:
            with open(options.output, "w", encoding="utf-8") as file:
                file.write(written)
    except OSError as error:
        return fail(f"import: cannot write '{options.output}': {error.strerror}")
    both = lines & set(refused)
    print(f"poolproof: import: lines imported: {len(lines)} (into {len(cases)} cases), refused: {len(refused)}"
          f"{f' (in part: {len(both)})' if both else ''}, settings: {len(settings - lines - set(refused))}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

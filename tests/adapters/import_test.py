#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`poolproof import`: each line of others is imported, refused with its number, or said to hold no layer."""

import json
import random
import re
import unittest

from adapter import AdapterTest

DRAW = random.Random(37)


def layer():
    """A layer that can be taken, small."""
    axes = DRAW.choice((2, 2, 3))
    kernel = [DRAW.randint(1, 4) for _ in range(axes)]
    return {"n": DRAW.randint(1, 2), "c": DRAW.randint(1, 3), "in": [k + DRAW.randint(1, 6) for k in kernel], "k": kernel,
            "s": [DRAW.randint(1, 3) for _ in range(axes)], "p": [DRAW.randint(0, k // 2) for k in kernel], "ceil": DRAW.random() < 0.3}


def line_of(one):
    name = {2: "MaxPool2dWithIndicesBackward", 3: "MaxPool3dWithArgmaxBackward"}[len(one["in"])]
    text = lambda values: ",".join(map(str, values))
    return (f"pp1:{name}:self=f32[{text([one['n'], one['c'], *one['in']])}];k={text(one['k'])};s={text(one['s'])};p={text(one['p'])};"
            f"d={text([1] * len(one['in']))}{';ceil' if one['ceil'] else ''}")


def benchdnn(one):
    axes = "dhw"[-len(one["in"]):]
    part = lambda key, values: "".join(f"{key}{axis}{value}" for axis, value in zip(axes, values))
    one["ceil"] = False
    return f"mb{one['n']}ic{one['c']}_{part('i', one['in'])}{part('k', one['k'])}{part('s', one['s'])}{part('p', one['p'])}n\"x:1\""


def pytorch(one):
    return (f"aten.max_pool{len(one['in'])}d_with_indices.default ((T({[one['n'], one['c'], *one['in']]}, f32), {one['k']}, {one['s']}, "
            f"{one['p']}, {[1] * len(one['in'])}, {one['ceil']}), {{}})")


def onnx(one):
    shape = ", ".join(map(str, [one["n"], one["c"], *one["in"]]))
    number = DRAW.getrandbits(60)
    return (f"y{number} = MaxPool <kernel_shape = {one['k']}, strides = {one['s']}, pads = {one['p'] * 2}, "
            f"ceil_mode = {int(one['ceil'])}> (x{number})", f"float[{shape}] x{number}")


def table(one):
    joined = lambda values: "x".join(map(str, values))
    return f"{joined([one['n'], one['c'], *one['in']])},{joined(one['k'])},{joined(one['s'])},{joined(one['p'])},{one['ceil']},f32"


# What is none, and what is said of it.
WRONG = {
    "benchdnn": {"--alg=avg_np --dt=f32 mb2ic3ih9kh3 --reset": "algorithm avg_np, expected max", "mb2ic3ih9": "no extent or no kernel",
                 "mb2ic3ih9kh3zz4": "is no pooling problem", "mb2ic3ih9oh40kh3": "output 40x40 is neither", "mb2ic3ih2kh9": "larger"},
    "pytorch": {"aten.relu.default ((T([2, 3], f32),), {})": "operator relu, expected a max pooling",
                "aten.max_pool2d.default ((T([2, 3, 8, 8], f64), [2, 2]), {})": "type f64",
                "aten.max_pool2d.default ((T([2, 3, 8, 8], f32), [2, 2], [1, 1], [2, 2]), {})": "padding 2x2 is more than half",
                "once more": "no call of an operator", "aten.max_pool2d.default ((x), {})": "arguments '((x), {})', expected such as"},
    "onnx": {"a = AveragePool <kernel_shape = [2, 2]> (x)": "node AveragePool", "a = MaxPool <kernel_shape = [2, 2]> (q)": "shape of 'q'",
             "a = MaxPool <kernel_shape = [2, 2], auto_pad = \"SAME_UPPER\"> (five)": "padding before and behind differ",
             "a = MaxPool <strides = [2, 2]> (five)": "without kernel_shape", "what is this": "no node"},
    "csv": {"1x2x9x9,3,1,x,,f32": "padding has 0 values", "1x2x9x9,3,1,0,,i8": "type i8", "1x2,3,1,0,,f32": "expected 3, 4 or 5",
            "1x2x9x9,3": "2 cells, expected 6", "1x2x9x9,3,0,0,,f32": "stride 0x0, expected at least 1"},
}


class Import(AdapterTest):
    def imported(self, name, *words):
        """Cases by line, refusals by line, and the summary."""
        result = self.program("import", name, "-o", "cases.txt", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        cases = {}
        for lines, case in re.findall(r"^# [^:]+:([\d,]+)\n(pp1:.*)\n", (self.folder / "cases.txt").read_text(), re.MULTILINE):
            for line in lines.split(","):
                cases.setdefault(int(line), []).append(case)
        refused = {}
        for line, why in re.findall(rf"^{re.escape(name)}:(\d+): (.*)$", result.stderr, re.MULTILINE):
            refused.setdefault(int(line), []).append(why)
        return cases, refused, result.stderr.splitlines()[-1]

    def test_a_thousand_lines_in_four_syntaxes(self):
        everything = []
        for form, make in (("benchdnn", benchdnn), ("pytorch", pytorch), ("onnx", onnx), ("csv", table)):
            lines, right, wrong, values = [], {}, {}, ["float[1, 1, 6, 6] five"]
            if form == "csv":
                lines.append("shape,kernel,stride,padding,ceil_mode,dtype")
            start = len(lines) + (form == "onnx")
            while len(lines) < 250 + start - (form == "onnx"):
                number = len(lines) + 1 + (form == "onnx")
                if DRAW.random() < 0.3:
                    text, why = DRAW.choice(list(WRONG[form].items()))
                    wrong[number] = why
                else:
                    one = layer()
                    text = make(one)
                    if form == "onnx":
                        text, value = text
                        values.append(value)
                    right[number] = line_of(one)
                lines.append(text)
            if form == "onnx":
                lines.insert(0, f"g ({', '.join(values)}) => (float[1] y)")
            with self.subTest(form=form):
                (self.folder / f"{form}.txt").write_text("\n".join(lines) + "\n")
                cases, refused, summary = self.imported(f"{form}.txt")
                self.assertEqual(cases, {number: [case] for number, case in right.items()})
                self.assertEqual(set(refused), set(wrong))
                for number, why in wrong.items():
                    self.assertIn(why, refused[number][0])
                self.assertIn(f"lines imported: {len(right)} (into {len(set(right.values()))} cases), refused: {len(wrong)},", summary)
                self.assertEqual(len(right) + len(wrong), 250)
                everything += right.values()
        # They are cases: the reference passes them.
        (self.folder / "all.txt").write_text("\n".join(everything[::10]))
        result = self.program("run", "--implementation", "reference", "--case-file", "all.txt", "--jobs", "1")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(result.stdout.startswith("PASSED"), result.stdout)

    def test_json(self):
        rows = [{"shape": [1, 2, 9, 9], "kernel": 3, "stride": [2, 1]}, {"n": 1, "c": 2, "h": 8, "w": 8, "output": "3x5", "dtype": "half"},
                {"shape": [1, 2, 9, 9]}, 7, {"colour": "red"}]
        (self.folder / "rows.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
        cases, refused, _ = self.imported("rows.json", "--forwards")
        self.assertEqual(cases, {2: ["pp1:MaxPool2dWithIndicesBackward:self=f32[1,2,9,9];k=3,3;s=2,1;p=0,0;d=1,1",
                                     "pp1:MaxPool2dWithIndices:self=f32[1,2,9,9];k=3,3;s=2,1;p=0,0;d=1,1"],
                                 3: ["pp1:AdaptiveMaxPool2dBackward:self=f16[1,2,8,8];go=[1,2,3,5]",
                                     "pp1:AdaptiveMaxPool2d:self=f16[1,2,8,8];o=3,5"]})
        self.assertEqual(refused, {4: ["neither a kernel nor an output size"], 5: ["int, expected an object"],
                                   6: ["column 'colour' is unknown"]})

    def test_onnx_and_profiler_as_json(self):
        shape = {"tensorType": {"elemType": 10, "shape": {"dim": [{"dimValue": str(n)} for n in (1, 3, 9, 9)]}}}
        node = {"input": ["x"], "output": ["y"], "opType": "MaxPool", "attribute": [{"name": "kernel_shape", "ints": ["3", "3"]}]}
        (self.folder / "m.json").write_text(json.dumps({"graph": {"input": [{"name": "x", "type": shape}],
                                                                  "node": [node, {**node, "opType": "Relu"}]}}, indent=0))
        cases, refused, _ = self.imported("m.json")
        self.assertEqual(list(cases.values()), [["pp1:MaxPool2dWithIndicesBackward:self=f16[1,3,9,9];k=3,3;s=1,1;p=0,0;d=1,1"]])
        self.assertEqual(list(refused.values()), [["node Relu, expected MaxPool or GlobalMaxPool"]])
        event = {"name": "aten::max_pool2d_with_indices", "args": {
            "Input Dims": [[2, 3, 9, 9], [], [], [], [], []], "Input type": ["c10::BFloat16", "ScalarList"],
            "Concrete Inputs": ["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "True"]}}
        (self.folder / "t.json").write_text('{"traceEvents": [\n' + json.dumps(event) + ",\n" + json.dumps({"name": "aten::add"}) + "]}")
        cases, refused, _ = self.imported("t.json")
        self.assertEqual(cases, {2: ["pp1:MaxPool2dWithIndicesBackward:self=bf16[2,3,9,9];k=3,3;s=2,2;p=1,1;d=1,1;ceil"]})
        self.assertEqual(list(refused), [3])

    def test_a_line_that_is_taken_in_part(self):
        (self.folder / "p.txt").write_text("--reset --alg=max,avg_np --dt=f32,s8\n\n# of a network\nmb1ic40ih9kh3\n")
        cases, refused, summary = self.imported("p.txt", "--planes", "8")
        self.assertEqual(cases, {4: ["pp1:MaxPool2dWithIndicesBackward:self=f32[1,8,9,9];k=3,3;s=1,1;p=0,0;d=1,1"]})
        self.assertEqual(refused, {4: ["type s8, expected float32, float16 or bfloat16", "algorithm avg_np, expected max"]})
        self.assertIn("refused: 1 (in part: 1), settings: 1", summary)

    def test_what_is_refused_as_a_whole(self):
        (self.folder / "none.txt").write_text("mb1ic1ih1\n")
        for words, text in ((("absent.txt", "-o", "-"), "cannot read 'absent.txt'"), (("none.txt", "-o", "-"), "holds no layer"),
                            (("none.txt", "-o", "-", "--format", "x"), "--format: 'x' is none of benchdnn, pytorch, onnx, csv or json")):
            with self.subTest(words=words):
                result = self.program("import", *words)
                self.assertEqual(result.returncode, 2)
                self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()

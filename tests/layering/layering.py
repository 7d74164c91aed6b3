#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the #include lines of a source tree against the dependency table beside this file.

usage: layering.py <root> [<table>]     exit status 0: kept, 1: breached, 2: the table is wrong
"""
import os
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".hpp", ".inc", ".c", ".cc", ".cpp"}
# Folders at the top that hold no sources of the project.
SKIPPED = re.compile(r"^(\.|build$|build-|out$)")


class TableError(Exception):
    pass


def below(path, place):
    """True where `path` is the folder or file `place` or lies in it."""
    return path == place or path.startswith(place + "/")


class Table:
    def __init__(self, text):
        self.uses = {}  # folder -> places that it may include
        self.never = []  # (folder, header pattern)
        self.only = []  # (header pattern, places)
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, colon, tail = line.partition(":")
            words = head.split()
            if not colon:
                raise TableError(f"line {number}: no colon")
            if len(words) == 1 and words[0] not in self.uses:
                self.uses[words[0]] = tail.split()
            elif len(words) == 2 and words[1] == "not":
                self.never += [(words[0], header) for header in tail.split()]
            elif len(words) == 2 and words[0] == "only":
                self.only.append((words[1], tail.split()))
            else:
                raise TableError(f"line {number}: {line}")
        self._check()

    def _check(self):
        for folder, places in self.uses.items():
            for place in places:
                if place != "*" and not any(below(place, known) or below(known, place)
                                            for known in self.uses):
                    raise TableError(f"{folder} may use {place}, which has no row")
        state = {}

        def visit(folder, trail):
            if state.get(folder) == "open":
                raise TableError("cycle: " + " -> ".join(trail + [folder]))
            if folder in state:
                return
            state[folder] = "open"
            for place in self.uses[folder]:
                # One header of a folder (legality.h) is no edge to the whole of it.
                for known in self.uses:
                    if known != folder and place != "*" and below(known, place):
                        visit(known, trail + [folder])
            state[folder] = "done"

        for folder in self.uses:
            visit(folder, [])

    def component(self, path):
        found = [folder for folder in self.uses if below(path, folder)]
        return max(found, key=len, default=None)

    def allows(self, folder, path):
        if self.component(path) == folder:
            return True
        return any(place == "*" or below(path, place) for place in self.uses[folder])


def matches(header, pattern):
    """`header` is a name without brackets, `pattern` "<name>", "<name*" or "<folder/"."""
    name = pattern.strip("<>")
    if name.endswith("*"):
        return header.startswith(name[:-1])
    return header.startswith(name) if name.endswith("/") else header == name


def sources(root):
    for top, folders, files in os.walk(root):
        if Path(top) == root:
            folders[:] = [name for name in folders if not SKIPPED.match(name)]
        folders.sort()
        for name in sorted(files):
            if Path(name).suffix in SOURCE_SUFFIXES:
                yield (Path(top) / name).relative_to(root)


def check(root, table):
    """Returns the number of files read and the breaches as printable lines."""
    breaches, files = [], 0
    for source in sources(root):
        files += 1
        path = source.as_posix()
        folder = table.component(path)
        if folder is None:
            breaches.append(f"{path}: belongs to no row of the table")
            continue
        text = (root / source).read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            where = f"{path}:{text.count(chr(10), 0, match.start(1 if match[1] else 2)) + 1}"
            name = match[1] or match[2]
            target = resolve(root, source, name, quoted=bool(match[1]))
            if target is not None:
                if table.component(target) is None:
                    breaches.append(f"{where}: {name} belongs to no row of the table")
                elif not table.allows(folder, target):
                    breaches.append(f"{where}: {folder} may not include {target}")
            elif match[1]:
                # Made by the build, if it lies in a folder of the table.
                if table.component(name) is None:
                    breaches.append(f'{where}: "{name}" is no file of the project')
                elif not table.allows(folder, name):
                    breaches.append(f"{where}: {folder} may not include {name}")
            else:
                for owner, pattern in table.never:
                    if below(path, owner) and matches(name, pattern):
                        breaches.append(f"{where}: {owner} never includes <{name}>")
            for pattern, places in table.only:
                if matches(name, pattern) and not any(below(path, place) for place in places):
                    breaches.append(f"{where}: only {' '.join(places)} may include <{name}>")
    return files, breaches


def resolve(root, source, name, quoted):
    """The file of the project that an include names, relative to the root; None: not ours."""
    places = [source.parent] if quoted else []
    for place in places + [Path("."), Path("include")]:
        target = Path(os.path.normpath(place / name))
        if not target.parts[:1] == ("..",) and (root / target).is_file():
            return target.as_posix()
    return None


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    place = Path(arguments[1]) if len(arguments) == 2 else Path(__file__).parent / "layers.txt"
    try:
        table = Table(place.read_text(encoding="utf-8"))
    except TableError as error:
        print(f"{place.name}: {error}", file=sys.stderr)
        return 2
    files, breaches = check(Path(arguments[0]).resolve(), table)
    print(*breaches, sep="\n", end="\n" if breaches else "")
    print(f"{files} files, {len(breaches)} breaches")
    return 1 if breaches or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

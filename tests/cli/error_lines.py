# SPDX-License-Identifier: Apache-2.0
"""What a program said on stderr, less the lines of progress that a slow machine adds after ten
seconds each."""

import re

PROGRESS = re.compile(r"poolproof: (starting|writing the report|\d+ (of \d+ )?cases\b.*), \d+ s( left)?")


def error_lines(result):
    return [line for line in result.stderr.splitlines() if not PROGRESS.fullmatch(line)]

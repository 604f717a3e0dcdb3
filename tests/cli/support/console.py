"""Runs the "$ command" lines of a document's console blocks and compares what follows them with what they print.

console.py [--write] DOCUMENT: with --write it puts the real output into the document instead of comparing.
"ravel" is the program that $RAVEL names.
"""

import difflib
import os
import re
import subprocess
import sys


def run(match):
    lines = []
    for line in match[1].splitlines(keepends=True):
        if not line.startswith("$ "):
            continue
        command = re.sub(r"^ravel\b", '"$RAVEL"', line[2:])
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines.append(line + done.stdout)
    return "```console\n" + "".join(lines) + "```\n"


write = sys.argv[1] == "--write"
document = sys.argv[-1]
assert "RAVEL" in os.environ, "RAVEL must name the program"
before = open(document).read()
after, blocks = re.subn(r"```console\n(.*?)```\n", run, before, flags=re.DOTALL)
assert blocks, document + " has no console block"
if write:
    open(document, "w").write(after)
elif before != after:
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), document, "real output"))
    sys.exit(1)

"""Runs the "$ command" lines of a document's console blocks and compares what follows them with what they print.

console.py [--write] DOCUMENT: with --write it puts the real output into the document instead of comparing.
"ravel" is the program that $RAVEL names, "ravel-cc" and "ravel-c++" are the wrappers beside it. The commands run in the
current directory.

Some of what is printed about a run is different each time or on each machine; it is not compared: positions of events, how
often a race was seen, and the frames of a stack that are not in the user's own (relative) files.
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
        command = re.sub(r"\bravel(?=(-cc|-c\+\+)?\s)", '"$RAVEL"', line[2:])
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines.append(line + done.stdout)
    return "```console\n" + "".join(lines) + "```\n"


def masked(text):
    text = re.sub(r"\(event \d+\)", "(event N)", text)
    text = re.sub(r"^  seen \d+ times\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^    #\d+ (?!.* examples/\S+:\d+$).*\n", "", text, flags=re.MULTILINE)


write = sys.argv[1] == "--write"
document = sys.argv[-1]
assert "RAVEL" in os.environ, "RAVEL must name the program"
before = open(document).read()
after, blocks = re.subn(r"```console\n(.*?)```\n", run, before, flags=re.DOTALL)
assert blocks, document + " has no console block"
if write:
    open(document, "w").write(after)
elif masked(before) != masked(after):
    lines = [masked(text).splitlines(True) for text in (before, after)]
    sys.stdout.writelines(difflib.unified_diff(*lines, document, "real output"))
    sys.exit(1)

#!/usr/bin/env python3
"""symbols.py LIBRARY: every function that the compilers' public sanitizer headers declare for programs built with
ThreadSanitizer is in the library, for each compiler that is installed."""
import glob
import pathlib
import re
import subprocess
import sys

HEADERS = ("tsan_interface.h", "tsan_interface_atomic.h", "common_interface_defs.h", "allocator_interface.h")
# Defined by the program, if by anybody: the runtime calls them.
CALLBACKS = re.compile(r"__tsan_on_|__tsan_default_|__sanitizer_weak_hook_|__sanitizer_(malloc|free|ignore_free)_hook")

symbols = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True)
defined = {line.split()[2] for line in symbols.stdout.splitlines()}
headers = [path for name in HEADERS
           for path in glob.glob(f"/usr/lib/gcc/*/*/include/sanitizer/{name}")
           + glob.glob(f"/usr/lib/llvm-*/lib/clang/*/include/sanitizer/{name}")]
assert headers, "no compiler with sanitizer headers"
missing = set()
for path in headers:
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^#.*?(?<!\\)$", "", pathlib.Path(path).read_text(), flags=re.S | re.M)
    for name in re.findall(r"\b(__(?:tsan|sanitizer)_\w+)\s*\(", text):
        if name not in defined and not CALLBACKS.match(name):
            missing.add(name)
if missing:
    sys.exit("missing: " + " ".join(sorted(missing)))

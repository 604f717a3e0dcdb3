#!/usr/bin/env python3
"""endings.py BIN COMPILER PROGRAM.cpp: a program that may end in any way, and must end in the same way when recorded.

BIN holds ravel and its compiler wrappers. Runs the program plain, recording alone, and followed by `ravel record` and
`ravel run`; output and exit code must be the same each time, and as the program's head says:
  // EXIT CODE    as a shell gives it: 128 + the number of a signal
Every trace that is left must open and obey the strict rules.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(command, **settings):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **settings)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return code, done.stdout, done.stderr.decode(errors="replace")


def main():
    binaries, compiler, source = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    wanted = int(re.search(r"^// EXIT (\d+)", source.read_text(), re.M)[1])
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        program = folder / source.stem
        subprocess.run([binaries / "ravel-c++", f"--ravel-compiler={compiler}", "-std=c++20", "-g", "-O1", source, "-o",
                        program], check=True)
        plain = run([program])
        assert plain[0] == wanted, f"exit code {plain[0]} instead of {wanted} without a recording\n{plain[2]}"
        alone = folder / "alone"
        alone.mkdir()
        ravel = binaries / "ravel"
        ways = {
            "recording alone": ([program], dict(os.environ, RAVEL_OPTIONS=f"record={alone}")),
            "ravel record": ([ravel, "record", "-q", "-o", folder / "t.rvl", "--", program], None),
            "ravel run": ([ravel, "run", "-q", "-o", folder / "findings", "--", program], None),
        }
        for name, (command, environment) in ways.items():
            code, output, errors = run(command, env=environment)
            assert code == wanted, f"{name}: exit code {code} instead of {wanted}\n{errors}"
            assert output == plain[1], f"{name}: output differs:\n{plain[1]}\n{output}\n{errors}"
        traces = [*alone.glob("*.rvl"), *folder.glob("*.rvl")]
        assert len(traces) > 1, traces
        for trace in traces:
            code, output, errors = run([ravel, "analyze", "-q", trace])
            assert code == 0, f"{trace.name}: exit code {code}\n{output.decode()}{errors}"


main()

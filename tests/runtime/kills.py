#!/usr/bin/env python3
"""kills.py BIN [--kills N] [--seed N] [--compiler C]: SIGKILLs a recorded program at random times, and reads what is left.

BIN holds ravel and its compiler wrappers. The program (programs/killed.cpp) counts the operations of each of its
threads in a file of its own. After each kill the trace must open, obey the strict rules, and hold every operation
that the program had counted, and at most the one that it was about to count. Half of the kills hit a program that
`ravel record` follows, half one that records alone. Prints the rates; exit 1 if a trace is not as it must be.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRESS = struct.Struct("<QQQQ")  # killed.cpp: addresses of mutex and counter, how often each was used
LATEST = 0.25


def progress_of(path):
    """(address, what the trace calls the operation, how often it was done), of each worker that had begun."""
    data = path.read_bytes() if path.exists() else b""
    counts = []
    for mutex, counter, locked, counted in PROGRESS.iter_unpack(data[:len(data) // PROGRESS.size * PROGRESS.size]):
        if mutex != 0:
            counts += [(mutex, b"rel", locked), (counter, b"rmw", counted)]
    return counts


def wrong_with(ravel, trace, progress):
    """What is not as it must be, or nothing."""
    text = trace.with_suffix(".tid")
    for command in (["convert", "-q", trace, text], ["analyze", "-q", trace]):
        done = subprocess.run([ravel, *command], capture_output=True, text=True)
        if done.returncode != 0:
            return f"ravel {command[0]}: exit {done.returncode}: {(done.stderr + done.stdout)[-500:]}"
    operations = collections.Counter(re.findall(rb"^(rel|rmw) \S+ 0x([0-9a-f]+)", text.read_bytes(), re.M))
    for address, kind, said in progress:
        found = operations[kind, b"%x" % address]
        if not said <= found <= said + 1:
            return f"{kind.decode()} {address:x}: the program has counted {said}, the trace has {found}"
    return None


def kill_one(binaries, program, folder, attached, delay):
    """(operations that the program had counted, what is wrong or nothing)."""
    counts = folder / "progress"
    environment = dict(os.environ)
    command = [program, counts]
    if attached:
        command = [binaries / "ravel", "record", "-q", "-o", folder / "t.rvl", "--", *command]
    else:
        environment["RAVEL_OPTIONS"] = f"record={folder}"
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(delay)  # the moment is random: no outcome depends on it
    victim = process.pid
    if attached:
        children = pathlib.Path(f"/proc/{victim}/task/{victim}/children").read_text().split()
        # Not before it is the program: until then it is ravel itself that would die.
        while not children or pathlib.Path(f"/proc/{children[0]}/exe").resolve() != program.resolve():
            children = pathlib.Path(f"/proc/{victim}/task/{victim}/children").read_text().split()
        victim = int(children[0])
    os.kill(victim, signal.SIGKILL)
    _, errors = process.communicate()
    progress = progress_of(counts)
    operations = sum(said for _, _, said in progress)
    wanted = 137 if attached else -9
    traces = list(folder.glob("*.rvl"))
    if not traces and operations == 0:  # before the recording began: `ravel record` says that there is none
        return 0, None
    if process.returncode != wanted:
        return operations, f"exit {process.returncode}: {errors.decode()[-500:]}"
    if len(traces) != 1:
        return operations, f"{len(traces)} traces"
    return operations, wrong_with(binaries / "ravel", traces[0], progress)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "killed"
        subprocess.run([arguments.bin / "ravel-c++", f"--ravel-compiler={arguments.compiler}", "-std=c++20", "-g", "-O1",
                        HERE / "programs/killed.cpp", "-o", program], check=True)
        for attached in (False, True):
            good = begun = operations = 0
            for number in range(arguments.kills // 2):
                folder = pathlib.Path(directory, f"{'attached' if attached else 'alone'}{number}")
                folder.mkdir()
                delay = LATEST * chance.random() ** 2
                counted, wrong = kill_one(arguments.bin, program, folder, attached, delay)
                operations += counted
                begun += counted > 0
                good += wrong is None
                if wrong is not None:
                    print(f"killed after {delay:.3f} s, {'followed' if attached else 'alone'}: {wrong}", flush=True)
                subprocess.run(["rm", "-r", folder], check=True)
            print(f"{'followed by ravel record' if attached else 'recording alone'}: {good} of {arguments.kills // 2} traces as "
                  f"they must be ({begun} of a program that had begun, {operations} operations counted)", flush=True)
            bad += arguments.kills // 2 - good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""kills.py BIN [--kills N] [--seed N] [--compiler C]: SIGKILLs a recorded program at random times, and reads what is left.

BIN holds ravel and its compiler wrappers. The program (programs/killed.cpp) counts the operations of each of its
threads in a file of its own. After each kill the trace must open, obey the strict rules, and hold every operation
that the program had counted, and at most the one that it was about to count. A quarter of the kills each hit a program
that records alone, one that `ravel record` follows, one that it controls by a schedule, and such a ravel itself, whose trace
may lack the end. A schedule must be there, and the program must be able to follow it. Prints the rates; exit 1 if anything
is not as it must be.
"""
import argparse
import collections
import json
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
RAVEL_KILLED = "controlled, ravel killed"
WAYS = ("recording alone", "followed by ravel record", "controlled by ravel record", RAVEL_KILLED)


def progress_of(path):
    """(address, what the trace calls the operation, how often it was done), of each worker that had begun."""
    data = path.read_bytes() if path.exists() else b""
    counts = []
    for mutex, counter, locked, counted in PROGRESS.iter_unpack(data[:len(data) // PROGRESS.size * PROGRESS.size]):
        if mutex != 0:
            counts += [(mutex, b"rel", locked), (counter, b"rmw", counted)]
    return counts


def wrong_with(ravel, trace, progress, whole):
    """What is not as it must be, or nothing."""
    text = trace.with_suffix(".tid")
    for command in (["convert", "-q", trace, text], ["analyze", "-q", trace]):
        done = subprocess.run([ravel, *command], capture_output=True, text=True)
        if done.returncode != 0:
            return f"ravel {command[0]}: exit {done.returncode}: {(done.stderr + done.stdout)[-500:]}"
    operations = collections.Counter(re.findall(rb"^(rel|rmw) \S+ 0x([0-9a-f]+)", text.read_bytes(), re.M))
    for address, kind, said in progress:
        found = operations[kind, b"%x" % address]
        if found > said + 1 or (whole and found < said):
            return f"{kind.decode()} {address:x}: the program has counted {said}, the trace has {found}"
    return None


def wrong_with_schedule(ravel, path, decided):
    """The same for a schedule; `decided`: it must say what the program did."""
    schedule = json.loads(path.read_text())
    if decided and not schedule["decisions"]:
        return "the schedule has no decisions"
    done = subprocess.run([ravel, "replay", "-q", "--time-limit=0.5", path], capture_output=True, text=True)
    return None if done.returncode == 137 else f"replay: exit {done.returncode}: {done.stderr[-500:]}"


def kill_one(binaries, program, folder, way, delay):
    """(operations that the program had counted, what is wrong or nothing)."""
    counts = folder / "progress"
    environment = dict(os.environ)
    command = [program, counts]
    attached = way != "recording alone"
    controlled = way.startswith("controlled")
    if attached:
        options = ["--schedule=random"] if controlled else []
        command = [binaries / "ravel", "record", "-q", "-o", folder / "t.rvl", *options, "--", *command]
    else:
        environment["RAVEL_OPTIONS"] = f"record={folder}"
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               start_new_session=True)
    time.sleep(delay)  # the moment is random: no outcome depends on it
    victim = process.pid
    if attached:
        children = pathlib.Path(f"/proc/{victim}/task/{victim}/children").read_text().split()
        # Not before it is the program: until then it is ravel itself that would die.
        while not children or pathlib.Path(f"/proc/{children[0]}/exe").resolve() != program.resolve():
            children = pathlib.Path(f"/proc/{victim}/task/{victim}/children").read_text().split()
        if way != RAVEL_KILLED:
            victim = int(children[0])
    os.kill(victim, signal.SIGKILL)
    if way == RAVEL_KILLED:
        process.wait()
        os.killpg(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    progress = progress_of(counts)
    operations = sum(said for _, _, said in progress)
    wanted = 137 if attached and way != RAVEL_KILLED else -9
    traces = list(folder.glob("*.rvl"))
    if not traces and (operations == 0 or way == RAVEL_KILLED):  # before the recording began
        return 0, None
    if process.returncode != wanted:
        return operations, f"exit {process.returncode}: {errors.decode()[-500:]}"
    if len(traces) != 1:
        return operations, f"{len(traces)} traces"
    wrong = wrong_with(binaries / "ravel", traces[0], progress, whole=way != RAVEL_KILLED)
    if wrong is None and controlled:
        wrong = wrong_with_schedule(binaries / "ravel", folder / "t.schedule.json", decided=way != RAVEL_KILLED and operations > 0)
    return operations, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=12)
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
        each = arguments.kills // len(WAYS)
        for way in WAYS:
            good = begun = operations = 0
            for number in range(each):
                folder = pathlib.Path(directory, f"{way} {number}")
                folder.mkdir()
                delay = LATEST * chance.random() ** 2
                counted, wrong = kill_one(arguments.bin, program, folder, way, delay)
                operations += counted
                begun += counted > 0
                good += wrong is None
                if wrong is not None:
                    print(f"killed after {delay:.3f} s, {way}: {wrong}", flush=True)
                subprocess.run(["rm", "-r", folder], check=True)
            print(f"{way}: {good} of {each} traces as they must be ({begun} of a program that had begun, {operations} "
                  f"operations counted)", flush=True)
            bad += each - good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""run.py COMPILER LIBRARY PROGRAM.cpp: a program that checks itself, with the runtime around it.

Builds it as a user's program is built, runs it without and with recording, and expects the same output and exit
code 0. Then the recording is read: a lock has one owner at a time, a thread does
nothing after its end, and what the program's head says is in it:
  // RECORDS KIND COUNT    so many events of a kind
  // NOTES TEXT            a note that begins so
  // STREAMS COUNT         recordings, those of child processes included
"""
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEAD, CHUNKS_AT, CHUNK, CHUNK_HEAD, SLOTS, SLOT = 4096, 256 * 1024, 64 * 1024, 64, 1024, 64
KINDS = re.findall(r"\bX\((\w+),\s*\"", (SOURCE / "src/event/event.h").read_text())


def notes(data):
    used = struct.unpack_from("<I", data, 148)[0]
    return data[HEAD:HEAD + used].decode().splitlines()


def records(data):
    """(stamp, thread, kind, target), in the order of the stamps; without a stamp: right before the next one."""
    found = []
    for thread in range(struct.unpack_from("<I", data, 144)[0]):
        home = struct.unpack_from("<I", data, 208 + 4 * (thread // SLOTS))[0]
        chunk = struct.unpack_from("<I", data, CHUNKS_AT + (home - 1) * CHUNK + thread % SLOTS * SLOT + 4)[0]
        mine = []
        while chunk != 0:
            at = CHUNKS_AT + (chunk - 1) * CHUNK
            chunk, used = struct.unpack_from("<II", data, at)
            at += CHUNK_HEAD
            end = at + used
            while at < end:
                head, target = struct.unpack_from("<QQ", data, at)
                at += 16
                stamp = 0
                if head >> 13 & 1:
                    stamp = struct.unpack_from("<Q", data, at)[0]
                    at += 16
                if head & 63 < len(KINDS):
                    mine.append((stamp, thread, KINDS[head & 63], target))
        following = 1 << 62
        for number, record in reversed(list(enumerate(mine))):
            following = record[0] or following
            found.append((following, thread, number, record))
    return [entry[3] for entry in sorted(found)]


def check_order(events):
    owner = {}
    ended = set()
    for _, thread, kind, lock in events:
        assert thread not in ended, f"{kind} of thread {thread} after its end"
        if kind == "ThreadExit":
            ended.add(thread)
        if kind == "Acquire":
            assert lock not in owner, f"thread {thread} takes {lock:x}, which {owner[lock]} has"
            owner[lock] = thread
        elif kind == "Release":
            assert owner.pop(lock, None) == thread, f"thread {thread} gives {lock:x} back, which it has not"


def run(program, environment=None):
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr.decode()}"
    return done.stdout


def main():
    compiler, library, source = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text = source.read_text()
    with tempfile.TemporaryDirectory() as directory:
        program = f"{directory}/{source.stem}"
        subprocess.run([compiler, "-std=c++20", "-g", "-O1", "-fsanitize=thread", "-c", source, "-o", program + ".o"],
                       check=True)
        subprocess.run([compiler, program + ".o", "-o", program, f"-L{library.parent}", "-lravel_rt",
                        f"-Wl,-rpath,{library.parent}"], check=True)
        plain = run(program)
        recordings = pathlib.Path(directory, "recordings")
        recordings.mkdir()
        recorded = run(program, {"RAVEL_OPTIONS": f"record={recordings}"})
        assert recorded == plain, f"output differs:\n{plain}\n{recorded}"
        streams = sorted(recordings.iterdir(), key=lambda file: int(file.suffixes[-2][1:].split("-")[0]))
        joined = re.search(r"^// .*\S (RECORDS|STREAMS|NOTES) ", text, re.M)
        assert not joined, f"a line for this runner is not a line of its own: {joined[0]}"
        wanted = re.search(r"^// STREAMS (\d+)", text, re.M)
        assert len(streams) == (int(wanted[1]) if wanted else 1), streams
        data = streams[0].read_bytes()
        events = records(data)
        check_order(events)
        counts = collections.Counter(kind for _, _, kind, _ in events)
        for kind, count in re.findall(r"^// RECORDS (\w+) (\d+)", text, re.M):
            assert kind in KINDS, kind
            assert counts[kind] == int(count), f"{counts[kind]} times {kind} instead of {count}"
        for note in re.findall(r"^// NOTES (.*)", text, re.M):
            assert any(line.startswith(note) for line in notes(data)), f"no note: {note}"


main()

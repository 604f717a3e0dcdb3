#!/usr/bin/env python3
"""surroundings.py BIN: a recorded program where recording cannot go on, or not begin.

BIN holds ravel and its compiler wrappers. Whatever the surroundings, the program's output and exit code are its own, there is one
clear line about what is not recorded, and what was recorded gives no false alarm: programs/counting.cpp has no race.
"""
import ctypes
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BINARIES = pathlib.Path(sys.argv[1])
ROUNDS = 100000
OUTPUT = b"%d\n" % (4 * sum(i % 7 for i in range(ROUNDS)))
CODE = 4


def run(command, expected=CODE, output=OUTPUT, **settings):
    """What it says on standard error."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, **settings)
    errors = done.stderr.decode()
    assert done.returncode == expected, f"exit code {done.returncode} instead of {expected}\n{errors}"
    assert output is None or done.stdout == output, f"{done.stdout}\n{errors}"
    return errors


def recording(directory, options=""):
    return dict(os.environ, RAVEL_OPTIONS=f"record={directory}{options}")


def says(errors, text):
    lines = [line for line in errors.splitlines() if line.startswith("ravel: ")]
    assert len(lines) == 1 and text in lines[0], f"expected one line with '{text}':\n{errors}"


def analyze(directory):
    for trace in directory.glob("*.rvl"):
        run([BINARIES / "ravel", "analyze", "-q", trace], expected=0, output=None)


def largest_size(program, folder):
    for size in ("300K", "1M", "2M", "3M", "5M"):
        directory = folder / size
        directory.mkdir()
        says(run(program, env=recording(directory, f":max-size={size}")), "has reached its largest size")
        analyze(directory)
        run([BINARIES / "ravel", "record", "-q", "--max-size", size, "-o", directory / "t.rvl", "--", *program])
        analyze(directory)


def file_size_limit(program, folder):
    limit = 2 << 20
    says(run(program, env=recording(folder), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))),
         "no space left")
    analyze(folder)


def full_disk(program, folder):
    """Skipped where a file system cannot be mounted."""
    inside = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size="$1" none "$0" && shift && "$@" && exit; code=$?; '
              'cp "$RAVEL_COPY_FROM"/*.rvl "$RAVEL_COPY_TO"; exit $code', folder]
    if subprocess.run([*inside[:4], 'mount -t tmpfs none "$0"', folder], capture_output=True).returncode != 0:
        return "skipped: mounting is not allowed"
    copies = folder.with_name("copies")
    copies.mkdir()
    for size, text in (("3m", "no space left"), ("100k", "no space to record")):
        environment = dict(recording(folder), RAVEL_COPY_FROM=str(folder), RAVEL_COPY_TO=str(copies))
        says(run([*inside, size, *program], env=environment), text)
        analyze(copies)
    return None


def missing_directory(program, folder):
    says(run(program, env=recording(folder / "missing")), "cannot record to")


def vanished_directory(program, folder):
    """The program removes it, then forks: the parent records on, the child says that it cannot."""
    directory = folder / "vanishing"
    directory.mkdir()
    says(run([*program, directory], env=recording(directory)), "cannot record to")
    assert not directory.exists()


def address_space_limit(program, folder):
    limit = 4000000 << 10
    says(run(program, env=recording(folder), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))),
         "cannot reserve the address space")


def container(program, folder):
    """As the usual filter of containers: no control of address randomisation, no ptrace, no new name spaces, no perf."""
    refused = (135, 101, 272, 298, 323, 425)  # personality, ptrace, unshare, perf_event_open, userfaultfd, io_uring_setup
    code = [struct.pack("<HBBI", 0x20, 0, 0, 0)]  # load the number of the system call
    code += [struct.pack("<HBBI", 0x15, len(refused) - at, 0, number) for at, number in enumerate(refused)]
    code += [struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000), struct.pack("<HBBI", 0x06, 0, 0, 0x00050001)]  # allow, EPERM
    instructions = ctypes.create_string_buffer(b"".join(code))
    filter_program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(instructions)))
    libc = ctypes.CDLL(None, use_errno=True)

    def enter():
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, filter_program, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        assert libc.personality(0x0040000) == -1

    assert run(program, env=recording(folder), preexec_fn=enter) == ""
    analyze(folder)
    for command in ("record", "run"):
        run([BINARIES / "ravel", command, "-q", "-o", folder / f"{command}.rvl", "--", *program], preexec_fn=enter)


def main():
    with tempfile.TemporaryDirectory() as directory:
        binary = f"{directory}/counting"
        subprocess.run([BINARIES / "ravel-c++", "--ravel-compiler=g++", "-std=c++20", "-g", "-O1", HERE / "programs/counting.cpp",
                        "-o", binary], check=True)
        for check in (largest_size, file_size_limit, full_disk, missing_directory, vanished_directory, address_space_limit,
                      container):
            folder = pathlib.Path(directory, check.__name__)
            folder.mkdir()
            print(check.__name__, check([binary, str(ROUNDS)], folder) or "ok", flush=True)
            shutil.rmtree(folder)


main()

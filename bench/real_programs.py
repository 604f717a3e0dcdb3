"""How to build and run real programs from Debian's sources: used by bench/real-programs and bench/overhead.

A program is built out of the distribution's sources, unchanged, once for each way of compiling it (Build), and run with
a workload that is the same for all. Nothing of the sources or inputs is kept in the repository.
"""
import pathlib
import random
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Build:
    """A way of compiling: the compilers' commands and the flags for everything."""

    def __init__(self, name, cc, cxx, flags=()):
        self.name, self.cc, self.cxx, self.flags = name, cc, cxx, list(flags)


def shell(command, cwd, log, env=None):
    """Runs a build step; its output goes to the log."""
    with open(log, "a") as out:
        out.write(f"$ {command if isinstance(command, str) else ' '.join(map(str, command))}\n")
        out.flush()
        done = subprocess.run(command, cwd=cwd, shell=isinstance(command, str), stdout=out, stderr=out, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"a build step failed, see {log}")


def fetch(work, package):
    done = subprocess.run([HERE / "fetch-sources", work / "sources", package], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.strip())


def text_file(path, size, seed):
    """Words that compress about as well as text."""
    path = path.with_name(f"{path.name}.{size}")
    if path.exists():
        return path
    rng = random.Random(seed)
    words = ["".join(rng.choice("etaoinshrdlu") for _ in range(rng.randrange(2, 9))) for _ in range(3000)]
    with open(path, "w") as out:
        written = 0
        while written < size:
            line = " ".join(rng.choice(words) for _ in range(12)) + "\n"
            out.write(line)
            written += len(line)
    return path


class Program:
    """One program: sources, build, and a command to run."""
    packages = ()
    needs = ()  # Debian packages to build it

    def __init__(self, work, scale=1.0):
        self.work, self.scale = work, scale

    def build(self, build):
        folder = self.work / "build" / build.name / self.name
        binary = folder / self.binary
        if binary.exists():
            return binary
        if folder.exists():
            shutil.rmtree(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        log = folder.parent / f"{self.name}.log"
        log.unlink(missing_ok=True)
        self.compile([fetch(self.work, package) for package in self.packages], folder, build, log)
        return binary

    def result(self, folder):
        """A file that must be the same in every build, as bytes."""
        return b""

    def same(self, expected, output):
        """Whether two standard outputs mean the same."""
        return expected == output


class Microbenchmark(Program):
    def __init__(self, work, name, arguments, scale=1.0):
        super().__init__(work, scale)
        self.name = self.binary = name
        self.arguments = arguments

    def compile(self, sources, folder, build, log):
        folder.mkdir()
        shell(f"{build.cxx} {' '.join(build.flags)} -O2 -g -pthread {HERE}/programs/{self.name}.cpp -o {self.binary}", folder,
              log)

    def command(self, binary, folder):
        return [binary, *self.arguments]


class Pbzip2(Program):
    name = binary = "pbzip2"
    packages = ("bzip2", "pbzip2")

    def compile(self, sources, folder, build, log):
        bzip2, pbzip2 = sources
        shutil.copytree(pbzip2, folder)
        shutil.copytree(bzip2, folder / "bzip2")
        flags = " ".join(build.flags) + " -O2 -g -pthread -D_FILE_OFFSET_BITS=64 -Wno-reserved-user-defined-literal"  # for clang
        for file in "blocksort huffman crctable randtable compress decompress bzlib".split():
            shell(f"{build.cc} {flags} -c bzip2/{file}.c -o {file}.o", folder, log)
        shell(f"{build.cxx} {flags} -DUSE_STACKSIZE_CUSTOMIZATION -Ibzip2 pbzip2.cpp BZ2StreamScanner.cpp ErrorContext.cpp *.o "
              f"-o pbzip2", folder, log)

    def command(self, binary, folder):
        return [binary, "-p2", "-b1", "-k", "-f", "-c", text_file(self.work / "text", int(6e6 * self.scale), 1)]


class Zstd(Program):
    name = "zstd"
    binary = "programs/zstd"
    packages = ("zstd",)

    def compile(self, sources, folder, build, log):
        shutil.copytree(sources[0], folder)
        shell(f"make -C programs -j2 zstd CC='{build.cc}' CFLAGS='{' '.join(build.flags)} -O2 -g' HAVE_ZLIB=0 HAVE_LZMA=0 "
              f"HAVE_LZ4=0 BUILD_DIR=obj", folder, log)

    def command(self, binary, folder):
        return [binary, "-T2", "-9", "-B1MiB", "-q", "-f", "-c", text_file(self.work / "text.zstd", int(24e6 * self.scale), 2)]


class Leveldb(Program):
    name = "leveldb"
    binary = "db_bench"
    packages = ("leveldb",)
    needs = ("libgtest-dev", "libgmock-dev")  # its benchmark uses a header of its tests

    def compile(self, sources, folder, build, log):
        shutil.copytree(sources[0], folder)
        files = [f for d in ("util", "table", "db") for f in sorted((folder / d).glob("*.cc"))
                 if not f.name.endswith(("_test.cc", "leveldbutil.cc", "testutil.cc", "env_windows.cc"))]
        files += [folder / "helpers/memenv/memenv.cc", folder / "benchmarks/db_bench.cc", folder / "util/testutil.cc"]
        flags = " ".join(build.flags) + (" -O2 -g -pthread -std=c++14 -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 "
                                         "-DHAVE_O_CLOEXEC=1 -I. -Iinclude")
        objects = []
        for file in files:
            shell(f"{build.cxx} {flags} -c {file} -o {file.stem}.o", folder, log)
            objects.append(f"{file.stem}.o")
        shell(f"{build.cxx} {' '.join(build.flags)} -pthread {' '.join(objects)} -lgtest -o db_bench", folder, log)

    def command(self, binary, folder):
        return [binary, "--threads=2", f"--num={int(30000 * self.scale)}", f"--db={folder}/db",
                "--benchmarks=fillrandom,readrandom,overwrite,readseq"]

    def same(self, expected, output):
        """The lines are timings; their names and what was found are not."""
        names = [re.sub(rb" *:.*?(\(\d+ of \d+ found\))?$", rb"", line) for line in output.splitlines()]
        return names == [re.sub(rb" *:.*?(\(\d+ of \d+ found\))?$", rb"", line) for line in expected.splitlines()]


class X264(Program):
    name = binary = "x264"
    packages = ("x264",)

    def compile(self, sources, folder, build, log):
        shutil.copytree(sources[0], folder)
        flags = " ".join(build.flags)
        shell(f"CC='{build.cc}' CFLAGS='{flags} -g' LDFLAGS='{flags}' ./configure --disable-asm --disable-avs "
              f"--disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash --disable-opencl --enable-pic && make -j2",
              folder, log)

    def clip(self):
        path = self.work / "clip.yuv"
        if not path.exists():
            rng = random.Random(3)
            with open(path, "wb") as out:
                for frame in range(60):
                    luma = bytearray((x * y // 7 + frame * 5 + (x ^ y)) & 255 for y in range(144) for x in range(176))
                    for _ in range(300):
                        luma[rng.randrange(len(luma))] = rng.randrange(256)
                    out.write(luma + bytes((frame + i) & 255 for i in range(88 * 72 * 2)))
        return path

    def command(self, binary, folder):
        frames = max(5, int(60 * self.scale))
        return [binary, "--quiet", "--threads", "2", "--frames", str(frames), "--input-res", "176x144", "-o",
                f"{folder}/out.264", self.clip()]

    def result(self, folder):
        return (folder / "out.264").read_bytes()


class Memcached(Program):
    name = binary = "memcached"
    packages = ("memcached",)
    needs = ("libevent-dev",)

    def compile(self, sources, folder, build, log):
        shutil.copytree(sources[0], folder)
        shell(f"CC='{build.cc}' CFLAGS='{' '.join(build.flags)} -g -O2' ./configure --disable-docs && make -j2 memcached", folder,
              log)

    def command(self, binary, folder):
        """The server ends when the load is through: bench/memcached-load starts, uses and stops it."""
        return [HERE / "memcached-load", binary, str(int(40000 * self.scale))]


def programs(work, scale=1.0):
    return [Pbzip2(work, scale), Zstd(work, scale), Leveldb(work, scale), Memcached(work, scale), X264(work, scale)]


def microbenchmarks(work, scale=1.0):
    return [Microbenchmark(work, "hash_map", ["2", str(int(4000000 * scale))]),
            Microbenchmark(work, "atomic_queue", ["1", str(int(8000000 * scale))])]

"""What the measuring scripts share: runs of whole processes, and the file of launches."""
import collections
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
Run = collections.namedtuple("Run", "cpu megabytes wall")


def timed(command, out):
    """CPU seconds of all threads, peak memory and wall seconds of one run; the kernel counts this script's own 12 MB as
    the least."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=out)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s ended with %d" % (command[0], process.returncode))
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, wall)


def launches(records, keys=None):
    """The path of the file of that many records, of at most so many launches; made if it is not there."""
    counts = [str(count) for count in (records, keys) if count is not None]
    path = os.path.join(tempfile.gettempdir(), "launches-%s.jsonl" % "-".join(counts))
    if not os.path.exists(path):
        with open(path + ".part", "wb") as file:
            subprocess.run([sys.executable, os.path.join(HERE, "launches.py"), *counts], stdout=file, check=True)
        os.rename(path + ".part", path)
    return path


def version(package):
    """The version of a Python package, None where it is not installed."""
    code = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
    asked = subprocess.run([sys.executable, "-c", code, package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return asked.stdout.strip() or None

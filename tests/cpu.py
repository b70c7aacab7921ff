"""How much CPU the tests take, in units of one search by the readable minimax, which hardly depend on the machine.

`python tests/cpu.py` runs all tests, `python tests/cpu.py tests/ttt` some. Before and after them, three searches of the
empty 3×3 board run at a time, as tests do on two cores. Only processes that are waited for are counted.
"""

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

SEARCH = """
from time import process_time
from ttt import Board
from ttt.search import minimax
begin = process_time()
minimax(Board())
print(process_time() - begin)
"""


def seconds() -> float:
    """The CPU time of all processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def searches() -> list[float]:
    """The seconds of three searches at a time."""
    started = [subprocess.Popen([sys.executable, "-c", SEARCH], stdout=subprocess.PIPE) for _ in range(3)]
    return [float(search.communicate()[0]) for search in started]


if __name__ == "__main__":
    before, begin = searches(), seconds()
    status = subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:]]).returncode
    used = seconds() - begin
    unit = sum([*before, *searches()]) / 6
    print(f"The tests took {used:.0f} s of CPU: {used / unit:.0f} searches of {unit:.2f} s.")
    sys.exit(status)

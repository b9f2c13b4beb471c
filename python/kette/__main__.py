"""The program `kette`: python -m kette COMMAND ... is kette COMMAND ..."""

import sys

from ._kette import _run_program

if __name__ == "__main__":
    sys.exit(_run_program(sys.argv[1:]))

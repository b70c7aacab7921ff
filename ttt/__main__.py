"""`python -m ttt` is the command `ttt`."""

from ttt.cli import main

if __name__ == "__main__":
    main()

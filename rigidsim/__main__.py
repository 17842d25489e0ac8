"""`python -m rigidsim` is `rigidsim`."""

from rigidsim.cli import main

main()

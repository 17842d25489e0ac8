"""`python -m rigidsim` runs the command line."""

from rigidsim.cli import main

main()

"""``python -m locodyn`` is the command ``locodyn``."""

from locodyn.cli import main

main()

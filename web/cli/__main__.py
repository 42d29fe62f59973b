"""`python -m web.cli` in a checkout does what `warpcourt` does once installed."""

from .app import main

main()

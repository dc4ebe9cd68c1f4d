"""`python -m dve_client`: the command `dvesim`."""

from .cli import main

if __name__ == "__main__":
    main()

"""`python -m dve_service`: serve with settings from the environment."""

import sys

from .main import serve

if __name__ == "__main__":
    sys.exit(serve())

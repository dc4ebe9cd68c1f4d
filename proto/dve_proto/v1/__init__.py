"""Generated from proto/dve/v1 by proto/build.py; do not edit."""

"""The commands of `dvesim`, one file each."""

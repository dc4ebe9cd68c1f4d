"""`dvesim demo`: the main job, end to end, through the public API of a service of its own.

stage.py       the program: one stage of a masked softmax, and where its tensors lie
expected.py    the bytes it must leave, computed without the engine
broken.py      one broken instruction per family, and the verdict the specification gives it
probes.py      three records on which the generations differ
service.py     a private service in a child process
show.py        tables
story.py       the demo, step by step
"""

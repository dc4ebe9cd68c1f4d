"""The command `dvesim`.

    serve      start the service                         commands/serve.py
    validate   is a program legal                        commands/validate.py
    run        run a program on memory from an .npz file commands/run.py
    assemble   a program from text                       commands/text.py
    disassemble
    neff       compiled containers                       commands/neff.py
    image      memory from files into the service        commands/image.py
    vbool      the predicate unit                        commands/vbool.py
    isa        the instruction set, from its tables      commands/isa.py
    demo       the main job, end to end                  demo/
    version

Exit codes: 0 done, and legal where that was the question; 1 the program is not legal or cannot be run; 2 the command
line or a file cannot be used, or nothing was checked; 3 no usable answer from the service.
"""

from __future__ import annotations

import click

from .commands.demo import demo
from .commands.image import image
from .commands.isa import isa
from .commands.neff import neff
from .commands.run import run
from .commands.serve import serve
from .commands.text import assemble, disassemble
from .commands.validate import validate
from .commands.vbool import vbool
from .commands.version import version


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """An emulator of the NeuronCore Vector Engine at the level of its encoded 64-byte instructions."""


for command in (serve, validate, run, assemble, disassemble, image, neff, vbool, isa, demo, version):
    main.add_command(command)

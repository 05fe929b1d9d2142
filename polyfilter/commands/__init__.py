"""What the commands do: one module a command, each with ``run(arguments) -> Report``.

:mod:`polyfilter.cli` knows how the commands are spelled and imports the module of the one that was
asked for, so that help and version come without waiting for numpy.
"""

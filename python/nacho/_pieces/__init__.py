"""Tensors in pieces, and statements that are computed from pieces, on any engine.

Reading order: ``windows`` (the arrays of a piece), ``tensor`` (what is known of all
pieces), ``cutting`` (pieces of a container), ``places`` (where coordinates are in a
piece), ``inputs`` and ``tasks`` (what workers do), ``operands`` and ``named_rows``
(which parts of operands a task needs), ``given`` (which operands are of which kind),
``groups`` (how much a task needs), ``steps`` (from the cuts of a step to its values),
``results`` (the pieces of these), and ``evaluation`` (a statement). An engine
(``engine``) runs the tasks and moves what they need.

Tensors that no machine had are made of ``entries``: ``sorting`` brings these in order,
and ``assembling`` makes pieces of them.
"""

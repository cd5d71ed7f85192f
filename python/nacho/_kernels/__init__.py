"""Compiling and running: from a caller's request to a kernel and its result.

Operands are loaded and results made here, as far as no operator of arrays is needed.
"""

"""Tensor index notation: its text, its tree, and what NumPy makes of its types.

Nothing here knows how a tensor is stored, or how an expression is compiled.
"""

"""Tensor index notation: its text, its tree, and the types that NumPy gives it.

Nothing here knows how a tensor is stored, or how an expression is compiled.
"""

"""Compiling and running: from a caller's request to a kernel and its result.

This package uses ``nacho.notation``, ``nacho.storage`` and ``nacho.mlir``.
"""

"""Compiling and running: from a caller's request to a kernel and its result.

This package uses ``nacho._notation``, ``nacho._storage`` and ``nacho.mlir``.
"""

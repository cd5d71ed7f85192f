"""What runs: from a request to the result, by way of a compiled kernel.

Built on ``nacho.notation``, ``nacho.storage`` and ``nacho.mlir``.
"""

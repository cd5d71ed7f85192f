"""How tensors are stored: formats, containers of any library, and their arrays.

This package uses ``nacho._notation``, because tensors can be indexed in expressions.
Nothing here knows how an expression is compiled.
"""

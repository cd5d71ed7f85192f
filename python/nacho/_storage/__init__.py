"""How tensors are stored: formats, containers of any library, and their arrays.

This package uses ``nacho._notation``, because a result has the format that
its expression calls for.
Nothing here knows how an expression is compiled.
"""

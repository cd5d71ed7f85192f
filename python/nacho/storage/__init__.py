"""How tensors are stored: formats, containers of any library, and their arrays.

Built on ``nacho.notation``, for tensors can be indexed in expressions. Nothing here
knows how an expression is compiled.
"""

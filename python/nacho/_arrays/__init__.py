"""Arrays with operators: ``nacho.Tensor`` and ``nacho.Lazy``, and functions of them.

What they do is computed by ``nacho._kernels``.
"""

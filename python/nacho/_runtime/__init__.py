"""The runtime library, ``libnacho_runtime.so``, as kernels in files call it.

This package has the library, and its header for C, beside this file. Nothing here needs
the compiler.
"""

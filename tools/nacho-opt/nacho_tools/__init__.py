"""Where Nacho's programs for MLIR are.

``nacho-opt`` is next to Python itself. The plugin is for an ``mlir-opt`` of LLVM 22.1
whose libraries are shared ones:

    mlir-opt --load-pass-plugin=$(python -m nacho_tools) \
        --load-dialect-plugin=$(python -m nacho_tools) --help

Programs that ``--nacho-sparsifier`` compiles are linked with the runtime library, or
loaded with it by ``mlir-runner -shared-libs=$(python -m nacho_tools runtime)``.
"""

from pathlib import Path

PLUGIN = Path(__file__).with_name("NachoPlugin.so")
"""The plugin for ``mlir-opt``."""

RUNTIME = Path(__file__).with_name("libnacho_runtime.so")
"""The library that compiled programs call; ``nacho-c/Runtime.h`` declares it."""

INCLUDE = Path(__file__).with_name("include")
"""The folder of the header."""

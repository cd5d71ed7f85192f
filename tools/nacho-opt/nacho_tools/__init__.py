"""Where Nacho's programs for MLIR are.

``nacho-opt`` is next to Python itself. The plugin is for an ``mlir-opt`` of LLVM 22.1
whose libraries are shared ones:

    mlir-opt --load-pass-plugin=$(python -m nacho_tools) \
        --load-dialect-plugin=$(python -m nacho_tools) --help
"""

from pathlib import Path

PLUGIN = Path(__file__).with_name("NachoPlugin.so")
"""The plugin for ``mlir-opt``."""

"""``python -m nacho_tools`` prints where the plugin for ``mlir-opt`` is."""

from nacho_tools import PLUGIN

print(PLUGIN)

"""``python -m nacho_tools [plugin|runtime|include]`` prints where that is."""

import sys

from nacho_tools import INCLUDE, PLUGIN, RUNTIME

_PLACES = {"plugin": PLUGIN, "runtime": RUNTIME, "include": INCLUDE}

asked = sys.argv[1] if len(sys.argv) > 1 else "plugin"
if asked not in _PLACES:
    sys.exit(f"{asked!r} is none of {', '.join(_PLACES)}")
print(_PLACES[asked])

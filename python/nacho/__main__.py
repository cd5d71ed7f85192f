"""``python -m nacho``: the command line."""

import sys

from nacho.command import main

sys.exit(main())

"""``python -m nacho``: the command line."""

import sys

from nacho._command import main

sys.exit(main())

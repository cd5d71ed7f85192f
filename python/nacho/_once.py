"""Properties that are computed once, without a lock.

That of Python 3.11 holds a lock while it computes, for all objects of a class. If the
process is forked in the meantime, nobody releases it in the child.
"""

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """A property of which all threads keep the value that is there first."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Return the value, which is kept in the object."""
            if instance is None:
                return self
            kept = instance.__dict__
            if self.attrname not in kept:
                kept.setdefault(self.attrname, self.func(instance))
            return kept[self.attrname]


__all__ = ["cached_property"]

"""``tools/dev bench``: nacho and its peers, each in a process of its own."""

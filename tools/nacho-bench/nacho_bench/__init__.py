"""``tools/dev bench``: compares nacho with its peers, each in a process of its own."""

"""Pictures of costs, of patterns with the cuts of parts, and of merge lattices.

Each picture is drawn as SVG, which needs no library, or on axes of matplotlib.
"""

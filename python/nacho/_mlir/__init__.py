"""Statements and modules as MLIR: written, read, and refused in their own words."""

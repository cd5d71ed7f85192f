"""Random attacks on Nacho: each case is a number, and can be run again by it."""

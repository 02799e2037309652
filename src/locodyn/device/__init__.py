"""Robots on a graphics card: the kernels of the library, unchanged, with one thread for each robot."""

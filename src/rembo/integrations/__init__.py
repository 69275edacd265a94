"""Doors into tools that people already use: the same optimizers, the same seeds, the same points.

Outside the path of the data. Each door is a module of its own that stands on the library it opens into, an extra;
nothing is imported here, so that a missing library concerns its own door alone.
"""

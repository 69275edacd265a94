"""Integrations: the optimizers of rembo inside the tools that people already use.

Outside the path of the data: each module is a door to one library, imports it, and translates at once. No door is
imported here, so that a missing library concerns its own door alone.
"""Doors into tools that people already use: the same optimizers, the same seeds, the same points.
Each door is a module of its own that stands on the library it opens into, an extra; nothing is imported here.
"""

"""Integrations: the optimizers of rembo inside the tools that people already use.

Outside the path of the data: each module is a door from one library, imports it, and translates at once. None of them is
imported here, so that a missing library concerns its own door alone.
"""

"""Integrations: the optimizers of rembo inside the tools that people already use.

Outside the path of the data: each module is a door to one library, imports it, and translates at once. No door is
imported here, so that a missing library concerns its own door alone.
"""

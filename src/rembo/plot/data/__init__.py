"""What each picture shows, as plain numbers: pure functions of a search, without a word of how it is drawn.

Nothing here costs D, and nothing evaluates f.
"""

"""The campaign against studies: kills, misbehaving functions, damaged files, second writers and fuzzed inputs.

`make torture` runs all of it. Each campaign is a function of a budget and a seed that returns counts; `__main__` lists
them. Whatever may hang or die runs in a child that is watched (`children`).
"""

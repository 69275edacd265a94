#!/usr/bin/env python3
"""A small program to tune: simulated annealing for the travelling salesman, in a second or less.

    ./anneal.py 1 --start 1.0 --end 0.01 --steps 20000 --move reverse --greedy

Prints the length of the tour that it found through 60 random cities; the first argument says which cities.
"""

import argparse
import math
import random

CITIES = 60


def length(tour, places):
    """The length of the closed tour."""
    return sum(math.dist(places[a], places[b]) for a, b in zip(tour, tour[1:] + tour[:1], strict=True))


def nearest_neighbours(places):
    """A tour that always goes on to the nearest city."""
    tour, left = [0], set(range(1, len(places)))
    while left:
        tour.append(min(left, key=lambda city: math.dist(places[tour[-1]], places[city])))
        left.remove(tour[-1])
    return tour


def moved(tour, move, rng):
    """A neighbouring tour: a piece reversed, or two cities swapped, or one put elsewhere."""
    i, j = sorted(rng.sample(range(len(tour)), 2))
    if move == "reverse":
        return tour[:i] + tour[i : j + 1][::-1] + tour[j + 1 :]
    if move == "swap":
        return [*tour[:i], tour[j], *tour[i + 1 : j], tour[i], *tour[j + 1 :]]
    return [*tour[:i], *tour[i + 1 : j + 1], tour[i], *tour[j + 1 :]]


def anneal(places, options, rng):
    """The shortest length on the way."""
    tour = nearest_neighbours(places) if options.greedy else list(range(len(places)))
    now = best = length(tour, places)
    for step in range(options.steps):
        temperature = options.start * (options.end / options.start) ** (step / options.steps)
        candidate = moved(tour, options.move, rng)
        then = length(candidate, places)
        if then < now or rng.random() < math.exp((now - then) / temperature):
            tour, now = candidate, then
            best = min(best, now)
    return best


def main():
    """Read the options, make the cities, print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("instance", type=int)
    parser.add_argument("--start", type=float, default=1.0)
    parser.add_argument("--end", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--move", choices=["reverse", "swap", "insert"], default="swap")
    parser.add_argument("--greedy", action="store_true")
    options = parser.parse_args()
    rng = random.Random(options.instance)
    places = [(rng.random(), rng.random()) for _ in range(CITIES)]
    print(f"length: {anneal(places, options, rng):.6f}")


if __name__ == "__main__":
    main()

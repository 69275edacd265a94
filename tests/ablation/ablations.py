"""Functions of switches whose ablation is known, and plain ablation to compare with."""

from rembo import Bool, Space


class Switches:
    """f of so many switches s0, s1, ...: f(on) where `on` is the set of those that are on; counts its evaluations."""

    def __init__(self, count, f):
        self.names = [f"s{i}" for i in range(count)]
        self.space = Space({name: Bool() for name in self.names})
        self.off, self.on = dict.fromkeys(self.names, False), dict.fromkeys(self.names, True)
        self.f = f
        self.calls = []

    def __call__(self, x):
        on = frozenset(name for name, value in x.items() if value)
        self.calls.append(on)
        return self.f(on)


def additive(weights):
    """f that falls by a weight for each switch that is on."""
    return lambda on: -sum(weights.get(name, 0) for name in on)


def plain_order(f, space, start, goal):
    """The order in which plain ablation makes the changes: at each step the best of all that are left."""
    x, left, order = dict(start), [name for name in space.parameters if start[name] != goal[name]], []
    while left:
        order.append(min(left, key=lambda name: f({**x, name: goal[name]})))
        x[order[-1]] = goal[order[-1]]
        left.remove(order[-1])
    return order

"""Ask and tell: you evaluate, whenever and wherever you like; here eight points at a time, in threads."""

from concurrent.futures import ThreadPoolExecutor

import rembo


def f(x: rembo.Point) -> float:
    """Stands for an experiment; it looks at 2 of 300 numbers."""
    return (x[41] - 0.5) ** 2 + (x[222] + 0.3) ** 2


optimizer = rembo.Rembo(rembo.Box(300), embedding_dim=4, runs=4, seed=0)
with ThreadPoolExecutor(8) as pool:
    for _ in range(10):
        trials = optimizer.ask(8)
        for trial, value in zip(trials, pool.map(lambda trial: f(trial.x), trials), strict=True):
            optimizer.tell(trial, value)
best = optimizer.best_trial
print(f"best value {best.value:.6f}, found by run {best.run} in trial {best.number}")

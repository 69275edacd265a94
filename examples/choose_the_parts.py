"""The parts of the method are objects: another embedding, kernel, acquisition, maximiser or way of learning."""

import rembo


def f(x: rembo.Point) -> float:
    """One valley among 10,000 dimensions."""
    return (x[12] - 0.4) ** 2 + (x[9_876] - 0.1) ** 2


optimizer = rembo.Rembo(
    rembo.Box(10_000),
    embedding_dim=3,
    runs=2,
    embedding=rembo.HashEmbedding,
    kernel=rembo.Matern52(on=rembo.Image()),
    acquisition=rembo.UpperConfidenceBound(),
    maximizer=rembo.BestOf(rembo.Direct(200), rembo.CMAES(200)),
    learning=rembo.Schedule(every=10),
    seed=0,
)
result = rembo.minimize(f, rembo.Box(10_000), n_trials=40, optimizer=optimizer)
print(f"best value {result.fun:.6f} after {result.nfev} evaluations")

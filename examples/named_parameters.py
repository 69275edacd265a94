"""Parameters of all kinds with names: f gets a dict."""

import rembo

space = rembo.Space(
    {
        "learning_rate": rembo.Float(1e-5, 1e-1, log=True),
        "layers": rembo.Integer(1, 8),
        "solver": rembo.Categorical(["adam", "sgd", "lbfgs"]),
        "warm_start": rembo.Bool(),
        "weights": rembo.Box(1000, low=0.0, high=1.0),
    }
)


def score(params: dict) -> float:
    """Stands for training a model: few of the 1004 numbers matter."""
    rate = -abs(params["learning_rate"] - 1e-3) * 100
    depth = -0.05 * abs(params["layers"] - 3)
    bonus = {"adam": 0.3, "sgd": 0.1, "lbfgs": 0.0}[params["solver"]]
    return 1.0 + rate + depth + bonus - (params["weights"][7] - 0.8) ** 2


result = rembo.maximize(score, space, n_trials=60, seed=0)
print(f"best score {result.fun:.3f} after {result.nfev} evaluations")
print({name: value for name, value in result.x.items() if name != "weights"}, "weights[7] =", result.x["weights"][7])

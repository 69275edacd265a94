"""Ray Tune: rembo suggests, Ray runs the trials; `pip install 'ray[tune]>=2.40'`."""

from ray import tune

from rembo.integrations.ray import RemboSearcher


def train(config: dict) -> None:
    """Stands for training a model: two numbers matter."""
    rate, width = config["optimizer"]["rate"], config["width"]
    tune.report({"loss": (rate - 0.01) ** 2 + ((width - 64) / 1000) ** 2})


tuner = tune.Tuner(
    train,
    param_space={
        "optimizer": {"rate": tune.loguniform(1e-4, 1.0), "name": tune.choice(["adam", "sgd"])},
        "width": tune.lograndint(1, 1025),
        "dropout": tune.uniform(0.0, 0.5),
    },
    tune_config=tune.TuneConfig(
        search_alg=RemboSearcher(seed=0), metric="loss", mode="min", num_samples=8, max_concurrent_trials=2
    ),
    run_config=tune.RunConfig(verbose=0),
)
best = tuner.fit().get_best_result()
print(f"best loss {best.metrics['loss']:.6f} with {best.config}")

"""gest-api: a generator for libEnsemble, Xopt and others; here a loop stands for them, with four points at a time."""

from gest_api.vocs import VOCS

from rembo.integrations.gest import RemboGenerator

vocs = VOCS(
    variables={f"magnet{number}": [-1.0, 1.0] for number in range(40)} | {"polarity": {"up", "down"}},
    objectives={"emittance": "MINIMIZE"},
    constraints={"loss": ["LESS_THAN", 0.5]},
)


def simulate(point: dict) -> dict:
    """Stands for a beamline: 2 of 40 magnets matter, and some settings lose the beam."""
    spread = (point["magnet7"] - 0.4) ** 2 + (point["magnet31"] + 0.2) ** 2
    return {"emittance": spread + 0.1 * (point["polarity"] == "down"), "loss": abs(point["magnet7"] - 0.2)}


generator = RemboGenerator(vocs, seed=0)
for _ in range(15):
    generator.ingest([{**point, **simulate(point)} for point in generator.suggest(4)])
generator.finalize()
best = generator.optimizer.best_trial
print(f"best emittance {best.value:.6f} with magnet7 at {best.x['magnet7']:.3f}, polarity {best.x['polarity']}")

"""What every embedding demands of its settings."""

from operator import index as whole_number


def check_dims(ambient_dim: int, embedding_dim: int) -> None:
    """1 <= d <= D < 2^63, or an error that names them."""
    for name, dim in (("ambient_dim", ambient_dim), ("embedding_dim", embedding_dim)):
        try:
            whole_number(dim)
        except TypeError:
            raise TypeError(f"{name} must be a whole number, not {dim!r}") from None
    if not 1 <= ambient_dim < 2**63:
        raise ValueError(f"ambient_dim {ambient_dim} must lie between 1 and 2**63 - 1")
    if not 1 <= embedding_dim <= ambient_dim:
        raise ValueError(f"embedding_dim {embedding_dim} must lie between 1 and ambient_dim {ambient_dim}")


def check_seed(seed: int) -> None:
    """0 <= seed < 2^64: it is the generator's key."""
    if not 0 <= whole_number(seed) < 2**64:
        raise ValueError(f"embedding seed {seed} must lie between 0 and 2**64 - 1")

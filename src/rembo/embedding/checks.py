"""What every embedding demands of its settings."""

from rembo.border import check_whole


def check_dims(ambient_dim: int, embedding_dim: int) -> None:
    """1 <= d <= D < 2^63, or an error that names them."""
    check_whole(ambient_dim, "ambient_dim", 1, 2**63 - 1)
    if not 1 <= check_whole(embedding_dim, "embedding_dim") <= ambient_dim:
        raise ValueError(f"embedding_dim {embedding_dim} must lie between 1 and ambient_dim {ambient_dim}")


def check_seed(seed: int) -> None:
    """0 <= seed < 2^64: it is the generator's key."""
    check_whole(seed, "embedding seed", 0, 2**64 - 1)

"""Random embeddings: the map y -> A y from the embedded space into the ambient one, a row at a time.

Second step of the path (space -> embedding -> kernel). Section 3 of the paper; Theorem 2 says why it works. A new
embedding is one frozen class with the six members of `Embedding`.
"""

from rembo.arrays import LARGEST_ARRAY
from rembo.embedding.forest import Forest
from rembo.embedding.gaussian import GaussianEmbedding
from rembo.embedding.hashing import HashEmbedding
from rembo.embedding.identity import IdentityEmbedding
from rembo.embedding.layout import Block, Layout
from rembo.embedding.permutation import Permutation
from rembo.embedding.point import Embedding, Point, Source
from rembo.embedding.region import Region, Window, epsilon_region, paper_region, theorem_radius
from rembo.embedding.scatter import Scatter
from rembo.embedding.tree import MOST_MEMBERS, TreeEmbedding
from rembo.space import Written

__all__ = [
    "LARGEST_ARRAY",
    "MOST_MEMBERS",
    "Block",
    "Embedding",
    "Forest",
    "GaussianEmbedding",
    "HashEmbedding",
    "IdentityEmbedding",
    "Layout",
    "Permutation",
    "Point",
    "Region",
    "Scatter",
    "Source",
    "TreeEmbedding",
    "Window",
    "Written",
    "epsilon_region",
    "paper_region",
    "theorem_radius",
]

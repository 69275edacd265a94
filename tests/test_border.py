"""Wherever a part is taken, a name in place of an object is refused with the object to write."""

import pytest

from rembo import BestOf, Box, Growing, Hamming, Matern52, MaximumAPosteriori, Portfolio, Product, Rembo, Schedule


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rembo(Box(9), 2, kernel="matern"), r"kernel .* rembo\.Matern52\(\), not 'matern'"),
        (lambda: Rembo(Box(9), 2, acquisition="ei"), r"acquisition .* rembo\.LogExpectedImprovement\(\), not 'ei'"),
        (lambda: Rembo(Box(9), 2, embedding="hash"), r"embedding must be a class such as rembo\.HashEmbedding, not"),
        (lambda: Rembo(Box(9), 2, region="big"), r"region .* rembo\.paper_region\(4\), not 'big'"),
        (lambda: Growing(Box(9), growth="fast"), r"growth .* rembo\.Growth\(\), not 'fast'"),
        (lambda: Matern52(on="image"), r"on .* rembo\.Image\(\), not 'image'"),
        (lambda: Hamming(on="rounded"), r"on .* rembo\.Rounded\(\), not 'rounded'"),
        (lambda: Product("a", "b"), r"a factor .* rembo\.Matern52\(\), not 'a'"),
        (lambda: Portfolio("ei"), r"a member .* rembo\.LogExpectedImprovement\(\), not 'ei'"),
        (lambda: BestOf("direct"), r"a maximizer .* rembo\.Direct\(\), not 'direct'"),
        (lambda: Schedule(search="direct"), r"search .* rembo\.Ascent\(\), not 'direct'"),
        (lambda: MaximumAPosteriori(search="cma"), r"search .* rembo\.Ascent\(\), not 'cma'"),
    ],
)
def test_name_of_a_part_is_refused_with_the_object_to_write(make, message):
    with pytest.raises(TypeError, match=message):
        make()

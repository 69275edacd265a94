"""What all pictures have in common: themes, names shown as they stand, and no cost in D."""

import json
import subprocess
import sys
import tracemalloc

import plotly.graph_objects as go
import pytest
from conftest import embedded

import rembo
from rembo import plot
from rembo.plot.draw.canvas import label

OF_ANY = [
    plot.plot_optimization_history,
    plot.plot_clipping,
    plot.plot_method_card,
    plot.plot_timeline,
    plot.plot_times,
]
OF_A_MODEL = [plot.plot_calibration, plot.plot_length_scales, plot.plot_slice]
OF_BINS = [plot.plot_param_importances, plot.plot_tree]
OF_SCALARS = [plot.plot_parallel_coordinate]
OF_GROWING = [*OF_ANY, *OF_A_MODEL, *OF_BINS]


def content(figure):
    """The figure as a browser reads it."""
    return str(json.loads(figure.to_json()))


def luminance(color):
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(color[at : at + 2], 16) / 255.0 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("picture", [*OF_ANY, *OF_A_MODEL, plot.plot_landscape], ids=lambda f: f.__name__)
@pytest.mark.parametrize("theme", [plot.LIGHT, plot.DARK], ids=["light", "dark"])
def test_picture_is_a_figure_in_the_colours_of_its_theme(picture, theme, rembo_result):
    figure = picture(rembo_result, theme=theme)
    assert isinstance(figure, go.Figure)
    assert figure.layout.template.layout.paper_bgcolor == theme.ground


@pytest.mark.parametrize("picture", [*OF_GROWING, *OF_SCALARS], ids=lambda f: f.__name__)
def test_names_from_outside_are_shown_and_not_obeyed(picture, odd_search):
    shown = content(picture(odd_search))
    assert not any(tag in shown for tag in ("<script>", "<i>a", "<b>odd", "<u>", "'<b>'"))


@pytest.mark.parametrize("picture", [plot.plot_param_importances, plot.plot_slice, plot.plot_tree, *OF_SCALARS])
def test_name_of_a_parameter_stands_in_the_picture(picture, odd_search):
    assert "&lt;script&gt;" in content(picture(odd_search))


def test_error_text_of_a_failed_trial_stands_in_the_timeline(odd_study):
    assert "too &lt;u&gt;large&lt;/u&gt;" in content(plot.plot_timeline(odd_study))


@pytest.mark.parametrize("picture", OF_GROWING, ids=lambda f: f.__name__)
def test_name_never_stands_in_a_template_that_would_be_filled_in(picture, odd_search):
    templates = [trace.hovertemplate or "" for trace in picture(odd_search).data if "hovertemplate" in trace]
    assert not any(name in template for name in ("odd", "script") for template in templates)


def test_long_name_is_shortened():
    assert label("a" * 60) == "a" * 47 + "…"


def test_name_is_shortened_before_it_is_escaped():
    assert label("<" * 50, longest=2) == "&lt;…"


@pytest.mark.parametrize("theme", [plot.LIGHT, plot.DARK], ids=["light", "dark"])
def test_text_and_the_first_colours_stand_out_from_the_ground(theme):
    assert contrast(theme.ink, theme.ground) >= 7.0
    assert min(contrast(color, theme.ground) for color in theme.colors[:3]) >= 3.0


def test_colours_begin_again_after_the_last():
    assert plot.LIGHT.color(len(plot.LIGHT.colors)) == plot.LIGHT.color(0)


@pytest.mark.parametrize("picture", OF_GROWING, ids=lambda f: f.__name__)
def test_picture_of_a_billion_dimensions_takes_little_memory(picture, billion_result):
    tracemalloc.start()
    try:
        picture(billion_result)
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20  # an array of all coordinates is 8 GB
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def same_in_a_billion():
    return embedded(10**9)


@pytest.mark.parametrize(
    "picture",
    [plot.plot_optimization_history, plot.plot_clipping, *OF_A_MODEL, plot.plot_landscape],
    ids=lambda f: f.__name__,
)
def test_picture_of_rembo_is_the_same_to_the_bit_in_a_billion_dimensions(picture, rembo_result, same_in_a_billion):
    assert picture(rembo_result).to_json() == picture(same_in_a_billion).to_json()


def test_importance_of_a_method_that_does_not_tell_is_an_error(rembo_result):
    with pytest.raises(ValueError, match="Rembo does not tell what matters: the default optimizer, Growing, does"):
        plot.plot_param_importances(rembo_result)


def test_importance_of_interleaved_optimizers_is_that_of_the_growing_one():
    space = rembo.Box(30)
    optimizer = rembo.Interleaved([rembo.RandomSearch(space, seed=0), rembo.Growing(space, seed=1)])
    result = rembo.minimize(lambda x: x[0] ** 2, space, 16, optimizer=optimizer)
    (bars,) = plot.plot_param_importances(result).data
    assert len(bars.x) == len(optimizer.runs[1].importance())


def test_importance_shows_the_range_of_each_share(growing_result):
    (bars,) = plot.plot_param_importances(growing_result).data
    first = growing_result.optimizer.importance()[0]
    assert bars.x[0] == pytest.approx(100.0 * first.share)
    assert bars.x[0] + bars.error_x.array[0] == pytest.approx(100.0 * first.high)
    assert bars.x[0] - bars.error_x.arrayminus[0] == pytest.approx(100.0 * first.low)


def test_bars_of_what_may_not_matter_are_pale(growing_result):
    (bars,) = plot.plot_param_importances(growing_result).data
    sure = [group.matters for group in growing_result.optimizer.importance()[:12]]
    assert [opacity == 1.0 for opacity in bars.marker.opacity] == sure
    assert len(set(sure)) == 2


def test_parameters_that_share_a_bar_are_said_not_to_be_told_apart(growing_result):
    (bars,) = plot.plot_param_importances(growing_result).data
    sizes = [group.size for group in growing_result.optimizer.importance()[:12]]
    told = [details[3] for details in bars.customdata]
    assert ["not told apart" in sentence for sentence in told] == [size > 1 for size in sizes]


def test_missing_plotly_is_a_sentence_that_names_the_cure():
    program = "import sys; sys.modules['plotly'] = None; import rembo.plot"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "ModuleNotFoundError: rembo.plot needs Plotly: pip install 'plotly>=6'" in done.stderr


def test_pictures_are_loaded_when_they_are_first_used():
    program = (
        "import rembo, sys; before = 'plotly' in sys.modules; made = rembo.plot.plot_times; "
        "print(before, 'plotly' in sys.modules, made.__name__, 'plot' in dir(rembo))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "True", "plot_times", "True"]


def test_name_that_the_package_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'rembo' has no attribute 'plots'"):
        rembo.plots  # noqa: B018


@pytest.mark.parametrize("name", plot.__all__)
def test_public_name_of_the_pictures_has_a_docstring_of_its_own(name):
    assert getattr(plot, name).__doc__

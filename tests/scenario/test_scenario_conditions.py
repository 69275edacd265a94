"""Conditions and forbidden combinations in scenarios and in the parameter files of others."""

import pytest

import rembo
from rembo import Bool, Categorical, Float, Greater, Integer, Is, Less, Ordinal, Space
from rembo.scenario import Scenario, ScenarioError
from rembo.scenario.expression import Known

KNOWN = Known(
    {
        "solver": Categorical(["adam", "sgd", "2"]),
        "layers": Integer(1, 8),
        "rate": Float(0.0, 1.0),
        "warm": Bool(),
        "n": Integer(1, 9),
        "level": Ordinal(["low", "middle", "high"]),
        "size": Ordinal([1, 2, 5]),
    },
    {"mode": "fast", "k": 3},
)


# Texts


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ('solver == "sgd"', Is("solver", "sgd")),
        ("solver=sgd", Is("solver", "sgd")),
        ("'sgd' == solver", Is("solver", "sgd")),
        ("solver != 'sgd'", ~Is("solver", "sgd")),
        ("solver == 2", Is("solver", "2")),
        ('solver %in% c("adam", "sgd")', Is("solver", "adam", "sgd")),
        ("solver in {adam,sgd}", Is("solver", "adam", "sgd")),
        ("solver in ['adam', 'sgd']", Is("solver", "adam", "sgd")),
        ("warm == true", Is("warm", True)),
        ("layers == 3", Is("layers", 3)),
        ("layers > 2", Greater("layers", 2.0)),
        ("2 < layers", Greater("layers", 2.0)),
        ("layers >= 2", ~Less("layers", 2.0)),
        ("layers <= n", ~Greater("layers", "n")),
        ("rate == 0.5", ~Less("rate", 0.5) & ~Greater("rate", 0.5)),
        ("layers > 2 and n < 3 or warm == true", (Greater("layers", 2.0) & Less("n", 3.0)) | Is("warm", True)),
        ("layers > 2 && (n < 3 || warm == true)", Greater("layers", 2.0) & (Less("n", 3.0) | Is("warm", True))),
        ("!(layers > 2) & not n < 3", ~Greater("layers", 2.0) & ~Less("n", 3.0)),
        ("layers < k", Less("layers", 3.0)),
        ("k < layers", Greater("layers", 3.0)),
        ("mode == fast & layers > 2", Greater("layers", 2.0)),
        ("mode == slow | layers > 2", Greater("layers", 2.0)),
        ("mode == slow & layers > 2", False),
        ("!(mode == slow) | layers > 2", True),
        ("k >= 3", True),
        ("level == low", Is("level", "low")),
        ("level > low", Is("level", "middle", "high")),
        ("level <= middle", Is("level", "low", "middle")),
        ("level < low", False),
        ("size > 1", Greater("size", 1.0)),
        ("size in [1, 5]", Is("size", 1, 5)),
    ],
)
def test_text_says_the_condition(text, condition):
    assert repr(KNOWN.condition(text)) == repr(condition)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sovler == sgd", "names 'sovler', which is no parameter: did you mean 'solver'"),
        ("solver == sdg", "'solver' is never 'sdg': did you mean 'sgd'"),
        ("layers == 2.5", "'layers' is never '2.5': its values are whole numbers"),
        ("layers + 1 > 2", r"not a condition: 'layers \+ 1 > 2', '\+' is no comparison; write e\.g\."),
        ("layers >", "it ends too early"),
        ("layers > 2 n < 3", "'n' is not expected"),
        ("(layers > 2", r"'\)' is missing"),
        ("solver in adam", "a list is expected, not 'adam'"),
        ("rate > fast", "'fast' is not a number"),
        ('solver == "sgd', "near '\"sgd'"),
    ],
)
def test_text_that_says_none_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        KNOWN.condition(text)


# Scenarios

PARAMETERS = """
solver = {type = "categorical", choices = ["adam", "sgd"], default = "adam"}
momentum = {type = "float", low = 0.0, high = 1.0, when = 'solver == "sgd"'}
nesterov = {type = "bool", when = "momentum > 0.5"}
layers = {type = "integer", low = 1, high = 8}
"""
SPACE = Space(
    {
        "solver": Categorical(["adam", "sgd"]),
        "momentum": Float(0.0, 1.0).when(Is("solver", "sgd")),
        "nesterov": Bool().when(Greater("momentum", 0.5)),
        "layers": Integer(1, 8),
    },
    {"solver": "adam", "momentum": 0.5, "nesterov": False, "layers": 5},
    [Is("solver", "adam") & Greater("layers", 6.0)],
)


def test_scenario_has_conditions_and_forbidden_combinations(scenario):
    made = scenario("forbidden = ['solver == adam and layers > 6']", "./program {parameters}", PARAMETERS)
    assert made.space == SPACE


@pytest.mark.parametrize(
    ("values", "arguments"),
    [
        ({"solver": "adam", "layers": 2}, ["--solver=adam", "--layers=2"]),
        ({"solver": "sgd", "momentum": 0.25, "layers": 2}, ["--solver=sgd", "--momentum=0.25", "--layers=2"]),
        (
            {"solver": "sgd", "momentum": 0.75, "nesterov": True, "layers": 2},
            ["--solver=sgd", "--momentum=0.75", "--nesterov", "--layers=2"],
        ),
    ],
)
def test_inactive_parameters_are_not_passed(scenario, values, arguments):
    whole = scenario("", "./program {parameters}", PARAMETERS)
    words = scenario(
        "", "./program --solver={solver} --momentum={momentum} {flag:nesterov} --layers={layers}", PARAMETERS
    )
    assert whole.commands(values)[0][1:] == words.commands(values)[0][1:] == arguments


def test_switch_of_an_inactive_parameter_goes_with_it(scenario):
    parameters = PARAMETERS.replace("when = 'solver", "switch = '-m ', when = 'solver")
    made = scenario("", "./program {parameters}", parameters)
    assert made.commands({"solver": "adam", "layers": 2})[0][1:] == ["--solver=adam", "--layers=2"]
    assert made.commands({"solver": "sgd", "momentum": 0.25, "layers": 2})[0][2:4] == ["-m", "0.25"]


def test_lines_and_variables_of_inactive_parameters_are_left_out(scenario, program, tmp_path):
    program('cat "$1"; echo "variable ${MOMENTUM-none}"')
    (tmp_path / "template").write_text("solver {solver}\nmomentum {momentum}\nlayers {layers}\n")
    tables = "[parameter_file]\ntemplate = 'template'\n[environment]\nMOMENTUM = '{momentum}'"
    made = scenario("objective = {pattern = 'layers (.*)'}", "./program {parameter_file}", PARAMETERS, tables)
    run = made.evaluation().run
    assert run({"solver": "adam", "layers": 2}).outputs["stdout"] == "solver adam\nlayers 2\nvariable none\n"
    sgd = run({"solver": "sgd", "momentum": 0.25, "layers": 2}).outputs["stdout"]
    assert sgd == "solver sgd\nmomentum 0.25\nlayers 2\nvariable 0.25\n"


@pytest.mark.parametrize(
    ("top", "command", "words"),
    [
        (
            "",
            "./program --momentum {momentum}",
            "'momentum' may be inactive, and what stands before it would be left alone",
        ),
        ("shell = true", "./program {momentum}", "'momentum' may be inactive, and a shell cannot leave its word out"),
        ("", "./program < {momentum}", "the input is named after a parameter that may be inactive"),
        ("forbidden = ['layers > 0']", "./program {parameters}", "is forbidden by"),
        ("forbidden = [3]", "./program {parameters}", "forbidden must be a list of texts"),
        ("forbidden = ['layer > 3']", "./program {parameters}", "names 'layer', which is no parameter: did you mean"),
    ],
)
def test_what_cannot_be_left_out_is_refused(scenario, top, command, words):
    with pytest.raises(ScenarioError, match=words):
        scenario(top, command, PARAMETERS)


def test_scenario_with_conditions_is_tuned(scenario, program):
    program('test "$1" = --solver=sgd && echo "${2#--momentum=}" || echo 2')
    made = scenario("", "./program {parameters}", PARAMETERS)
    result = rembo.minimize(made.evaluation(), made.space, 25, optimizer=made.optimizer())
    assert result.x["solver"] == "sgd"
    assert result.fun < 0.05


# Files of others

ACOTSP = """\
# the ant colonies of ACOTSP, as the users of irace have them
algorithm    "--"              c      (as, mmas, eas, ras, acs)
localsearch  "--localsearch "  c      (0, 1, 2, 3)
alpha        "--alpha "        r      (0.00, 5.00)
beta         "--beta "         r      (0.00, 10.00)
rho          "--rho "          r      (0.01, 1.00)
ants         "--ants "         i      (5, 100)
q0           "--q0 "           r      (0.0, 1.0)     | algorithm %in% c("acs")
rasrank      "--rasranks "     i      (1, 100)       | algorithm %in% c("ras")
elitistants  "--elitistants "  i      (1, 750)       | algorithm %in% c("eas")
nnls         "--nnls "         i      (5, 50)        | localsearch %in% c(1, 2, 3)
dlb          "--dlb "          c      (0, 1)         | localsearch %in% c(1, 2, 3)

[forbidden]
(algorithm == "as") & (ants > 50)
alpha == 0.0 & beta == 0.0
"""

PCS_OLD = """\
heuristic {a, b, c} [a]
freq {1, 2, 3} [1]
depth [1, 10] [5]i
Conditionals:
freq | heuristic in {b, c}
depth | freq in {2}
depth | heuristic in {c}
Forbidden:
{heuristic=b, freq=3}
"""

PCS_NEW = """\
heuristic categorical {a, b, c} [a]
freq integer [1, 100] [10] log
depth integer [1, 10] [5]
fixed {3} [3]
freq | heuristic == b || heuristic == c
depth | freq > 20 && fixed == 3
{heuristic == b && freq > 90}
{heuristic = a, depth = 10}
"""


@pytest.fixture
def read(tmp_path, program):
    def scenario_of(text):
        (tmp_path / "parameters.txt").write_text(text)
        content = "command = './program {parameters}'\nn_trials = 3\nparameters = 'parameters.txt'\n"
        (tmp_path / "scenario.toml").write_text(content)
        return Scenario.read(tmp_path / "scenario.toml")

    return scenario_of


def test_ants_of_irace_are_read(read):
    space = read(ACOTSP).space
    assert space.rules.conditions == {
        "q0": Is("algorithm", "acs"),
        "rasrank": Is("algorithm", "ras"),
        "elitistants": Is("algorithm", "eas"),
        "nnls": Is("localsearch", "1", "2", "3"),
        "dlb": Is("localsearch", "1", "2", "3"),
    }
    assert space.rules.forbidden[0] == Is("algorithm", "as") & Greater("ants", 50.0)


def test_ants_of_irace_get_what_applies(read):
    made = read(ACOTSP)
    x = {"algorithm": "acs", "localsearch": "0", "alpha": 1.0, "beta": 2.0, "rho": 0.5, "ants": 10, "q0": 0.9}
    made.space.encode(x)
    assert made.commands(x)[0][1:] == [
        "--acs", "--localsearch", "0", "--alpha", "1.0", "--beta", "2.0", "--rho", "0.5", "--ants", "10", "--q0", "0.9",
    ]  # fmt: skip


def test_parents_of_the_old_style_are_all_needed(read):
    rules = read(PCS_OLD).space.rules
    assert rules.conditions == {
        "freq": Is("heuristic", "b", "c"),
        "depth": Is("freq", "2") & Is("heuristic", "c"),
    }
    assert rules.forbidden == (Is("heuristic", "b") & Is("freq", "3"),)


def test_conditions_of_the_new_style_are_read(read):
    rules = read(PCS_NEW).space.rules
    assert rules.conditions == {
        "freq": Is("heuristic", "b") | Is("heuristic", "c"),
        "depth": Greater("freq", 20.0),
    }
    assert rules.forbidden == (
        Is("heuristic", "b") & Greater("freq", 90.0),
        Is("heuristic", "a") & Is("depth", 10),
    )


def test_parameter_that_never_exists_is_left_out(read):
    space = read('a "--a " c (x, y)\nmode "--mode " c (fast)\nb "--b " r (0, 1) | mode == "slow"\n').space
    assert list(space.parameters) == ["a"]


def test_constant_with_a_condition_is_passed_where_it_holds(read):
    made = read('a "--a " c (x, y)\nmode "--mode " c (fast) | a == "x"\n')
    assert made.commands({"a": "x"})[0][1:] == ["--a", "x", "--mode", "fast"]
    assert made.commands({"a": "y"})[0][1:] == ["--a", "y"]


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_rules_of_a_configspace_file_are_read(tmp_path, program, suffix):
    theirs = pytest.importorskip("ConfigSpace")
    space = theirs.ConfigurationSpace()
    kernel, degree = theirs.Categorical("kernel", ["rbf", "poly"]), theirs.Integer("degree", (1, 9), default=3)
    space.add(kernel, degree, theirs.Constant("budget", 10))
    space.add(theirs.EqualsCondition(degree, kernel, "poly"))
    space.add(theirs.ForbiddenEqualsClause(degree, 7))
    getattr(space, f"to_{suffix}")(tmp_path / f"space.{suffix}")
    content = f"command = './program {{parameters}}'\nn_trials = 3\nparameters = 'space.{suffix}'\n"
    (tmp_path / "scenario.toml").write_text(content)
    rules = Scenario.read(tmp_path / "scenario.toml").space.rules
    assert (rules.conditions, rules.forbidden) == ({"degree": Is("kernel", "poly")}, (Is("degree", 7),))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('a "--a " i (1, 9)\nb "--b " r (0, 1) | c > 3', 2, "names 'c', which is no parameter"),
        ('a "--a " i (1, 9)\nb "--b " r (0, 1) | a * 2 > 3', 2, "without sums"),
        ('a "--a " i (1, 9)\n[forbidden]\na > > 3', 3, "'>' is not a number"),
        ('a "--a " c (x)\nb "--b " i (1, 2)\n[forbidden]\na == "x"', 4, "forbids everything: remove it"),
        ("a {x,y} [x]\nb | a in {x}", 2, "a condition is on 'b', which is no parameter"),
        ("a {x,y} [x]\nb {x,y} [x]\nb | a in {z}", 3, "'a' is never 'z'"),
        ("a {x,y} [x]\n{a=z}", 2, "'a' is never 'z'"),
        ("a {x,y} [x]\n{a=x", 2, "not a forbidden combination"),
    ],
)
def test_rule_that_is_not_understood_is_told_with_its_line(read, text, line, words):
    with pytest.raises(ScenarioError, match=words) as caught:
        read(text)
    assert caught.value.line == line

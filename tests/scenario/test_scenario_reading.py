"""Reading a scenario: what it says, what it takes for granted, and the mistakes that users make."""

import pickle

import pytest

from rembo import BayesOpt, Bool, Box, Categorical, Float, Growing, Integer, RandomSearch, Rembo, Space
from rembo.scenario import Scenario, ScenarioError
from rembo.scenario.document import line_of


def test_scenario_takes_for_granted_what_it_is_not_told(scenario, tmp_path):
    made = scenario()
    assert (made.name, made.storage) == ("scenario", tmp_path / "scenario.db")
    assert (made.direction, made.n_trials, made.n_workers, made.seed) == ("minimize", 10, 1, None)
    assert (made.trial_timeout, made.trial_memory) == (None, None)


def test_scenario_says_what_its_file_says(scenario, tmp_path):
    made = scenario(
        'name = "lp"\nstorage = "all.db"\ndirection = "maximize"\nn_workers = 4\nseed = 7\n'
        'trial_timeout = 60\ntrial_memory = "1.5 GiB"'
    )
    assert (made.name, made.storage) == ("lp", tmp_path / "all.db")
    assert (made.direction, made.n_workers, made.seed) == ("maximize", 4, 7)
    assert (made.trial_timeout, made.trial_memory) == (60.0, 3 * 2**29)


PARAMETERS = """
rate = {type = "float", low = 1e-4, high = 1, log = true}
threads = {type = "integer", low = 1, high = 16}
method = {type = "categorical", choices = ["primal", "dual"]}
presolve = {type = "bool"}
weights = {type = "array", size = 2, low = 0, high = 4}
"""


def test_parameters_become_a_space(scenario):
    assert scenario(command="./program", parameters=PARAMETERS).space == Space(
        {
            "rate": Float(1e-4, 1.0, log=True),
            "threads": Integer(1, 16),
            "method": Categorical(["primal", "dual"]),
            "presolve": Bool(),
            "weights": Box(2, 0.0, 4.0),
        }
    )


def test_default_of_one_parameter_is_completed_with_the_middle_of_the_others(scenario):
    parameters = PARAMETERS.replace("high = 16", "high = 16, default = 4")
    default = scenario(command="./program", parameters=parameters).space.default
    assert default.pop("rate") == pytest.approx(0.01)
    assert default == {"threads": 4, "method": "primal", "presolve": False, "weights": [2.0, 2.0]}


@pytest.mark.parametrize(("given", "default"), [("0.5", [0.5, 0.5]), ("[0.0, 1.0]", [0.0, 1.0])])
def test_default_of_an_array_is_a_list_or_one_number_for_all(scenario, given, default):
    parameters = f'w = {{type = "array", size = 2, low = 0, high = 1, default = {given}}}'
    assert scenario(command="./program", parameters=parameters).space.default == {"w": default}


@pytest.mark.parametrize(
    ("optimizer", "kind"),
    [
        ('"default"', Growing),
        ('"random"', RandomSearch),
        ('"bayes_opt"', BayesOpt),
        ('{name = "rembo", embedding_dim = 1, runs = 2}', Rembo),
    ],
)
def test_optimizer_is_made_by_its_name(scenario, optimizer, kind):
    made = scenario(f"optimizer = {optimizer}\nseed = 3").optimizer()
    assert (type(made), made.seed) == (kind, 3)


def test_optimizer_gets_its_settings(scenario):
    assert len(scenario('optimizer = {name = "rembo", embedding_dim = 1, runs = 2}').optimizer().runs) == 2


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ("n_trial = 3", "unknown key 'n_trial': did you mean 'n_trials'?"),
        ("budget_of_runs = 3", "unknown key 'budget_of_runs': known are aggregate, command"),
        ("n_workers = 0", "n_workers 0 must be at least 1"),
        ("n_workers = 2.5", "n_workers must be a whole number, not 2.5"),
        ("n_workers = true", "n_workers must be a whole number, not True"),
        ("seed = -1", "seed -1 must be at least 0"),
        ("shell = 1", "shell must be true or false or a text, not 1"),
        ('direction = "up"', "direction must be one of 'minimize', 'maximize', not 'up'"),
        ('optimizer = "ranom"', "unknown optimizer 'ranom': did you mean 'random'?"),
        ('optimizer = "rembo"', "rembo needs embedding_dim"),
        ('optimizer = {name = "rembo", dim = 2}', "unknown key 'dim': "),
        ('optimizer = {name = "rembo", embedding_dim = 0}', "embedding_dim 0 must lie between 1 and"),
        ("optimizer = {embedding_dim = 2}", "missing key 'name' of optimizer: add name = ..., a text"),
        ('stdin = "none.lp"', "input 'none.lp' is not there"),
    ],
)
def test_mistake_at_the_top_is_told_with_its_line(scenario, top, message):
    with pytest.raises(ScenarioError) as caught:
        scenario(top)
    assert "scenario.toml:3: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ('x = {type = "float", low = 0.0}', "missing key 'high' of parameters.x: add high = ..., a number"),
        ("x = {low = 0.0, high = 1.0}", "missing key 'type' of parameters.x"),
        ("x = 3", "x must be a table, not 3"),
        ('x = {type = "flot"}', "unknown type 'flot' of parameter 'x': did you mean 'float'?"),
        ('x = {type = "float", lo = 0.0, high = 1.0}', "unknown key 'lo': did you mean 'low'?"),
        ('x = {type = "float", low = "0", high = 1.0}', "low must be a number, not '0'"),
        ('x = {type = "float", low = 2.0, high = 1.0}', "low 2.0 must be below high 1.0; swap them"),
        ('x = {type = "integer", low = 1, high = 9, default = 10}', "10 does not lie in Integer(low=1, high=9"),
        ('x = {type = "integer", low = 1, high = 9.5}', "high must be a whole number, not 9.5"),
        ('x = {type = "categorical", choices = ["a"]}', "needs at least 2 choices"),
        ('x = {type = "categorical", choices = ["a", "b"], default = "c"}', "'c' is none of the choices ['a', 'b']"),
        ('x = {type = "categorical", choices = ["a", "\\u0000"]}', "a value of 'x' has a zero byte"),
        ('x = {type = "bool", default = 1}', "the value of a Bool must be True or False, not 1"),
        (
            'x = {type = "bool", arguments = {yes = "-x"}}',
            "arguments of 'x' name the value 'yes': known are false, true",
        ),
        ('x = {type = "bool", arguments = {true = "-x"}}', "arguments of 'x' lack the value 'false': add false = ''"),
        ('x = {type = "bool", arguments = {true = 3, false = ""}}', "arguments of 'x' for true must be a text, not 3"),
        ('x = {type = "bool", arguments = {true = "\'", false = ""}}', "No closing quotation in"),
        ('x = {type = "array", size = 10000001, low = 0, high = 1, default = 0}', "is too large to start from a list"),
        ('x = {type = "array", size = 0, low = 0, high = 1}', "Box size 0 must lie between 1 and"),
        ('seed = {type = "bool"}', "a parameter cannot be called 'seed', which has a meaning in commands: rename it"),
        ('"a b" = {type = "bool"}', "a parameter cannot be called 'a b'"),
    ],
)
def test_mistake_in_a_parameter_is_told_with_its_line(scenario, parameter, message):
    with pytest.raises(ScenarioError) as caught:
        scenario(command="./program", parameters=f"first = {{type = 'bool'}}\n{parameter}")
    assert "scenario.toml:6: " in str(caught.value)
    assert message in str(caught.value)


def test_start_of_an_array_too_large_to_be_written_is_refused(scenario):
    parameters = 'w = {type = "array", size = 10000001, low = 0, high = 1}\nb = {type = "bool", default = true}'
    with pytest.raises(ScenarioError, match="is too large to start from a list of its numbers"):
        scenario(command="./program {file:w}", parameters=parameters)


def test_scenario_without_parameters_is_refused(scenario):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:4: there is no parameter to tune"):
        scenario(parameters="")


@pytest.mark.parametrize("key", ["command", "parameters", "n_trials"])
def test_missing_key_is_told_by_name(tmp_path, key):
    lines = {"command": 'command = "true"', "n_trials": "n_trials = 1", "parameters": 'parameters.x.type = "bool"'}
    (tmp_path / "scenario.toml").write_text("\n".join(line for name, line in lines.items() if name != key))
    with pytest.raises(ScenarioError, match=rf"scenario\.toml: missing key '{key}': add {key} = \.\.\."):
        Scenario.read(tmp_path / "scenario.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [("n_trials = 3\nseed = = 4\n", "scenario.toml:2: not TOML"), ("a = 1\nb = [1,\n2\n", "scenario.toml:3: not TOML")],
)
def test_syntax_error_is_told_with_its_line(tmp_path, text, message):
    (tmp_path / "scenario.toml").write_text(text)
    with pytest.raises(ScenarioError) as caught:
        Scenario.read(tmp_path / "scenario.toml")
    assert message in str(caught.value)


def test_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ScenarioError, match=r"none\.toml: cannot be read \(No such file or directory\)"):
        Scenario.read(tmp_path / "none.toml")


def test_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "scenario.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(ScenarioError, match="is not a text in UTF-8"):
        Scenario.read(tmp_path / "scenario.toml")


def test_error_survives_pickling():
    error = pickle.loads(pickle.dumps(ScenarioError("scenario.toml", 3, "wrong: right it")))
    assert (str(error), error.line) == ("scenario.toml:3: wrong: right it", 3)


DOCUMENT = '''# a comment
command = """
n_trials = 1
"""
n_trials = 3
instances = [
  "a", # n_workers = 1
]

[parameters]
x = {type = "bool", default = true}
[parameters.y]
type = "bool"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("command",), 2),
        (("n_trials",), 5),
        (("instances",), 6),
        (("parameters",), 10),
        (("parameters", "x", "default"), 11),
        (("parameters", "y", "type"), 13),
        (("parameters", "y", "low"), 12),
        (("seed",), None),
    ],
)
def test_line_of_a_key_is_where_its_value_begins(path, line):
    assert line_of(DOCUMENT, path) == line


def test_scenario_nested_too_deeply_is_refused(scenario):
    with pytest.raises(ScenarioError, match="nested too deeply: use fewer levels"):
        scenario(top=f"deep = {'[' * 5000}{']' * 5000}")

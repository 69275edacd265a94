"""Things as JSON and back, exactly: what a study's file holds instead of pickles.

Plain data stands for itself; what JSON does not have is an object whose key begins with a dollar sign; and everything
of rembo's is `{"$type": its public name, ...}` with the arguments of its constructor. Since files name a class by where
users import it from, they outlive a reorganisation of the modules; and since only the names of the shelves below are
looked up, and nothing but settings is built, a file cannot run code of its own.

A class of the user's own, a kernel for example, is named `module:Class` (`own_class`). It is looked up among the
modules that the program has imported: reading a file imports nothing (docs/adr/0033-own-classes-are-never-imported.md).
"""

import base64
import binascii
import inspect
import json
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

import numpy as np

from rembo.optimizer import Optimizer
from rembo.space import Space
from rembo.study.own_class import own_class_named, own_name

Data: TypeAlias = Any  # what json.dumps takes without loss: None, bool, int, finite float, str, lists, dicts of str

_SHELVES = (
    "rembo",
    "rembo.space",
    "rembo.embedding",
    "rembo.kernel",
    "rembo.gp",
    "rembo.maximizer",
    "rembo.learning",
    "rembo.acquisition",
    "rembo.optimizer",
    "rembo.study",
    "rembo.baselines",
    "rembo.baselines.hd_bo",
    "rembo.baselines.si_bo",
)  # where public names are looked up, the shortest first
_SCALARS = (np.bool_, np.integer, np.floating, np.str_)  # of NumPy; stored as what they are equal to
_ARRAYS = {"float64": "<f8", "int64": "<i8"}
_WIDTH = 100  # characters of a value in a sentence
_TOO_DEEP = "nested too deeply: use fewer levels of lists and dicts"


def encode(thing: Any, where: str = "value") -> Data:
    """The thing as JSON data, or a TypeError that says what cannot be stored, and where it stands.

    >>> encode((1, 1.0, math.inf))
    {'$tuple': [1, 1.0, {'$float': 'inf'}]}
    """
    return _encoded_at(thing, where, own=False)


def describe(thing: Any, where: str) -> Data:
    """The same for an optimizer and what it is made of, which may be of classes of the user's own.

    Elsewhere such a class would keep others, who have not imported it, from reading the study at all.
    """
    return _encoded_at(thing, where, own=True)


def _encoded_at(thing: Any, where: str, own: bool) -> Data:
    """The thing as JSON data, or a TypeError where it is nested too deeply."""
    try:
        return _encoded(thing, where, own)
    except RecursionError:
        raise TypeError(f"{where} is {_TOO_DEEP}") from None


def _encoded(thing: Any, where: str, own: bool) -> Data:
    """The thing as JSON data, however deep it is nested; `own` says whether classes of the user's own may be in it."""
    plain = thing.item() if isinstance(thing, _SCALARS) else thing
    if plain is None or type(plain) in (bool, int, str):
        return plain
    if type(plain) is float:
        return plain if math.isfinite(plain) else {"$float": repr(plain)}
    if type(thing) in (list, tuple):
        items = [_encoded(item, f"{where}[{number}]", own) for number, item in enumerate(thing)]
        return items if type(thing) is list else {"$tuple": items}
    if isinstance(thing, Mapping):
        return _encode_dict(thing, where, own)
    return _encode_array(thing, where) if isinstance(thing, np.ndarray) else _encode_ours(thing, where, own)


def decode(data: Data) -> Any:
    """The thing that JSON data stands for, or a ValueError that says what is wrong with it."""
    try:
        return _decoded(data)
    except RecursionError:
        raise ValueError(f"it is {_TOO_DEEP}") from None


def _decoded(data: Data) -> Any:
    """What `decode` makes of data, however deep they are nested."""
    if isinstance(data, list):
        return [_decoded(item) for item in data]
    if not isinstance(data, dict):
        return data
    tag = next((key for key in data if key.startswith("$")), None)
    if tag is None:
        return {key: _decoded(value) for key, value in data.items()}
    if tag not in _DECODERS:
        raise ValueError(f"the kind {tag!r} is unknown to this version of rembo: it may take a newer one to read it")
    try:
        return _DECODERS[tag](data)
    except (TypeError, KeyError, AttributeError, OverflowError) as wrong:
        raise ValueError(f"{textwrap.shorten(str(data), _WIDTH)} cannot be made: {wrong}") from wrong


def differences(stored: Data, given: Data, where: str = "") -> list[str]:
    """A sentence for each place where two encoded things differ, e.g. of the settings in a file and those given.

    >>> differences({"space": {"rate": {"high": 0.1}}}, {"space": {"rate": {"high": 0.2}}})
    ['space.rate.high is 0.1 in the file and 0.2 here']
    """
    if to_text(stored) == to_text(given):
        return []
    if _are_of_one_kind(stored, given):
        compare = _differences_of_arrays if "$array" in stored else _differences_of_dicts
        return compare(stored, given, where)
    if _are_lists(stored, given):
        pairs = enumerate(zip(stored, given, strict=True))
        return [line for number, pair in pairs for line in differences(*pair, f"{where}[{number}]")]
    return [f"{where} is {_shown(stored)} in the file and {_shown(given)} here"]


def short_name(data: Data) -> str:
    """The name alone of the class that encoded data are of.

    >>> short_name({"$type": "mine.kernels:Rough", "scale": 1.0})
    'Rough'
    """
    return str(data["$type"]).rpartition(":")[2].rpartition(".")[2]


def own_classes(data: Data) -> list[str]:
    """The names of the classes in encoded data that are not rembo's, each once.

    >>> own_classes({"$type": "rembo.BayesOpt", "settings": {"kernel": {"$type": "mine.kernels:Rough"}}})
    ['mine.kernels:Rough']
    """
    found, left = [], [data]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            found += [name for key in ("$type", "$class") if ":" in (name := str(each.get(key, "")))]
        if isinstance(each, (dict, list)):
            left += each.values() if isinstance(each, dict) else each
    return list(dict.fromkeys(found))


def to_text(data: Data) -> str:
    """JSON data as text, without a space too many."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _encode_dict(thing: Mapping[Any, Any], where: str, own: bool) -> Data:
    for key in thing:
        if type(key) is not str:
            raise TypeError(f"{where} has the key {key!r}, and only strings can be stored as keys: use {str(key)!r}")
    encoded = {key: _encoded(value, f"{where}.{key}", own) for key, value in thing.items()}
    return {"$dict": encoded} if any(key.startswith("$") for key in thing) else encoded


def _encode_array(array: np.ndarray[Any, Any], where: str) -> Data:
    name = array.dtype.name
    if name not in _ARRAYS:
        cure = "use array.astype(np.float64)"
        raise TypeError(f"{where} is an array of {name}, and only float64 and int64 can be stored: {cure}")
    bytes_ = array.astype(_ARRAYS[name]).tobytes()
    return {"$array": name, "shape": list(array.shape), "bytes": base64.b64encode(bytes_).decode("ascii")}


def _encode_ours(thing: Any, where: str, own: bool) -> Data:
    kind = thing if isinstance(thing, type) else type(thing)
    name = _public_name(kind) or (_own_name(kind, thing, where) if own else _refuse(thing, where))
    if thing is kind:
        return {"$class": name}
    if isinstance(thing, Enum):
        return {"$enum": name, "member": thing.name}
    arguments = _arguments_of(thing)
    return {"$type": name} | {key: _encoded(value, _step(where, kind, key), own) for key, value in arguments.items()}


def _arguments_of(thing: Any) -> dict[str, Any]:
    """What the constructor would need to make the thing once more."""
    if issubclass(type(thing), Optimizer):
        return {"space": thing.space, "seed": thing.seed, "settings": dict(thing.settings)}
    if isinstance(thing, Space):
        arguments = {"parameters": thing.declared, "default": thing.default}
        return arguments | ({"forbidden": thing.rules.forbidden} if thing.rules.forbidden else {})
    if not is_dataclass(thing):
        return dict(thing.settings)
    return {each.name: getattr(thing, each.name) for each in fields(thing) if not _is_left_out(each, thing)}


def _is_left_out(argument: Field[Any], thing: Any) -> bool:
    """Whether an argument that the first files do not have was not given, either."""
    return bool(argument.metadata.get("later")) and getattr(thing, argument.name) is None


def _step(where: str, kind: type, key: str) -> str:
    """The place of an argument; a space's parameters are known by their names alone."""
    return where if kind is Space and key == "parameters" else f"{where}.{key}"


def _own_name(kind: type, thing: Any, where: str) -> str:
    """What a file calls a class of the user's own, be it the thing or the thing's, or a TypeError with the cure."""
    if not _describes_itself(kind):
        _refuse(thing, where)
    return own_name(kind, where)


def _describes_itself(kind: type) -> bool:
    """Whether a class is the user's own, and says what makes an equal object: by its fields or its settings."""
    ours = (kind.__module__ + ".").startswith("rembo.")
    return not ours and (_is_frozen(kind) or issubclass(kind, Optimizer) or isinstance(_settings_of(kind), property))


def _settings_of(kind: type) -> object:
    return getattr(kind, "settings", None)


def _is_frozen(kind: type) -> bool:
    return is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def _refuse(thing: Any, where: str) -> NoReturn:
    """Say what cannot be stored."""
    what = f"the class {thing.__qualname__}" if isinstance(thing, type) else f"{thing!r}, a {type(thing).__qualname__}"
    cure = "use a plain value, e.g. its name, or one of rembo's own objects and classes; or keep the study in memory"
    raise TypeError(f"{where} is {what}, which no file of a study can hold: {cure}")


def _is_storable(kind: type) -> bool:
    """Whether a class is one of rembo's settings, values, enums or optimizers."""
    if not (kind.__module__ + ".").startswith("rembo."):
        return False
    return _is_frozen(kind) or issubclass(kind, (Enum, Optimizer, Space))


def _public_name(kind: type) -> str | None:
    """What users call a class of rembo's that can be stored; None for all others."""
    if kind.__name__.startswith("_") or not _is_storable(kind):
        return None
    shelves = (shelf for shelf in _SHELVES if getattr(import_module(shelf), kind.__name__, None) is kind)
    shelf = next(shelves, None)
    return None if shelf is None else f"{shelf}.{kind.__name__}"


def _class_named(name: Any) -> type:
    """The class that a file names, rembo's or the user's own."""
    if ":" in str(name):
        return own_class_named(str(name), _describes_itself)
    shelf, _, last = str(name).rpartition(".")
    kind = getattr(import_module(shelf), last, None) if shelf in _SHELVES else None
    if not isinstance(kind, type) or _public_name(kind) is None:
        raise ValueError(f"{name!r} is none of the classes that this version of rembo reads from a file")
    return kind


def _decode_float(data: Data) -> float:
    return float(data["$float"])


def _decode_tuple(data: Data) -> tuple[Any, ...]:
    return tuple(_decoded(item) for item in data["$tuple"])


def _decode_dict(data: Data) -> dict[str, Any]:
    return {key: _decoded(value) for key, value in data["$dict"].items()}


def _decode_array(data: Data) -> np.ndarray[Any, Any]:
    try:
        numbers = np.frombuffer(base64.b64decode(data["bytes"], validate=True), dtype=_ARRAYS[data["$array"]])
    except binascii.Error as wrong:
        raise ValueError(f"the numbers of an array are damaged: {wrong}") from wrong
    return numbers.reshape(data["shape"]).astype(data["$array"])


def _decode_class(data: Data) -> type:
    return _class_named(data["$class"])


def _decode_enum(data: Data) -> Enum:
    kind = _class_named(data["$enum"])
    if not issubclass(kind, Enum):
        raise ValueError(f"{data['$enum']!r} is no enum")
    return kind[data["member"]]


def _decode_ours(data: Data) -> Any:
    kind = _class_named(data["$type"])
    arguments = {name: _decoded(value) for name, value in data.items() if name != "$type"}
    if issubclass(kind, Optimizer):
        return _optimizer(kind, **arguments)
    make = getattr(kind, "from_stored", kind)  # what earlier versions stored may have other fields
    return make(**arguments)


def _optimizer(kind: type[Optimizer], settings: dict[str, Any], **common: Any) -> Optimizer:
    """An optimizer as it was made; space and seed of an Interleaved are its runs' own."""
    taken = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in common.items() if name in taken}, **settings)


_DECODERS: dict[str, Callable[[Data], Any]] = {
    "$float": _decode_float,
    "$tuple": _decode_tuple,
    "$dict": _decode_dict,
    "$array": _decode_array,
    "$class": _decode_class,
    "$enum": _decode_enum,
    "$type": _decode_ours,
}


def _are_lists(stored: Data, given: Data) -> bool:
    return isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given)


def _are_of_one_kind(stored: Data, given: Data) -> bool:
    """Whether both are dicts with the same type, or arrays with the same shape."""
    return isinstance(stored, dict) and isinstance(given, dict) and _kind_of(stored) == _kind_of(given)


def _kind_of(data: dict[str, Data]) -> list[Data]:
    """The tag, and what else tells one kind of thing from another."""
    telling = ("$array", "shape") if "$array" in data else ("$type",)
    return [key for key in data if key.startswith("$")] + [data.get(key) for key in telling]


def _differences_of_arrays(stored: Data, given: Data, where: str) -> list[str]:
    ours, theirs = decode(stored).ravel(), decode(given).ravel()
    places = np.flatnonzero(ours.view(np.int64) != theirs.view(np.int64))  # bit by bit
    first = f"{where}[{places[0]}] is {ours[places[0]]} in the file and {theirs[places[0]]} here"
    return [first if len(places) == 1 else f"{first}, and {len(places) - 1} more of its numbers differ"]


def _differences_of_dicts(stored: Data, given: Data, where: str) -> list[str]:
    found = [line for key in stored | given for line in _differences_at(key, stored, given, where)]
    if not found and stored.get("$type") == "rembo.Space":  # whose parameters stand in an order
        orders = [", ".join(data["parameters"].get("$dict", data["parameters"])) for data in (stored, given)]
        return [f"{where} has the order {orders[0]} in the file and {orders[1]} here"] if len({*orders}) == 2 else []
    return found


def _differences_at(key: str, stored: Data, given: Data, where: str) -> list[str]:
    hidden = key.startswith("$") or (key == "parameters" and stored.get("$type") == "rembo.Space")
    place = where if hidden else f"{where}.{key}".removeprefix(".")
    if key not in given:
        return [f"{place} is {_shown(stored[key])} in the file and missing here"]
    if key not in stored:
        return [f"{place} is missing in the file and {_shown(given[key])} here"]
    return differences(stored[key], given[key], place)


def _shown(data: Data) -> str:
    """Data as a reader of an error knows the thing, on one line."""
    return textwrap.shorten(_spelled(data), _WIDTH, placeholder=" ...")


def _spelled(data: Data) -> str:
    if isinstance(data, list):
        return f"[{', '.join(_spelled(item) for item in data)}]"
    if not isinstance(data, dict):
        return repr(data)
    if "$tuple" in data:
        return f"({', '.join(_spelled(item) for item in data['$tuple'])})"
    if "$array" in data:
        return f"an array of {data['$array']} of shape {data['shape']}"
    if "$type" in data:
        arguments = ", ".join(f"{key}={_spelled(value)}" for key, value in data.items() if key != "$type")
        return f"{short_name(data)}({arguments})"
    tagged = next((str(value) for key, value in data.items() if key in ("$float", "$class")), None)
    return tagged or repr(data)

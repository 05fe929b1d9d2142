r"""A network from a name, a task and a size; and the width that a budget of parameters buys.

The maps are ``(model, task, layers, width) -> network`` and

.. math::  (\text{model}, \text{task}, L, B) \;\mapsto\;
           \max \{ w : \text{a network of width } w \text{ has at most } B \text{ parameters} \} .

>>> from gcn.data.dataset import Task
>>> zinc = Task("zinc", "ZINC", "mae", "sum", in_channels=(28,), out_channels=1)
>>> build("sogcn", zinc, layers=16, width=106)
SoGCN(1, 106, 1, num_layers=16): 554,486 parameters
>>> width_for("sogcn", zinc, layers=16, budget=500_000)
100

Assumptions: parameters grow with the width.
"""

from gcn.data.dataset import Task
from gcn.nets import GraphNetwork
from gcn.zoo.models import MODELS, Model
from gcn.zoo.plan import Plan, shell_of
from polyfilter.errors import GraphError

__all__ = ["build", "depth_for", "model_of", "width_for"]


def model_of(name: str) -> Model:
    """Return a model by its name.

    Examples
    --------
    >>> model_of("sogcm")
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: unknown model 'sogcm': choose from vanilla, ...
    """
    if name not in MODELS:
        raise GraphError(f"unknown model {name!r}: choose from {', '.join(MODELS)}")
    return MODELS[name]


def build(
    model: str,
    task: Task,
    *,
    layers: int,
    width: int,
    gru: bool | str = False,
    dropout: float = 0.0,
) -> GraphNetwork:
    """Return a network for a task.

    It is called as :class:`~gcn.nets.GraphNetwork` is, on batches prepared for its ``operator``.

    Parameters
    ----------
    model
        A name of :data:`~gcn.zoo.models.MODELS`.
    task
        What is asked; its shell says what stands around the layers.
    layers, width
        The size; :func:`~gcn.zoo.plan.shell_of` has the paper's.
    gru
        Whether one GRU gates all layers: "before" is True, "after" as the authors' code calls it.
    dropout
        Probability.

    Examples
    --------
    >>> task = Task("cluster", "CLUSTER", "balanced_cross_entropy", "node", (7,), 6)
    >>> build("sogcn", task, layers=4, width=75, gru=True)
    SoGCN(1, 75, 6, num_layers=4): 106,735 parameters
    """
    entry = model_of(model)
    if task.name in entry.unfit:
        raise GraphError(f"{model} does not fit {task.name}: {entry.unfit[task.name]}")
    if layers < 1:
        raise GraphError(f"a network needs at least one layer, not {layers}")
    if gru and not entry.gates:
        raise GraphError(f"{model} has no stack of layers that a GRU could gate: build it without")
    if width < 1 or width % entry.multiple:
        raise GraphError(f"the width of {model} is a multiple of {entry.multiple}, not {width}")
    return entry.make(Plan(task, layers, width, gru, dropout))


def depth_for(model: str, task: Task) -> int:
    """Return how many layers a model has on a task: the paper's number, or its own.

    Examples
    --------
    >>> task = Task("zinc", "ZINC", "mae", "sum", in_channels=(28,), out_channels=1)
    >>> depth_for("sogcn", task), depth_for("3wlgnn", task)
    (16, 3)
    """
    return model_of(model).depth or shell_of(task.name).layers


def width_for(model: str, task: Task, layers: int, budget: int, gru: bool | str = False) -> int:
    """Return the largest width at which a network has at most ``budget`` parameters.

    Parameters
    ----------
    model, task, layers, gru
        As in :func:`build`.
    budget
        The parameters that it may have.

    Examples
    --------
    >>> task = Task("mnist", "MNIST", "cross_entropy", "mean", in_channels=3, out_channels=10)
    >>> width_for("vanilla", task, layers=4, budget=100_000)
    145
    """
    step = model_of(model).multiple

    def fits(steps: int) -> bool:
        net = build(model, task, layers=layers, width=steps * step, gru=gru)
        return net.num_parameters <= budget

    low = -(-4 // step)  # a head that halves twice needs four channels
    if not fits(low):
        raise GraphError(
            f"no {model} of {layers} layers on {task.name} has at most {budget:,} parameters: give "
            f"it more, or fewer layers"
        )
    high = 2 * low
    while fits(high):
        low, high = high, 2 * high
        if high > budget:
            raise GraphError(f"the parameters of {model} on {task.name} don't grow with its width")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low * step

r"""A network that runs elsewhere: as a program of torch, or as ONNX, without this package.

The map is ``network -> file``. The file takes a signal (N, channels) and an ``edge_index`` (2, E),
for any N and E, and normalizes the adjacency itself: whoever has it needs a graph and nothing else.

* ``.pt2``: :func:`torch.export.load` reads it where torch is.
* ``.onnx``: for ONNX Runtime and the like, in any language. Writing it takes
  ``pip install 'polyfilter[onnx]'``.

Assumptions: the network is in evaluation mode and in float32 on the CPU, where a hop is made of
torch's own operators (:mod:`gcn.kernels`); it reads signals on nodes and gives signals on nodes.

>>> from gcn import bridge
>>> from polyfilter import factorize
>>> net = bridge.network(factorize([0, 1])).eval()                       # h(A) = A
>>> swap = program(net).module()
>>> swap(torch.tensor([[1.0], [2.0]]), torch.tensor([[0, 1], [1, 0]])).tolist()
[[2.0], [1.0]]
"""

import os
import warnings
from pathlib import Path
from typing import Any

import torch

from gcn.nets import GraphNetwork
from polyfilter.errors import FileFormatError, FilterError
from polyfilter.files import atomic_write

__all__ = ["program", "save"]

PATH = [[0, 1, 1, 2], [1, 0, 2, 1]]
"""A graph to trace with; 0 and 1 nodes or edges would be taken for constants."""
ENDINGS = (".pt2", ".onnx")


def program(net: GraphNetwork) -> torch.export.ExportedProgram:
    """Return the network as one program for graphs of all sizes.

    Examples
    --------
    >>> from gcn import SoGCN
    >>> type(program(SoGCN(3, 4, 2, num_layers=2).eval())).__name__
    'ExportedProgram'
    """
    if net.training:
        raise FilterError("a network in training mode is not what will run: call net.eval() first")
    weight = next(net.parameters())
    if weight.dtype != torch.float32 or weight.device.type != "cpu":
        raise FilterError(
            f"a portable network is in float32 on the CPU, not in {weight.dtype} on "
            f"{weight.device}: call net.float().cpu() first"
        )
    x = torch.ones(3, net.in_channels)
    any_size = {"x": {0: torch.export.Dim.AUTO}, "edges": {1: torch.export.Dim.AUTO}}
    return torch.export.export(net, (x, torch.tensor(PATH)), dynamic_shapes=any_size)


def save(net: GraphNetwork, path: str | os.PathLike[str]) -> None:
    """Write the network as ``.pt2`` or ``.onnx``; the file appears whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from gcn import SoGCN
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(SoGCN(3, 4, 2, num_layers=2).eval(), Path(folder) / "net.pt2")
    ...     [path.name for path in Path(folder).iterdir()]
    ['net.pt2']
    """
    target = Path(path)
    if target.suffix not in ENDINGS:
        raise FileFormatError(f"can't write {target}: a network ends in {' or '.join(ENDINGS)}")
    exported = program(net)
    if target.suffix == ".onnx":
        data = _onnx(exported)
        with atomic_write(target) as stream:
            stream.write(data)
        return
    with atomic_write(target) as stream:
        torch.export.save(exported, stream)


def _onnx(exported: torch.export.ExportedProgram) -> bytes:
    try:
        from onnxscript import opset18 as op  # an extra that few need
    except ImportError as error:
        raise FileFormatError(
            "ONNX files need packages that are not here: pip install 'polyfilter[onnx]'"
        ) from error

    def sort(x: Any, *, stable: bool, dim: int = -1, descending: bool = False) -> Any:
        """The sort of edges, for which torch has no translation; TopK keeps the order of equals."""
        return op.TopK(x, op.Shape(x), axis=-1, largest=0, sorted=1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch about its own internals
        translated = torch.onnx.export(
            exported,
            dynamo=True,
            verbose=False,
            custom_translation_table={torch.ops.aten.sort.stable: sort},
        )
    if translated is None:
        raise FileFormatError("torch gave no ONNX program")
    data: bytes = translated.model_proto.SerializeToString()
    return data

r"""What the paper says of its systems: the sizes that it prints, and what is not built here.

The map is ``row of a table -> network and its printed size``; tests build every one.

>>> [row.parameters for row in PRINTED if (row.task, row.title) == ("molhiv", "SoGCN")]
[1426201]
>>> ABSENT["splinecnn"].why
'it needs coordinates of edges, and the paper compares on connectivity alone'
"""

from dataclasses import dataclass

__all__ = ["ABSENT", "PRINTED", "RELEASED", "Absent", "Printed", "Released"]


@dataclass(frozen=True)
class Printed:
    """A row of the paper with its number of parameters.

    Attributes
    ----------
    task, title
        The data set, and the row as printed.
    model, layers, width
        What :func:`~gcn.zoo.building.build` makes it of. Molhiv's networks have the embeddings of
        173 values of atoms; today's ogb has one more.
    parameters
        As printed.

    Examples
    --------
    >>> max(PRINTED, key=lambda row: row.parameters)
    Printed(task='molhiv', title='ARMA', model='arma', layers=5, width=300, parameters=8188201)
    """

    task: str
    title: str
    model: str
    layers: int
    width: int
    parameters: int


PRINTED = (
    Printed("molhiv", "Vanilla GCN", "vanilla", 5, 300, 527_701),
    Printed("molhiv", "GIN", "gin", 5, 300, 980_706),
    Printed("molhiv", "GCNII", "gcnii", 5, 300, 524_701),
    Printed("molhiv", "APPNP", "appnp", 5, 300, 327_001),
    Printed("molhiv", "GraphSage", "graphsage", 5, 300, 976_201),
    Printed("molhiv", "ARMA", "arma", 5, 300, 8_188_201),
    Printed("molhiv", "SoGCN", "sogcn", 5, 300, 1_426_201),
    Printed("molhiv", "4th-Order GCN", "order-4", 5, 300, 2_326_201),
    Printed("molhiv", "6th-Order GCN", "order-6", 5, 300, 3_226_201),
    Printed("proteins", "Vanilla GCN", "vanilla", 3, 256, 96_880),
    # the release calls GIN a layer with two weights, of nodes and of neighbours
    Printed("proteins", "GIN", "first-order", 3, 200, 128_512),
    Printed("proteins", "GCNII", "gcnii", 3, 256, 227_696),
    Printed("proteins", "GCNII*", "gcnii-star", 3, 256, 424_304),
    Printed("proteins", "APPNP", "appnp", 3, 256, 96_880),
    Printed("proteins", "GraphSage", "graphsage", 3, 256, 193_136),
    Printed("proteins", "SoGCN", "sogcn", 3, 200, 192_512),
    Printed("proteins", "4th-Order GCN", "order-4", 3, 200, 320_512),
    Printed("proteins", "6th-Order GCN", "order-6", 3, 200, 448_512),
)
"""The tables of ogbg-molhiv and ogbn-proteins. The benchmark table prints a budget only."""


@dataclass(frozen=True)
class Released:
    """A network of the authors' release on a benchmark.

    Attributes
    ----------
    task, model, gru, layers, width, dropout
        As :func:`~gcn.zoo.building.build` takes them.
    parameters
        What the release prints beside it, if it does.

    Examples
    --------
    >>> [row for row in RELEASED if row.dropout]
    [Released(task='cifar10', model='sogcn', gru=True, layers=4, width=75, dropout=0.1,
    parameters=None)]
    """

    task: str
    model: str
    gru: bool
    layers: int
    width: int
    dropout: float = 0.0
    parameters: int | None = None


RELEASED = (
    # from the notebook that draws the spectra of a molecule
    Released("zinc", "vanilla-mean", False, 16, 172, parameters=505_079),
    Released("zinc", "vanilla-mean", True, 16, 172, parameters=683_615),
    Released("zinc", "sogcn", False, 16, 105, parameters=544_097),
    Released("zinc", "sogcn", True, 16, 95, parameters=500_780),
    # from configurations
    Released("mnist", "sogcn", False, 4, 90),
    Released("mnist", "sogcn", True, 4, 75),
    Released("cifar10", "sogcn", False, 4, 90),
    Released("cifar10", "sogcn", True, 4, 75, dropout=0.1),
    Released("cluster", "sogcn", False, 4, 90),
    Released("cluster", "sogcn", True, 4, 75),
    Released("pattern", "sogcn", False, 4, 90),
    Released("pattern", "sogcn", True, 4, 75),
)
"""All that it has. Every one is larger than the budget: by up to 9%, and vanilla + GRU by 37%."""


@dataclass(frozen=True)
class Absent:
    """A system that the paper names and that is not built here.

    Attributes
    ----------
    title, cited
        As the paper calls it, and its reference.
    why
        Why there is no model of it.

    Examples
    --------
    >>> ABSENT["dropedge"]
    Absent(title='DropEdge', cited='Rong et al., 2020',
    why='it is a way to train any of the models, and the paper trains none with it')
    """

    title: str
    cited: str
    why: str


ABSENT = {
    "spectral-cnn": Absent(
        "Spectral CNN",
        "Bruna et al., 2014",
        "it learns a number for each eigenvector of one fixed graph, and every data set of the "
        "paper but one has many graphs",
    ),
    "splinecnn": Absent(
        "SplineCNN",
        "Fey et al., 2018",
        "it needs coordinates of edges, and the paper compares on connectivity alone",
    ),
    "geom-gcn": Absent(
        "Geom-GCN",
        "Pei et al., 2020",
        "it embeds a fixed graph in a plane before training, once for each data set",
    ),
    "ggnn": Absent(
        "Gated graph sequence network",
        "Li et al., 2016",
        "it is a vanilla layer repeated with a GRU: 'vanilla' with gru=True is its nearest model "
        "here; no table has it",
    ),
    "mpnn": Absent(
        "Message passing network",
        "Gilmer et al., 2017",
        "its messages are made of features of edges, which the paper leaves out; no table has it",
    ),
    "k-gnn": Absent(
        "k-GNN",
        "Morris et al., 2019",
        "it works on sets of k nodes; of its kind the tables have 3WLGNN only",
    ),
    "ign": Absent(
        "Invariant graph network",
        "Maron et al., 2019",
        "it works on tensors of all pairs of nodes; of its kind the tables have 3WLGNN only",
    ),
    "dropedge": Absent(
        "DropEdge",
        "Rong et al., 2020",
        "it is a way to train any of the models, and the paper trains none with it",
    ),
    "gatedgcn-e-pe": Absent(
        "GatedGCN-E-PE",
        "Dwivedi et al., 2020",
        "it is named as one that uses features of edges and eigenvectors, which the paper leaves "
        "out; no table has it",
    ),
    "bernnet": Absent(
        "BernNet",
        "He et al., 2021",
        "PyTorch Geometric has no Bernstein layer, and the paper, which is older, does not name it",
    ),
}
"""By name. Sandryhaila and Moura, and Hammond et al., are theory that the paper builds on."""

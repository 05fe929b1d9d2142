"""The loop: what it minimizes, when it stops, and that it goes on as if nothing had happened."""

import json
import math
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import small_training as small
import torch

from gcn.data.collection import Collection
from gcn.nets import SoGCN
from gcn.propagate import prepare
from gcn.train import Run, Settings, TrainingError, evaluate, fit
from polyfilter.errors import FileFormatError, GraphError, PolyfilterError

WORKER = Path(small.__file__)
EPOCHS = 6


def numbers(run: Run) -> list[tuple[float, ...]]:
    """All of a history that does not depend on the clock."""
    return [(e.epoch, e.train_loss, e.valid_loss, e.lr) for e in run.history]


def same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def test_a_network_learns_and_ends_with_its_best_weights(device: torch.device):
    train, valid, test = (
        small.collection(n, seed).to(device) for seed, n in enumerate((40, 20, 20))
    )
    net = SoGCN(1, 8, 1, 3).to(device)
    before = evaluate(net, valid, "mae").loss
    assert net.training
    run = fit(net, train, valid, Settings(40, batch_size=8, lr=0.01, device=str(device)), test=test)
    assert run.best.valid_loss < before / 2
    assert run.best.valid_loss == min(epoch.valid_loss for epoch in run.history)
    assert run.test_metric == evaluate(net, test, "mae").metric
    assert run.test_loss == evaluate(net, test, "mae").loss
    assert f"{run.best_epoch}" in str(run)
    assert run.to_dict()["epochs"] == 40
    assert "<svg" in run._repr_html_()


def test_the_steps_are_those_of_a_loop_written_out():
    """Adam and the plateau schedule by hand, on whole batches, in float64."""
    graphs = small.collection(12, 0, torch.float64)
    net, other = small.network().double(), small.network().double()
    settings = Settings(8, batch_size=12, lr=0.05, patience=0, min_lr=1e-12, device="cpu")
    run = fit(net, graphs, graphs, settings)
    optimizer = torch.optim.Adam(other.parameters(), 0.05)
    rate, best, losses = 0.05, math.inf, []
    for _ in range(8):
        other.train()
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        loss = (other(graphs.x, graphs.prepared, None) - graphs.y).abs().mean()
        loss.backward()
        optimizer.step()
        other.eval()
        valid = float((other(graphs.x, graphs.prepared, None) - graphs.y).abs().mean().detach())
        losses.append((float(loss.detach()), valid, rate))
        if valid < best * (1 - 1e-4):  # torch's threshold for "better"
            best = valid
        else:
            rate /= 2
    for epoch, (loss, valid, lr) in zip(run.history, losses, strict=True):
        bound = small.tolerance(epoch.epoch, 0.05, torch.float64)
        assert abs(epoch.train_loss - loss) <= bound
        assert abs(epoch.valid_loss - valid) <= bound
        assert epoch.lr == lr


def test_losses_weigh_samples_and_not_batches():
    """A batch of one graph counts as one graph."""
    graphs = small.collection(9, 3, torch.float64)
    net = small.network().double().eval()
    score = evaluate(net, graphs, "mae", batch_size=8)
    with torch.no_grad():
        error = (net(graphs.x, graphs.prepared, None) - graphs.y).abs()
    bound = len(graphs.x) * torch.finfo(torch.float64).eps * float(error.max())
    assert abs(score.loss - float(error.mean())) <= bound
    assert score.samples == len(graphs.x)


def test_a_run_has_converged_when_the_rate_falls_below_its_minimum():
    graphs = small.collection(4, 0)
    settings = Settings(100, lr=1e-3, patience=0, factor=0.1, min_lr=1e-4, device="cpu")
    still = replace(graphs, y=torch.zeros_like(graphs.y))
    net = small.network()
    with torch.no_grad():  # nothing to learn: the loss is zero from the start
        net.last.weight.zero_()
        net.last.bias.zero_()
    run = fit(net, still, still, settings)
    assert run.converged
    assert run.why == "the learning rate fell below 0.0001"
    assert len(run.history) < 10
    floor = fit(net, still, still, replace(settings, stop_at_min_lr=False, epochs=20))
    assert (floor.converged, len(floor.history)) == (False, 20)
    assert floor.history[-1].lr == pytest.approx(1e-4, rel=1e-12)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("first", [1, 4])
def test_a_run_in_two_parts_is_the_run_in_one(tmp_path: Path, dropout: float, first: int):
    whole_net, net = small.network(dropout), small.network(dropout)
    whole = small.train(whole_net, tmp_path / "whole", EPOCHS, torch.float32)
    small.train(net, tmp_path / "parts", first, torch.float32)
    torch.rand(7)  # who draws in between changes nothing
    other = small.network(dropout, seed=1)
    parts = small.train(other, tmp_path / "parts", EPOCHS, torch.float32)
    assert numbers(parts) == numbers(whole)
    assert parts.test_metric == whole.test_metric
    assert same(other.state_dict(), whole_net.state_dict())
    again = small.train(small.network(dropout), tmp_path / "parts", EPOCHS, torch.float32)
    assert numbers(again) == numbers(whole)


def test_a_killed_run_resumes_to_the_same_bits(tmp_path: Path):
    command = [sys.executable, str(WORKER), str(tmp_path / "killed"), str(EPOCHS)]
    middle_of_epoch_4 = "18"
    killed = subprocess.run([*command, middle_of_epoch_4], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    log = tmp_path / "killed" / "log.jsonl"
    assert len(log.read_text().splitlines()) == 3
    log.write_text(log.read_text() + '{"epoch": 4, "train_')  # killed while it wrote a line
    subprocess.run(command, check=True, capture_output=True)
    small.main(tmp_path / "whole", EPOCHS)
    killed_result, whole = (
        torch.load(tmp_path / name / "result.pt", weights_only=True) for name in ("killed", "whole")
    )
    assert torch.equal(killed_result["history"], whole["history"])
    assert killed_result["test"] == whole["test"]
    assert same(killed_result["weights"], whole["weights"])
    epochs = [json.loads(line)["epoch"] for line in log.read_text().splitlines()]
    assert epochs == list(range(1, EPOCHS + 1))


def test_training_leaves_the_callers_generator_alone():
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    small.train(small.network(0.2), None, 1, torch.float32)
    assert torch.equal(torch.rand(3), expected)


def test_the_seed_decides_the_order_of_graphs():
    graphs = small.collection(20, 0)
    runs = [
        fit(small.network(), graphs, graphs, Settings(2, batch_size=4, seed=seed, device="cpu"))
        for seed in (0, 0, 1)
    ]
    assert numbers(runs[0]) == numbers(runs[1])
    assert numbers(runs[0]) != numbers(runs[2])


def test_every_epoch_has_an_order_and_dropout_of_its_own():
    class Watching(small.Net):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[tuple[float, float]] = []

        def forward(self, x: torch.Tensor, *batch: object, **more: object) -> torch.Tensor:
            if self.training:
                self.seen.append((float(x[0]), float(torch.rand(()))))
            return super().forward(x, *batch, **more)

    nets = [Watching(), Watching()]
    graphs = small.collection(20, 0)
    for net in nets:
        fit(net, graphs, graphs, Settings(4, batch_size=20, device="cpu"))
    assert nets[0].seen == nets[1].seen
    firsts, draws = map(set, zip(*nets[0].seen, strict=True))
    assert len(firsts) > 1
    assert len(draws) == 4


def test_the_best_weights_are_not_the_last():
    for seed in range(10):  # most runs end a little above their best
        net = small.network(0.2, seed=seed)
        run = small.train(net, None, EPOCHS, torch.float32)
        if run.best_epoch < EPOCHS:
            break
    assert run.best_epoch < EPOCHS
    assert not net.training
    valid = small.collection(9, 1).by_degree()  # in the order of the sums that were compared
    assert evaluate(net, valid, "mae", batch_size=16).loss == run.best.valid_loss


def test_mixed_precision_follows_full_precision():
    """bfloat16 keeps 8 bits: one epoch of five steps moves losses by a few of its units."""
    graphs = small.collection(20, 0)
    full, mixed = (
        fit(
            small.network(), graphs, graphs, Settings(1, batch_size=4, device="cpu", precision=kind)
        )
        for kind in ("full", "mixed")
    )
    unit = torch.finfo(torch.bfloat16).eps
    layers = small.DEPTH + 1
    assert mixed.best.train_loss != full.best.train_loss
    assert abs(mixed.best.train_loss - full.best.train_loss) <= 2 * layers * unit
    weights = SoGCN(1, 4, 1, 2)
    fit(weights, graphs, graphs, Settings(1, batch_size=4, device="cpu", precision="mixed"))
    assert {tensor.dtype for tensor in weights.parameters()} == {torch.float32}


def test_graph_targets_and_classes():
    graphs = small.collection(24, 0)
    sizes = graphs.node_ptr.diff()
    many = replace(graphs, y=(sizes > 8).long()[:, None])
    settings = Settings(60, batch_size=8, lr=0.01, loss="balanced_cross_entropy", device="cpu")
    net = SoGCN(1, 8, 2, 2, readout="sum", activation="relu")
    chance = evaluate(net, many, "balanced_cross_entropy").loss
    run = fit(net, many, many, settings, test=many)
    assert run.best.valid_loss < chance / 2
    assert run.metric_name == "balanced accuracy"
    assert run.test_metric is not None
    assert run.test_metric > 0.5


def test_a_loss_that_is_not_finite_ends_the_run():
    graphs = small.collection(4, 0)
    bad = replace(graphs, y=torch.full_like(graphs.y, math.nan))
    with pytest.raises(TrainingError, match="not finite in the first epoch"):
        fit(small.network(), bad, graphs, Settings(3, device="cpu"))


def test_a_run_that_diverges_keeps_its_best_weights(tmp_path: Path):
    class Bursting(small.Net):
        def forward(self, *batch: object, **more: object) -> torch.Tensor:
            output = super().forward(*batch, **more)
            return output * math.inf if self.training and self.steps > 3 else output

    graphs, settings = small.collection(4, 0), Settings(9, device="cpu")
    run = fit(Bursting(), graphs, graphs, settings, folder=tmp_path)
    assert run.why == "the loss was not finite in epoch 4"
    assert (run.converged, len(run.history)) == (False, 4)
    assert run.best_epoch <= 3
    again = fit(Bursting(), graphs, graphs, settings, folder=tmp_path, resume=True)
    assert again.why == run.why


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path):
    graphs, settings = small.collection(4, 0), Settings(1, device="cpu")
    fit(small.network(), graphs, graphs, settings, folder=tmp_path)
    with pytest.raises(TrainingError, match="holds a run already"):
        fit(small.network(), graphs, graphs, settings, folder=tmp_path)


def test_what_differs_from_the_checkpoint_is_named(tmp_path: Path):
    graphs, settings = small.collection(4, 0), Settings(1, device="cpu")
    net = SoGCN(1, 4, 1, 2)
    fit(net, graphs, graphs, settings, folder=tmp_path)

    def complaint(
        other: torch.nn.Module, splits: Collection = graphs, asked: Settings = settings
    ) -> str:
        with pytest.raises(FileFormatError) as caught:
            fit(other, splits, graphs, asked, folder=tmp_path, resume=True)
        return str(caught.value)

    shape = complaint(SoGCN(1, 5, 1, 2))
    assert "another network" in shape
    assert "(4, 1)" in shape
    assert "(5, 1)" in shape
    assert "it has no gru" in complaint(SoGCN(1, 4, 1, 2, gru=True))
    assert "which is not here" in complaint(SoGCN(1, 4, 1, 2, batch_norm=False))
    assert "torch.float64" in complaint(SoGCN(1, 4, 1, 2).double())
    assert "module layers.0.activation is None" in complaint(SoGCN(1, 4, 1, 2, activation="tanh"))
    assert "residual=True" in complaint(SoGCN(1, 4, 1, 2, residual=False))
    assert "setting lr is 0.001, and here it is 0.1" in complaint(
        net, asked=replace(settings, lr=0.1)
    )
    assert "4 graphs" in complaint(net, small.collection(5, 0))


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "other"])
def test_a_damaged_checkpoint_is_one_sentence(tmp_path: Path, damage: str):
    graphs, settings = small.collection(4, 0), Settings(1, device="cpu")
    fit(small.network(), graphs, graphs, settings, folder=tmp_path)
    last = tmp_path / "last.pt"
    whole = last.read_bytes()
    content = {"truncated": whole[: len(whole) // 2], "garbage": b"\x80\x02garbage", "empty": b""}
    if damage == "other":
        torch.save({"epoch": 3}, last)
    else:
        last.write_bytes(content[damage])
    with pytest.raises(FileFormatError, match=r"last\.pt"):
        fit(small.network(), graphs, graphs, settings, folder=tmp_path, resume=True)


def test_mistakes_are_one_sentence_each(tmp_path: Path):
    graphs, settings = small.collection(4, 0), Settings(1, device="cpu")
    with pytest.raises(TrainingError, match="without a folder"):
        fit(small.network(), graphs, graphs, settings, resume=True)
    with pytest.raises(TrainingError, match="no device 'cuda:99'"):
        fit(small.network(), graphs, graphs, replace(settings, device="cuda:99"))
    (tmp_path / "file").write_text("")
    with pytest.raises(FileFormatError, match="file"):
        fit(small.network(), graphs, graphs, settings, folder=tmp_path / "file")
    wide = replace(graphs, y=torch.ones(len(graphs.y), 2))
    with pytest.raises(GraphError, match="equal shapes"):
        fit(small.network(), wide, graphs, settings)
    averaged = replace(
        graphs, prepared=prepare(torch.tensor([[0, 1], [1, 0]]), len(graphs.x), operator="mean")
    )
    with pytest.raises(PolyfilterError, match="operator"):
        fit(SoGCN(1, 4, 1, 2), averaged, averaged, settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("batch_size", 0),
        ("lr", 0.0),
        ("lr", math.nan),
        ("min_lr", -1.0),
        ("factor", 1.0),
        ("patience", -1),
        ("seed", -1),
        ("loss", "mse"),
        ("precision", "half"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(name: str, value: object):
    with pytest.raises(TrainingError, match=f"^{name} is"):
        Settings(**({"epochs": 1} | {name: value}))

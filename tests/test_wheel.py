"""The wheel: built from what git tracks, it has all it needs and works where torch is not.

`make wheel` does more: a new environment, with nothing but what the wheel requires.
"""

import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [
    pytest.mark.skipif(find_spec("build") is None, reason="there is no `build` here"),
    pytest.mark.skipif(
        shutil.which("git") is None or not (ROOT / ".git").exists(), reason="this is no checkout"
    ),
]

USE = """
import sys
sys.path[:0] = ["site"]
for name in ("torch", "torch_geometric", "torch_scatter"):
    sys.modules[name] = None
import polyfilter
from polyfilter.cli import main

if __name__ == "__main__":
    assert polyfilter.__file__.endswith("site/polyfilter/__init__.py"), polyfilter.__file__
    sys.exit(main(["verify", "--claim", "lemma_2", "--jobs", "1", "--html", "ledger.html"]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the sdist of the tracked files, built with the setuptools that is here."""
    folder = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "polyfilter", "gcn", "experiments/*.py", ":(glob)*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / "source" / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", "source"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert len(list((folder / "dist").glob("*.tar.gz"))) == 1
    (found,) = (folder / "dist").glob("*.whl")
    return found


def test_it_has_code_data_and_types_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        about = archive.read(metadata).decode()
    for name in ("py.typed", "assets/ledger.css", "assets/ledger.js", "claims/verdicts.json"):
        assert f"polyfilter/{name}" in names
    assert "gcn/py.typed" in names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {
        "polyfilter",
        "gcn",
        "experiments",
    }
    required = [line for line in about.splitlines() if line.startswith("Requires-Dist")]
    assert not [line for line in required if "torch" in line and "extra ==" not in line]
    for extra in ("gcn", "testing", "onnx", "dask"):
        assert f"Provides-Extra: {extra}" in about


def test_it_settles_claims_where_neither_the_checkout_nor_torch_is(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    (tmp_path / "use.py").write_text(USE)
    done = subprocess.run(
        [sys.executable, "-I", "use.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "every verdict is the one on record" in done.stdout
    assert (tmp_path / "ledger.html").stat().st_size > 10_000

"""``polyfilter completion``: real shells offer what the parser knows."""

import shutil
import subprocess
from pathlib import Path

import pytest
from terminal import Terminal, environment

from polyfilter.arguments import build_parser
from polyfilter.completion import SHELLS
from polyfilter.helptext import ARCHITECTURES, RESPONSES, SUMMARY


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} here")


INSTALLED = [pytest.param(shell, marks=needs(shell)) for shell in SHELLS]


@pytest.fixture
def scripts(folder, run) -> dict[str, Path]:
    """The script of each shell, as a file."""
    found = {}
    for shell in SHELLS:
        status, out, err = run("completion", shell)
        assert (status, err) == (0, "")
        found[shell] = folder / f"complete.{shell}"
        found[shell].write_text(out)
    return found


@pytest.mark.parametrize("shell", INSTALLED)
def test_the_script_has_no_mistake_of_grammar(scripts, shell):
    subprocess.run([shell, "-n", scripts[shell]], check=True)


def offered(script: Path, line: str) -> set[str]:
    """What bash or fish offers after a line that ends where the cursor is."""
    if script.suffix == ".fish":
        code = f"source {script}; complete -C {line!r}"
        done = subprocess.run(["fish", "-c", code], capture_output=True, text=True, check=True)
        return {reply.partition("\t")[0] for reply in done.stdout.splitlines()}
    words = line.split() + [""] * line.endswith(" ")
    code = f"""
        compopt() {{ echo "files: $2"; }}
        source {script}
        COMP_WORDS=({" ".join(repr(word) for word in words)}) COMP_CWORD={len(words) - 1}
        _polyfilter
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-uc", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {reply for reply in done.stdout.splitlines() if reply}


@pytest.mark.parametrize("shell", [p for p in INSTALLED if p.values[0] != "zsh"])
def test_a_shell_offers_commands_options_and_values(scripts, shell):
    script = scripts[shell]
    assert set(SUMMARY) <= offered(script, "polyfilter ")
    assert offered(script, "polyfilter ca") == {"capacity"}
    assert offered(script, "polyfilter design --response ") == set(RESPONSES)
    assert offered(script, "polyfilter design --degree 8 --response h") == {"heat", "high-pass"}
    architectures = ARCHITECTURES.replace(":K", ":3").split()
    assert offered(script, "polyfilter analyze g.npz --architecture ") == set(architectures)
    assert offered(script, "polyfilter verify --claim lemma") == {"lemma_1", "lemma_2"}
    assert offered(script, "polyfilter completion ") == set(SHELLS)
    assert offered(script, "polyfilter factor 1 2 --ex") == {"--exact"}
    assert "--response" not in offered(script, "polyfilter show -")


@needs("bash")
def test_bash_goes_on_after_an_option_that_takes_many_words(scripts):
    script = scripts["bash"]
    assert "gin" in offered(script, "polyfilter verify --claim lemma_1 ")
    assert offered(script, "polyfilter verify --claim lemma_1 --se") == {"--seed"}
    assert offered(script, "polyfilter verify --json --ht") == {"--html"}
    assert offered(script, "polyfilter design --degree ") == set()
    for words in ("show ", "apply stack.json ", "factor 1 2 -o ", "design --spectrum "):
        assert offered(script, f"polyfilter {words}") == {"files: default"}
    assert offered(script, "polyfilter verify --data ") == {"files: dirnames"}


@needs("bash")
def test_bash_knows_every_option_of_every_command(scripts):
    (commands,) = (a for a in build_parser()._actions if a.dest == "command")
    assert commands.choices is not None
    for name, parser in dict(commands.choices).items():
        flags = {flag for action in parser._actions for flag in action.option_strings}
        assert offered(scripts["bash"], f"polyfilter {name} -") == flags


START = {
    "bash": ["bash", "--noprofile", "--norc", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
READY = {"bash": "PS1='ready> '", "zsh": "PS1='ready> '; autoload -U compinit; compinit -u -D"}


@pytest.mark.parametrize("shell", [pytest.param(name, marks=needs(name)) for name in START])
def test_the_tab_key(scripts, folder, shell):
    """At a prompt: a command, a value, a file with a space in its name."""
    (folder / "my graph.npz").touch()
    terminal = Terminal(START[shell], environment(HOME=str(folder)), folder)
    echo = "polyfilter() { printf '<%s>' \"$@\"; }"
    terminal.type(f"{READY[shell]}; {echo}; source {scripts[shell]}; echo be''gin\n")
    terminal.read("begin")
    terminal.type("polyfilter desi\t--resp\tband\t\n")
    terminal.read("<design><--response><band-pass>")
    terminal.type("polyfilter capa\tmy\t\n")
    terminal.read("<capacity><my graph.npz>")
    terminal.type("exit\n")
    terminal.read()
    assert terminal.close() == 0

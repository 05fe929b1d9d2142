r"""Scripts that let a shell complete a command, made from its parser.

The map is ``(parser, shell) -> script``: commands, options, the values that an option can have, and
files where a file is asked for. Nothing is listed twice: what argparse knows is what the shell
offers, and a word that argparse leaves to others (``--response NAME``) can be told as ``known``.

Assumptions: the parser has one level of subcommands; a word stands for a file if its metavar is one
of :data:`FILES`, and for a folder if it is ``DIR``.

>>> from polyfilter.usage import Parser
>>> tool = Parser(prog="tool")
>>> look = tool.add_subparsers(dest="command").add_parser("look", help="have a look")
>>> _ = look.add_argument("--size", choices=("small", "large"), help="how much")
>>> print(script(tool, "fish").splitlines()[-1])
complete -c tool -n '__fish_seen_subcommand_from look' -l size -x -a 'small large' -d 'how much'
"""

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["SHELLS", "script"]

SHELLS = ("bash", "zsh", "fish")
FILES = frozenset({"COEFFS", "FILE", "GRAPH", "GRAPHS", "SIGNAL", "STACK"})
FOLDER = "DIR"


@dataclass(frozen=True)
class _Word:
    """An option, or a place for words that are none (it has no flags)."""

    flags: tuple[str, ...]
    help: str
    metavar: str
    values: tuple[str, ...]
    takes: bool
    many: bool
    optional: bool
    repeats: bool

    @property
    def is_file(self) -> bool:
        return self.takes and not self.values and self.metavar in FILES

    @property
    def is_folder(self) -> bool:
        return self.takes and not self.values and self.metavar == FOLDER


@dataclass(frozen=True)
class _Command:
    name: str
    help: str
    words: tuple[_Word, ...]

    @property
    def options(self) -> list[_Word]:
        return [word for word in self.words if word.flags]

    @property
    def places(self) -> list[_Word]:
        return [word for word in self.words if not word.flags]

    @property
    def flags(self) -> str:
        return " ".join(flag for word in self.options for flag in word.flags)


def script(
    parser: argparse.ArgumentParser, shell: str, known: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Return the script for a shell.

    Parameters
    ----------
    parser : ArgumentParser
        Of the whole command.
    shell : {"bash", "zsh", "fish"}
        Whose.
    known : mapping, optional
        Values of options, by ``dest``, where the parser has no ``choices``.

    Examples
    --------
    >>> from polyfilter.usage import Parser
    >>> print(script(Parser(prog="tool"), "zsh").splitlines()[0])
    #compdef tool
    """
    commands = list(_commands(parser, known or {}))
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser.prog, commands)
    return "\n".join(lines) + "\n"


def _commands(
    parser: argparse.ArgumentParser, known: Mapping[str, Sequence[str]]
) -> Iterator[_Command]:
    """Yield the command itself, under no name, and then its commands."""
    yield _Command("", "", tuple(_words(parser, known)))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, child in action.choices.items():
                yield _Command(name, helps.get(name, ""), tuple(_words(child, known)))


def _words(parser: argparse.ArgumentParser, known: Mapping[str, Sequence[str]]) -> Iterator[_Word]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        values = action.choices or known.get(action.dest, ())
        yield _Word(
            flags=tuple(action.option_strings),
            help=(action.help or "").replace("%%", "%"),
            metavar=action.metavar if isinstance(action.metavar, str) else action.dest,
            values=tuple(map(str, values)),
            takes=action.nargs != 0,
            many=action.nargs in ("+", "*"),
            optional=action.nargs == "?",
            repeats=isinstance(action, argparse._AppendAction),
        )


# ---------------------------------------------------------------------------------------- bash


def _bash(prog: str, commands: Sequence[_Command]) -> Iterator[str]:
    name = _function(prog)
    top, *rest = commands
    yield f"# bash completion of {prog}"
    yield f"{name}() {{"
    yield "    local current=${COMP_WORDS[COMP_CWORD]} command= option= between=0 words= word"
    yield '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield "        case $command,$word in"
    if rest:
        yield f"            {'|'.join(f',{command.name}' for command in rest)}) command=$word ;;"
    yield "            *,-*) option=$word between=0 ;;"
    yield "            *) between=$((between + 1)) ;;"
    yield "        esac"
    yield "    done"
    yield "    COMPREPLY=()"
    # after an option that takes one word, or any number of them
    yield "    [[ $current == -* ]] || case $between,$command,$option in"
    for command in commands:
        for word in command.options:
            if word.takes:
                counts = "*" if word.many else "0"
                pattern = "|".join(f"{counts},{command.name},{flag}" for flag in word.flags)
                yield f"        {pattern}) {_bash_values(word)}return ;;"
    yield "    esac"
    yield "    case $command in"
    for command in rest:
        yield f"        {command.name})"
        yield f'            words="{command.flags}"'
        yield f"            [[ $current == -* ]] || {_bash_places(command)} ;;"
    names = " ".join(command.name for command in rest)
    yield f'        *) words="{f"{names} {top.flags}".strip()}" ;;'
    yield "    esac"
    yield f"    {_compgen('$words')}"
    yield "}"
    yield f"complete -F {name} {prog}"


def _compgen(words: str) -> str:
    return f'COMPREPLY=($(compgen -W "{words}" -- "$current"))'


def _bash_values(word: _Word) -> str:
    if word.is_file:
        return "compopt -o default; "  # readline knows how to quote the names of files
    if word.is_folder:
        return "compopt -o dirnames; "
    return f"{_compgen(' '.join(word.values))}; " if word.values else ""


def _bash_places(command: _Command) -> str:
    values = " ".join(value for place in command.places for value in place.values)
    if values:
        return f'words="{values}"'
    if any(place.is_file for place in command.places):
        return "{ compopt -o default; return; }"
    return ":"


# ----------------------------------------------------------------------------------------- zsh


def _zsh(prog: str, commands: Sequence[_Command]) -> Iterator[str]:
    name = _function(prog)
    top, *rest = commands
    yield f"#compdef {prog}"
    yield f"{name}() {{"
    yield "    local state line"
    yield "    typeset -A opt_args"
    yield "    _arguments -C \\"
    for word in top.options:
        yield f"        {_zsh_word(word)} \\"
    yield "        '1:command:->command' '*::argument:->argument'"
    yield "    case $state in"
    yield "        command)"
    described = " ".join(shlex.quote(f"{c.name}:{c.help}") for c in rest)
    yield f"            local -a commands=({described})"
    yield "            _describe command commands ;;"
    yield "        argument)"
    yield "            case $words[1] in"
    for command in rest:
        yield f"                {command.name}) _arguments \\"
        yield from (f"                    {_zsh_word(word)} \\" for word in command.words)
        yield "                    ;;"
    yield "            esac ;;"
    yield "    esac"
    yield "}"
    yield "# a file of $fpath is the function's body; elsewhere the function is registered"
    yield f'if [[ $funcstack[1] == {name} ]]; then {name} "$@"; else compdef {name} {prog}; fi'


def _zsh_word(word: _Word) -> str:
    told = word.help.translate({ord(sign): f"\\{sign}" for sign in ":[]"})
    place = word.metavar.replace(":", "\\:")
    action = f"({' '.join(word.values)})" if word.values else "_files" * word.is_file
    action = "_files -/" if word.is_folder else action
    if not word.flags:
        return shlex.quote(f"{'*' if word.many else ''}:{place}:{action}")
    value = f":{place}:{action or ' '}" if word.takes else ""
    value = ":*-*" * word.many + ":" * word.optional + value  # up to the next option; or none
    again = "*" * word.repeats
    return " ".join(shlex.quote(f"{again}{flag}[{told}]{value}") for flag in word.flags)


# ---------------------------------------------------------------------------------------- fish


def _fish(prog: str, commands: Sequence[_Command]) -> Iterator[str]:
    top, *rest = commands
    yield f"# fish completion of {prog}"
    yield f"complete -c {prog} -f"
    for word in top.options:
        yield f"complete -c {prog} -n __fish_use_subcommand {_fish_word(word)}"
    for command in rest:
        told = f"-a {command.name} -d {shlex.quote(command.help)}"
        yield f"complete -c {prog} -n __fish_use_subcommand {told}"
    for command in rest:
        seen = shlex.quote(f"__fish_seen_subcommand_from {command.name}")
        for word in command.words:
            yield f"complete -c {prog} -n {seen} {_fish_word(word)}"


def _fish_word(word: _Word) -> str:
    parts = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in word.flags]
    if word.is_file:
        parts.append("-F" if word.optional or not word.flags else "-r -F")
    elif word.is_folder:
        parts.append("-x -a '(__fish_complete_directories)'")
    elif word.takes:
        parts += ["-x"] * bool(word.flags)
        parts += [f"-a {shlex.quote(' '.join(word.values))}"] * bool(word.values)
    if word.flags or word.values:
        parts.append(f"-d {shlex.quote(word.help)}")
    return " ".join(parts)


def _function(prog: str) -> str:
    return "_" + "".join(letter if letter.isalnum() else "_" for letter in prog)

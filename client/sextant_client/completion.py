"""What makes a shell complete `sextant`, written from the parser itself so that it cannot lag behind it."""

from __future__ import annotations

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterable

SHELLS = ("bash", "zsh", "fish")


def script(parser: ArgumentParser, shell: str) -> str:
    """The script for that shell: commands first, then the options of the command and the choices of an option."""
    commands = _commands(parser)
    if shell == "fish":
        return _fish(commands)
    lines = [
        "_sextant() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" given="" one',
        '  for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f'    case " {" ".join(commands)} " in *" $one "*) given="$one"; break;; esac',
        "  done",
        '  case "$given $before" in',
    ]
    for name, command in commands.items():
        for action in _options(command):
            if action.choices:
                lines += [_case(f"{name} {flag}", map(str, action.choices)) for flag in action.option_strings]
    lines += ["  esac", '  case "$given" in']
    lines += [_case(name, _words(command)) for name, command in commands.items()]
    lines += [
        f"  *) {_reply([*commands, *_flags(parser)])};;",
        "  esac",
        "}",
        "complete -o default -F _sextant sextant",
    ]
    zsh = ["autoload -U +X bashcompinit && bashcompinit"] if shell == "zsh" else []
    return "\n".join([*zsh, *lines]) + "\n"


def _fish(commands: dict[str, ArgumentParser]) -> str:
    none = "not __fish_seen_subcommand_from " + " ".join(commands)
    lines = []
    for name, command in commands.items():
        lines.append(f"complete -c sextant -f -n '{none}' -a {name} -d {_quoted(command.description or '')}")
        for action in _options(command):
            flags = " ".join(f"-l {flag[2:]}" for flag in action.option_strings if flag.startswith("--"))
            values = f" -x -a {_quoted(' '.join(map(str, action.choices)))}" if action.choices else ""
            lines.append(f"complete -c sextant -n '__fish_seen_subcommand_from {name}' {flags}{values}")
    return "\n".join(lines) + "\n"


def _commands(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            return dict(action.choices)
    return {}


def _options(command: ArgumentParser) -> list[Action]:
    return [action for action in command._actions if action.option_strings]


def _flags(command: ArgumentParser) -> list[str]:
    return [flag for action in _options(command) for flag in action.option_strings if flag.startswith("--")]


def _words(command: ArgumentParser) -> list[str]:
    values = [str(value) for action in command._actions if not action.option_strings for value in action.choices or ()]
    return [*values, *_flags(command)]


def _case(pattern: str, words: Iterable[str]) -> str:
    return f'  "{pattern}") {_reply(list(words))}; return;;'


def _reply(words: list[str]) -> str:
    return f'COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$word"))'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"

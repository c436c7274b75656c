"""Checkpoints: weights as safetensors, everything else as JSON. Nothing is ever unpickled.

A run's folder holds ``model.safetensors`` (the weights), ``card.json`` (what they are: rules,
observation, configuration, how trained, how strong) and, while training can go on,
``training.safetensors`` (the state of training). Each file is written whole or not at all, and
the card is inside the weights file too, so that the two cannot part.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from agents.files import write_json, write_whole
from agents.network import NetworkAgent, PolicyValueNet
from scopa_env.observation import OBSERVATION_VERSION
from scopa_env.rules import Rules

__all__ = [
    "git_commit",
    "load_agent",
    "read_card",
    "read_tensors",
    "save_model",
    "write_tensors",
]

MODEL, CARD, TRAINING = "model.safetensors", "card.json", "training.safetensors"
META = "scopa_env"  # the key of our JSON in a safetensors header


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor], meta: Any) -> None:
    """Write named tensors with JSON beside them in one file."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_whole({path: save(plain, {META: json.dumps(meta)})})


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], Any]:
    """What :func:`write_tensors` wrote.

    Raises:
        ValueError: if the file is not there, or is none of ours.
    """
    try:
        with safe_open(path, framework="pt") as file:
            meta = (file.metadata() or {}).get(META)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except (SafetensorError, OSError) as problem:
        raise ValueError(f"{path}: this is no safetensors file ({problem})") from None
    if meta is None:
        raise ValueError(f"{path}: this is no checkpoint of scopa agents: it has no card")
    try:
        return tensors, json.loads(meta)
    except json.JSONDecodeError:
        raise ValueError(f"{path}: the card in this file is damaged") from None


def save_model(folder: Path, network: PolicyValueNet, card: Mapping[str, Any]) -> None:
    """Write a network and its card into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    full = {
        **card,
        "hidden": list(network.hidden),
        "observation_size": network.observation_size,
        "observation_version": OBSERVATION_VERSION,
    }
    write_tensors(folder / MODEL, network.state_dict(), full)
    write_json(folder / CARD, full)


def read_card(path: str | Path) -> Any:
    """The card of a checkpoint, from its folder or its weights file. ValueError if none."""
    return read_tensors(_model_file(path))[1]


def load_agent(
    path: str | Path, rules: Rules | str | None = None, *, sample: bool = False
) -> NetworkAgent:
    """The agent in a checkpoint.

    Args:
        path: the run's folder or the ``.safetensors`` file with the weights.
        rules: the rules it shall play by; None: those it was trained on. It plays others if
            seats, sides and observation are the same.
        sample: draw from its policy instead of playing the likeliest action.

    Raises:
        ValueError: if there is none, or it does not fit these rules or this version.
    """
    file = _model_file(path)
    tensors, card = read_tensors(file)
    try:
        trained = Rules.of(card["rules"])
        version, hidden = card["observation_version"], card["hidden"]
        size, observation = card["observation_size"], card["observation"]
    except (KeyError, TypeError) as problem:
        raise ValueError(f"{file}: its card lacks {problem}") from None
    if version != OBSERVATION_VERSION:
        raise ValueError(
            f"{file}: trained on observation version {version}, this is version "
            f"{OBSERVATION_VERSION}: train it anew"
        )
    rules = trained if rules is None else Rules.of(rules)
    if (rules.players, rules.sides) != (trained.players, trained.sides):
        raise ValueError(
            f"{file}: trained on {trained.name} with {trained.players} seats, it cannot play "
            f"{rules.name} with {rules.players}"
        )
    network = PolicyValueNet(size, hidden)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as problem:
        detail = " ".join(str(problem).split())
        raise ValueError(f"{file}: the weights do not fit the card: {detail}") from None
    return NetworkAgent(network, rules, observation, sample=sample, name=str(path))


def git_commit() -> str | None:
    """The commit of the code, marked if it was changed; None outside a repository."""
    here = Path(__file__).resolve().parent
    try:
        commit = _git(here, "rev-parse", "HEAD")
        return commit + ("-changed" if _git(here, "status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _model_file(path: str | Path) -> Path:
    path = Path(path)
    return path / MODEL if path.is_dir() else path

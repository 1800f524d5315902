"""How fast a chat model reads and writes in each precision on this machine.

``python tests/benchmarks/chat_precision.py --model qwen2.5-coder-0.5b-instruct --precision float32 nf4``
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import torch

from locallens_nb.models.devices import has_fused_4bit_kernel
from locallens_nb.models.hub import Hub
from locallens_nb.models.ladder import locate_weights, prepare_weights
from locallens_nb.models.weights import load_weights
from locallens_nb.settings import Settings


def load(name: str, precision: str) -> Any:
    settings = Settings(precision=precision)
    source = locate_weights(name, settings, hub=Hub(offline=settings.offline), on_progress=None)
    chosen, folder, prepared = prepare_weights(source, name, settings, on_progress=None)
    return load_weights(Path(folder), prepared, precision=chosen)[0]


@torch.inference_mode()
def measure(model: Any, *, prompt_tokens: int, answer_tokens: int) -> tuple[float, float]:
    """Return tokens a second while a prompt is read, and while an answer is written after it."""
    prompt = torch.randint(100, 20_000, (1, prompt_tokens), generator=torch.Generator().manual_seed(0), device="cpu")
    started = time.perf_counter()
    output = model(prompt.to(model.device), use_cache=True, logits_to_keep=1)
    read = time.perf_counter()
    token = torch.tensor([[5]], device=model.device)
    for _ in range(answer_tokens):
        output = model(token, past_key_values=output.past_key_values, use_cache=True)
    return prompt_tokens / (read - started), answer_tokens / (time.perf_counter() - read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-0.5b-instruct")
    parser.add_argument("--precision", nargs="+", default=["float32", "nf4"])
    parser.add_argument("--prompt-tokens", type=int, default=600)
    parser.add_argument("--answer-tokens", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    models = {precision: load(options.model, precision) for precision in options.precision}
    found: dict[str, list[tuple[float, float]]] = {precision: [] for precision in models}
    for model in models.values():
        measure(model, prompt_tokens=16, answer_tokens=1)  # weights are packed anew at the first use
    for _ in range(options.rounds):
        for precision, model in models.items():
            found[precision].append(measure(model, prompt_tokens=options.prompt_tokens, answer_tokens=options.answer_tokens))
    kernel = "with" if has_fused_4bit_kernel() else "without"
    print(f"{options.model}, {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, ", end="")
    print(f"{kernel} the fused 4-bit kernel, torch {torch.__version__}; medians of {options.rounds} alternating rounds\n")
    print("| precision | reads tokens/s | writes tokens/s |\n|---|---|---|")
    for precision, speeds in found.items():
        print(f"| {precision} | {median(s[0] for s in speeds):.0f} | {median(s[1] for s in speeds):.1f} |")


if __name__ == "__main__":
    main()

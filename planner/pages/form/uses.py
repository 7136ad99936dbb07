"""Filled forms, one click away: what people really ask of models, with promises that somebody has published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Example:
    """A filled form."""

    slug: str
    title: str
    about: str
    values: Mapping[str, str]
    source: str = ""
    """Where its promise comes from; empty where it promises nothing, or says itself that the promise is ours."""


_MLPERF = "MLPerf Inference, limits of its rules (v5.1 of 2025-09 and v6.0 of 2026-04), there for 99 of 100 requests"


def _service(slug: str, title: str, about: str, source: str, /, **values: str) -> Example:
    """A service; double underscores in names stand for dots, names without one belong to the service itself."""
    paths = {key.replace("__", ".") if "__" in key else f"serving.{key}": text for key, text in values.items()}
    named = {"name": title, "model": paths.pop("serving.model")}
    return Example(slug=slug, title=title, about=about, values=named | paths, source=source)


SERVICES = (
    Example(
        slug="qwen-32b-40rps",
        title="Qwen3 32B at 40 requests/s",
        about="First token within 800 ms for 95% of requests, a promise of our own",
        values={
            "name": "Customer chat", "model": "qwen3-32b", "serving.requests_per_s": "40 rps",
            "serving.input_tokens": "1500", "serving.output_tokens": "400", "serving.ttft_p95_ms": "800 ms",
            "load.shape": "office",
        },
    ),
    Example(
        slug="llama-8b-agents",
        title="Llama 3.1 8B for agents",
        about="Long prompts, short answers; first token within 1.5 s, a promise of our own",
        values={
            "name": "Tool-calling agents", "model": "llama-3.1-8b", "serving.requests_per_s": "10 rps",
            "serving.input_tokens": "6000", "serving.output_tokens": "150", "serving.ttft_p95_ms": "1.5 s",
            "serving.prefix_hit_share": "60%",
        },
    ),
    _service(
        "chat-colleagues", "Chat for 3,000 colleagues", "A small model that answers at once, office hours",
        f"{_MLPERF}: Llama 3.1 8B Interactive, 500 ms and 30 ms",
        model="llama-3.1-8b", load__people="3000", load__sessions="2", load__turns="5", load__shape="office",
        input_tokens="1000", output_tokens="300", ttft_p95_ms="500 ms", tpot_p95_ms="30 ms",
    ),
    _service(
        "chat-consumers", "Chat for 200,000 customers", "A large model, busiest in the evening",
        f"{_MLPERF}: Llama 2 70B Interactive, 450 ms and 40 ms",
        model="llama-3.3-70b", load__people="200000", load__sessions="0.2", load__turns="4", load__shape="evening",
        input_tokens="1000", output_tokens="300", ttft_p95_ms="450 ms", tpot_p95_ms="40 ms",
    ),
    _service(
        "rag", "Answers from own documents", "Retrieved passages in the prompt; half of it is the same each time",
        f"{_MLPERF}: Llama 2 70B Server, 2 s and 200 ms",
        model="llama-3.3-70b", requests_per_s="8 rps", load__shape="office", input_tokens="4000", output_tokens="350",
        prefix_hit_share="50%", ttft_p95_ms="2 s", tpot_p95_ms="200 ms",
    ),
    _service(
        "agents", "Agents that use tools", "Many steps, each with the whole history before it; machines do not sleep",
        f"{_MLPERF}: gpt-oss-120b Server, 3 s and 80 ms",
        model="gpt-oss-120b", requests_per_s="12 rps", load__shape="flat", input_tokens="8000", output_tokens="400",
        prefix_hit_share="80%", ttft_p95_ms="3 s", tpot_p95_ms="80 ms",
    ),
    _service(
        "reasoning", "Reasoning in long answers", "Few questions, thousands of tokens of thought",
        f"{_MLPERF}: DeepSeek-R1 Server, 2 s and 80 ms",
        model="deepseek-r1", requests_per_s="2 rps", load__shape="office", input_tokens="800", output_tokens="4000",
        ttft_p95_ms="2 s", tpot_p95_ms="80 ms",
    ),
    _service(
        "code", "Code assistant for 500 developers", "Long context, answers that people read as they appear",
        f"{_MLPERF}: gpt-oss-120b Interactive, 2 s and 20 ms",
        model="gpt-oss-120b", load__people="500", load__sessions="10", load__turns="8", load__shape="office",
        input_tokens="6000", output_tokens="500", prefix_hit_share="60%", ttft_p95_ms="2 s", tpot_p95_ms="20 ms",
    ),
    _service(
        "summaries", "Summaries of long articles", "Articles of 4,400 tokens, as in the benchmark's sample",
        f"{_MLPERF}: gpt-oss-120b Server, 3 s and 80 ms",
        model="gpt-oss-120b", requests_per_s="5 rps", load__shape="office", input_tokens="4400", output_tokens="400",
        ttft_p95_ms="3 s", tpot_p95_ms="80 ms",
    ),
    _service(
        "largest", "The largest open dense model", "405 B parameters, for questions that are worth it",
        f"{_MLPERF}: Llama 3.1 405B Server, 6 s and 175 ms",
        model="llama-3.1-405b", requests_per_s="1 rps", load__shape="office", input_tokens="2000", output_tokens="600",
        ttft_p95_ms="6 s", tpot_p95_ms="175 ms",
    ),
    _service(
        "extraction", "Extraction from a million documents", "Overnight, nobody waits: nothing is promised", "",
        model="llama-3.1-8b", serving__batch__requests="1 M", serving__batch__deadline_hours="12",
        input_tokens="2000", output_tokens="300",
    ),
    _service(
        "labels", "Labels for ten million texts", "A small model over two days: nothing is promised", "",
        model="qwen3-4b", serving__batch__requests="10 M", serving__batch__deadline_hours="48", input_tokens="400",
        output_tokens="20",
    ),
    _service(
        "voice-agent", "Spoken conversations", "Short answers that are read out; the opening of each call is the same",
        f"{_MLPERF}: Llama 3.1 8B Interactive, 500 ms and 30 ms",
        model="llama-3.1-8b", requests_per_s="6 rps", load__shape="evening", input_tokens="1500", output_tokens="60",
        prefix_hit_share="70%", ttft_p95_ms="500 ms", tpot_p95_ms="30 ms",
    ),
    _service(
        "translation", "Translation of pages", "As much comes out as goes in; nothing is promised", "",
        model="gemma-3-27b", requests_per_s="4 rps", load__shape="office", input_tokens="700", output_tokens="800",
    ),
    _service(
        "moderation", "Every message checked", "A small model says yes or no before a message appears", "",
        model="qwen3-4b", requests_per_s="100 rps", load__shape="evening", input_tokens="200", output_tokens="5",
        prefix_hit_share="40%",
    ),
    _service(
        "code-completion", "Code completed while one types", "A few lines from the code around; nothing is promised", "",
        model="qwen2.5-coder-7b", load__people="300", load__sessions="8", load__turns="120", load__shape="office",
        input_tokens="2000", output_tokens="40", prefix_hit_share="60%",
    ),
    _service(
        "vectors", "Vectors for every search", "A small encoder reads each query; nothing is promised", "",
        model="bert-large-335m", requests_per_s="200 rps", load__shape="flat", input_tokens="64", output_tokens="1",
    ),
    _service(
        "index", "An index of five million passages", "The same encoder over a weekend: nothing is promised", "",
        model="bert-large-335m", serving__batch__requests="5 M", serving__batch__deadline_hours="48", input_tokens="400",
        output_tokens="1",
    ),
    _service(
        "voice", "Speech to text", "Calls in pieces of 30 seconds; nothing is promised", "",
        model="whisper-large-v3", requests_per_s="20", load__shape="office",
    ),
    _service(
        "pictures", "Pictures from words", "1,024 pixels; nothing is promised", "",
        model="sdxl", requests_per_s="2", load__shape="evening",
    ),
)  # fmt: skip

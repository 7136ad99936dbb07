"""First contact: what the engine said of measured rows before anybody here had seen them.

A wave judges once; from then on its rows are development data. Figures are never computed anew.
"""

from __future__ import annotations

# day, rows, number of rows, median, 90th percentile, bias, share that the 80 % band covers
LEDGER: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("2026-11-22", "training step, kept apart since the start (19 sources)", "454", "10.0 %", "26.5 %", "+2.0 %", "64 %"),
    ("2026-11-22", "training step, 9 new sources", "120", "13.8 %", "37.2 %", "−7.8 %", "47 %"),
    ("2026-11-22", "the same, MLPerf Training 5.1", "42", "16.0 %", "48.2 %", "−15.7 %", "33 %"),
    ("2026-11-22", "training step, second wave (6 sources)", "238", "31.2 %", "77.3 %", "−30.0 %", "24 %"),
    ("2026-11-22", "LoRA, new sources", "44", "46 %", "72 %", "", "30 %"),
    ("2026-11-22", "full fine-tuning, new sources", "32", "47 %", "69 %", "−47 %", "16 %"),
    ("2026-11-22", "peak memory, kept apart", "56", "9.7 %", "38 %", "+2 %", "36 %"),
    ("2026-11-22", "peak memory, new sources", "60", "29 %", "53 %", "−27 %", "10 %"),
    ("2026-11-22", "peak memory, second wave", "246", "34 %", "53 %", "−32 %", "1 %"),
    ("2026-11-22", "serving, kept apart: output tokens/s", "222", "11.7 %", "37 %", "−6 %", "80 %"),
    ("2026-11-22", "serving, kept apart: time per output token", "135", "13.6 %", "45 %", "+1 %", "79 %"),
    ("2026-11-22", "serving, kept apart: time to first token", "128", "27.1 %", "75 %", "+6 %", "82 %"),
    ("2026-11-22", "serving, new groups: output tokens/s", "60", "8.5 %", "21 %", "", "100 %"),
    ("2026-11-22", "serving, new groups: time per output token", "216", "9.2 %", "35 %", "", "84 %"),
    ("2026-11-22", "serving, new groups: time to first token", "222", "27.6 %", "73 %", "", "81 %"),
    ("2026-11-22", "serving, new groups: MLPerf rate", "66", "54.7 %", "328 %", "", "42 %"),
    ("2026-11-22", "serving, second wave: output tokens/s", "66", "10.3 %", "29.8 %", "+0.2 %", "94 %"),
    ("2026-11-22", "serving, second wave: time per output token", "745", "17.0 %", "39.8 %", "+7.0 %", "85 %"),
    ("2026-11-22", "serving, second wave: time to first token", "765", "28.2 %", "89.3 %", "+5.4 %", "79 %"),
    ("2026-11-22", "serving, second wave: MLPerf rate", "40", "31.2 %", "74.4 %", "−21.9 %", "60 %"),
    ("2026-11-22", "samples/s (MLPerf Inference, AWS Neuron)", "89", "70.9 %", "88.9 %", "−46.6 %", "21 %"),
    ("2026-11-22", "samples/s of forward passes (timm, DeepLearningExamples)", "401", "126.7 %", "664 %", "+126.7 %", "14 %"),
    ("2026-11-22", "accelerator-hours of whole programmes, organisations alike (10)", "17", "42.1 %", "58.3 %", "−42.1 %", "50 %"),
    ("2026-11-27", "training step on one H100 of our own: Transformers and PEFT as documented", "17", "6.5 %", "30.7 %", "−1.1 %", "76 %"),
    ("2026-11-27", "the same card: a plain script", "15", "35.7 %", "56.9 %", "+35.7 %", "20 %"),
    ("2026-11-27", "the same card: peak memory of these runs", "32", "19.9 %", "204.9 %", "+19.9 %", "50 %"),
    ("2026-11-27", "the same card: image networks and encoders, step", "8", "32.2 %", "42.2 %", "+32.2 %", "38 %"),
    ("2026-11-27", "the same card: image networks and encoders, peak memory", "8", "25.4 %", "49.6 %", "+25.4 %", "38 %"),
    ("2026-11-28", "unusual steps on one H200 of our own: Transformers and PEFT as documented", "19", "28.7 %", "62.7 %", "−1.1 %", "53 %"),
    ("2026-11-28", "the H200: a plain script", "13", "37.6 %", "76.7 %", "+30.7 %", "8 %"),
    ("2026-11-28", "the H200: no decoders (images, texts, speech, diffusion, recommender)", "23", "32.8 %", "172.2 %", "+30.1 %", "48 %"),
    ("2026-11-28", "the H200: peak memory of decoders", "32", "9.1 %", "20.2 %", "+8.3 %", "94 %"),
    ("2026-11-28", "the H200: peak memory of no decoders", "23", "20.8 %", "287.1 %", "+7.1 %", "48 %"),
)  # fmt: skip


HEADS = ("day", "measured_rows", "n", "median", "p90", "bias", "band_covers")


def rows_of_ledger() -> list[dict[str, str]]:
    """The same lines as data for the page."""
    return [dict(zip(HEADS, line, strict=True)) for line in LEDGER]


def ledger() -> list[str]:
    """The section of the accuracy page."""
    return [
        "## First contact",
        "",
        "Predictions written down before the answers were opened. A wave judges once, then becomes development data: the",
        "tables below it are of coefficients that have seen its rows, or rows like them.",
        "",
        "| day | rows | n | median | p90 | bias | 80 % band covers |\n|---|---|---:|---:|---:|---:|---:|",
        *("| " + " | ".join(line) + " |" for line in LEDGER),
        "",
    ]

"""What was tried for figures beside step time, and what each gave: the section of the accuracy page, as it was judged that day."""

from __future__ import annotations

_SAMPLES = (
    "Each Neuron core holds a copy of the weights and reads it with half of the chip's memory, one batch at a time. How many wait is not "
    "stated; for half a day it was taken from a row's own rate and latency, which is the answer in disguise: 31 % was told as the 90th "
    "percentile of all rows where it is 48 % without (of AWS's rows 33 and 84 %), image classification as 20 where it is 52 %",
    "What a layer writes stays in the core's own 24 MB where it has room: publisher of these rows left out 26 → 20 %, and what compilers "
    "move and launch comes out within 25 % of the values set by hand, from which the rows had pulled it",
    "One process copies pictures and raw answers at about 5 GB/s: masked language models 84,559 → 17 % (scores of 250,002 words a token)",
    "Tables of words are looked up, not read: encoders of one sentence a batch, together with the copies above, 9 → 16 %",
    "PyTorch's attention is fused where it is compiled too, and scores are moved a fixed number of times (5): SD 1.5 under torch.compile "
    "no longer pays for scores; SD 1.5 and 2.1 on Neuron 21 → 16 %",
    "Tokens of speech are picked one recording at a time: 24 → 12 %",
    "A scan of KiTS19 is 48 windows, by its published median size, not 40 guessed ones; each sample's own normalisation moves what a "
    "convolution wrote three times more; convolutions over three dimensions have no products of four warps on Hopper (0.63 of the peak, "
    "published): medical segmentation 189 → 47 % (Hopper), and 78 → 15 % on the cards of the rows that stand apart",
    "Indices into embedding tables come over the host's bus: recommendation 32 → 17 %, rows that stand apart 33 → 14 %",
    "MLPerf's server rows are rates that keep the benchmark's latency, with the batch that keeps it: within a point or two of before",
)
_SAMPLES_NOT = (
    "All launches of a compiled graph added where a batch is alone: encoders 16 → 20 %, images unchanged; only its beginning is added.",
    "A rule of memory for tables of recommenders: published rates of one card differ 1.7 times between submitters, and no fact says why.",
)

_TOKENS = (
    "A scale-up all-reduce is a small one's latency, what a large one adds before its bytes count (NCCL tables: 20, 38, 79, 200, "
    "579 µs for 0.5 to 134 MB over 8 H100) and the ring at 0.8 of the link; what narrow formats cost each dense product beside its "
    "bytes (kernel tables: 3 µs in 16 bits, 13 in FP8, 6 to 9 in block formats); weights of four bits that must be unpacked are "
    "read as fast as others. Groups left out, 40 coefficients refitted: time per output token 15.1 → 13.9 %, saturated rate 11.5 → "
    "11.2 %, and shares of bandwidth, links and compute come out at the values set by hand. All refitted and simulated: time per "
    "output token 13.2 → 12.8 %, output tokens 8.6 → 8.5 %, MLPerf's rate 22.0 → 21.3 %, first token unchanged",
)
_TOKENS_NOT = (
    "Work of the host for each sequence hidden behind the accelerator too: 14.1 against 13.9 %.",
    "What norms, residuals and activations move for each token (25 bytes a unit of width): 13.9 %, saturated rate 11.3 against 11.2 "
    "%.",
    "A sharper meeting of host and accelerator (fourth power): 14.0 %, saturated rate 11.4 %.",
    "Unpacked weights of four bits read more slowly, native ones not faster: 14.7 %.",
    "Runs of MLPerf's servers as long as its rules ask (600 s): with the coefficients of before 25.4 against 22.0 %; predicted "
    "rates of a server then fall below those of a batch, as they do, but MLPerf's own batches are predicted 20 to 30 % too slow for "
    "Llama-2-70B.",
    "One level for each group would leave 6.3 % of the error: most of what is left lies between groups (drafts that no row records, "
    "kernels of mixtures without tuned settings), not in how a step grows.",
)


def section() -> list[str]:
    """The section in Markdown."""
    return [
        "## What was tried beside step time on 28 November 2026, and what each gave",
        "",
        "Median errors with the coefficients of that step; what was judged with sources or groups left out says so.",
        "",
        "Samples per second:",
        "",
        *(f"* {text}." for text in _SAMPLES),
        "",
        "Not kept:",
        "",
        *(f"* {text}" for text in _SAMPLES_NOT),
        "",
        "Time per output token:",
        "",
        *(f"* {text}." for text in _TOKENS),
        "",
        "Not kept:",
        "",
        *(f"* {text}" for text in _TOKENS_NOT),
        "",
    ]

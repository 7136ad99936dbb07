"""What the coefficients of serving rest on, by their ids; what several have in common by a word of its own."""

from collections.abc import Mapping

SERVED: Mapping[str, str] = {
    "origin.fitted": "fitted to measured serving rows, shrunk to the hand-set value (docs/serving.md)",
    "origin.formats": "format definition: bits of a value plus its share of the block scale",
    "origin.from_hand": "{source}; hand-set {prior:4}",
    "origin.from_prior": "{source}; prior {prior:4}",
    "origin.kernel_curves": "measured kernel tables, ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0), read as efficiency curves",
    "origin.moved": "hand-set, moved by measured samples of several publishers",
    "origin.moved.examples": "hand-set, moved by the rows of one publisher: NVIDIA DeepLearningExamples",
    "origin.moved.mlperf": "hand-set, moved by the rows of one publisher: MLPerf Inference",
    "origin.moved.neuron": "hand-set, moved by the rows of one publisher: AWS Neuron",
    "origin.service.bytes_per_answer": "planning judgement: a few words or numbers with the headers around them",
    "origin.service.bytes_per_picture": "planning judgement: a picture of 1,024 × 1,024 takes 0.2 MB as WebP and 1–3 MB as PNG",
    "origin.service.bytes_per_token": "English text averages about four characters a token in published tokenizer statistics",
    "origin.service.bytes_per_vector": "a vector of 1,024 numbers of 4 bytes; 384 numbers to 1,024 written as text",
    "origin.service.months": "planning convention: one budget year",
    "origin.serving.boot_s": "vLLM #19824: P2P check 60 s; image pull varies",
    "origin.serving.demand_band": "planning judgement: a stated peak is a forecast; a twentieth where traffic is measured, a quarter "
    "for a new product",
    "origin.serving.dense_bytes.int4": "Kimi-K2: 16 bits",
    "origin.serving.dense_bytes.mxfp4": "gpt-oss: 16 bits",
    "origin.serving.dense_bytes.nvfp4": "attention in 16 bits, its output projection and the shared experts in 4: two published "
    "checkpoints differ",
    "origin.serving.diffusion_guidance": "Ho and Salimans 2022, arXiv 2207.12598",
    "origin.serving.diffusion_steps": "usual samplers, 20–50 passes",
    "origin.serving.headroom": "planning convention: at nine tenths of its capacity a queue is finite and outlives a burst",
    "origin.serving.load_gb_s": "vLLM #19824: 10 s for 70 GB when cached; object store slower",
    "origin.serving.slo_margin": "own simulations with other seeds",
    "origin.serving.table_rate": "judgement; MLPerf Inference v5.1 DLRM-DCNv2 reads about 27 kB for each of 12 million pairs/s on one "
    "H100",
    "origin.serving.token_budget": "engine defaults 2025–26",
    "origin.serving.unified_share": "hand-set; the catalog already counts only the part that the accelerator may use",
    "origin.serving.unpromised_share": "planning convention: who waits minutes for an answer does not mind a tenth of it",
    "origin.serving.unpromised_wait": "planning convention: nobody waits for ten others one after the other",
    "origin.serving.unpromised_wait_s": "Nielsen, Usability Engineering (1993), chapter 5: about 10 s keep a person's attention on the "
    "dialogue",
    "origin.starts": "fitted by hand to twelve measured starts of vLLM without the machine's own (lab/data/measured/cold_start.csv: "
    "Run:ai Model Streamer's benchmarks, vLLM blog on sleep mode); upper end: nothing compiled before, vLLM #19824",
}
"""`origin.` and an id, or the word that several share."""

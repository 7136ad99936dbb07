"""What the coefficients of training rest on, by their ids; what several have in common by a word of its own."""

from collections.abc import Mapping

TRAINED: Mapping[str, str] = {
    "origin.bridge_releases": "Megatron-Bridge releases from 26.06 against 26.04, same configurations",
    "origin.device_readings": "published differences between device and allocator readings",
    "origin.kernel_tables": "kernel tables of ai-dynamo/aiconfigurator@095f58a51, fitted here",
    "origin.left_out": "errors on measured runs with whole sources left out",
    "origin.matrix_units": "matrix units of 128 or 256 columns (Google Cloud TPU and AWS Neuron architecture pages)",
    "origin.refined": "prior refined on the project's measured runs (lab/data/measured/training.csv)",
    "origin.tensors": "count of tensors",
    "origin.training.adapter_bytes": "count of tensors: dropout and its mask 7 on the input; product, scale and sum 12 on the output",
    "origin.training.attention_backward": "Dao 2023 (FlashAttention-2), refined on the measured runs",
    "origin.training.attention_d0": "FlashAttention-2 and -3 at head widths 64 and 128",
    "origin.training.attention_d0_old": "Dao 2023 (arXiv 2307.08691), fig. 4-6: head widths 64 and 128",
    "origin.training.attention_first.ampere": "Dao 2023 (arXiv 2307.08691), abstract: 25-40 % of the theoretical maximum",
    "origin.training.attention_first.hopper": "rate on Ampere times 335/187, the gain of FlashAttention 2 from Ampere to Hopper (Dao "
    "2023)",
    "origin.training.attention_misaligned": "one source of the measured runs only (bigscience-workshop/bigscience); wide range",
    "origin.training.attention_old.ampere": "Dao 2023 (arXiv 2307.08691), fig. 4: 187 TFLOP/s forward and backward, less what training "
    "loses",
    "origin.training.attention_old.blackwell": "the rate in TFLOP/s that it reaches on Hopper, a little more for the clock",
    "origin.training.attention_old.hopper": "Dao 2023 (arXiv 2307.08691), fig. 7: 335 TFLOP/s forward and backward on H100, less what "
    "training loses",
    "origin.training.attention_old.other": "two thirds of the newest kernels' share; judgement",
    "origin.training.attention_tile": "tile sizes of fused attention kernels: 64-256",
    "origin.training.attention_unfused_bytes": "count of the kernels of Megatron-LM to 2022: scores written and read, softmax read and "
    "written, in 16 bits; dropout adds five bytes where it is on",
    "origin.training.band.across": "errors on measured runs with whole sources left out; one source",
    "origin.training.band.adapters": "errors on 62 measured adapter runs, median 14 % too fast",
    "origin.training.band.memory": "errors on measured peaks with every coefficient at its count or documented value: docs/accuracy.md",
    "origin.training.band.memory_eager": "errors on measured peaks of frameworks other than Megatron: docs/accuracy.md",
    "origin.training.band.tables": "from 7.2 ms of host time a step (TorchRec) to a fraction of one (HugeCTR), and one comparison each: "
    "docs/accuracy.md",
    "origin.training.beyond_steps.language": "whole published programmes over the plan of their steps, each organisation once: seven "
    "organisations of 2021 to 2024, 1.07 to 3.4, median 1.29 with today's step times (docs/serving.md)",
    "origin.training.beyond_steps.measured": "elapsed time of nine published programmes over their own measured steps, 1.01 to 1.7 "
    "(docs/serving.md)",
    "origin.training.beyond_steps.other": "whole published programmes over the plan of their steps, each organisation once: two "
    "organisations, both contrastive on pictures and text; assumed for all else",
    "origin.training.bubble_zero": "Qi et al. 2023 (arXiv 2401.10241): ZB-H1 a third at the memory of 1F1B",
    "origin.training.bucket.deepspeed": "default of DeepSpeed: 500 million elements in each bucket that is reduced",
    "origin.training.bucket.megatron": "default of Megatron-Core: 40 million parameters, and at least 1 million for each data-parallel "
    "rank",
    "origin.training.bucket.pytorch": "default of PyTorch: buckets of at most 25 MB, in FP32",
    "origin.training.class.megatron": "reference class",
    "origin.training.cp_all_to_all": "a choice, not a measurement: Megatron-Core and torchtitan use a ring, DeepSpeed-Ulysses (arXiv "
    "2309.14509) all-to-all",
    "origin.training.critical_batch": "Between laws and recipes that differ by a factor of ten: 2e8 / loss^4.76 tokens (Kaplan et al., "
    "arXiv 2001.08361) is 7 to 16 million at losses of 2.0 to 1.7; DeepSeek-V3 ran 63 million a step (arXiv 2412.19437, 14.8 trillion "
    "tokens); OLMo 1B doubled its batch without a loss (arXiv 2505.23971)",
    "origin.training.critical_batch_power": "0.46 and 0.47, two groups independently (Zhang et al., arXiv 2410.21676; Bergsma et al., "
    "arXiv 2505.13738); lower end: the optimum batch by compute, 0.327 (DeepSeek LLM, arXiv 2401.02954)",
    "origin.training.dp_hidden_plain": "Megatron-LM to 2022",
    "origin.training.elementwise_old": "dropout and bias kernels that later releases fused; judgement near the count of tensors",
    "origin.training.ep_exposed": "judgement around the link's own time; releases of one framework scatter by 1.5",
    "origin.training.ep_hidden": "Megatron-Core: expert exchange overlapped with the other micro-batch of interleaved 1F1B; judgement",
    "origin.training.evaluation_share": "Planning judgement: the forward pass, a third of a step, over a tenth that is held out, once "
    "an epoch; more where it is evaluated every few hundred steps",
    "origin.training.gemm_best.ascend": "one source of the measured runs only (mindspore-lab/mindformers, 40 runs); wide range",
    "origin.training.gemm_best.gaudi3": "one source of the measured runs only (huggingface/optimum-habana): 1.5 to 1.9 times Gaudi 2 on "
    "the same work, at 4.2 times its peak; wide range",
    "origin.training.gemm_m0.dense": "kernel tables of ai-dynamo/aiconfigurator@095f58a51: 128 tokens reach 40-60 % of the best rate",
    "origin.training.generic_passes": "ResNet-50 in mixed precision: 1,582 images/s on A100 and 2,616 on H100 are 26 times 45 MB an "
    "image (lambdal/deeplearning-benchmark@aa5addb6a5, PyTorch of 2020 to 2023); tuned layouts reach twice that",
    "origin.training.grouped_xla": "one source of the measured runs only (AI-Hypercomputer/tpu-recipes); wide range",
    "origin.training.hbm_share": "stream benchmarks of the vendors; optimizer kernels",
    "origin.training.host_adapter": "count of launches: dropout, two narrow products, scale and add beside each of some seven matrices; "
    "refined on one source of the measured runs (QwenLM/Qwen, 256 to 512 tokens), wide range",
    "origin.training.host_call": "a launch, an event and a wait beside some forty kernels of a pass; judgement",
    "origin.training.host_gather": "hooks on some twelve matrices in each pass; steps of Qwen-7B and of ChatGLM3-6B and BLOOM-7B1 with "
    "short batches (QwenLM/Qwen, huggingface/optimum-habana), wide range",
    "origin.training.host_generic": "forward passes of 10 to 12 ms at batches of 1 to 16 (EfficientNet on A100, "
    "NVIDIA/DeepLearningExamples@729963dd), two to three times that with the backward pass",
    "origin.training.host_layer.documented": "count of launches: about 120 kernels of a layer's two passes at 8 to 10 microseconds "
    "each; refined on the project's measured runs",
    "origin.training.host_layer.own": "twice the launches (nothing fused) and Python between them; refined on the project's measured "
    "runs",
    "origin.training.host_layer_2022": "one source of the measured runs only (VIA-Research/vTrain); wide range",
    "origin.training.host_step_tables": "TorchRec on 8 A100 took 7.2 ms for 256 samples on each (mlcommons/training, "
    "recommendation_v2/torchrec_dlrm/README.MD, read 2026-11-22); captured graphs (HugeCTR) need a fraction of a millisecond",
    "origin.training.loss_bytes": "count of tensors; FP32 softmax",
    "origin.training.measurement_noise": "repeated rows of BLOOM (4.6 %) and Megatron-Bridge (5.8 %)",
    "origin.training.memory.buckets": "DeepSpeed defaults: 5e8 elements in each reduce and gather bucket, two at a time where exchange "
    "overlaps",
    "origin.training.memory.gathered_layers": "PyTorch FSDP: current and prefetched",
    "origin.training.memory.norm_eager": "count of tensors in RMSNorm of Hugging Face transformers",
    "origin.training.memory.reserve": "SimuMax B200 runs: reserved over allocated",
    "origin.training.memory.reserve_eager": "judgement, refined on measured peaks of several sources",
    "origin.training.memory.score_bytes": "Korthikanti 2022, table 2",
    "origin.training.memory.update": "PyTorch documentation of Adam: foreach keeps about one copy of the weights more than the for-loop",
    "origin.training.moe_imbalance": "published runs are force-balanced",
    "origin.training.offload.host_bytes": "1-2 TB in a server of eight accelerators; judgement",
    "origin.training.offload.host_rate": "two sockets of 8-12 memory channels shared by eight accelerators, half of it reached; "
    "judgement",
    "origin.training.offload.nvme_bytes": "one drive for each accelerator; judgement",
    "origin.training.offload.nvme_rate": "one PCIe 4 or 5 drive for each accelerator; judgement",
    "origin.training.optimizer_bytes": "count of tensors: guide of the mixed-precision optimizer",
    "origin.training.oversubscription": "rail-optimised fat trees are built non-blocking; cheaper fabrics halve the upper level",
    "origin.training.owner_call": "one source of the measured runs only (InternLM/InternEvo): 8 to 1,024 shards of two model sizes; "
    "wide range",
    "origin.training.pipeline_wait": "one source of the measured runs only (vinjn/nanotron-ultrascale-playbook), where single runs "
    "waited ten times as long or not at all; wide range",
    "origin.training.power_exponent": "dynamic power is clock times voltage squared, and voltage follows the clock; a third of the "
    "power is memory and leakage, which do not follow: of a cap at 0.7 the clock keeps 0.75 to 0.82",
    "origin.training.qlora_weight_bytes": "Dettmers 2023 (QLoRA): NF4, double quantisation",
    "origin.training.ring_hop": "NCCL's model of its own rings: 3.4 microseconds a hop over NVLink, 14 over the network, in its simple "
    "protocol (src/graph/tuning.cc)",
    "origin.training.shared_error": "variance within sources over the whole, measured runs",
    "origin.training.ssm_passes": "Dao and Gu 2024 (arXiv 2405.21060), fig. 10, gives about 10 for the scan; FP32 states, convolution, "
    "gate and norm double it; the one source that measured hybrids ran as if it were 40; wide range",
    "origin.training.stack.documented": "first contact: set on vendors' recipes, the engine was 8 % too fast in the median on nine "
    "sources that nobody had seen (docs/accuracy.md); refined on the project's measured runs",
    "origin.training.stack.own": "judgement before any run was looked at; refined on the project's measured runs",
    "origin.training.tables_imbalance": "judgement: tables, blocks of rows and columns are dealt out by a planner; wide range",
    "origin.training.tables_passes": "count of accesses; sorting of indices adds, rows that repeat in a batch save",
    "origin.training.tables_state": "default of TorchRec and FBGEMM; SGD keeps none",
    "origin.training.tensor_wait": "one source of the measured runs only (vinjn/nanotron-ultrascale-playbook); wide range",
    "origin.training.tile": "tile sizes of cuBLAS and CUTLASS kernels",
    "origin.training.tp_exposed_plain": "the collective's own time and the gaps around it; refined on the project's measured runs "
    "(lab/data/measured/training.csv)",
    "origin.training.unpack_bytes": "count of tensors for NF4 with double quantisation: 0.6 read, two steps of scales, 2 written and "
    "read again; GPTQ's kernels of 2023 moved about 24 (QwenLM/Qwen)",
    "origin.unmeasured": "judgement, no public measurement found; wide range",
}
"""`origin.` and the word in the column `source` of `engine/physics/coefficients.csv`."""

"""What the coefficients of a training step mean."""

from collections.abc import Mapping

TRAINING: Mapping[str, str] = {
    "assumption.training.adapter_bytes": "Moved for each element that goes into or comes out of an adapted matrix, in one pass",
    "assumption.training.attention_backward": "Fused attention backward over forward: 5 products instead of 2, a little slower",
    "assumption.training.attention_best.ampere": "Fused attention forward, share of BF16 peak for long sequences, Ampere",
    "assumption.training.attention_best.blackwell": "Fused attention forward, share of BF16 peak for long sequences, Blackwell",
    "assumption.training.attention_best.hopper": "Fused attention forward, share of BF16 peak for long sequences, Hopper",
    "assumption.training.attention_best.other": "Fused attention forward, share of BF16 peak, hardware without a table",
    "assumption.training.attention_d0": "Head width at which attention loses half of its rate: the exponentials do not shrink with "
    "the head",
    "assumption.training.attention_d0_old": "Head width at which FlashAttention 1 and 2 lose half of their rate; about a tenth is "
    "lost at 64",
    "assumption.training.attention_d0_systolic": "Head width at which attention on TPU and Trainium loses half of its rate: a "
    "narrower head is padded to the array",
    "assumption.training.attention_first.ampere": "FlashAttention 1 in PyTorch (to 2023), share of BF16 peak for long sequences, "
    "Ampere",
    "assumption.training.attention_first.hopper": "FlashAttention 1 in PyTorch (to 2023), share of BF16 peak for long sequences, "
    "Hopper, whose new instructions it does not use",
    "assumption.training.attention_misaligned": "Slow-down of unfused attention where the head width is not a multiple of 8",
    "assumption.training.attention_old.ampere": "FlashAttention 2, share of BF16 peak for long sequences, Ampere",
    "assumption.training.attention_old.blackwell": "FlashAttention 2, share of BF16 peak for long sequences, Blackwell, whose new "
    "instructions it does not use",
    "assumption.training.attention_old.hopper": "FlashAttention 2, share of BF16 peak for long sequences, Hopper",
    "assumption.training.attention_old.other": "FlashAttention 2 and its ports, share of BF16 peak for long sequences, hardware "
    "without a table",
    "assumption.training.attention_s0.ampere": "Sequence at which fused attention reaches half of its best rate, Ampere",
    "assumption.training.attention_s0.blackwell": "Sequence at which fused attention reaches half of its best rate, Blackwell",
    "assumption.training.attention_s0.hopper": "Sequence at which fused attention reaches half of its best rate, Hopper",
    "assumption.training.attention_s0.other": "Sequence at which fused attention reaches half of its best rate, others",
    "assumption.training.attention_share": "Attention rate in training over the table's",
    "assumption.training.attention_tile": "Keys beyond a sliding window that whole tiles work through",
    "assumption.training.attention_unfused_bytes": "Traffic of unfused attention for each score and pass: mask, softmax, dropout",
    "assumption.training.band.across": "Standard deviation added for tensor parallel over nodes, and for pipelines of an own script "
    "over many nodes",
    "assumption.training.band.adapters": "Standard deviation added for LoRA and QLoRA: published runs mix in evaluation and loading, "
    "and state no layout",
    "assumption.training.band.base": "Standard deviation of the log error: dense model, measured hardware and framework",
    "assumption.training.band.documented": "Standard deviation added for a maintained framework as documented: what its publishers do "
    "not say of their stack",
    "assumption.training.band.framework": "Standard deviation added for XLA on GPUs",
    "assumption.training.band.generic": "Standard deviation added for models given by parameters and work per sample",
    "assumption.training.band.hardware": "Standard deviation added where the accelerator has no kernel table, or none of its kind was "
    "measured in training (cards on the host bus)",
    "assumption.training.band.hybrid": "Standard deviation added for hybrids with state-space blocks, measured by one source only",
    "assumption.training.band.layout": "Standard deviation added for states on the host, GPipe and zero-bubble schedules, which no "
    "measured row has",
    "assumption.training.band.memory": "Standard deviation of the log error of peak memory, spread between sources included",
    "assumption.training.band.memory_eager": "Standard deviation added to the log error of peak memory where kernels run one by one "
    "or a compiler decides what stays",
    "assumption.training.band.mixture": "Standard deviation added for mixtures of experts",
    "assumption.training.band.own": "Standard deviation added for scripts of one's own: what their publishers do not say of their "
    "stack",
    "assumption.training.band.precision": "Standard deviation added for precisions with few measured runs",
    "assumption.training.band.scale": "Standard deviation added beyond the largest scale that was measured often (2,048 accelerators)",
    "assumption.training.band.small": "Standard deviation added for small models, where the host and memory count",
    "assumption.training.band.tables": "Standard deviation added for recommenders with embedding tables",
    "assumption.training.batch_tolerance": "How far the global batch may be rounded so that it divides over replicas",
    "assumption.training.beyond_steps.language": "hours of a pre-training on text on 64 accelerators or more over those of its steps, "
    "failures and saving",
    "assumption.training.beyond_steps.measured": "hours of a pre-training on 64 accelerators or more over those of its steps, "
    "failures and saving, own step times known",
    "assumption.training.beyond_steps.other": "hours of a pre-training on anything but text on 64 accelerators or more over those of "
    "its steps, failures and saving",
    "assumption.training.bubble_zero": "Share of the pipeline bubble that a zero-bubble schedule leaves",
    "assumption.training.bucket.deepspeed": "Gradients that DeepSpeed exchanges in one call",
    "assumption.training.bucket.megatron": "Gradients that Megatron-Core exchanges in one call",
    "assumption.training.bucket.pytorch": "Gradients that PyTorch DistributedDataParallel exchanges in one call",
    "assumption.training.class.deepspeed": "Step time of DeepSpeed and InternEvo over the formulas",
    "assumption.training.class.maxtext": "Step time of XLA frameworks over the formulas",
    "assumption.training.class.megatron": "Step time of Megatron-Core and NeMo over the formulas",
    "assumption.training.class.mlperf": "Step time of tuned MLPerf submissions over the formulas",
    "assumption.training.class.neuron": "Step time of Neuron over the formulas",
    "assumption.training.cp_all_to_all": "1 where context parallelism exchanges heads all-to-all (Ulysses); 0 passes keys and values "
    "round a ring",
    "assumption.training.cp_hidden": "Share of attention time behind which context-parallel exchange hides",
    "assumption.training.critical_batch": "Critical batch of a pre-training on 10^12 tokens, at which a loss takes twice the tokens of "
    "a small batch",
    "assumption.training.critical_batch_power": "Power of the tokens of a run with which its critical batch grows",
    "assumption.training.dp_floor": "Share of gradient and weight exchange that always shows: first and last bucket",
    "assumption.training.dp_hidden": "Share of one micro-batch behind which gradient and weight exchange hides",
    "assumption.training.dp_hidden_plain": "Share of one micro-batch behind which gradient and weight exchange hides in frameworks "
    "without overlap",
    "assumption.training.elementwise": "Norm, residual and activation traffic over the count of tensors read and written",
    "assumption.training.elementwise_backward": "Norm, residual and activation traffic, backward over forward",
    "assumption.training.elementwise_eager": "Norm, residual and activation traffic, eager frameworks over fused kernels",
    "assumption.training.elementwise_old": "Norm, residual and activation traffic, frameworks to 2022 over current ones",
    "assumption.training.ep_exposed": "Expert all-to-all time that counts, over the link's own time",
    "assumption.training.ep_hidden": "Share of a layer behind which the network part of the expert exchange hides where stages are "
    "interleaved",
    "assumption.training.evaluation_share": "Hours of evaluation over those of steps, failures and saving, where whole programmes do "
    "not hold them already: fine-tuning, and pre-training on few accelerators",
    "assumption.training.fsdp_floor": "Share of fully sharded exchange that always shows",
    "assumption.training.fsdp_hidden": "Share of compute behind which fully sharded exchange hides",
    "assumption.training.gemm_best.ada": "Best share of the dense BF16 peak in large products, Ada",
    "assumption.training.gemm_best.ampere": "Best share of the dense BF16 peak in large products, Ampere",
    "assumption.training.gemm_best.ascend": "Best share of the dense peak in large products, Ascend",
    "assumption.training.gemm_best.blackwell": "Best share of the dense BF16 peak in large products, Blackwell",
    "assumption.training.gemm_best.blackwell-ultra": "Best share of the dense BF16 peak in large products, Blackwell Ultra",
    "assumption.training.gemm_best.cdna2": "Best share of the dense peak in large products, AMD CDNA 2",
    "assumption.training.gemm_best.cdna3": "Best share of the dense peak in large products, AMD CDNA 3",
    "assumption.training.gemm_best.cdna4": "Best share of the dense peak in large products, AMD CDNA 4",
    "assumption.training.gemm_best.gaudi": "Best share of the dense peak in large products, Gaudi",
    "assumption.training.gemm_best.gaudi3": "Best share of the dense peak in large products, Gaudi 3",
    "assumption.training.gemm_best.hopper": "Best share of the dense BF16 peak in large products, Hopper",
    "assumption.training.gemm_best.other": "Best share of the dense peak in large products, hardware without a table",
    "assumption.training.gemm_best.tpu": "Best share of the dense peak in large products, TPU",
    "assumption.training.gemm_best.trainium": "Best share of the dense peak in large products, Trainium",
    "assumption.training.gemm_best.turing": "Best share of the dense peak in large products, Turing",
    "assumption.training.gemm_best.volta": "Best share of the dense peak in large FP16 products, Volta",
    "assumption.training.gemm_fp32": "FP32 and TF32 rate over BF16's share of peak",
    "assumption.training.gemm_fp8": "FP8 rate in training over BF16's share of peak",
    "assumption.training.gemm_k0.bf16": "Inner width at which a BF16 product takes twice its ideal time",
    "assumption.training.gemm_k0.fp8": "Inner width at which an FP8 product takes twice its ideal time",
    "assumption.training.gemm_k0.mxfp8": "Inner width at which a product in block-scaled FP8 takes twice its ideal time",
    "assumption.training.gemm_k0.nvfp4": "Inner width at which an NVFP4 product takes twice its ideal time",
    "assumption.training.gemm_m0.dense": "Tokens of a micro-batch at which a dense product takes twice its ideal time",
    "assumption.training.gemm_m0.expert": "Tokens of one expert at which its product takes twice its ideal time",
    "assumption.training.gemm_mxfp8": "Block-scaled FP8 rate in training over BF16's share of peak",
    "assumption.training.gemm_n0.bf16": "Output width at which a BF16 product takes twice its ideal time",
    "assumption.training.gemm_n0.fp8": "Output width at which an FP8 product takes twice its ideal time, scaling of the inputs "
    "included",
    "assumption.training.gemm_n0.mxfp8": "Output width at which a product in block-scaled FP8 takes twice its ideal time",
    "assumption.training.gemm_n0.nvfp4": "Output width at which an NVFP4 product takes twice its ideal time",
    "assumption.training.gemm_nvfp4": "NVFP4 rate in training over BF16's share of peak; some layers stay in higher precision",
    "assumption.training.gemm_sustained": "Share of the kernel table's rate that long training runs sustain (power, clocks, cold "
    "caches)",
    "assumption.training.generic_best": "Convolution and mixed kernels over a large matrix product",
    "assumption.training.generic_fill": "Work that one micro-batch of such a model loses to kernels that do not fill the accelerator",
    "assumption.training.generic_passes": "Times that the stored activations of such a model are moved in one step, forward and "
    "backward",
    "assumption.training.grouped_n0": "Share of the block-scaled table's output-width loss that remains in grouped expert products of "
    "current Megatron-Core (scaling fused)",
    "assumption.training.grouped_xla": "Grouped expert products under XLA over those of Megatron-Core",
    "assumption.training.hbm_share": "Sustained share of memory bandwidth in streaming kernels",
    "assumption.training.host_adapter": "Host time that adapters add to a layer of PyTorch kernel by kernel",
    "assumption.training.host_call": "Host time of one tensor-parallel collective over that of a layer on one rank",
    "assumption.training.host_gather": "Host time of fetching and freeing the weights of one layer under DeepSpeed's third stage, in "
    "all passes",
    "assumption.training.host_generic": "Host time of one micro-batch of a model given by its work per sample, forward and backward, "
    "kernel by kernel",
    "assumption.training.host_layer.documented": "Host time of one layer and micro-batch, forward and backward, current frameworks as "
    "documented",
    "assumption.training.host_layer.own": "Host time of one layer and micro-batch, forward and backward, scripts of one's own",
    "assumption.training.host_layer.tuned": "Host time of one layer and micro-batch, forward and backward, current frameworks in a "
    "vendor's recipe",
    "assumption.training.host_layer_2022": "Host time of one layer and micro-batch, frameworks to 2022",
    "assumption.training.host_layer_compiled": "Host time of one layer and micro-batch, compiled whole (XLA)",
    "assumption.training.host_step": "Host time of one step outside the layers: data, logging, clipping",
    "assumption.training.host_step_tables": "Host time of one step of a recommender outside its arithmetic",
    "assumption.training.jitter": "Spread of step times over ranks; the slowest of N counts, sqrt(2 ln N) of it",
    "assumption.training.link_latency": "Fixed time of one collective inside the scale-up domain",
    "assumption.training.link_share": "Bus bandwidth of large collectives over the scale-up link",
    "assumption.training.loss_bytes": "Traffic of logits and cross-entropy for each token and vocabulary entry",
    "assumption.training.measurement_noise": "Spread between two measurements of one configuration",
    "assumption.training.memory.buckets": "Buckets of gradient exchange and gathered weights of DeepSpeed",
    "assumption.training.memory.communicators": "Buffers of the collective library on each accelerator",
    "assumption.training.memory.context": "Driver context, collective buffers and libraries on each accelerator",
    "assumption.training.memory.gathered_layers": "Layers gathered at once by fully sharded training",
    "assumption.training.memory.logits_compiled": "Held for each logit by a compiled loss: 16-bit logits and FP32 copy or gradient",
    "assumption.training.memory.logits_eager": "Held for each logit by PyTorch kernel by kernel: 16-bit logits, FP32 copy, "
    "log-softmax and its gradient",
    "assumption.training.memory.logits_fused": "Held for each logit by a fused, vocabulary-parallel loss: 16-bit logits, their FP32 "
    "copy, the gradient",
    "assumption.training.memory.margin": "Capacity left free when a layout is chosen, against peaks that an average hides",
    "assumption.training.memory.norm_eager": "Held by one norm for each element, kernel by kernel: 16-bit input and output, FP32 copy "
    "of the input and of the normalised value",
    "assumption.training.memory.reserve": "Reserved by the allocator over what is allocated",
    "assumption.training.memory.reserve_eager": "Reserved by the allocator over what comes and goes in a micro-batch, kernel by "
    "kernel: many short-lived tensors leave gaps",
    "assumption.training.memory.score_bytes": "Held for each attention score without fused attention",
    "assumption.training.memory.update": "Copies of the updated weights, as wide as one moment, that the optimizer step makes kernel "
    "by kernel",
    "assumption.training.moe_imbalance": "Busiest expert rank over the mean",
    "assumption.training.moe_permute": "Traffic of sorting tokens to experts and back, for each routed element",
    "assumption.training.moe_sync": "Routing, sorting and waiting of one mixture layer and micro-batch, forward and backward",
    "assumption.training.moe_sync_current": "Routing, sorting and waiting of one mixture layer and micro-batch, in current "
    "Megatron-Core with captured graphs",
    "assumption.training.nic_latency": "Time of one hop between nodes in a ring",
    "assumption.training.nic_share": "Bus bandwidth of large collectives over the scale-out links",
    "assumption.training.offload.host_bytes": "Host memory for offloaded states of one accelerator",
    "assumption.training.offload.host_rate": "Host memory rate that the processor update of offloaded states reaches, for one "
    "accelerator",
    "assumption.training.offload.nvme_bytes": "Drive space for offloaded states of one accelerator",
    "assumption.training.offload.nvme_rate": "Drive rate for one accelerator where states live on drives",
    "assumption.training.optimizer_bytes": "Traffic of one optimizer update for each parameter held (FP32 Adam)",
    "assumption.training.oversubscription": "Scale-out bandwidth that all accelerators share at once, over what the fabric carries; 1 "
    "= non-blocking",
    "assumption.training.owner_call": "ZeRO-1 and -2 of DeepSpeed and InternEvo: time of the collectives of one rank that owns a "
    "part, beyond its bytes",
    "assumption.training.pipeline_wait": "What a message between pipeline stages waits for each further node and tensor-parallel "
    "rank, over the number of stages, in scripts of one's own",
    "assumption.training.power_exponent": "Power of the ratio of capped to usual power that the clock follows, where a measured run "
    "states a cap",
    "assumption.training.pp_exposed": "Share of pipeline transfers that is not hidden",
    "assumption.training.qlora_weight_bytes": "Bytes of one frozen 4-bit weight with its scales",
    "assumption.training.ring_hop": "Time of one hop of a ring inside a node, where the ring spans several nodes",
    "assumption.training.shared_error": "Share of the error's variance that runs on one cluster have in common",
    "assumption.training.ssm_passes": "Times that the inner tensors of a state-space block are read or written in one forward pass: "
    "convolution, chunked scan, gate, norm",
    "assumption.training.stack.documented": "Step time of a maintained framework as its documentation says over a vendor's recipe for "
    "that hardware",
    "assumption.training.stack.own": "Step time of a script of one's own over a vendor's recipe for that hardware",
    "assumption.training.stage_excess": "Excess of the slowest stage (logits and loss) that counts",
    "assumption.training.tables_imbalance": "Tables and lookups of the busiest accelerator over the mean",
    "assumption.training.tables_passes": "Times that a row is moved in one step: read forward, read and written in the fused update",
    "assumption.training.tables_rate": "Share of the streaming memory rate that reads of scattered rows reach",
    "assumption.training.tables_state": "Optimizer state of one row of an embedding table: one FP32 scalar (row-wise AdaGrad)",
    "assumption.training.tensor_wait": "What a tensor-parallel collective waits for each node that it spans, beyond its bytes",
    "assumption.training.tile": "Width of the tiles of matrix products on GPUs; a part-filled tile costs a whole one",
    "assumption.training.tile_systolic": "Width of the tiles of matrix products on TPU and Trainium",
    "assumption.training.tp_exposed_overlap": "Share of tensor-parallel communication that overlap does not hide",
    "assumption.training.tp_exposed_plain": "Tensor-parallel communication over the collective's own time where nothing overlaps",
    "assumption.training.unpack_bytes": "Moved for each 4-bit weight that is written out in 16 bits for one pass",
}
"""By their ids. Those of an id that is gone stay: plans name it."""

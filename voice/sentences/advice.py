"""How the work is run: of each rule its choice and its reason. `rule.why.case` is the reason in that case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_CLUSTER = "{nodes:# node|# nodes} with {count:# accelerator|# accelerators}"

SOURCING = {
    "source.lead-time-rent": (
        "Order now and rent until acceptance",
        "Servers take 3–6 months, new power 12–36 months; the total holds {bridge} for the rental until then.",
    ),
    "source.lead-time": (
        "Order now and begin at acceptance",
        "Servers take 3–6 months, new power 12–36 months; no rental of this accelerator is known, so the work begins when "
        "they are there.",
    ),
    "source.regulated": ("Own hardware, or one locked region", "Who may process the data is restricted: {rules}."),
    "source.regulated-own": ("Own hardware", "Who may process the data is restricted: {rules}."),
    "source.buy": (
        "Buy",
        "Of the options that keep the limits and may be had in time, this ranks first with servers that are bought.",
    ),
    "source.buy-horizon": (
        "Buy, for a demand of {months:# month|# months}",
        "Of the options that keep the limits and may be had in time, this ranks first with servers that are bought.",
    ),
    "source.no-horizon": ("Rent", ""),
    "source.quote": ("Rent now, and ask for a quote of servers", ""),
    "source.rent": ("Rent", ""),
    "source.committed": (
        "A commitment of {months:# month|# months}",
        "All of it is paid, used or not: sign for demand that is sure, and ask what an earlier end costs.",
    ),
    "source.spot": (
        "Spot, with another offer in reserve",
        "{count:# accelerator|# accelerators} for {time} may not be there at the listed price on the day: ask for capacity in "
        "several regions, and keep the next alternative ready.",
    ),
    "source.frontier": (
        "A dedicated, contracted cluster",
        "{count:# accelerator|# accelerators} in one fabric are not found on demand: reserve them with a test period.",
    ),
    "source.frequent": (
        "On demand now; ask for a commitment",
        "{runs:One run|# runs} now and demand for {months:# month|# months}: a commitment pays once it is used for more than "
        "1 minus its discount of the hours; academic teams should ask public clusters first.",
    ),
    "source.one-off": (
        "On demand, or a managed fine-tuning service",
        "One short run binds no capacity beyond it.",
    ),
    "source.block": (
        "A capacity block",
        "{count:# accelerator|# accelerators} for {time}: the dates are reserved, not the year. All of it is paid, used or not, and it "
        "ends on its last day.",
    ),
    "source.occasional": (
        "On demand",
        "{count:# accelerator|# accelerators} for {days:# day|# days}: reserve the dates, not the year.",
    ),
    "source.variable-load": (
        "On demand with the load; commit later to what the night needs",
        "The peak is {times:0.1} times the mean load, so capacity fixed at the peak would stand idle.",
    ),
    "source.kept-load": (
        "On demand first; commit when the peak is proven",
        "Capacity is kept at all hours, as asked, and would use a commitment fully; first months on demand show whether the peak is "
        "so high.",
    ),
    "source.steady-load": (
        "On demand first; commit when the load is proven",
        "A flat load around the clock uses a commitment fully; first months on demand show whether it is so.",
    ),
}

TRAINING = {
    "train.checkpoint.cadence": ("Every {interval} ({steps:# step|# steps}), the last {kept} kept", ""),
    "train.checkpoint.cadence-once": ("Once, at the end of the run", ""),
    "train.checkpoint.asynchronous": (
        "Write checkpoints in the background",
        "{lost:0.1} of the time is lost to saving and failures. Copying to host memory first blocks training for seconds "
        "instead of {write}; hosts then need memory for their part of {size}.",
    ),
    "train.restart.elastic": (
        "torchrun with --max-restarts, one spare node in reach",
        "The layout needs each of its {nodes} nodes, so a failed one must be replaced, not left out.",
    ),
    "train.restart.elastic-xla": (
        "Start all hosts again from the last checkpoint, one spare node in reach",
        "The layout needs each of its {nodes} nodes, so a failed one must be replaced, not left out.",
    ),
    "train.data": (
        "Read from {tier}, {workers:# loader worker|# loader workers} per node",
        "Prefetch two batches and keep samples in large sequential files.",
    ),
    "train.spares": (
        "Hold {spares:# spare node|# spare nodes}",
        "Of {nodes} nodes some are always in repair; so many spares keep the job whole 99% of the time, and the total holds "
        "them.",
    ),
    "train.spot.use": (
        "Use spot capacity with automatic resume",
        "One interruption or failure every {between} costs {lost:0.1} of the time; the total counts it and is still the "
        "lowest.",
    ),
    "train.spot.avoid": (
        "Do not use spot capacity for this run",
        "No spot offer of this size was cheaper within the limits once interruptions of {nodes:# node|# nodes} were counted.",
    ),
    "train.precision.bf16": (
        "{precision}",
        "{precision} has the range of FP32, so it needs no loss scaling; weights are kept in FP32 beside it.",
    ),
    "train.precision.fp16": (
        "{precision}",
        "{precision} is the fastest format of this hardware, but its range is small: use dynamic loss scaling and watch for "
        "overflows.",
    ),
    "train.precision.fp8": (
        "{precision}",
        "{precision} doubles the matrix rate of BF16; per-tensor scales keep the range, and embeddings, norms and the last "
        "layers stay in BF16.",
    ),
    "train.precision.mxfp8": (
        "{precision}",
        "{precision} doubles the matrix rate of BF16 with one scale for each block of 32 values, which keeps more range than "
        "one per tensor.",
    ),
    "train.precision.nvfp4": (
        "{precision}",
        "{precision} is the fastest format of this hardware; keep sensitive layers in BF16 and compare the loss with a BF16 "
        "run early.",
    ),
    "train.precision.tf32": (
        "{precision}",
        "{precision} rounds the inputs of FP32 products to 10 bits: no change to the code, and half of the BF16 rate.",
    ),
    "train.precision.fp32": (
        "{precision}",
        "{precision} is exact and slow: matrix units of current hardware are 8 to 16 times faster in BF16.",
    ),
    "train.precision.other": ("{precision}", "{precision} was asked for."),
    "train.framework.megatron": (
        "{framework}",
        "Tensor, pipeline and expert parallelism in one place, with the best measured efficiency.",
    ),
    "train.framework.fsdp": (
        "{framework}",
        "Part of PyTorch: shards weights, gradients and optimizer without changing the model.",
    ),
    "train.framework.pytorch": (
        "{framework}",
        "Each accelerator holds the whole model, so plain PyTorch with distributed data parallel is enough.",
    ),
    "train.framework.torchrec": (
        "{framework}",
        "Splits the embedding tables over all accelerators and copies the dense layers to each.",
    ),
    "train.framework.jax": ("{framework}", "XLA compiles the model as it is; sharding is declared."),
    "train.framework.deepspeed": ("{framework}", "ZeRO stages and offload by configuration."),
    "train.framework.maxtext": (
        "{framework}",
        "JAX, made for TPU slices; sharding is declared and XLA compiles the rest.",
    ),
    "train.framework.neuron": ("{framework}", "The library that Trainium's compiler is tested with."),
    "train.batch.large": (
        "Raise the learning rate with the batch, and warm it up",
        "{batch} samples in one step are many: scale the rate with the square root of the batch (Adam) and check that the "
        "tokens to a given loss do not grow.",
    ),
    "train.batch.large-samples": (
        "Raise the learning rate with the batch, and warm it up",
        "{batch} {unit}s in one step are many: scale the rate with the square root of the batch (Adam) and check that the "
        "{unit}s to a given loss do not grow.",
    ),
    "train.method.adapters": (
        "Train adapters",
        "Rank {rank} leaves the base model as it is, so several adapters share one copy when they are served.",
    ),
}

SERVING = {
    "serve.engine.vllm": (
        "{engine}",
        "Continuous batching and paged KV cache on the widest range of hardware and models.",
    ),
    "serve.engine.sglang": ("{engine}", "Continuous batching with prefix sharing between requests."),
    "serve.engine.tensorrt-llm": (
        "{engine}",
        "The fastest kernels on NVIDIA hardware, for the price of a build per model and GPU.",
    ),
    "serve.engine.tgi": (
        "{engine}",
        "A small server with continuous batching, close to the Hugging Face hub.",
    ),
    "serve.engine.llama.cpp": ("{engine}", "Runs quantised weights (GGUF) on consumer and Apple hardware."),
    "serve.engine.jetstream": ("{engine}", "Made for TPU."),
    "serve.engine.neuron": ("{engine}", "Compiled ahead for Inferentia and Trainium."),
    "serve.engine.triton": ("{engine}", "Serves many kinds of model beside each other with dynamic batching."),
    "serve.engine.other": ("{engine}", "{engine} was asked for."),
    "serve.batch.queue": (
        "Feed from a queue, save answers as they come",
        "{requests:# request has|# requests have} {deadline}: no load balancer is needed, and spot capacity loses only what "
        "is in flight.",
    ),
    "serve.balancer.least-requests": (
        "Send each request to the replica with the fewest in flight",
        "Answers differ in length, so turns do not balance {replicas:# replica|# replicas}; keep a conversation on one replica "
        "where prefixes are cached.",
    ),
    "serve.gateway": (
        "Keys, rate limits in {unit}s, and a bounded queue",
        "Beyond {most} the promise is kept less surely than planned: refuse early with 429 instead.",
    ),
    "serve.autoscale.fixed": (
        "No autoscaling: {replicas:# replica|# replicas} all day",
        "The load is flat.",
    ),
    "serve.autoscale.in-flight": (
        "{least} to {most:# replica|# replicas} by requests in flight per replica",
        "A new replica needs {start}, so scale up at {use} of what one holds and wait 10 minutes before scaling down.",
    ),
    "serve.registry": (
        "Versioned weights in object storage, copied to local disk before start",
        "A replica takes {start} to answer, most of it loading weights.",
    ),
    "serve.probes": (
        "Ready only after a first answer; a start-up time of {allowed} allowed",
        "A process that is up but still loads weights must get no requests; a stuck one must be replaced.",
    ),
    "serve.cache.prefix": (
        "Prefix cache on, requests routed by prefix",
        "{share} of the input tokens are expected in the cache and are not computed again.",
    ),
    "serve.cache.measure": (
        "Switch the prefix cache on and measure hits",
        "The plan counts on none; a common system prompt would lower time to first token and cost.",
    ),
    "serve.spares": (
        "{spares:# spare replica|# spare replicas} beyond the peak",
        "The load is carried while one replica is down or being updated; {availability:exact} of the time is asked.",
    ),
    "serve.distance": (
        "Serve nearer to the users",
        "{distance:0.0} of each time to first token is distance.",
    ),
    "serve.api": ("Compare with the hosted API every quarter", ""),
    "serve.api-cheaper": ("Try the hosted API on your own prompts before hardware is held", ""),
    "serve.api-batch": ("Compare with the hosted API before each batch", ""),
}

PLATFORM = {
    "ops.container.cuda": (
        "NGC PyTorch container, NVIDIA driver of the production branch, container toolkit",
        "On {device}, one image holds CUDA, NCCL and the framework; on every node only the driver must match it.",
    ),
    "ops.container.rocm": (
        "ROCm PyTorch container with the amdgpu driver of the same ROCm release",
        "On {device}, ROCm, RCCL and the framework are built against one release; mixed releases fail late.",
    ),
    "ops.container.xla": (
        "Provider's TPU image with a pinned JAX and libtpu",
        "On {device}, libtpu and JAX must be of matching versions; there is no driver.",
    ),
    "ops.container.neuron": (
        "AWS Neuron deep-learning container",
        "On {device}, models are compiled ahead: keep the compile cache on shared storage.",
    ),
    "ops.container.gaudi": (
        "Gaudi PyTorch container with the matching driver",
        "On {device}, graph compiler and driver come as one release.",
    ),
    "ops.container.metal": ("Native build, no container", "On {device}, containers on macOS do not reach the GPU."),
    "ops.container.other": (
        "Vendor's own software image",
        "On {device}, the stack is closed and versioned as a whole.",
    ),
    "ops.scheduler.managed-own": (
        "Slurm or Kubernetes, run by a contractor",
        f"You asked for a managed service, but {_CLUSTER} are your own: nobody's surcharge covers them, so the total holds "
        "staff instead.",
    ),
    "ops.scheduler.managed": (
        "Managed service of the provider",
        f"It takes {_CLUSTER} off your hands for a surcharge of {{surcharge}}, which is in the total, on the instances.",
    ),
    "ops.scheduler.kueue": (
        "Kubernetes with Kueue",
        f"It admits a job by quota once all of {_CLUSTER} can be had, and leaves placing to the scheduler of Kubernetes. No licence and no "
        "surcharge: the people who run the cluster are its cost. It starts no workers: Kubeflow Trainer or a Job does.",
    ),
    "ops.scheduler.volcano": (
        "Kubernetes with Volcano",
        f"It places the pods of a job itself, all of {_CLUSTER} or none. No licence and no surcharge; pods of the job name it as their "
        "scheduler, so it shares no node well with the one of Kubernetes.",
    ),
    "ops.scheduler.kubeflow": (
        "Kubernetes with Kubeflow Trainer",
        f"It starts and joins the workers on {_CLUSTER} and starts them again; it holds no queue, so put Kueue or Volcano beside it where "
        "several teams share the cluster. No licence and no surcharge.",
    ),
    "ops.scheduler.sagemaker": (
        "SageMaker HyperPod, with Slurm or EKS on it",
        f"It replaces faulty nodes of {_CLUSTER} by itself. Its instances list {{surcharge}} over plain ones, which is in the total. It "
        "reaches instances of AWS only: no other provider, no hardware of your own, nothing behind an air gap; commitments and capacity "
        "are those of SageMaker, not of EC2.",
    ),
    "ops.scheduler.vertex": (
        "Vertex AI training",
        f"It takes {_CLUSTER} off your hands for a management fee of {{surcharge}} on the instances, which is in the total and which no "
        "commitment discounts. It reaches instances of Google Cloud only: no other provider, no hardware of your own, nothing behind an "
        "air gap.",
    ),
    "ops.scheduler.azure-ml": (
        "Azure Machine Learning",
        f"It places jobs on {_CLUSTER} at the price of the virtual machines, a surcharge of {{surcharge}}. It reaches instances of Azure, "
        "and hardware of your own through Kubernetes that Azure Arc connects; nothing behind an air gap.",
    ),
    "ops.scheduler.as-asked": ("{scheduler}", f"You asked for it; it schedules {_CLUSTER}."),
    "ops.scheduler.slurm-large-training": (
        "Slurm",
        f"{_CLUSTER} start and stop together: gang scheduling, topology-aware placement and automatic requeue come with it.",
    ),
    "ops.scheduler.kubernetes-small-training": (
        "Kubernetes with Kueue or Volcano",
        f"{_CLUSTER} are few enough for a shared platform; a queue keeps the job together.",
    ),
    "ops.scheduler.single-node": (
        "No scheduler: torchrun starts the job on its one node",
        "One node needs no scheduler; a restart loop and a checkpoint are enough.",
    ),
    "ops.scheduler.single-node-xla": (
        "No scheduler: one command starts the job on its one node",
        "One node needs no scheduler; a restart loop and a checkpoint are enough.",
    ),
    "ops.scheduler.kubernetes-batch": (
        "Kubernetes with the device plugin, one job",
        f"The replicas on {_CLUSTER} take requests from one queue and end with it; a failed one is started again.",
    ),
    "ops.scheduler.kubernetes-serving": (
        "Kubernetes with the device plugin",
        f"A service of {_CLUSTER} needs rolling updates and probes.",
    ),
    "ops.observability.batch": (
        "Requests done and left, tokens per second of each replica, KV-cache use, errors, device errors",
        "What is left over the rate says whether the deadline holds.",
    ),
    "ops.observability.batch-samples": (
        "Requests done and left, {unit}s per second of each replica, errors, device errors",
        "What is left over the rate says whether the deadline holds.",
    ),
    "ops.observability.serving": (
        "Requests in flight, queue time, TTFT and time per token (p50, p95, p99), KV-cache use, errors, device errors",
        "Means hide what users feel; the queue shows trouble first.",
    ),
    "ops.observability.serving-samples": (
        "Requests in flight, queue time, time to the answer (p50, p95, p99), errors, device errors",
        "Means hide what users feel; the queue shows trouble first.",
    ),
    "ops.observability.training": (
        "Loss, step time, MFU, slowest rank, device errors (ECC, Xid, link), temperature, checkpoint time, loader wait",
        "Raise an alarm when MFU stays below {least}, the low end of this plan, or the loss is not a number; a slow rank holds "
        "up {count:# accelerator|# accelerators}.",
    ),
    "ops.observability.training-alone": (
        "Loss, step time, MFU, device errors (ECC, Xid), temperature, checkpoint time, loader wait",
        "Raise an alarm when MFU stays below {least}, the low end of this plan, or the loss is not a number.",
    ),
    "ops.security.gdpr": (
        "Keep data, checkpoints and logs in one region of the EU or of an adequate country",
        "Personal data may not leave without a legal basis.",
    ),
    "ops.security.hipaa": (
        "Only services under a business associate agreement; audit log for every access",
        "Health data needs a contract with every processor.",
    ),
    "ops.security.export-control": (
        "Check end user, region and accelerator class before ordering",
        "Current accelerators are licensed goods in many countries.",
    ),
    "ops.security.air-gapped": (
        "Own servers with mirrored images, weights and packages",
        "No service of a provider can be reached from there.",
    ),
    "ops.security.sso": (
        "One identity provider for scheduler, registry and dashboards",
        "One place to take access away.",
    ),
    "ops.security.encryption": (
        "Encrypt disks and object storage with keys of your own; TLS between services",
        "Checkpoints hold the model and parts of the data.",
    ),
    "ops.security.other": (
        "Have “{named}” checked by those who own the rule",
        "The plan has no rule of its own for it.",
    ),
    "ops.security.residency": (
        "Stay in {region}",
        "Data must stay in {residency}; backups and logs too.",
    ),
    "ops.security.residency-sites": (
        "Stay in {region} and {second}",
        "Data must stay in {residency}; backups and logs too.",
    ),
    "ops.security.residency-own": (
        "Stay in your own room",
        "Data must stay in {residency}; backups and logs too.",
    ),
    "ops.staff.own": (
        "People who run the hardware are in the total",
        "The total holds {cost} of staff for this work, by the hours that it uses.",
    ),
    "ops.staff.rented": (
        "About {people} for the platform, not in the total",
        "The provider runs the hardware; images, scheduler, data and access remain. Over {time} that is about {cost} at {year} a "
        "year ({share} of what own hardware needs). A team that has such people already pays nothing more.",
    ),
    "ops.cover.own-office": (
        "Your own staff answers in office hours",
        "The total holds {cost} for that, the time of {people:2} of a person. In the other 128 hours of a week nobody answers.",
    ),
    "ops.cover.own-24x7": (
        "Your own staff answers around the clock",
        "The total holds {cost} for that: as much as {people:2} people cost, most of it for standing by. So that nobody stands by "
        "more than one week in four, a rotation needs at least four people, eight with a second one behind each (Google's handbook of site "
        "reliability); they work on other things meanwhile.",
    ),
    "ops.cover.managed-office": (
        "A managed service answers in office hours",
        "The total holds {cost} for its fee, which is a usual one: replace it by an offer. In the other 128 hours of a week nobody "
        "answers.",
    ),
    "ops.cover.managed-24x7": (
        "A managed service answers around the clock",
        "The total holds {cost} for its fee, which is a usual one: replace it by an offer, and have it say what it may change by itself.",
    ),
    "ops.on-call.needed": (
        "Put somebody on call",
        "{promised:exact} leaves {outage} of outage a month, less than a night without anybody.",
    ),
    "ops.restart.automatic": (
        "Restart automatically: health check, exclude the node, load the last checkpoint",
        "About {failures:# failure|# failures} to be expected in the run, one every {between}; by hand each costs hours of "
        "{count:# accelerator|# accelerators}.",
    ),
}

_BESIDES = {
    "source.lead-time.why.air_gapped": "Servers take 3–6 months, new power 12–36 months; nothing may be rented meanwhile, so "
    "the work begins when they are there.",
    "train.precision.bf16.why.adapters": "{precision} has the range of FP32, so it needs no loss scaling; only the adapters are "
    "kept in FP32 beside it, the base is frozen.",
    "train.framework.megatron.why.nodes": "Tensor, pipeline and expert parallelism in one place, with the best measured "
    "efficiency on many nodes.",
    "serve.balancer.least-requests.why.samples": "A replica is busy until its batch ends, so turns do not balance "
    "{replicas:# replica|# replicas}.",
    "serve.gateway.why.unpromised": "Beyond {most} the queue grows: refuse early with 429 instead.",
    "serve.autoscale.fixed.why.kept": "Capacity is kept at all hours, as asked, whatever the load.",
    "serve.autoscale.fixed.why.rented": "The load is flat, so capacity may be committed.",
    "serve.spares.why.one_host": "They stand in for a replica that fails or is being updated. All replicas stand on one host: while that "
    "is down, nothing is served, whatever is spare.",
    "serve.distance.why.samples": "{distance:0.0} of each answer is distance.",
    "ops.scheduler.azure-ml.why.own": f"{_CLUSTER} are your own: it reaches them through Kubernetes that Azure Arc connects, so they need "
    "a line to Azure. Nobody charges a surcharge for them.",
    "ops.scheduler.managed.why.usual": f"It takes {_CLUSTER} off your hands for a surcharge of about 10–25% on the instances.",
    "ops.scheduler.kubernetes-serving.why.scaled": f"A service of {_CLUSTER} needs rolling updates, probes and an autoscaler.",
    "ops.observability.serving.why.promised": "Latency is promised at the 95th percentile, so means hide what users feel; the "
    "queue shows trouble first.",
    "ops.observability.serving-samples.why.promised": "Latency is promised at the 95th percentile, so means hide what users "
    "feel; the queue shows trouble first.",
    "held": "The total holds {cost:price} for it.",
    "held.monthly": "The total holds {cost} a month for it.",
    "checkpoints.stored": "{kept:# checkpoint takes|# checkpoints take} {size}; errors that are found late need an older one.",
    "checkpoints.stored.one": "One checkpoint takes {size}.",
    "serve.weights": "Weights in {weights}.",
    "serve.weights_and_cache": "Weights in {weights}, KV cache in {cache}.",
}
"""Reasons in a case of their own, and what is said beside a reason."""


def _texts(*tables: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for table in tables:
        for rule, (choice, why) in table.items():
            yield f"advice.{rule}", choice
            if why:
                yield f"advice.{rule}.why", why


ADVICE = {
    **dict(_texts(SOURCING, TRAINING, SERVING, PLATFORM)),
    **{f"advice.{code}": text for code, text in _BESIDES.items()},
    "people": "{people:2} people",
    "people.part": "{people:2} of a person",
}

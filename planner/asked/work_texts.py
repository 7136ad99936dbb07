"""What each kind of work is asked to do, in sentences: in its own units, with what is promised and the load of a service."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import ModelSummary
from engine.inputs.spec import Serving, Training
from planner.asked.things import things
from planner.asked.voice import Voice


def asked_of_run(asked: Training, model: ModelSummary, voice: Voice) -> Iterator[str]:
    """What is trained how, on how much."""
    name, work = voice.name(model.name), _amount(asked, model, voice)
    match asked.method:
        case "pretrain":
            text = voice.tr("Pre-train {model} on {work}", model=name, work=work)
        case "continue":
            text = voice.tr("Continue the pre-training of {model} on {work}", model=name, work=work)
        case "finetune":
            text = voice.tr("Fine-tune all weights of {model} on {work}", model=name, work=work)
        case "lora":
            text = voice.tr(
                "Fine-tune {model} with LoRA of rank {rank} on {work}", model=name, rank=asked.lora_rank, work=work
            )
        case "qlora":
            text = voice.tr(
                "Fine-tune {model} with QLoRA of rank {rank} on {work}", model=name, rank=asked.lora_rank, work=work
            )
    text += _steps(asked, model, voice)
    if asked.runs > 1:
        text += voice.tr(", {runs} times", runs=voice.number(asked.runs))
    if asked.experiment_overhead:
        text += voice.tr(", with {share} on top for experiments", share=voice.percent(asked.experiment_overhead))
    yield f"{text}."


def _amount(asked: Training, model: ModelSummary, voice: Voice) -> str:
    """How much of what, in the model's own unit, and how long each piece is where pieces have a length."""
    tokens = model.counts == "token"
    if asked.tokens:
        text = voice.tr("{count} tokens", count=voice.scaled(asked.tokens))
        length = voice.tr("in sequences of {length}", length=voice.number(asked.sequence_length))
        return f"{text} {length}" if tokens else text
    text = things("sample" if tokens else model.counts, voice, asked.samples)
    if asked.epochs != 1:
        text += voice.tr(", each seen {epochs} times", epochs=voice.number(asked.epochs))
    if not tokens:
        return text
    return text + voice.tr(", of {length} tokens each at most", length=voice.number(asked.sequence_length))


def _steps(asked: Training, model: ModelSummary, voice: Voice) -> str:
    """How much one optimizer step takes, where that was set."""
    if asked.global_batch_tokens:
        return voice.tr(", {count} tokens a step", count=voice.scaled(asked.global_batch_tokens))
    if asked.global_batch_size:
        pieces = things("sample" if model.counts == "token" else model.counts, voice, asked.global_batch_size)
        return voice.tr(", {pieces} a step", pieces=pieces)
    return ""


def asked_of_service(asked: Serving, model: ModelSummary, voice: Voice) -> Iterator[str]:
    """What is answered how often, what is promised of it, and how the load moves."""
    work, lengths = things(model.counts, voice, asked.requests_per_s), _lengths(asked, model, voice)
    yield voice.tr("Serve {model} at {work} a second at the peak", model=voice.name(model.name), work=work) + lengths
    yield _promise(asked, voice, tokens=model.counts == "token")
    yield _load(asked, voice)


def asked_of_batch(asked: Serving, model: ModelSummary, voice: Voice) -> Iterator[str]:
    """What is worked off by when."""
    job, name = asked.batch, voice.name(model.name)
    assert job is not None  # a request of that kind has it
    work, hours = things(model.counts, voice, job.requests), voice.days(job.deadline_hours / 24)
    text = voice.tr("Work off {work} with {model} within {time}", work=work, model=name, time=hours)
    yield text + _lengths(asked, model, voice)


def _lengths(asked: Serving, model: ModelSummary, voice: Voice) -> str:
    """How long requests and answers are where they have a length, and the end of the sentence."""
    if model.counts != "token":
        return "."
    words = {"input": voice.number(asked.input_tokens), "output": voice.number(asked.output_tokens)}
    return voice.tr(", on average {input} tokens in and {output} out", **words) + "."


def _promise(asked: Serving, voice: Voice, *, tokens: bool) -> str:
    first, each = voice.number(asked.ttft_p95_ms), voice.number(asked.tpot_p95_ms)
    if not tokens and asked.ttft_p95_ms:
        return voice.tr("Promised to 95 of 100: an answer within {limit}\u00a0ms.", limit=first)
    if asked.ttft_p95_ms and asked.tpot_p95_ms:
        return voice.tr(
            "Promised to 95 of 100: the first token within {first}\u00a0ms, each further one within {each}\u00a0ms.",
            first=first,
            each=each,
        )
    if asked.ttft_p95_ms:
        return voice.tr("Promised to 95 of 100: the first token within {first}\u00a0ms.", first=first)
    if asked.tpot_p95_ms and tokens:
        return voice.tr("Promised to 95 of 100: each further token within {each}\u00a0ms.", each=each)
    return voice.tr("No latency is promised.")


def _load(asked: Serving, voice: Voice) -> str:
    curve = asked.load_curve
    if not curve or min(curve) == max(curve):
        return voice.tr("The load is the same at all hours.")
    return voice.tr(
        "Over the day the load falls to {least} of the peak and is {mean} of it on average.",
        least=voice.percent(min(curve)),
        mean=voice.percent(sum(curve) / len(curve)),
    )

"""Event simulation of one replica: continuous batching, chunked prefill, a bounded cache, preemption.

Open loop (arrival times given) and closed loop (a number of users, each freed slot refilled at once). The loop works on
plain floats and arrays. Where numba is installed it is compiled, otherwise the same function runs as it stands: equal
results, about sixty times slower. Times in seconds, lengths in tokens.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Replica:
    """What the scheduler needs to know of a replica."""

    matrix_s: Floats
    """Seconds of a step by tokens in it, attention left out; the last entry holds for more."""
    sequence_s: float
    """Seconds that one decoding sequence adds, whatever its context (sliding-window layers)."""
    context_s: float
    """Seconds that one cached token of a decoding sequence adds."""
    attention_s: float
    """Seconds for each pair of a new prompt token and a token before it."""
    cache_tokens: float
    """Tokens that fit into the cache."""
    max_batch: int
    token_budget: int
    reserve: float
    """Share of the answer that must fit before a request is admitted: 1 = never preempt."""
    pipeline_s: float = 0.0
    """What a prompt of mean length takes longer than its share of a step, because it crosses the stages in turn."""
    mixed: bool = True
    """Do prompts and answers share a step? Otherwise answers wait while prompts are digested."""
    gain: float = 1.0
    """Tokens that an answer gains in a step: more than one where drafts of them are accepted."""
    drafted: float = 0.0
    """Tokens verified beside the one of each answer."""
    drafting: float = 0.0
    """What drafting them takes longer than a step of answers alone, as a share of it."""
    prefix: int = 0
    """Tokens before each prompt that lie in the cache: attended to, read and held, and not computed."""

    def steps(self, outputs: Integers) -> Integers:
        """Steps in which answers of so many tokens grow: the first token comes with the prompt."""
        if self.gain == 1.0:
            return outputs
        return 1 + np.ceil(np.maximum(outputs - 1, 0) / self.gain).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Run:
    """Outcome by request, in order of arrival [s]; `steps` and `preempted` count."""

    arrival: Floats
    first: Floats
    """Time of the first token."""
    end: Floats
    outputs: Integers
    steps: int
    preempted: int
    slot_s: float
    """Seconds that requests held a slot, summed over all of them: over the time of the run, the mean batch."""
    stopped: bool = False
    """Was it stopped before its end? Then some times are missing."""

    @property
    def ttft(self) -> Floats:
        """Arrival to first token."""
        return self.first - self.arrival

    @property
    def tpot(self) -> Floats:
        """Mean time between tokens after the first; 0 for an answer of one token."""
        return (self.end - self.first) / np.maximum(self.outputs - 1, 1)

    @property
    def e2e(self) -> Floats:
        """Arrival to last token."""
        return self.end - self.arrival


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A run is of no use any more when too many requests were late."""

    judged: int
    """The first request that counts."""
    first_s: float
    """Longest time to the first token."""
    token_s: float
    """Longest time between tokens."""
    allowed: int
    """So many may be late, for each of the two."""


NEVER = Stop(judged=0, first_s=np.inf, token_s=np.inf, allowed=0)


def _loop(
    arrival: Floats,
    inputs: Integers,
    outputs: Integers,
    users: int,
    matrix_s: Floats,
    sequence_s: float,
    context_s: float,
    attention_s: float,
    cache_tokens: float,
    max_batch: int,
    token_budget: int,
    reserve: float,
    mixed: bool,
    gain: float,
    drafted: float,
    drafting: float,
    prefix: int,
    answers: Integers,
    judged: int,
    first_s: float,
    token_s: float,
    allowed: int,
    first: Floats,
    end: Floats,
) -> tuple[int, int, float, bool]:
    """Run to the last request. `users` > 0: closed loop, `arrival` is written. `outputs`: steps in which an answer grows,
    of which each gives it `gain` tokens; `answers`: its tokens.

    Stops as soon as, from request `judged` on, more than `allowed` waited longer than `first_s` for their first token, or
    more than `allowed` longer than `token_s` between tokens. Returns (steps, preemptions, seconds of all slots, stopped).
    """
    count = len(inputs)
    top = len(matrix_s) - 1
    done_steps = np.zeros(count, np.int64)  # of its steps those already taken (kept over a preemption)
    prompt = inputs.copy()  # tokens to digest before the next answer token
    digested = np.zeros(count, np.int64)
    born = np.zeros(count, np.int64)  # clock at which the request gave its latest first token
    fresh = np.zeros(count, np.bool_)  # prompt digested in this step
    version = np.zeros(count, np.int64)
    waiting = np.empty(2 * count + 8, np.int64)
    head = tail = count  # the first half leaves room for preempted requests at the front
    stack = np.empty(count, np.int64)  # running requests in order of admission
    running = 0
    heap = [(np.int64(0), np.int64(0), np.int64(0))]  # (clock at which it ends, request, version); typed for numba
    heap.pop()
    now = 0.0
    upcoming = 0
    if users > 0:
        for i in range(min(users, count)):
            arrival[i] = 0.0
            waiting[tail % (2 * count + 8)] = i
            tail += 1
        upcoming = min(users, count)
    filling = -1  # request whose prompt is being digested in pieces
    decoding = 0
    context = 0.0  # cached tokens of decoding requests
    held = 0.0  # cache tokens spoken for
    clock = 0  # decode steps so far
    finished = 0
    steps = 0
    preempted = 0
    slot_s = 0.0
    late_first = 0
    late_token = 0
    size = 2 * count + 8
    while finished < count:
        if users == 0:
            while upcoming < count and arrival[upcoming] <= now:
                waiting[tail % size] = upcoming
                tail += 1
                upcoming += 1
            if decoding == 0 and filling < 0 and head == tail:
                now = arrival[upcoming]
                continue
        # 1. Prompts: finish the one begun, then admit in order while tokens, slots and cache last.
        room = token_budget - (int(decoding * (1.0 + drafted)) if mixed else 0)
        tokens = 0
        pairs = 0.0
        started = 0
        stop = False
        while room > 0 and not stop:
            if filling < 0:
                if head == tail or running >= max_batch:
                    break
                who = waiting[head % size]
                need = prefix + prompt[who] + reserve * gain * (outputs[who] - done_steps[who]) + 1
                # Answers under way must be able to grow by one step, or the newcomer would be sent back at once.
                growth = (decoding + started + 1) * (1.0 - reserve) * gain
                if held + need + growth > cache_tokens and running > 0:
                    break
                head += 1
                filling = who
                digested[who] = 0
                held += need
                stack[running] = who
                running += 1
            who = filling
            piece = min(prompt[who] - digested[who], room)
            pairs += piece * (prefix + digested[who] + piece * 0.5)
            digested[who] += piece
            tokens += piece
            room -= piece
            if digested[who] < prompt[who]:
                stop = True
            else:
                started += 1
                filling = -1
                version[who] += 1
                fresh[who] = True
                # Its first token leaves with this step, which moves the clock only if answers take part in it.
                last = clock + outputs[who] - done_steps[who] - (0 if mixed else 1)
                heapq.heappush(heap, (np.int64(last), np.int64(who), version[who]))
        # 2. How many equal steps can be taken at once?
        repeat = 1
        active = decoding if mixed or tokens == 0 else 0  # answers that advance in this step
        verified = int(active * (1.0 + drafted))
        total = verified + tokens
        base = matrix_s[total if total < top else top] + active * sequence_s + attention_s * pairs
        if drafting > 0 and active > 0:
            base += drafting * matrix_s[verified if verified < top else top]
        cached = context if active > 0 else 0.0
        if tokens == 0:
            if decoding == 0:
                # The head of the queue fits no step: it alone is larger than the cache; let it through.
                break
            repeat = int(heap[0][0]) - clock
            grows = decoding * (1.0 - reserve) * gain
            if grows > 0 and held + grows * repeat > cache_tokens:
                repeat = min(repeat, max(1, int((cache_tokens - held) / grows)))
            if users == 0 and upcoming < count and (running < max_batch) and repeat > 1:
                # Steps until the next arrival: base·k + slope·k² reaches the gap.
                gap = arrival[upcoming] - now
                rate = base + context_s * context
                slope = 0.5 * context_s * decoding * gain
                if slope > 0:
                    k = (np.sqrt(rate * rate + 4 * slope * gap) - rate) / (2 * slope)
                else:
                    k = gap / rate
                repeat = min(repeat, int(k) + 1)
        lasted = repeat * (base + context_s * cached) + 0.5 * context_s * active * gain * repeat * (repeat - 1)
        now += lasted
        slot_s += running * lasted
        steps += repeat
        if mixed or tokens == 0:
            clock += repeat
            context += active * repeat * gain
            held += active * repeat * (1.0 - reserve) * gain
        # 3. Prompts that are whole now have given their first token.
        if started > 0:
            for j in range(running):
                who = stack[j]
                if fresh[who]:
                    fresh[who] = False
                    born[who] = clock
                    if done_steps[who] == 0:
                        first[who] = now
                        if who >= judged and now - arrival[who] > first_s:
                            late_first += 1
                    decoding += 1
                    context += prefix + prompt[who] + gain
                    held += (1.0 - reserve) * gain
        # 4. Answers that are complete leave.
        left = 0
        while len(heap) > 0 and heap[0][0] <= clock:
            item = heapq.heappop(heap)
            who = item[1]
            if version[who] != item[2]:
                continue
            end[who] = now
            if who >= judged and now - first[who] > token_s * max(answers[who] - 1, 1):
                late_token += 1
            finished += 1
            left += 1
            decoding -= 1
            grown = (outputs[who] - done_steps[who]) * gain
            context -= prefix + prompt[who] + grown
            held -= prefix + prompt[who] + 1 + reserve * grown + (1.0 - reserve) * grown
            version[who] = -1
            if users > 0 and upcoming < count:
                arrival[upcoming] = now
                waiting[tail % size] = upcoming
                tail += 1
                upcoming += 1
        if late_first > allowed or late_token > allowed:
            return steps, preempted, slot_s, True
        if left > 0:
            keep = 0
            for j in range(running):
                if version[stack[j]] >= 0:
                    stack[keep] = stack[j]
                    keep += 1
            running = keep
        # 5. A cache that overflows sends the youngest request back; its tokens are digested again later.
        while held + decoding * (1.0 - reserve) * gain > cache_tokens and decoding > 1:
            who = stack[running - 1]
            if who == filling:
                filling = -1
                held -= prefix + prompt[who] + 1 + reserve * gain * (outputs[who] - done_steps[who])
            else:
                taken = clock - born[who] + 1
                given = taken * gain
                reserved = reserve * gain * (outputs[who] - done_steps[who])
                decoding -= 1
                context -= prefix + prompt[who] + given
                held -= prefix + prompt[who] + 1 + reserved + (1.0 - reserve) * given
                done_steps[who] += taken
                prompt[who] += int(given)
                version[who] += 1
            running -= 1
            head -= 1
            waiting[head % size] = who
            preempted += 1
        while len(heap) > 0 and version[heap[0][1]] != heap[0][2]:
            heapq.heappop(heap)
    return steps, preempted, slot_s, False


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled by numba, or as it stands where numba is missing."""
    if find_spec("numba") is None:
        return function
    njit = import_module("numba").njit
    try:
        compiled: Callable[..., Any] = njit(cache=True)(function)
    except RuntimeError:  # no folder in which the compiled code could be kept
        compiled = njit(function)
    return compiled


@cache
def _runner() -> Callable[..., Any]:
    """Compiled at the first simulation, so that a plan without one does not pay for it."""
    return _compiled(_loop)


def warm() -> None:
    """Compile now (seconds the first time on a machine, a fraction later), so that the first plan does not wait."""
    one = np.ones(1, dtype=np.int64)
    tiny = Replica(
        matrix_s=np.ones(2),
        sequence_s=0.0,
        context_s=0.0,
        attention_s=0.0,
        cache_tokens=10.0,
        max_batch=1,
        token_budget=1,
        reserve=0.0,
    )
    closed_loop(tiny, users=1, inputs=one, outputs=one)


def _finish(
    replica: Replica, arrival: Floats, inputs: Integers, outputs: Integers, *, users: int = 0, stop: Stop | None = None
) -> Run:
    first = np.zeros(len(inputs))
    end = np.zeros(len(inputs))
    stop = stop or NEVER
    steps, preempted, slot_s, stopped = _runner()(
        arrival,
        inputs,
        replica.steps(outputs),
        users,
        replica.matrix_s,
        replica.sequence_s,
        replica.context_s,
        replica.attention_s,
        replica.cache_tokens,
        replica.max_batch,
        replica.token_budget,
        replica.reserve,
        replica.mixed,
        replica.gain,
        replica.drafted,
        replica.drafting,
        replica.prefix,
        outputs,
        stop.judged,
        stop.first_s,
        stop.token_s,
        stop.allowed,
        first,
        end,
    )
    return Run(
        arrival=arrival,
        first=first,
        end=end,
        outputs=outputs,
        steps=int(steps),
        preempted=int(preempted),
        slot_s=float(slot_s),
        stopped=bool(stopped),
    )


def open_loop(
    replica: Replica, *, arrival: Floats, inputs: Integers, outputs: Integers, stop: Stop | None = None
) -> Run:
    """Requests that arrive at given times, whatever the replica does. `stop`: when nothing more is to be learnt."""
    return _finish(replica, arrival.astype(np.float64), inputs, outputs, stop=stop)


def closed_loop(replica: Replica, *, users: int, inputs: Integers, outputs: Integers) -> Run:
    """`users` requests in flight at any time; all start at once, each that ends is replaced at once."""
    return _finish(replica, np.zeros(len(inputs)), inputs, outputs, users=users)


def gamma_arrivals(rng: np.random.Generator, *, rate: float, burstiness: float, count: int) -> Floats:
    """Arrival times [s] with gamma gaps: mean 1/rate, squared coefficient of variation `burstiness`."""
    shape = 1.0 / burstiness
    return np.cumsum(rng.gamma(shape, 1.0 / (rate * shape), count))


def lengths(
    rng: np.random.Generator, *, mean: float, spread: float, count: int, most: Floats | float = np.inf
) -> Integers:
    """Log-normal lengths of at least one token with that mean and coefficient of variation.

    None is over `most` (for all, or one for each): what a model cannot take is cut there, and the others are stretched
    until the mean is again what was asked.
    """
    if spread <= 0:
        drawn = np.full(count, max(mean, 1.0))
    else:
        sigma = np.sqrt(np.log1p(spread * spread))
        drawn = np.exp(rng.normal(np.log(mean) - sigma * sigma / 2, sigma, count))
    whole: Integers = np.maximum(np.rint(drawn), 1).astype(np.int64)
    if not (whole <= most).all():
        whole = np.maximum(np.floor(_cut(drawn, mean, most)), 1).astype(np.int64)
    return whole


def _cut(drawn: Floats, mean: float, most: Floats | float) -> Floats:
    """Those lengths cut at `most` and stretched to that mean, as far as the cut lets them."""
    low, high = 1.0, 2.0
    while np.minimum(drawn * high, most).mean() < mean and high < 1e6:
        low, high = high, high * 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(drawn * middle, most).mean() < mean else (low, middle)
    cut: Floats = np.minimum(drawn * high, most)
    return cut

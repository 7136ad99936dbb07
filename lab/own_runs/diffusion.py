"""Two denoising networks in plain PyTorch: the U-Net of Stable Diffusion 1.5 and DiT-XL/2.

Imported only where PyTorch is known to be there.

Widths after the published configurations (Rombach et al. 2022, arXiv 2112.10752; Peebles and Xie 2023, arXiv 2212.09748): both have
exactly the published number of parameters, which a test counts.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

TEXT, TEXT_TOKENS, HEADS, GROUPS = 768, 77, 8, 32


class Residual(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """Two convolutions with the time between them, beside the input."""

    def __init__(self, channels: int, out: int, time: int) -> None:
        super().__init__()
        self.first, self.second = nn.GroupNorm(GROUPS, channels), nn.GroupNorm(GROUPS, out)
        self.into, self.onward = nn.Conv2d(channels, out, 3, padding=1), nn.Conv2d(out, out, 3, padding=1)
        self.time = nn.Linear(time, out)
        self.beside = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()

    def forward(self, image: Tensor, time: Tensor, _text: Tensor) -> Tensor:
        inner = self.into(functional.silu(self.first(image))) + self.time(functional.silu(time))[:, :, None, None]
        return self.beside(image) + self.onward(functional.silu(self.second(inner)))


class Attention(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """Attention of the pixels to each other, or to the text."""

    def __init__(self, width: int, seen: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = nn.Linear(seen, width, bias=False), nn.Linear(seen, width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, rows: Tensor, seen: Tensor) -> Tensor:
        parts = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part in (self.query(rows), self.key(seen), self.value(seen))
        )
        mixed = functional.scaled_dot_product_attention(*parts)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Attending(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """A transformer block over the pixels: to each other, to the text, feed-forward."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, width)
        self.into, self.out = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.cross = Attention(width, width), Attention(width, TEXT)
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, image: Tensor, _time: Tensor, text: Tensor) -> Tensor:
        height = image.shape[2]
        rows = self.into(self.norm(image)).flatten(2).transpose(1, 2)
        seen = self.norms[0](rows)
        rows = rows + self.own(seen, seen)
        rows = rows + self.cross(self.norms[1](rows), text)
        wide, gate = self.up(self.norms[2](rows)).chunk(2, dim=-1)
        rows = rows + self.down(wide * functional.gelu(gate))
        return image + self.out(rows.transpose(1, 2).unflatten(2, (height, -1)))


class Smaller(nn.Conv2d):  # type: ignore[misc] # PyTorch has no types here
    """Half the side."""

    def forward(self, image: Tensor, _time: Tensor, _text: Tensor) -> Tensor:
        return super().forward(image)


class Larger(nn.Conv2d):  # type: ignore[misc] # PyTorch has no types here
    """Twice the side."""

    def forward(self, image: Tensor, _time: Tensor, _text: Tensor) -> Tensor:
        return super().forward(functional.interpolate(image, scale_factor=2.0))


class UNet(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """Stable Diffusion 1.5's: noise of 4 × 64 × 64 latents of a picture of 512 × 512 px."""

    def __init__(self, widths: tuple[int, ...] = (320, 640, 1280, 1280), latent: int = 64) -> None:
        super().__init__()
        self.latent, first = latent, widths[0]
        time = 4 * first
        self.time = nn.Sequential(nn.Linear(first, time), nn.SiLU(), nn.Linear(time, time))
        self.into = nn.Conv2d(4, first, 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        held, width = [first], first
        for place, out in enumerate(widths):
            for _ in range(2):
                self.down.append(_level(width, out, time, attends=place < len(widths) - 1))
                width = out
                held.append(width)
            if place < len(widths) - 1:
                self.down.append(nn.ModuleList([Smaller(width, width, 3, stride=2, padding=1)]))
                held.append(width)
        self.middle = nn.ModuleList([Residual(width, width, time), Attending(width), Residual(width, width, time)])
        for place, out in reversed(list(enumerate(widths))):
            for number in range(3):
                level = _level(width + held.pop(), out, time, attends=place < len(widths) - 1)
                width = out
                if number == 2 and place > 0:
                    level.append(Larger(width, width, 3, padding=1))
                self.up.append(level)
        self.norm, self.out = nn.GroupNorm(GROUPS, width), nn.Conv2d(width, 4, 3, padding=1)

    def forward(self, image: Tensor, when: Tensor, text: Tensor) -> Tensor:
        time = self.time(_waves(when, self.time[0].in_features))
        image = self.into(image)
        held = [image]
        for level in self.down:
            for part in level:
                image = part(image, time, text)
            held.append(image)
        for part in self.middle:
            image = part(image, time, text)
        for level in self.up:
            image = torch.cat((image, held.pop()), dim=1)
            for part in level:
                image = part(image, time, text)
        return self.out(functional.silu(self.norm(image)))


class DiTBlock(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """A transformer block whose norms are shifted and scaled by time and class."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = (nn.LayerNorm(width, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.back = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.turn = nn.Linear(width, 6 * width)

    def forward(self, rows: Tensor, told: Tensor) -> Tensor:
        shift, scale, gate, shift_2, scale_2, gate_2 = self.turn(functional.silu(told))[:, None].chunk(6, dim=-1)
        seen = self.before(rows) * (1 + scale) + shift
        query, key, value = self.qkv(seen).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        rows = rows + gate * self.out(mixed.transpose(1, 2).flatten(2))
        inner = self.wide(self.between(rows) * (1 + scale_2) + shift_2)
        return rows + gate_2 * self.back(functional.gelu(inner, approximate="tanh"))


class DiT(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """DiT-XL/2: noise and its variance of 4 × 32 × 32 latents of a picture of 256 × 256 px."""

    def __init__(self, layers: int = 28, width: int = 1152, heads: int = 16, latent: int = 32) -> None:
        super().__init__()
        self.latent = latent
        self.into = nn.Conv2d(4, width, 2, stride=2)
        self.places = nn.Parameter(torch.zeros(1, (latent // 2) ** 2, width), requires_grad=False)
        self.time = nn.Sequential(nn.Linear(256, width), nn.SiLU(), nn.Linear(width, width))
        self.classes = nn.Embedding(1001, width)
        self.blocks = nn.ModuleList(DiTBlock(width, heads) for _ in range(layers))
        self.norm, self.turn = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, 2 * 2 * 8)

    def forward(self, image: Tensor, when: Tensor, kind: Tensor) -> Tensor:
        rows = self.into(image).flatten(2).transpose(1, 2) + self.places
        told = self.time(_waves(when, 256)) + self.classes(kind)
        for block in self.blocks:
            rows = block(rows, told)
        shift, scale = self.turn(functional.silu(told))[:, None].chunk(2, dim=-1)
        return self.out(self.norm(rows) * (1 + scale) + shift)


def _level(channels: int, out: int, time: int, *, attends: bool) -> nn.ModuleList:
    parts = [Residual(channels, out, time)]
    return nn.ModuleList([*parts, Attending(out)] if attends else parts)


def _waves(when: Tensor, width: int) -> Tensor:
    """Sine and cosine of the time at falling rates."""
    rates = 10_000.0 ** -(torch.arange(width // 2, device=when.device) / (width // 2))
    turns = when[:, None].float() * rates
    return torch.cat((turns.cos(), turns.sin()), dim=-1)

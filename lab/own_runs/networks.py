"""Networks that are no decoders, each with its loss on a batch of drawn samples. Imported only where PyTorch is known to be there.

Image networks of torchvision (224 × 224 px, channels last), encoders and speech recognition of the Transformers library, two denoising
networks and a recommender of this package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.own_runs.asked import MOST_ROWS, Asked
from lab.own_runs.diffusion import TEXT, TEXT_TOKENS, DiT, UNet
from lab.own_runs.recommender import Recommender

IMAGES = {
    "resnet-50": "resnet50", "resnet-152": "resnet152", "convnext-base": "convnext_base", "vit-b-16": "vit_b_16",
    "vit-l-16": "vit_l_16", "swin-b": "swin_b",
}  # fmt: skip
"""Slugs of the catalog → names in torchvision."""
SPOKEN = 75
"""Tokens written for one recording of 30 s."""


class Network(NamedTuple):
    """What is trained, and its loss on the batch."""

    model: nn.Module
    loss: Callable[[], Tensor]


def network(run: Asked, device: torch.device, *, tiny: bool = False) -> Network:
    """The network that a row names; `tiny` = the same code with few and narrow layers, to try it without an accelerator."""
    made = {
        "image": _image, "encoder": _encoder, "speech": _speech, "unet": _unet, "dit": _dit, "recommender": _recommender,
    }[run.kind]  # fmt: skip
    with device:
        return made(run, tiny)


def _image(run: Asked, tiny: bool) -> Network:
    from torchvision import models

    model = models.get_model("resnet18" if tiny else IMAGES[run.model]).train().to(memory_format=torch.channels_last)
    images = torch.randn(run.batch, 3, 224, 224).to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (run.batch,))
    return Network(model, lambda: functional.cross_entropy(model(images).float(), labels))


def _encoder(run: Asked, tiny: bool) -> Network:
    from transformers import BertConfig, BertForMaskedLM

    wide = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    config = BertConfig(attn_implementation="sdpa", **(small if tiny else wide if "large" in run.model else {}))
    model = BertForMaskedLM(config).train()
    held = torch.randint(config.vocab_size, (run.batch, run.sequence))
    return Network(model, lambda: model(input_ids=held, labels=held).loss)


def _speech(run: Asked, tiny: bool) -> Network:
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    layers, width = (2, 64) if tiny else (12, 768)
    config = WhisperConfig(
        d_model=width, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=width // 64 or 1,
        decoder_attention_heads=width // 64 or 1, encoder_ffn_dim=4 * width, decoder_ffn_dim=4 * width,
        attn_implementation="sdpa",
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config).train()
    heard, said = torch.randn(run.batch, config.num_mel_bins, 3000), torch.randint(50_000, (run.batch, SPOKEN))
    return Network(model, lambda: model(input_features=heard, labels=said).loss)


def _unet(run: Asked, tiny: bool) -> Network:
    model = UNet((64, 64), latent=16) if tiny else UNet()
    images, when = torch.randn(run.batch, 4, model.latent, model.latent), torch.randint(1000, (run.batch,))
    text, noise = torch.randn(run.batch, TEXT_TOKENS, TEXT), torch.randn_like(images)
    return Network(model, lambda: functional.mse_loss(model(images, when, text).float(), noise))


def _dit(run: Asked, tiny: bool) -> Network:
    model = DiT(layers=2, width=64, heads=2) if tiny else DiT()
    images, when = torch.randn(run.batch, 4, model.latent, model.latent), torch.randint(1000, (run.batch,))
    kinds, noise = torch.randint(1000, (run.batch,)), torch.randn(run.batch, (model.latent // 2) ** 2, 32)
    return Network(model, lambda: functional.mse_loss(model(images, when, kinds).float(), noise))


def _recommender(run: Asked, tiny: bool) -> Network:
    model = Recommender(1000 if tiny else MOST_ROWS)
    numbers, picked, answers = model.sample(run.batch, torch.get_default_device())
    return Network(model, lambda: functional.binary_cross_entropy_with_logits(model(numbers, picked).float(), answers))

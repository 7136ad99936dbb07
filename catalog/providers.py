"""How providers spell their own names, for every page and document."""

from __future__ import annotations

PROVIDERS = {
    "aws": "AWS",
    "azure": "Azure",
    "coreweave": "CoreWeave",
    "crusoe": "Crusoe",
    "cudo": "Cudo Compute",
    "do": "DigitalOcean",
    "fluidstack": "Fluidstack",
    "gcp": "Google Cloud",
    "hyperstack": "Hyperstack",
    "ibm": "IBM Cloud",
    "lambda": "Lambda",
    "nebius": "Nebius",
    "oci": "OCI",
    "paperspace": "Paperspace",
    "runpod": "RunPod",
    "together": "Together AI",
    "vast": "Vast.ai",
}


def provider_name(slug: str) -> str:
    """The provider's own spelling of its name; the text itself when we do not know it."""
    return PROVIDERS.get(slug.lower(), slug)

"""One template for each code, by room; `voice.speech` says what stands in the braces."""

from collections.abc import Mapping

from voice.sentences.request import FAULTS

SENTENCES: Mapping[str, str] = {f"fault.{code}": text for code, text in FAULTS.items()}

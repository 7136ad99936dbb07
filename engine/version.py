"""The engine's version: part of every plan's hash; raised when any number could change."""

ENGINE_VERSION = "0.1.3"

"""The baseline without a generative model: fixed searches, and an answer made of quotations."""

from dofpilot.agent.providers.extractive.provider import Extractive

__all__ = ["Extractive"]

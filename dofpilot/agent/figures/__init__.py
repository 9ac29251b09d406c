"""Figures in an answer and where its sources say them."""

from dofpilot.agent.figures.lookup import check
from dofpilot.agent.figures.mentions import Mention, scan

__all__ = ["Mention", "check", "scan"]

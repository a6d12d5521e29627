"""Lets an agent of your own tell Candor what it does, and why. See docs/your-agent.md."""

from .client import Job
from .reason import reasoned, take_reason, with_reason

__all__ = ["Job", "reasoned", "take_reason", "with_reason"]

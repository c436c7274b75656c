"""What every test module gets: the repository on the import path, whatever the current folder,
and Hypothesis profiles. ``HYPOTHESIS_PROFILE=search pytest`` looks longer and at new examples
each time; the default profile is quick and repeatable."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

common = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
    "print_blob": False,
}
settings.register_profile("suite", max_examples=40, derandomize=True, **common)
settings.register_profile("search", max_examples=1000, **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

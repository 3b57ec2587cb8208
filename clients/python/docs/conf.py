# SPDX-License-Identifier: Apache-2.0
"""Sphinx: sphinx-build docs OUTPUT."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

project = "listd for Python"
author = "The listd project"
copyright = "2026, The listd project"
extensions = ["sphinx.ext.autodoc"]
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
html_theme = "alabaster"
exclude_patterns: list[str] = []

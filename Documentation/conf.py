# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx configuration; "make docs" builds build/docs."""
import os
import re

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "..", "dkms.conf"), encoding="utf-8") as f:
    release = re.search(r'^PACKAGE_VERSION="(.*)"', f.read(), re.M).group(1)

project = "ernic"
author = "The ernic authors"
copyright = "the ernic authors"
version = release
extensions = []
exclude_patterns = ["_build"]
source_suffix = ".rst"
master_doc = "index"
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"description": "a software ionic NIC for virtual machines"}
nitpicky = True

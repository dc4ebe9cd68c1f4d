"""Answers of the validator in the formats that machines read.

findings.py   Report: what a program or a container was found to be; the source of every format
document.py   json: the whole answer, as the client has it
sarif.py      sarif: SARIF 2.1.0
github.py     github: annotations of a workflow run
junit.py      junit: JUnit XML
"""

from collections.abc import Callable, Mapping

from .document import document
from .findings import Finding, Group, Note, Report, of_container, of_program
from .github import github
from .junit import junit
from .sarif import sarif

FORMATS: Mapping[str, Callable[[Report], str]] = {"json": document, "sarif": sarif, "github": github, "junit": junit}

__all__ = ["FORMATS", "Finding", "Group", "Note", "Report", "of_container", "of_program"]

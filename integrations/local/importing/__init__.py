"""Fills a local account's folders from files: mbox, eml, ics, vcf, folders and zips of them. It only ever creates."""

from integrations.local.importing.importer import import_files
from integrations.local.importing.report import ImportReport, LocalFolders, OnProgress

__all__ = ["ImportReport", "LocalFolders", "OnProgress", "import_files"]

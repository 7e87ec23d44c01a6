"""A lesson as a SCORM 1.2 package: the page of the lesson with a script that reports to the system around it."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from html import escape

from ..wire.lessons import LessonInfo
from .one_file.lesson_page import Program, lesson_page
from .one_file.page import built_file

SCRIPT = "js/scorm.js"
PAGE, MANIFEST = "index.html", "imsmanifest.xml"
WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that equal lessons are equal packages."""


def scorm_package(programs: Sequence[Program], lessons: Mapping[str, LessonInfo]) -> bytes:
    """The package of a lesson in all its languages; the first is shown at first. Raises `PageError`."""
    shown = next(iter(lessons.values()))
    script = f"globalThis.hloscopeLesson={_json(_reported(shown))};\n{built_file(SCRIPT)}"
    page = lesson_page(programs, lessons, script=script)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in ((MANIFEST, manifest(shown).encode()), (PAGE, page)):
            package.writestr(zipfile.ZipInfo(name, WRITTEN), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _reported(lesson: LessonInfo) -> dict[str, object]:
    """What the script needs to know: the ids of steps, questions and exercises."""
    blocks = [block for step in lesson["steps"] for block in step["blocks"]]
    return {
        "name": lesson["name"],
        "version": lesson["version"],
        "steps": [step["id"] for step in lesson["steps"]],
        "asks": [block["id"] for block in blocks if block["kind"] == "ask"],
        "exercises": [block["id"] for block in blocks if block["kind"] == "change"],
    }


def _json(value: object) -> str:
    """JSON that ends no script."""
    return json.dumps(value).replace("<", "\\u003c")


def manifest(lesson: LessonInfo) -> str:
    """The manifest: one organization with one item, the page."""
    title, name = escape(lesson["title"]), escape(lesson["name"])
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="hloscope-{name}" version="1.0"
    xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
    xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://www.imsproject.org/xsd/imscp_rootv1p1p2 imscp_rootv1p1p2.xsd http://www.adlnet.org/xsd/adlcp_rootv1p2 adlcp_rootv1p2.xsd">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="hloscope">
    <organization identifier="hloscope">
      <title>{title}</title>
      <item identifier="lesson" identifierref="page" isvisible="true">
        <title>{title}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href="{PAGE}">
      <file href="{PAGE}"/>
    </resource>
  </resources>
</manifest>
"""

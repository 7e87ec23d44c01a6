"""Lessons: Markdown files with steps at positions of recordings, questions and exercises.

`format` parses a text, `resolve` evaluates positions, answers and values in the recordings of its programs,
`check` reports errors of a lesson, `changes` judges exercises, `shipped` finds the available lessons. The
server's side is `app/classroom/lesson_sessions.py`. docs/lessons.md has the format.
"""

"""Asking functions, judging their answers, and the check in the notebook.

Notebooks call `notebook`. `asking` runs in the notebook and in the sandbox, and `checking` judges the answers in the
notebook and in the grader; `fit` and `trace` name mistakes. Students get an exercise as `NAME.json`, plain data
computed by `exercises/grading`. The sentences for mistakes are in `mistakes.toml`.
"""

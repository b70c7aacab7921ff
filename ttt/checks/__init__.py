"""How a function is asked, what its answers show, and the check in the notebook.

`notebook` is what a notebook calls. `asking` runs in the notebook and in the sandbox alike, and `checking` judges the
answers in the notebook and in the grader; `fit` and `trace` name mistakes. What students have of an exercise is
`NAME.json`, plain data that `exercises/grading` works out; what they are told about a mistake is in `mistakes.toml`.
"""

"""Checks of students' functions: what they are asked, what tells right from wrong, and what a student is told.

Notebooks call `notebook`, and `yours` for the function to go on with. `calling` asks a function, here and in the
grader's sandbox; `verdict` judges its answers, here and in the grader, by the first of its explanations. An `exercise`
knows its mistakes by edits of a right function: those of lessons are in `tasks.toml`, those of graded exercises in
`heuristic_1.toml` and `alpha_beta.toml`. Of other mistakes, `line_sums` and `search_trace` say what the answers prove.
In the notebook, `causes` goes on from the verdict: `names` says where names come from, and `source` which line to
change, by trying the repairs of `slips` and `repairs.toml`. `visits` counts the boards that a search visits. The
sentences are in `mistakes.toml`, and in `repairs.toml` and `slips.toml` if the source shows what is wrong.
"""

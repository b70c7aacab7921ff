"""Grading a whole class, and what else only instructors need. Students get `ttt` without this package.

A submission runs in a sandbox, which holds no answers. Nothing that comes out of it is trusted.

| outside the sandbox | |
| --- | --- |
| `command`, `batch` | the commands; a class graded by many workers |
| `submissions`, `platforms`, `entries` | what was handed in; whose it is by its name; the files in folders and zips |
| `roster`, `source` | matching names; the code of a submission, read but not run |
| `sandbox`, `syscalls` | start a process that sees nothing else of the machine; the system calls that it is refused |
| `judge`, `marking` | ask a function about boards, and reply to what it asks a heuristic; mark the answers by a key |
| `key` | what a key is: the right answers, the mistakes and the marks |
| `heuristic_1`, `alpha_beta` | the keys of these exercises, with their settings beside them |
| `my_fork`, `worth`, `my_player` | the keys of what is checked in lessons and in the challenge |
| `interface` with `interface_client` | plays on a redesigned interface |
| `contest` | asks a submitted player for its moves in a tournament |
| `conversation` | what `contest` and `interface_client` have in common: questions to a sandboxed program |
| `grade`, `gradebook`, `sheet` | a grade; the grades of a class; CSV files for people, Canvas and Moodle |
| `review` | the form in which a person overrides marks and comments on them |
| `feedback`, `statistics`, `similar` | pages for a student, on the class, and on submissions that are alike |
| `pages` | what those pages have in common; they are in `templates/` |
| `release` | the student bundle, with what is in `bundle/`; the instructor's edition, with what is in `solutions/` |

| in `inside`, each with a submission and no answers | |
| --- | --- |
| `runner`, `player`, `interface_server` | answer `judge`, `contest` and `interface_client` |
| `submission` | reads the code of a function or a player |
"""

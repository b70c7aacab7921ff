"""The instructor's wing: judging and grading a whole class. What students get comes without it.

Who is where, of a submission that is asked; what is outside believes nothing that comes out of the jail.

| outside the jail | |
| --- | --- |
| `command`, `batch` | the commands; a class, submission by submission, on many workers |
| `submissions`, `roster`, `source` | what was handed in, in whatever layout; who is who; its code, read and not run |
| `sandbox` | starts the process that sees nothing else of the machine |
| `judge` with `heuristic_1` | asks a function about boards; knows the right values, the mistakes and the marks |
| `actor` with `interface`, `picture` | asks a redesigned interface to play; draws it, with the browser in a jail too |
| `contest` | asks a submitted player for its moves in a tournament |
| `gradebook`, `feedback`, `chart` | what is kept and written |
| `nbgrader` | nbgrader's autograde with our judge |
| `release`, `leaflet` | the student bundle |

| inside, each with a submission and no answers | |
| --- | --- |
| `runner`, `stage`, `seat` | asked by `judge`, `actor` and `contest`; `seat` reads the submission with `runner` |
"""

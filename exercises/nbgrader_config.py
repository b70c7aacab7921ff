"""nbgrader with the lab's own judge. Copy this file into your course folder, beside `source/`; README.md says how.

nbgrader runs a submitted notebook in order to grade it, and a student's code that runs beside the grader can change its
verdict. Here nothing of it is run: the function is asked in a sandbox, and its score goes into nbgrader's gradebook.
"""

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from ttt.grading.nbgrader import escaped_markdown, first_steps, steps

c = get_config()  # noqa: F821 - nbgrader provides it

# Autograding: the judge in place of the step that would run the notebook, and damaged cells mended before. All else is
# as nbgrader has it.
c.Autograde.sanitize_preprocessors = first_steps()
c.Autograde.autograde_preprocessors = steps()

# The isolation to insist on: "full", or less where bubblewrap can't be had. Below it nothing is graded.
c.Judge.isolation = "full"

# The exercise is handed out as it is: its cell to fill in holds a stub already.
c.GenerateAssignment.preprocessors = [
    step for step in GenerateAssignment.preprocessors.default() if step is not ClearSolutions
]

# Feedback shows HTML in students' text cells as it is written: scripts in it do nothing.
c.HTMLExporter.filters = {"markdown2html": escaped_markdown}

# Where students fetch and hand in, if they do so with nbgrader. Everybody must be able to write there.
# c.Exchange.root = "/srv/nbgrader/exchange"
# c.CourseDirectory.course_id = "tic-tac-toe"

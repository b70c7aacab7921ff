"""The chart of the most common mistakes: it is readable, and shows the right numbers."""

from xml.etree import ElementTree

from ttt.grading import chart
from ttt.svg import INK

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*counts, title="The commonest mistake: signs swapped"):
    return ElementTree.fromstring(chart.bars(counts, title, "students, of 9"))


def bars(drawing):
    return [float(bar.get("width")) for bar in drawing.iter(f"{SVG}rect") if bar.get("fill") == INK["X"]]


def test_every_name_has_its_number_and_a_bar_of_that_length():
    drawing = drawn(("signs swapped", 4), ("rows missing", 2), ("only rows", 1))
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    names = ["signs swapped", "4", "rows missing", "2", "only rows", "1"]
    assert texts == ["The commonest mistake: signs swapped", *names, "students, of 9"]
    first, second, third = bars(drawing)
    assert first == 2 * second == 4 * third


def test_markup_in_a_name_is_shown_as_text():
    name = "<script>alert('1')</script> & \"more\""
    drawing = drawn((name, 1), title=name)
    assert not list(drawing.iter(f"{SVG}script"))
    assert [text.text for text in drawing.iter(f"{SVG}text")][:2] == [name, name]


def test_everything_fits_into_the_drawing():
    drawing = drawn(("a mistake with a name that is as long as names of mistakes ever are", 120), ("short", 0))
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    for bar in drawing.iter(f"{SVG}rect"):
        if bar.get("fill") == INK["X"]:
            assert float(bar.get("x")) + float(bar.get("width")) < width
    assert all(
        float(text.get("y")) < height and 0 < float(text.get("x")) < width for text in drawing.iter(f"{SVG}text")
    )

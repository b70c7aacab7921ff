"""What a page does with a widget: mouse, keys, the focus, messages, time, and trees that scroll."""

import pytest
from alone import Alone
from conftest import moves_to
from games import Kayles, Nim, first
from lab import CubeGame, Explorer, GameBoard, fill_in
from lab.boards import guesses
from lab.boards.guesses import NumberGuess, OrderGuess
from lab.boards.recap import Recap, RecapQuestion
from lab.drawing.narration import explain_step
from playwright.sync_api import expect

from ttt import Board

pytestmark = pytest.mark.browser

SILENT = "Python is busy or has stopped. If a cell is still running, wait, or press the square above. "
SILENT += "If Python was restarted, run the cells from the top."
GONE = "This is how you left it. To continue, run the cells from the top."
LETTERS = "xabdcvzym\"'\\]"  # in command mode the first cut, add, delete or change notebook cells


@pytest.fixture
def alone(page):
    """Shows a widget on a page of its own."""
    return lambda widget, **options: Alone(page, widget, **options)


def place(index, *more):
    return f"cell {index}, row {index // 3 + 1}, column {index % 3 + 1}, {', '.join(more)}"


def test_a_game_is_played_by_keys_alone_and_every_state_is_announced(alone, page):
    game = GameBoard("flash-clever")
    shown, said = alone(game), [game.message]
    assert page.evaluate("announced") == said
    for _ in range(2):  # past the notebook's cell
        page.keyboard.press("Tab")
    assert shown.focus == place(0, "empty")  # all cells are one stop
    at = 0
    for move in moves_to("X"):
        keys = ["ArrowDown"] * (move // 3 - at // 3) + ["ArrowUp"] * (at // 3 - move // 3)
        keys += ["ArrowRight"] * (move % 3 - at % 3) + ["ArrowLeft"] * (at % 3 - move % 3)
        assert shown.keys(*keys, *LETTERS) == []
        at = move
        assert shown.keys("Enter") == [("play", str(move))]
        said.append(game.message)
        assert shown.message == game.message and shown.focus.startswith(place(move, "X"))
        assert shown.root.locator('[role=gridcell][tabindex="0"]').count() == 1
    assert page.evaluate("announced") == said and page.evaluate("changes") == len(said) - 1
    assert shown.text(".message strong") == "You win!"
    page.keyboard.press("Tab")
    assert shown.focus == "New game"
    page.keyboard.press("Shift+Tab")
    assert shown.focus.startswith(place(at, "X"))  # where you were
    assert not {*LETTERS, "Enter", "ArrowDown"} & {*page.evaluate("reached")}


def test_keys_go_to_the_ends_of_a_row_and_numbers_play_and_what_is_the_notebooks_reaches_it(alone, page):
    shown = alone(GameBoard("flash-clever"))
    shown.cell(1).focus()
    for key, to in {"End": 2, "ArrowRight": 2, "ArrowDown": 5, "Home": 3, "ArrowUp": 0, "PageDown": 0}.items():
        assert shown.keys(key) == [] and shown.focus == place(to, "empty")
    assert shown.keys("4", "9") == [("play", "4")] and shown.focus == place(4, "X")
    assert page.evaluate("reached") == []
    shown.keys("Control+s", "Alt+x", "Meta+x", "Shift+Enter", "Shift+x")
    assert [key for key in page.evaluate("reached") if len(key) == 1 or key == "Enter"] == ["s", "x", "x", "Enter"]
    shown.keys("Escape")
    assert shown.focus == "notebook"
    shown.keys("x")
    assert page.evaluate("reached.at(-1)") == "x"


def test_a_key_that_is_held_down_and_a_double_click_play_once_and_so_does_a_press_before_the_answer(alone, page):
    game = GameBoard("flash-clever")
    shown = alone(game)
    shown.cell(4).focus()
    for reports in ([("play", "4")], [], []):  # from the second time on, the browser says that it repeats
        page.keyboard.down("Enter")
        assert shown.answer() == reports
    page.keyboard.up("Enter")
    shown.cell(8).dblclick()
    shown.cell(7).click()  # before there is an answer
    assert shown.answer() == [("play", "8")]
    assert shown.click(shown.cell(7)) == [("play", "7")]
    shown.root.get_by_role("button", name="Undo").dblclick()  # which may take back two moves
    assert shown.answer() == [("undo", None)] * 2 and game.board == Board().play(4).play(0)
    shown.root.get_by_role("button", name="Hint").click()
    shown.cell(3).click()  # a move is not lost because something else waits for an answer
    assert shown.answer() == [("hint", None), ("play", "3")]


def test_while_the_computer_thinks_your_move_is_seen_a_press_counts_for_nothing_and_a_moment_later_it_is_said(alone):
    seen = []

    def thinks(board):
        seen.append(shown.cell(4).get_attribute("data-mark"))
        for milliseconds in (299, 20):
            shown.wait(milliseconds)
            seen.append(shown.message)
        shown.cell(0).click()
        shown.wait(5000)
        seen.extend([shown.text(".silence"), shown.page.evaluate("sent")])
        return 8

    shown = alone(GameBoard(thinks))
    shown.click(shown.cell(4))
    begin = "You are X. Click a free cell, press keys 0 to 8, or use the arrow keys and Enter."
    expect(shown.root.get_by_role("button", name="Undo")).to_be_enabled()
    assert seen == ["X", begin, "thinks is thinking.", "", []]
    assert shown.message == "O plays cell 8. Your move."
    shown.wait(1000)
    assert shown.message == "O plays cell 8. Your move."


def test_four_seconds_without_an_answer_are_told_until_it_comes(alone):
    shown = alone(GameBoard("flash-clever"))
    shown.root.get_by_role("button", name="Hint").click()
    shown.wait(2000)
    shown.root.get_by_role("button", name="New game").click()
    shown.wait(3999)
    assert shown.text(".silence") == ""
    shown.wait(2)
    assert shown.text(".silence") == SILENT
    assert shown.answer() == [("hint", None), ("new_game", None)]
    shown.wait(5000)
    assert shown.text(".silence") == ""


def test_without_a_kernel_a_widget_is_only_to_look_at_and_a_kernel_that_is_just_gone_is_told(alone, page):
    shown = alone(GameBoard("flash-clever"))
    page.evaluate("window.dead = true")
    shown.press("New game")
    shown.press("Hint")
    assert shown.text(".silence") == SILENT
    page.evaluate("lost()")
    assert shown.text(".silence") == GONE
    expect(shown.root.get_by_role("button", name="New game")).to_be_disabled()
    expect(shown.root.get_by_label("Opponent")).to_be_disabled()
    shown.cell(4).click()
    shown.wait(5000)
    assert shown.text(".silence") == GONE and page.evaluate("[sent, changes]") == [[], 2]


def test_a_message_that_repeats_is_announced_again(alone, page):
    shown = alone(GameBoard(start=Board.from_text("X-- -O- ---")))
    for _ in range(2):
        shown.click(shown.cell(0))
        assert shown.message == "Cell 0 already holds X. Choose a free cell."
        shown.keys("Enter")
    assert page.evaluate("announced")[1:] == 4 * ["Cell 0 already holds X. Choose a free cell."]


def test_controls_report_their_values_and_show_what_python_says(alone, page):
    game = GameBoard("flash-clever")
    page.set_viewport_size({"width": 400, "height": 400})
    shown = alone(game)
    shown.root.get_by_text("Options").click()
    expect(shown.root.get_by_text("Show what the computer sees")).to_be_in_viewport()  # it scrolls
    shown.keys("Shift+Tab", "Tab")
    expect(shown.root.locator("summary").first).to_have_css("outline-offset", "3px")  # the ring keeps off its sign
    boxes, menus = shown.root.get_by_role("checkbox"), shown.root.get_by_role("combobox")
    assert shown.click(boxes.nth(0)) == [("numbers", False)] and not boxes.nth(0).is_checked()
    assert shown.click(boxes.nth(0)) == [("numbers", True)] and boxes.nth(0).is_checked()
    menus.nth(0).select_option("rules")
    assert shown.answer() == [("opponent", "rules")] and menus.nth(0).input_value() == "rules"
    game.opponent, game.threats, game.numbers = "perfect", True, False
    game.refresh()
    assert menus.nth(0).input_value() == "perfect" and not boxes.nth(0).is_checked() and boxes.nth(1).is_checked()
    menus.nth(1).select_option("O")
    assert shown.answer() == [("person", "O")] and menus.nth(1).input_value() == "O"
    assert shown.root.locator("details").first.get_attribute("open") is not None  # it stays open


def test_the_cube_is_played_by_keys_in_every_look_and_the_same_place_is_lit_in_all_layers(alone):
    shown = alone(CubeGame("cube-easy"))
    lit = "all => all.map(each => each.dataset.value)"
    for look in ("turned", "side", "slanted"):
        shown.root.get_by_label("View").select_option(look, force=True)
        shown.answer()
        shown.press("New game")
        shown.cell(0).focus()
        for move in (0, 21, 42, 63):
            layer, row = divmod(move // 4, 4)
            assert shown.focus.startswith(f"cell {move}, layer {layer + 1}, row {row + 1}, column {move % 4 + 1}")
            shown.keys("PageDown", "ArrowDown", "ArrowRight")
        assert shown.root.locator(".aligned").evaluate_all(lit) == ["15", "31", "47", "63"]
        shown.keys("PageUp", "Home")
        assert shown.focus.startswith("cell 44, layer 3, row 4, column 1")
        shown.cell(5).hover()
        assert shown.root.locator(".aligned").evaluate_all(lit) == ["5", "21", "37", "53"]
        shown.root.locator(".message").hover()
        assert shown.root.locator(".aligned").count() == 0
    assert shown.keys("Space") == [("play", "44")]


def test_moves_of_your_own_game_are_in_rows_and_keys_go_from_row_to_row(alone):
    game = GameBoard(first, start=Kayles("!!!"))
    shown = alone(game)
    moves = shown.root.get_by_role("toolbar", name="Moves").get_by_role("button")
    tops = moves.evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert tops[0] == tops[1] < tops[2] == tops[3] < tops[4]
    moves.first.focus()
    names = ["0, 2", "1, 2", "1, 3", "2, 3", "2, 3", "1, 3", "0, 1"]
    for key, name in zip([*5 * ["ArrowRight"], "ArrowLeft", "Home"], names, strict=True):
        assert shown.keys(key) == [] and shown.focus == name
    assert shown.keys(" ") == [("play", "0")] and shown.focus == "2, 3"  # the first button is another move's now
    moves.first.dblclick()
    assert shown.answer() == [("play", "0")]
    assert shown.message == "You win as X!" and shown.text("strong") == "You win as X!"


QUESTIONS = [RecapQuestion(ask, "a", "Because.", {"b": "No.", "c": "No."}) for ask in ("One?", "Two?")]


def test_two_views_of_a_recap_show_the_same_answers(alone, page):
    shown = alone(Recap(QUESTIONS), views=2)
    views = [page.locator(".ttt").nth(view) for view in (0, 1)]
    for question, choice in ((0, "b"), (1, "a"), (0, "c")):
        report = shown.click(views[0].locator("fieldset").nth(question).get_by_text(choice, exact=True))
        assert report == [("answer", [f"{question}", choice])]
        for view in views:
            assert view.locator("fieldset").nth(question).get_by_label(choice, exact=True).is_checked()
    views[1].locator("input:checked").first.focus()
    assert shown.keys("Enter") == [] and page.locator("input:checked").count() == 4


def test_guesses_are_made_and_changed_by_mouse_and_keys(alone, page, monkeypatch):
    monkeypatch.setattr(guesses, "_asked", {})
    shown = alone(NumberGuess("one", (0, 100)))
    field = shown.root.get_by_role("textbox", name="Number from 0 to 100")
    field.fill("150")
    assert shown.press("Guess") == [("guess", {"guess": "150"})]
    assert shown.message == "Guess a number from 0 to 100, not 150." and field.input_value() == "150"
    field.fill("0,50")
    assert shown.keys("Enter") == [("guess", {"guess": "0,50"})] and shown.text("strong") == "Your guess: 0.5."
    assert field.input_value() == "0.5" and shown.focus == "Number from 0 to 100"


def test_names_are_put_in_order_before_there_is_an_answer(alone, monkeypatch):
    monkeypatch.setattr(guesses, "_asked", {})
    shown = alone(OrderGuess("one", ["random", "rules", "perfect"]))
    for name in ("perfect", "random"):
        shown.root.get_by_role("button", name=name).click()
    assert shown.answer() == [("place", "perfect"), ("place", "random")]
    assert shown.keys("ArrowRight", "ArrowRight", "Enter") == [("place", "perfect")]
    assert shown.text("strong") == "Your guess: random, rules, perfect." and shown.focus == "3. perfect"


def test_a_search_is_watched_by_keys_and_by_buttons(alone, page):
    explorer = Explorer(Board.from_text("--X X-O OXO"))
    steps = explorer.tree.steps
    shown = alone(explorer)
    slider = shown.root.get_by_role("slider", name="Step")
    slider.focus()
    for number, step in enumerate(steps[1:4], 1):
        assert shown.keys("ArrowRight") == [("step", number)] and shown.message == explain_step(explorer.tree, step)
        ringed = shown.root.locator(".ringed")
        assert ringed.get_attribute("data-part") == f"{step.node.number}"
    assert shown.press("Step forward") == [("step", 4)] and slider.input_value() == "4"
    assert shown.press("Step back") == [("step", 3)] and slider.input_value() == "3"
    for number in ("7", "9", "11"):  # it is dragged while Python is slow
        slider.fill(number)
    assert slider.input_value() == "11"
    assert shown.answer() == [("step", 7)] and slider.input_value() == "11"
    assert shown.answer() == [("step", 11)] and slider.input_value() == "11"
    assert shown.root.locator(".room").text_content() == explorer.room  # so that nothing moves
    assert shown.text(".read-out").startswith(f"Step 11 of {len(steps) - 1}, ")


def test_a_search_is_played_a_step_every_two_seconds_to_its_end(alone):
    explorer = Explorer(Nim(2))
    shown = alone(explorer)
    play = shown.root.get_by_role("button", name="Play")
    last = len(explorer.tree.steps) - 1
    explorer.go_to(last - 2)
    for pressed in ("true", "false", "true"):  # the second time, it stops
        shown.click(play)
        assert play.get_attribute("aria-pressed") == pressed
    assert play.get_attribute("aria-pressed") == "true"
    for step, milliseconds in ((last - 2, 1900), (last - 1, 200), (last - 1, 1700), (last, 200)):
        shown.wait(milliseconds)
        shown.answer()
        assert explorer.step == step
    shown.wait(2000)
    assert play.get_attribute("aria-pressed") == "false" and shown.answer() == []
    for name in ("Play", "Step forward", "Next cut"):  # there is nothing left to see
        expect(shown.root.get_by_role("button", name=name)).to_be_disabled()
        shown.root.get_by_role("button", name=name).focus()
        assert shown.keys("Enter") == [] and shown.focus == name
    explorer.go_to(0)
    expect(shown.root.get_by_role("button", name="Step back")).to_be_disabled()
    shown.click(play)
    shown.wait(2000)
    shown.wait(4000)  # it waits for the answer
    assert shown.answer() == [("step", 1)]
    assert shown.press("Step forward") == [("step", 2)] and play.get_attribute("aria-pressed") == "false"
    shown.wait(4000)
    assert shown.answer() == []


def box(part):
    return part.bounding_box()


def test_a_tree_is_zoomed_between_its_size_and_three_times_that(alone):
    shown = alone(Explorer())
    sheet = shown.root.locator(".sheet")
    width, letters = box(sheet)["width"], box(shown.root.locator(".move").first)["height"]
    assert letters >= 11
    for button, times, factor in (("Smaller", 1, 1), ("Larger", 1, 1.25), ("Larger", 6, 3), ("Smaller", 1, 2.4)):
        for _ in range(times):
            shown.press(button)
        assert box(sheet)["width"] == pytest.approx(factor * width, rel=0.01)
    frame, levels = shown.root.locator(".scroll"), shown.root.locator(".levels")
    frame.evaluate("node => node.scrollTo(0, 0)")
    at = box(levels)["x"], box(sheet)["x"]
    frame.evaluate("node => node.scrollTo(80, 0)")
    assert (box(levels)["x"], box(sheet)["x"]) == (at[0], at[1] - 80)  # the names of levels stay


def in_sight(shown, part):
    """Whether all of a part of a tree is in sight."""
    inner, outer = box(shown.root.locator(part).first), box(shown.root.locator(".scroll"))
    sides = (("x", "width"), ("y", "height"))
    return all(outer[a] <= inner[a] and inner[a] + inner[b] <= outer[a] + outer[b] for a, b in sides)


def test_the_node_at_work_is_in_sight_with_its_children_and_its_parent(alone, page):
    page.set_viewport_size({"width": 400, "height": 900})
    explorer = Explorer()
    shown, tree = alone(explorer), explorer.tree
    for number, step in enumerate(tree.steps):
        if step.kind == "visit" and step.node.path:
            explorer.go_to(number)
            shown.wait()
            for node in (step.node, *step.node.children, tree.nodes[step.node.parent]):
                assert in_sight(shown, f'[data-part="{node.number}"] > .paper'), node
            stem, way = (shown.root.locator(f'[data-part="{name}"] .stem') for name in (step.node.number, 0))
            assert [part.evaluate("it => getComputedStyle(it).strokeWidth") for part in (stem, way)] == ["1px", "2px"]
            below, above = (box(shown.root.locator(f'[data-part="{it}"] .paper'))["x"] for it in (step.node.number, 0))
            assert step.node.ply > 1 or above == pytest.approx(below, abs=2), step.node


def test_a_tree_stays_where_you_have_scrolled_it_to_until_the_search_is_at_another_branch(alone, page):
    page.set_viewport_size({"width": 400, "height": 900})
    explorer = Explorer(Board.from_text("--X --X OO-"))
    steps = explorer.tree.steps
    shown = alone(explorer)
    frame, left = shown.root.locator(".scroll"), "node => node.scrollLeft"
    cut = next(number for number, step in enumerate(steps) if step.kind == "cut" and step.node.path)
    assert steps[cut - 1].node is steps[cut].node is not steps[cut + 1].node
    explorer.go_to(cut - 1)
    shown.wait()
    assert frame.evaluate(left) > 0
    frame.evaluate("node => node.scrollTo(0, 0)")
    explorer.go_to(cut)
    shown.wait()
    assert frame.evaluate(left) == 0 and not in_sight(shown, ".ringed .paper")
    explorer.go_to(cut + 1)
    shown.wait()
    assert frame.evaluate(left) > 0 and in_sight(shown, ".ringed .paper")
    frame.evaluate("node => node.scrollTo(0, 0)")
    page.set_viewport_size({"width": 450, "height": 900})
    expect(frame).not_to_have_js_property("scrollLeft", 0)
    assert in_sight(shown, ".ringed .paper")
    explorer.go_to(len(steps))
    shown.wait()
    best = next(node for node in explorer.tree.nodes[0].children if node.path == explorer.tree.variation.path[:1])
    assert in_sight(shown, f'[data-part="{best.number}"] > .paper')
    apart = "frame => frame.scrollLeft % frame.querySelector('.columns i').clientWidth"
    assert frame.evaluate(left) > 0 and frame.evaluate(apart) == 0  # it begins where a board does


PLACES = [".scroll", ".steps input", ".code", "[data-do=next_cut]", "summary"]


def test_nothing_moves_while_a_search_is_watched(alone, page):
    page.set_viewport_size({"width": 900, "height": 900})
    explorer = Explorer()
    shown = alone(explorer)
    places = "names => names.map(name => document.querySelector(name).getBoundingClientRect().toJSON())"
    begin = page.evaluate(places, PLACES)
    for number in range(len(explorer.tree.steps)):
        explorer.go_to(number)
        shown.wait()
        assert page.evaluate(places, PLACES) == begin


def test_you_practise_by_typing_and_by_pressing_and_the_next_button_has_the_focus(alone, page):
    explorer = Explorer()
    explorer.practise(seed=2)
    shown = alone(explorer)
    asked, answers = box(shown.root.locator(".said")), box(shown.root.locator(".bar"))  # one frame round both
    assert [asked["x"], asked["width"], asked["y"] + asked["height"]] == [*map(answers.get, ("x", "width", "y"))]
    assert shown.press("Visited") == [("answer", {"next": "visited"})] and shown.focus == "Next question"
    assert shown.text("strong") == "✓ Right" and shown.root.locator("strong.good").count() == 1
    assert shown.keys("Enter") == [("next_question", None)] and shown.focus == "worth"
    page.keyboard.type("1000")
    assert shown.keys("Enter") == [("answer", {"worth": "1000"})] and shown.focus == "Next question"
    assert shown.text("strong") == "✗ Not quite" and shown.root.locator("strong.soon").count() == 1
    shown.press("Stop practising")
    assert shown.root.get_by_role("button", name="Next cut").is_visible()


def test_what_a_question_is_about_is_ringed_and_in_sight_also_after_the_answer(alone, page):
    page.set_viewport_size({"width": 400, "height": 900})
    explorer = Explorer()
    explorer.practise(seed=5)
    shown, kinds = alone(explorer), set()
    for _ in range(14):
        question = explorer.practice.question
        fields = shown.root.locator("form input")
        for field in fields.all():
            field.fill("1000")
            assert box(field)["width"] >= 64 and abs(box(field)["y"] - box(shown.root.locator("form button"))["y"]) < 1
        assert ("-inf for −∞" in shown.text(".bar")) == (fields.count() == 2)
        for pressed in ("Answer" if fields.count() else "Visited", "Next question"):
            assert shown.root.locator(".ringed").get_attribute("data-part") == f"{question.node.number}"
            assert in_sight(shown, ".ringed > .paper"), question
            shown.press(pressed)
        kinds.add(question.kind)
    assert len(kinds) == 4


def test_what_is_said_of_a_tree_filled_in_is_below_it_with_a_sign_beside_each_answer(alone, page):
    tree = fill_in(Board.from_text("--X X-O OXO"))
    shown = alone(tree)
    fields, signs = shown.root.locator(".fill"), shown.root.locator(".sign")
    for field in fields.all():
        field.fill("9")
    [(action, fields_of_form)] = shown.press("Check")
    assert action == "check" and fields_of_form == {f"{number}": "9" for number in tree.solution}
    assert shown.text(".message") == "✗ 10 wrong."
    assert shown.root.locator(".message strong").all_inner_texts() == ["✗ 10 wrong"]
    parts = [box(part) for part in (*fields.all(), *signs.all())]
    for n, one in enumerate(parts):
        for two in parts[:n]:
            across = one["x"] >= two["x"] + two["width"] or two["x"] >= one["x"] + one["width"]
            assert across or one["y"] >= two["y"] + two["height"] or two["y"] >= one["y"] + one["height"]
    drawing, reasons, verbs = (box(shown.root.locator(part)) for part in (".drawing", ".reasons", ".verbs"))
    assert drawing["y"] + drawing["height"] < reasons["y"] < verbs["y"] and drawing["width"] < reasons["width"]
    page.set_viewport_size({"width": 400, "height": 900})
    last = [*tree.solution].index(max(tree.solution))
    for field, answer in zip(fields.all(), tree.solution.values(), strict=True):
        field.fill(answer)
    fields.nth(last).fill("9")
    shown.press("Check")
    assert in_sight(shown, ".fill.wrong")


def test_a_new_output_scrolls_into_sight_as_a_whole_if_you_have_just_run_its_cell(alone, page):
    page.set_viewport_size({"width": 1280, "height": 500})
    shown = alone(GameBoard("flash-clever"), views=0)
    page.evaluate("document.body.style.paddingTop = '300px'")
    page.keyboard.press("Shift")
    page.mouse.click(600, 20)  # as when you run the cell
    page.evaluate("view()")
    shown.wait()
    assert page.evaluate("scrollY") > 0

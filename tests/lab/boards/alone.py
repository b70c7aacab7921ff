"""A widget on a page of its own: `panel.js` in a real browser, and Python here, which answers when it is told to.

The page's clock stands still, so whatever takes time, such as the wait for an answer, takes as long as a test says.
"""

from lab.boards.panel import Panel

PAGE = f"""<!doctype html><html lang="en"><title>One widget</title><style>{Panel._css}</style>
<body data-jp-theme-light="true"><div tabindex="0" aria-label="notebook"><div id="output"></div></div>
<script type="module">
import widget from './panel.js';
const listeners = new Set();
const layout = {{ comm_live: true, on: (_, listen) => (layout.listen = listen), off() {{}} }};
const state = {{}};
const model = {{
  get: name => (name === 'layout' ? layout : state[name]),
  on: (_, listen) => listeners.add(listen),
  off: (_, listen) => listeners.delete(listen),
  send: content => {{ if (window.dead) throw Error('no kernel'); sent.push(content); }},
}};
window.sent = [];
window.told = changes => {{ Object.assign(state, changes); for (const listen of listeners) listen(); }};
window.lost = () => {{ layout.comm_live = false; layout.listen(); }};
window.view = () => {{ window.close = widget.render({{ model, el: document.querySelector('#output') }}); }};
window.announced = [];
window.changes = 0;
new MutationObserver(all => {{
  const heard = all.filter(({{ target }}) => target.className === 'message').at(-1)?.target.textContent;
  if (heard) announced.push(heard);
}}).observe(document.querySelector('#output'), {{ childList: true, subtree: true }});
document.addEventListener('ttt-change', () => (changes += 1));
window.reached = [];
document.addEventListener('keydown', event => reached.push(event.key));
</script></html>"""


class Alone:
    """A widget, and the page with its views; `root` is the first of them."""

    def __init__(self, page, widget, views=1):
        self.page, self.widget, self.root = page, widget, page.locator(".ttt").first
        page.route("http://lab.test/*", self._serve)
        page.clock.install(time=0)
        page.goto("http://lab.test/")
        page.clock.pause_at(1000)
        page.evaluate("state => told(state)", widget.get_state())
        widget._repr_mimebundle_()  # opens its comm
        widget.comm.publish_msg = self._publish
        for _ in range(views):
            page.evaluate("view()")
        self.wait()

    @staticmethod
    def _serve(route):
        script = route.request.url.endswith(".js")
        route.fulfill(body=Panel._esm if script else PAGE, content_type=f"text/{'javascript' if script else 'html'}")

    def _publish(self, kind, data=None, **_):
        """What Python sends to the page."""
        if data["method"] == "update":
            self.page.evaluate("changes => told(changes)", data["state"])

    def wait(self, milliseconds=40):
        """Let the page's time pass; by default, as much as it takes to draw the page twice."""
        self.page.clock.run_for(milliseconds)

    def answer(self):
        """Pass on to Python what the page has reported, and show the answer; returns the reports."""
        reports = self.page.evaluate("sent.splice(0)")
        for report in reports:
            self.widget._handle_custom_msg(report, [])
        self.wait()
        return [(report["do"], report["value"]) for report in reports]

    def keys(self, *keys):
        """Press keys, each after the answer to the one before; returns what was reported."""
        reports = []
        for key in keys:
            self.page.keyboard.press(key)
            reports += self.answer()
        return reports

    def click(self, target, **options):
        """Click, and wait for the answer; returns what was reported."""
        target.click(**options)
        return self.answer()

    def press(self, name):
        return self.click(self.root.get_by_role("button", name=name, exact=True))

    def cell(self, index):
        return self.root.get_by_role("gridcell").nth(index)

    def text(self, part):
        return self.root.locator(part).inner_text()

    @property
    def message(self):
        return self.text(".message")

    @property
    def focus(self):
        """The name of what has the focus."""
        named = "(it => it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent)(document.activeElement)"
        return self.page.evaluate(named).strip()

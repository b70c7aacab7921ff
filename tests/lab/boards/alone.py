"""A widget on a page of its own: `panel.js` in a real browser, and Python, which answers when the test tells it to.

The page's clock stands still, so whatever takes time, such as the wait for an answer, is as long as the test says.
"""

from lab.boards.panel import Panel

SHOWN = ["html", "parts", "heard", "said", "room"]  # what Python tells the page
PAGE = f"""<!doctype html><html lang="en"><title>One widget</title><style>{Panel._css}</style>
<body data-jp-theme-light="true"><div class="jp-Notebook" tabindex="0"><p tabindex="-1" id="output"></p></div>
<script type="module">
import widget from './panel.js';
const listeners = new Set();
const layout = {{ comm_live: true, on: (_, listen) => (layout.listen = listen), off() {{}} }};
window.sent = [];
const model = {{
  state: {{}},
  get: name => (name === 'layout' ? layout : model.state[name]),
  on: (_, listen) => listeners.add(listen),
  off: (_, listen) => listeners.delete(listen),
  send: content => {{ if (!layout.comm_live) throw Error('gone'); window.sent.push(content); }},
}};
window.told = state => {{ Object.assign(model.state, state); for (const listen of listeners) listen(); }};
window.lost = noticed => {{ layout.comm_live = false; if (noticed) layout.listen(); }};
window.view = () => {{ widget.render({{ model, el: document.querySelector("#output") }}); }};
</script></html>"""


class Alone:
    """A widget, and the page with it. `root` is the locator of its view, or of all its views."""

    def __init__(self, page, widget, views=1):
        self.page, self.widget, self.root = page, widget, page.locator(".ttt")
        page.route("http://lab.test/*", self._serve)
        page.clock.install(time=0)
        page.goto("http://lab.test/")
        page.clock.pause_at(1000)
        self.tell()
        for _ in range(views):
            page.evaluate("view()")
        self.wait()

    @staticmethod
    def _serve(route):
        script = route.request.url.endswith(".js")
        route.fulfill(body=Panel._esm if script else PAGE, content_type="text/javascript" if script else "text/html")

    def tell(self):
        """Send the page what Python has to show."""
        self.page.evaluate("state => told(state)", self.widget.get_state(SHOWN))

    def wait(self, milliseconds=40):
        """Let the page's time pass; by default, as much as it takes to draw it twice."""
        self.page.clock.run_for(milliseconds)

    def answer(self):
        """Pass on to Python what the page has reported, and show its answer; returns the reports."""
        reports = self.page.evaluate("sent.splice(0)")
        for report in reports:
            self.widget._handle_custom_msg(report, [])
        self.tell()
        self.wait()
        return [(report["do"], report["value"]) for report in reports]

    def keys(self, *keys):
        """Press keys one after another, each after the answer to the one before; returns what was reported."""
        reports = []
        for key in keys:
            self.page.keyboard.press(key)
            reports += self.answer()
        return reports

    def click(self, target, **options):
        """Click, and wait for the answer; returns what was reported."""
        target.click(**options)
        return self.answer()

    @property
    def message(self):
        return self.root.first.locator(".message").inner_text()

    @property
    def silence(self):
        return self.root.first.locator(".silence").inner_text()

    @property
    def focus(self):
        """The name of what has the focus."""
        return self.page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()")

"""A page as a browser sees it, as far as a typist needs it: the fields of the form and where it asks for estimates."""

from __future__ import annotations

from html.parser import HTMLParser

_FORM = "workload"


class Form(HTMLParser):
    """The form with the id `workload`: what it would send now, and its addresses for live estimates and autosave."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: list[tuple[str, str]] = []
        self.estimates_at = self.keeps_at = ""
        self.token = ""
        """What the page puts into the header X-CSRFToken."""
        self._inside = False
        self._select = self._area = ""
        self._options: list[tuple[bool, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes each control with its value, and where the form sends them."""
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = found.get("id") == _FORM
            if self._inside:
                self.estimates_at, self.keeps_at = found.get("hx-post", ""), found.get("data-autosave", "")
        elif self._inside and tag == "input" and found.get("name"):
            self._input(found)
        elif self._inside and tag == "select":
            self._select, self._options = found.get("name", ""), []
        elif tag == "option" and self._select:
            self._options.append(("selected" in found, found.get("value", "")))
        elif self._inside and tag == "textarea":
            self._area = found.get("name", "")
            self.fields.append((self._area, ""))

    def _input(self, found: dict[str, str]) -> None:
        if found.get("type") == "checkbox" and "checked" not in found:
            return
        self.fields.append((found["name"], found.get("value", "")))
        if found["name"] == "csrfmiddlewaretoken":
            self.token = found["value"]

    def handle_data(self, data: str) -> None:
        """The text of a text area is its value."""
        if self._area:
            self.fields[-1] = (self._area, self.fields[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        """The end of a select settles its value: what is selected, else the first."""
        if tag == "select" and self._select:
            chosen = next((value for picked, value in self._options if picked), "")
            self.fields.append((self._select, chosen or (self._options[0][1] if self._options else "")))
            self._select = ""
        elif tag == "textarea":
            self._area = ""
        elif tag == "form":
            self._inside = False

"""The structure tree of a tagged PDF, grown while the pages are drawn, and written by pikepdf afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pikepdf import Array, Dictionary, Name, Object, Pdf, String
from reportlab.pdfgen.canvas import Canvas

Rectangle = tuple[float, float, float, float]
"""Left, bottom, right, top [pt]."""


@dataclass(kw_only=True, eq=False)
class Node:
    """One structure element; `kids` are nodes, marked content (page, id) or annotations (page, index)."""

    role: str
    alt: str = ""
    scope: str = ""
    box: Rectangle | None = None
    kids: list[Node | Mark] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A piece of a page: marked content with that id, or the annotation with that index."""

    page: int
    index: int
    annotation: bool = False


class Tags:
    """The tree under construction for one canvas."""

    def __init__(self) -> None:
        self.root = Node(role="Document")
        self._stack = [self.root]
        self._next: dict[int, int] = {}
        self._links: dict[int, int] = {}

    @contextmanager
    def element(
        self, role: str, *, node: Node | None = None, alt: str = "", scope: str = "", box: Rectangle | None = None
    ) -> Iterator[Node]:
        """An element that holds what is drawn inside; `node` continues one that began on an earlier page."""
        if node is None:
            node = Node(role=role, alt=alt, scope=scope, box=box)
            self._stack[-1].kids.append(node)
        self._stack.append(node)
        yield node
        self._stack.pop()

    @contextmanager
    def content(self, canvas: Canvas) -> Iterator[None]:
        """Marked content that belongs to the innermost element."""
        page = canvas.getPageNumber()
        index = self._next.get(page, 0)
        self._next[page] = index + 1
        self._stack[-1].kids.append(Mark(page=page, index=index))
        operator(canvas, f"/{self._stack[-1].role} <</MCID {index}>> BDC")
        yield
        operator(canvas, "EMC")

    def link(self, page: int) -> None:
        """The next link annotation of that page belongs to the innermost element."""
        index = self._links.get(page, 0)
        self._links[page] = index + 1
        self._stack[-1].kids.append(Mark(page=page, index=index, annotation=True))


@contextmanager
def artifact(canvas: Canvas, kind: str = "") -> Iterator[None]:
    """What a screen reader skips: rules, backgrounds, running headers (`kind` Header or Footer)."""
    extra = f"<</Type /Pagination /Subtype /{kind}>> BDC" if kind else "BMC"
    operator(canvas, f"/Artifact {extra}")
    yield
    operator(canvas, "EMC")


def operator(canvas: Canvas, code: str) -> None:
    """Writes one operator into the page; reportlab has no call for marked content."""
    canvas._code.append(code)


def write_tree(pdf: Pdf, root: Node) -> None:
    """Writes the tree, its parent tree and the links' places in it."""
    writer = _TreeWriter(pdf)
    tree = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    tree.K = writer.element(root, tree)
    tree.ParentTree, tree.ParentTreeNextKey = writer.parent_tree()
    pdf.Root.StructTreeRoot = tree


class _TreeWriter:
    def __init__(self, pdf: Pdf) -> None:
        self.pdf = pdf
        self.pages = [page.obj for page in pdf.pages]
        self.parents: dict[int, dict[int, Object]] = {}
        self.links: list[tuple[Object, Object]] = []

    def element(self, node: Node, parent: Object) -> Object:
        made = self.pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name(f"/{node.role}"), P=parent))
        kids = [self.element(kid, made) if isinstance(kid, Node) else self._mark(kid, made) for kid in node.kids]
        if node.alt:
            made.Alt = String(node.alt)
        if node.scope:
            made.A = Dictionary(O=Name.Table, Scope=Name(f"/{node.scope}"))
        if node.box:
            box = Array([round(value, 2) for value in node.box])
            made.A = Dictionary(O=Name.Layout, BBox=box, Placement=Name.Block)
        made.K = Array(kids)
        return made

    def _mark(self, mark: Mark, owner: Object) -> Dictionary:
        page = self.pages[mark.page - 1]
        if mark.annotation:
            target = page.Annots[mark.index]
            self.links.append((target, owner))
            return Dictionary(Type=Name.OBJR, Obj=target, Pg=page)
        self.parents.setdefault(mark.page, {})[mark.index] = owner
        return Dictionary(Type=Name.MCR, Pg=page, MCID=mark.index)

    def parent_tree(self) -> tuple[Object, int]:
        """The number tree from page and link keys to elements, and the next free key."""
        numbers: list[object] = []
        key = len(self.pages)
        for index, page in enumerate(self.pages):
            page.StructParents, page.Tabs = index, Name.S
            owners = self.parents.get(index + 1, {})
            rows = Array([owners[place] for place in range(len(owners))])
            numbers.extend([index, self.pdf.make_indirect(rows)])
        for target, owner in self.links:
            target.StructParent = key
            numbers.extend([key, owner])
            key += 1
        return self.pdf.make_indirect(Dictionary(Nums=Array(numbers))), key

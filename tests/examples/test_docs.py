"""Documentation: every page is reached from the README, every link leads somewhere, every room is in the table of rooms."""

import calendar
import re
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def links(page):
    return [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")) if "://" not in link]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert [link for link in links(page) if link and not (page.parent / link).exists()] == []


def test_every_page_is_reached_from_the_readme_and_every_picture_is_shown():
    reached, new = set(), {ROOT / "README.md"}
    while new:
        page = new.pop()
        reached.add(page)
        found = {(page.parent / link).resolve() for link in links(page)} | {page.parent / f"{name}.md" for name in contents(page)}
        new |= {file for file in found if file.suffix == ".md" and file.is_file()} - reached
    assert set(PAGES[2:]) <= reached
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert {file for file in (ROOT / "docs" / "pictures").iterdir() if file.is_file()} <= shown


def contents(page):
    """Pages that a table of contents names."""
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]


def test_every_room_is_in_the_table_in_its_order():
    """A room imports only from those above it."""
    source = ROOT / "src" / "locodyn"
    table = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
    rooms = {path.stem for path in source.iterdir() if not path.name.startswith("__") and (path.is_dir() or path.suffix == ".py")}
    assert set(table) == rooms
    place = {room: number for number, room in enumerate(table)}
    upward = []
    for file in source.rglob("*.py"):
        own = file.relative_to(source).parts[0].removesuffix(".py")
        for room in re.findall(r"^(?:from|import) locodyn\.(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            if own in place and place[room] > place[own]:
                upward.append(f"{file.relative_to(source)} imports {room}")
    assert upward == []


def test_guided_tours_are_short_and_lead_through_files_that_are_there():
    """From a command to its equation: at most 10 files for wheels, 12 for contacts; what a step names is in its file."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tours = text[text.index("## Guided tours") : text.index("## Frames, coordinates, arrays")].split("**From ")[1:]
    for tour, most in zip(tours, (10, 12), strict=True):
        steps = re.findall(r"^\d+\. `([\w/]+\.py)`:(.*?)(?=^\d+\. |\Z)", tour, re.MULTILINE | re.DOTALL)
        assert 8 <= len(steps) <= most
        for path, words in steps:
            source = (ROOT / "src" / "locodyn" / path).read_text(encoding="utf-8")
            for name in re.findall(r"^ `(?:\w+\.)?(\w+)`", words):
                assert re.search(rf"def {name}\b", source), f"{path} has no {name}"


def test_files_that_the_architecture_names_are_there():
    """Paths below the package, in the tables and the text; those of a folder named before them are found there."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    known = {str(file.relative_to(ROOT / "src" / "locodyn")) for file in (ROOT / "src" / "locodyn").rglob("*.py")}
    for path in re.findall(r"`((?:\w+/)+\w+\.py)`", text):
        assert path in known or (ROOT / path).is_file(), path


REFERENCES = ROOT / "docs" / "references.md"


def plain(text):
    """Without accents and line ends."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"\s+", " ", letters)


def uncited(text, rows):
    """Works that a text cites by names and year, 'Riks 1979' or 'Moore and Sorensen (1983)', and no row of a table has."""
    name = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
    found = re.findall(rf"\b({name}(?:(?:, and |, | and ){name})*)(?: et al\.)?,? \(?((?:18|19|20)\d\d)\b", text)
    return {
        f"{names} {year}" for names, year in found
        if names not in calendar.month_name
        and not any(year in short and set(re.findall(name, names)) & set(re.findall(name, row)) for short, row in rows)
    }  # fmt: skip


def test_every_work_that_is_cited_is_in_the_list():
    """Names and year in the code or the documentation lead to a row of the references, which says where to find it."""
    rows = listed()
    assert uncited("see (Riks 1979) and Nobody and Noone (1979)", rows) == {"Nobody and Noone 1979"}
    lists = {REFERENCES, ROOT / "src" / "locodyn" / "view" / "references.py"}
    files = {*(ROOT / "src" / "locodyn").rglob("*.py"), *PAGES[2:]} - lists
    missing = {str(file): uncited(plain(file.read_text(encoding="utf-8").replace("# ", "")), rows) for file in files}
    assert {file: works for file, works in missing.items() if works} == {}


def listed():
    """(short name with a year, source in full) of all rows of the references."""
    lines = [plain(line) for line in REFERENCES.read_text(encoding="utf-8").splitlines()]
    return [(row[1], row[2]) for row in (re.match(r"\| ([^|]*\d{4}[^|]*) \| (.*) \|$", line) for line in lines) if row]


def test_an_equation_is_cited_with_its_author():
    """A file that names an equation by its number, such as (3.28), names an author of the references as well."""
    authors = {re.match(r"[\w-]+", short)[0] for short, _ in listed()}
    number = re.compile(r"(?<![\w.)\]])\((?:[A-Z]\.)?[1-9]\d?\.\d{1,3}\)")
    for file in (ROOT / "src" / "locodyn").rglob("*.py"):
        text = plain(file.read_text(encoding="utf-8"))
        assert not number.search(text) or any(re.search(rf"\b{author}\b", text) for author in authors), file


def test_quick_tests_cover_every_room():
    """Each room is used by a test that `make check` runs; types of arguments (`typing`) are checked by mypy."""
    table = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py")]
    quick = "\n".join(text for text in texts if not re.search(r"^pytestmark = pytest.mark.slow", text, re.MULTILINE))
    used = {room for room in table if re.search(rf"\b(?:locodyn|ld)\.{room}\b", quick)}
    assert set(table) - used == {"typing"}

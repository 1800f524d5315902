"""How the text of a notebook is read: prose, code, and what the code has put out."""

from __future__ import annotations

from locallens_nb.language.sentences import Statement
from locallens_nb.passages.notebook_cells import CellReader

TEXT = """# Cell 1 (markdown)
# Visits

A visit is one person
on one day.

# Cell 2 (code)
visits = load("visits.csv")
len(visits)

# Cell 2 (output)
2963

# Cell 3 (code)
visits.groupby("day").size()

# Cell 3 (output)
day
Saturday    1388
Sunday        97

# Cell 4 (code)
print(f"median stay: {stay} minutes")

# Cell 4 (output)
median stay: 85 minutes"""


def read(*parts: str) -> list[Statement]:
    reader = CellReader()
    return [one for part in parts for one in reader.read(part, 0, len(part))]


def shown(*parts: str) -> list[str]:
    return [" ".join(one.shown.split()) for one in read(*parts) if one.is_quotable]


def test_what_a_cell_has_put_out_reads_after_the_expression_whose_value_it_is():
    assert shown(TEXT) == [
        "A visit is one person on one day.",
        'visits = load("visits.csv")',
        "len(visits): 2963",
        'visits.groupby("day").size()',
        'visits.groupby("day").size(): day',
        'visits.groupby("day").size(): Saturday 1388',
        'visits.groupby("day").size(): Sunday 97',
        'print(f"median stay: {stay} minutes")',
        "median stay: 85 minutes",
    ]


def test_code_and_output_continue_the_last_heading_and_the_lines_that_name_cells_are_no_statements():
    statements = read(TEXT)
    assert not any("Cell" in one.shown for one in statements)
    assert next(one for one in statements if one.shown == "len(visits)").context == "# Visits"
    assert next(one for one in statements if "2963" in one.shown).context == "# Visits len(visits)"


def test_an_output_that_an_earlier_part_began_goes_on():
    cut = TEXT.index("Sunday")
    assert shown(TEXT[:cut], TEXT[cut:]) == shown(TEXT)

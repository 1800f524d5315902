"""What counts as an expected answer, and the interval of a rate."""

from __future__ import annotations

import pytest

from locallens_nb.evaluation.measures import holds_any, rate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was THE Santa Odila, of course.", "santa odila"),
        ("Chama-se São João.", "sao joao"),
        ("Take bus 12 to the pier.", "bus 12, to a pier"),
        ("They hold 38,000 litres.", "38000"),
        ("They hold 38000 litres.", "38,000 litres"),
        ("O total é R$ 2.486.000,50.", "2486000.50"),
        ("Es sind 1.234,5 kg.", "1,234.5 kg"),
        ("São R$ 1,37 por km.", "1.37"),
        ("You may take 23kg.", "23 kg"),
        ("Its hull number is 7F-218.", "7f-218"),
        ("It fell to \u22123 °C.", "-3 °C"),
        ("The grade was A.", "A"),
        ("他在1960年代搬到北京。", "1960年"),
        ("他在北京住了很久。", "北京"),
        ("답은 서울 입니다.", "서울"),
        ("The symbol is ±.", "±"),
        ("Ｗｉｄｅ　１２", "wide 12"),
    ],
)
def test_case_punctuation_articles_accents_and_notation_do_not_matter(text: str, expected: str):
    assert holds_any(text, ["nothing like it", expected])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The channel is 168.", "68"),
        ("It rose to 3.12 m.", "12"),
        ("It rose to 3.12 m.", "312"),
        ("CO2 was measured.", "2"),
        ("It fell to -3 °C.", "3 °C"),
        ("The years 10-20.", "-20"),
        ("Category is unknown.", "cat"),
        ("Santa Clara and Odila.", "santa odila"),
        ("It is the one.", "a"),
        ("", "x"),
        ("It is 5.", "±"),
        ("Version 3.12.1 is there.", "3.12"),
        ("京北", "北京"),
    ],
)
def test_parts_of_words_and_other_numbers_are_no_answer(text: str, expected: str):
    assert not holds_any(text, [expected])


def test_nothing_expected_is_never_held():
    assert not holds_any("anything", [])


def test_a_rate_has_the_wilson_interval():
    one = rate(21, 24)
    assert (one.count, one.n, one.value) == (21, 24, 0.875)
    assert (round(one.low, 4), round(one.high, 4)) == (0.6900, 0.9566)


@pytest.mark.parametrize(("count", "low", "high"), [(0, 0.0, 0.2775), (10, 0.7225, 1.0)])
def test_the_interval_stays_between_0_and_1(count: int, low: float, high: float):
    one = rate(count, 10)
    assert (round(one.low, 4), round(one.high, 4)) == (low, high)


def test_a_rate_of_nothing_has_no_value():
    one = rate(0, 0)
    assert (one.value, one.low, one.high) == (None, None, None)

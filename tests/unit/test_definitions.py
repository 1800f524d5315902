"""Which names statements of code make."""

from __future__ import annotations

import pytest

from locallens_nb.definitions import definition_pattern, read_defined_name


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("class Oven(Base):", "Oven"),
        ("async def bake(", "bake"),
        ("export default function bake<T>(", "bake"),
        ("export const bake = async (loaf) => {", "bake"),
        ("func (o *Oven) Bake(loaf Loaf) error {", "Bake"),
        ("impl Oven {", "Oven"),
        ("hottest = 310", "hottest"),
        ("default = 310", "default"),
        ("this.#door = open((loaf) => {", "this.#door"),
        ("hottest: int = 310", "hottest"),
        ("hottest?: number", "hottest"),
        ('"hottest": 310,', "hottest"),
        ("protected override bake(): void {", "bake"),
        ("static int bake(Loaf loaf) {", "bake"),
        ("bake() {", "bake"),
        ('variable "hottest" {', "hottest"),
        ('resource "oven" "large" {', "large"),
        ("static int", ""),
        ("export default function () {", ""),
        ("package bakery;", ""),
        ("if (isHot) {", ""),
        ("} else if (isHot) {", ""),
        ("for loaf in loaves:", ""),
        ("else:", ""),
        ("return bake(loaf)", ""),
        ("bake(loaf)", ""),
        ("describe('the oven', () => {", ""),
        ("oven.heat(310)", ""),
        ("if hot == 310:", ""),
    ],
)
def test_a_statement_makes_the_name_that_it_defines_sets_or_has_as_its_key(statement: str, name: str):
    assert read_defined_name(statement) == name


def test_a_name_with_capitals_is_another_than_one_without():
    assert definition_pattern("Oven").search("class Oven:")
    assert not definition_pattern("Oven").search("oven = Oven()")
    assert definition_pattern("oven").search("class Oven:")

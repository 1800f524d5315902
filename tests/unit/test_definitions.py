"""Which names statements of code make."""

from __future__ import annotations

import pytest

from locallens_nb.passages.definitions import definition_pattern, finds_definition, read_defined_name


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


@pytest.mark.parametrize(
    ("text", "name", "is_made"),
    [
        ("<button onClick={open}>", "onClick", False),
        ("  return (\n    <button\n      onClick={() => open()}\n      title='Open'\n    >", "title", False),
        ("return <Menu title='x'", "title", False),
        ("<Menu title='x' />\ntitle = 5", "title", True),
        ("const title = <b>5</b>", "title", True),
        ("function open<T extends Menu>(\n  title = 5,", "title", True),
        ("vector<int> title = {5};", "title", True),
        ("while (a <b && c)\n  title = 5", "title", True),
        ("class Menu:\n    title='x'", "title", True),
    ],
)
def test_an_attribute_of_a_tag_makes_no_name(text: str, name: str, is_made: bool):
    assert finds_definition(definition_pattern(name), text) is is_made


def test_an_attribute_that_is_read_apart_from_its_tag_makes_no_name():
    before = "return ( <div> <button"
    assert read_defined_name("onClick={open}") == "onClick"
    assert read_defined_name("onClick={open}", before=before) == ""
    assert not finds_definition(definition_pattern("onClick"), "onClick={open}", before=before)
    assert finds_definition(definition_pattern("onClick"), "onClick={open}", before="return ( <button>")

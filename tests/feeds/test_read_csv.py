"""CSV and TSV as shops export them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.errors import UsageError
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import open_value_list, read_rows
from ads_cli.feeds.registry import FORMATS
from ads_cli.feeds.source import Source
from tests.feeds.conftest import FeedFolder


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(("name", "usual"), [("f.csv", ","), ("f.tsv", "\t")])
def test_the_delimiter_is_the_one_with_the_most_known_columns(feeds, delimiter, name, usual):
    found = feeds.rows(name, f'id{delimiter}title{delimiter}"a,b;c|d;e"\n1{delimiter}x{delimiter}y\n')
    assert [row.values for row in found] == [{"id": "1", "title": "x", "a,b;c|d;e": "y"}]
    assert bool(found.notes) == (delimiter != usual)


def test_the_delimiter_of_a_header_without_a_known_column_is_the_most_frequent(feeds):
    assert feeds.values("f.csv", "a;b;c\n1;2;3\n") == [{"a": "1", "b": "2", "c": "3"}]


def test_renamed_columns_count_as_known_for_the_delimiter(feeds):
    assert feeds.values("f.csv", "sku;x,y,z\n1;2\n", sku="id") == [{"id": "1", "x,y,z": "2"}]


def test_crlf_ends_a_line_and_is_kept_inside_quotes(feeds):
    found = feeds.read("f.csv", 'id,title\r\n1,"a\r\nb"\r\n2,c\r\n')
    assert found == [(2, {"id": "1", "title": "a\r\nb"}, ""), (4, {"id": "2", "title": "c"}, "")]


def test_lines_that_end_with_cr_alone_are_refused(feeds):
    assert "CR alone" in feeds.error("f.csv", "id,title\r1,a\r")


def test_blank_lines_are_skipped_and_still_counted(feeds):
    assert [line for line, *_ in feeds.read("f.csv", "\n\nid,title\n\n1,a\n\n\n2,b\n")] == [5, 8]


def test_a_comment_may_contain_a_line_break_in_a_quoted_cell(feeds):
    found = feeds.rows("f.csv", '# Required,"# long\ntext, it is"\nid,title\n1,a\n')
    assert [(row.line, row.values) for row in found] == [(4, {"id": "1", "title": "a"})]
    assert "2 comment lines" in found.notes[0]


def test_a_header_may_contain_a_line_break_in_a_quoted_cell(feeds):
    assert feeds.read("f.csv", 'id,"long\nname"\n1,a\n') == [(3, {"id": "1", "long\nname": "a"}, "")]


def test_a_header_may_begin_with_a_number_sign(feeds):
    assert feeds.values("f.csv", "#,id,title\n1,7,a\n") == [{"#": "1", "id": "7", "title": "a"}]


@pytest.mark.parametrize(("cells", "count"), [("1", 1), ("1,a,b,c", 4)])
def test_a_row_with_too_few_or_too_many_cells_is_a_problem_of_that_row(feeds, cells, count):
    first, second = feeds.read("f.csv", f"id,title\n{cells}\n2,b\n")
    assert first[:2] == (2, {"id": "1"} | ({"title": "a"} if count > 1 else {}))
    assert f"has {count} cells" in first[2]
    assert second == (3, {"id": "2", "title": "b"}, "")


def test_column_names_are_stripped_and_empty_ones_ignored(feeds):
    found = feeds.rows("f.csv", " id , title,,\n1,a,x,y\n")
    assert [row.values for row in found] == [{"id": "1", "title": "a"}]
    assert found.columns == ("id", "title")


def test_the_columns_that_failed_out_adds_are_ignored(feeds):
    found = feeds.rows("f.csv", "id,_line,title,_error\n1,7,a,too long\n")
    assert [row.values for row in found] == [{"id": "1", "title": "a"}]
    assert found.columns == found.fields == ("id", "title")


def test_columns_and_their_fields_are_known_before_the_first_row(feeds):
    found = feeds.rows("f.csv", "image_url,id\nx,1\n", image_url="image_link")
    assert next(iter(found)).values == {"image_link": "x", "id": "1"}
    assert (found.columns, found.fields) == (("image_url", "id"), ("image_link", "id"))


def test_mapping_a_missing_column_is_a_usage_error(feeds):
    with pytest.raises(UsageError, match="image_url"):
        list(feeds.rows("f.csv", "id,title\n1,a\n", image_url="image_link"))


@pytest.mark.parametrize(("header", "rename"), [("id,id", {}), ("id, id ", {}), ("id,sku", {"sku": "id"})])
def test_two_columns_for_one_field_are_refused_where_they_differ(feeds, header, rename):
    equal, either, other, differ = feeds.read("f.csv", f"{header}\n1,1\n2,\n,3\n4,5\n", **rename)
    assert [(row[1], row[2]) for row in (equal, either, other)] == [({"id": each}, "") for each in "123"]
    assert differ[0] == 5 and "are both read as 'id', and differ: '4' and '5'" in differ[2]


@given(
    parts=st.lists(st.lists(st.text("ab1é\ufeff", min_size=1), max_size=3), min_size=1, max_size=4),
    marks=st.lists(st.sampled_from(["", "\ufeff", "\ufeff\ufeff"]), min_size=4, max_size=4),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_joined_files_have_the_rows_of_each(tmp_path_factory, parts, marks, encoding):
    feeds = FeedFolder(tmp_path_factory.mktemp("joined"))
    rows = [f"{number}x,{value}" for number, values in enumerate(parts) for value in values]
    files = [
        f"{mark}id,title\n" + "".join(f"{number}x,{value}\n" for value in values)
        for number, (values, mark) in enumerate(zip(parts, marks, strict=False))
    ]
    if rows:
        read = feeds.values("f.csv", "".join(files).encode(encoding))
        assert [f"{row['id']},{row.get('title', '')}" for row in read] == rows


@pytest.mark.parametrize("content", ["id,title\n", "id,title\n\n", "# a\n# b\n"])
def test_a_table_without_rows_is_refused(feeds, content):
    assert "header" in feeds.error("f.csv", content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('id,title\n1,a\n2,"b\n3,c\n', 3),
        ('id,title\n1,"a\nb"\n2,"c\n3,d\n', 4),
        ("id,title\n1,a\n" + '2,"b\n' + "3,some words\n" * 20_000, 3),
        ('id,"title\n1,a\n', 1),
    ],
)
def test_an_unclosed_quote_names_the_first_line_of_its_row(feeds, content, line):
    error = feeds.error("f.csv", content)
    assert error.startswith(f"f.csv:{line}: ") and "never closed" in error


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_of_ten_megabytes_names_its_line_and_both_reasons(feeds, quote):
    error = feeds.error("f.csv", f"id,title\n1,a\n2,{quote}{'x' * 10_000_000}{quote}\n")
    assert error.startswith("f.csv:3: ") and "never closed" in error and "131,072" in error


def test_an_endless_line_is_refused(feeds):
    assert feeds.error("f.csv", "id,title\n1,a\n" + "x," * 17_000_000).startswith("f.csv:3: ")


def test_another_encoding_of_csv_is_named_with_the_line_and_the_option(feeds):
    error = feeds.error("f.csv", b"id,title\n1,a\n2,Caf\xe9\n")
    assert error.startswith("f.csv:3: ") and "--encoding cp1252" in error


def test_a_nul_byte_is_named_with_its_line(feeds):
    assert feeds.error("f.csv", b"id,title\n1,a\n2,b\0\n").startswith("f.csv:3: ")


def test_stray_quotes_and_multiline_cells_do_not_depend_on_the_block_size(feeds, monkeypatch):
    rows = []
    for n in range(60):
        rows.append(f'{n},5" pipe no. {n}\n')
        rows.append(f'm{n},"of {n}\nlines, ""quoted""\n"\n')
        rows.append(f"é{n},plain\n")
    content = "id,title\n" + "".join(rows)
    whole = feeds.read("f.csv", content)
    assert len(whole) == 180 and all(not problem for *_, problem in whole)
    for size in (1, 7, 64, 300):
        monkeypatch.setattr("ads_cli.feeds.formats.csv.BLOCK_BYTES", size)
        assert feeds.read("f.csv", content) == whole


@pytest.mark.parametrize(
    ("bad", "words"), [(b"x,a\0b\n", "a NUL byte"), (b"x,\xe9t\n", "not UTF-8"), (b'x,"a"b\n', "not CSV")]
)
def test_an_error_names_its_line_whatever_the_block_size(feeds, monkeypatch, bad, words):
    good = "id,title\n" + "".join(f'{n},"t\n{n}"\n' for n in range(50))
    for size in (1, 50, 1 << 20):
        monkeypatch.setattr("ads_cli.feeds.formats.csv.BLOCK_BYTES", size)
        assert f":102: {words}" in feeds.error("f.csv", good.encode() + bad + b"y,b\n")


@given(
    before=st.integers(0, 5), quoted=st.text(st.sampled_from('a,"\n'), max_size=10), after=st.integers(1, 3)
)
def test_every_row_has_the_line_where_it_begins(before, quoted, after):
    escaped = quoted.replace('"', '""')
    lines = ["id,title", *["x,y"] * before, f'x,"{escaped}"', *["z,y"] * after]
    source = Source(InMemory("\n".join(lines).encode(), "feed.csv"), FORMATS["csv"])
    multiline, following = before + 2, before + 3 + quoted.count("\n")
    assert [row.line for row in read_rows(source, roots=(), known=("id", "title"))] == [
        *range(2, multiline + 1),
        *range(following, following + after),
    ]


def test_a_value_list_differs_from_a_table_by_its_first_line(feeds):
    for content, format in (
        ("a\nb\n", "lines"),
        ("product_key\na\n", "csv"),
        ("product_key,x\na,1\n", "csv"),
    ):
        for name in ("keys.csv", "keys.txt", "keys"):
            source = open_value_list(feeds.write(name, content), columns=("product_key",))
            assert source.format.name == format


TITLES = "Export of 2026-11-01\nShop: Nordlicht\n\n"
TABLE = 'Artikelnummer{0}Produktname{0}Kurztext\n1{0}Tasse{0}"Rund, blau, groß"\n2{0}Teller{0}Flach\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("titles", [TITLES, "sep={0}\nExport of 2026-11-01{0}{0}\n"])
def test_titles_above_a_header_are_skipped(feeds, delimiter, titles):
    found = feeds.rows("f.csv", titles.format(delimiter) + TABLE.format(delimiter))
    header = titles.count("\n") + 1
    assert [row.values["Produktname"] for row in found] == ["Tasse", "Teller"]
    assert [row.line for row in found] == [header + 1, header + 2]
    assert "2 rows skipped before the header" in found.notes


def test_a_title_above_two_columns_is_skipped(feeds):
    assert feeds.values("f.csv", "Prices of today\nid,price\n1,5 EUR\n") == [{"id": "1", "price": "5 EUR"}]


@pytest.mark.parametrize(
    "text", [TABLE.format(";"), TABLE.format(","), "Name\nx\n", "Nr;Text\n1;a, b, c, d, e\n2;a, b, c, d, e\n"]
)
def test_the_first_line_of_a_table_without_titles_is_its_header(feeds, text):
    found = feeds.rows("f.csv", text)
    assert [row.line for row in found] == [*range(2, text.count("\n") + 1)]
    assert not any("skipped" in note for note in found.notes)


def test_a_row_below_a_title_may_have_a_quote_that_is_never_closed(feeds):
    assert "f.csv:4: a quote in this row is never closed" in feeds.error(
        "f.csv", 'Export\nArt,Name\n1,"a"\n2,"b\n3,c\n'
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("title", ["", 'Racks of 19"\n', 'Racks of 19" and 20"\nof 5"\n'])
def test_a_quote_within_a_cell_of_a_header_or_a_title_opens_none(feeds, delimiter, title):
    header = f'Diagonal in "{delimiter}size{delimiter}text'
    rows = feeds.read("f.csv", f"{title}{header}\n19{delimiter}a{delimiter}b\n20{delimiter}c{delimiter}d\n")
    line = title.count("\n") + 2
    assert rows == [
        (line, {'Diagonal in "': "19", "size": "a", "text": "b"}, ""),
        (line + 1, {'Diagonal in "': "20", "size": "c", "text": "d"}, ""),
    ]


def test_rows_below_a_title_may_have_a_quote_within_a_cell(feeds):
    titles = [f'{5 * n}" pipe' if n % 3 != 2 else "pipe" for n in range(1, 60)]
    content = "Nr,Name\n" + "".join(f"{n},{title}\n" for n, title in enumerate(titles))
    below = feeds.read("f.csv", "Export of today\n" + content)
    assert [values["Name"] for _, values, _ in below] == titles
    assert [line for line, *_ in below] == [*range(3, 62)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_header_with_line_breaks_is_read_in_its_delimiter(feeds, delimiter):
    others = ",;\t|".replace(delimiter, "")
    header = delimiter.join(["id", f'"long{others}\nname ""a""\n"', '"b\n"'])
    (row,) = feeds.rows("f.csv", f"{header}\n1{delimiter}2{delimiter}3\n")
    assert (row.line, row.values) == (5, {"id": "1", f'long{others}\nname "a"': "2", "b": "3"})


@pytest.mark.parametrize("above", ["|||\n", ";;;\n,,,\n\t\t\n"])
def test_lines_of_delimiters_alone_above_a_header_are_blank(feeds, above):
    found = feeds.rows("f.csv", f"{above}Nr|Name\n1|a\n2|b\n")
    assert [row.line for row in found] == [above.count("\n") + 2, above.count("\n") + 3]
    assert not any("skipped" in note for note in found.notes)


@given(
    cells=st.lists(
        st.lists(st.text(st.sampled_from('a ,;|"\n'), max_size=5), min_size=2, max_size=2), max_size=5
    ),
    title=st.sampled_from(["", "Export\n", 'Racks of 19"\n']),
    delimiter=st.sampled_from(",;\t|"),
)
def test_what_the_csv_module_writes_is_read_below_any_title(cells, title, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
        [["id", "title"], ["0", "x"], *cells]
    )
    source = Source(InMemory((title + text.getvalue()).encode(), "feed.csv"), FORMATS["csv"])
    found = [row.values for row in read_rows(source, roots=(), known=("id", "title"))]
    expected = [
        {name: cell for name, cell in zip(("id", "title"), row, strict=True) if cell.strip()} for row in cells
    ]
    assert found == [{"id": "0", "title": "x"}, *filter(None, expected)]

"""The step that reads the values of rows as a kind of feed has them."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from ....feeds.row import Row, Step
from ..composed_fields import Values, amount, image_fields, price_amount, price_fields, stock_fields
from ..fixes.money import PriceError, read_amount
from ..transforms import PRICES, AddCurrency, SplitField, is_bare_amount
from . import FeedKind, column_key
from .options import OptionNames

LIST_SEPARATOR = ","
LEVEL = " > "  # between the categories of a path


class AsKind(Step, frozen=True, dict=True):
    """Reads values as a kind has them."""

    kind: FeedKind
    names: dict[str, str] = {}  # under which rows have the columns of the feed
    categories: dict[str, str] = {}  # path by number

    @property
    def leaves_out(self) -> bool:
        """Tell whether the kind has values of rows that are left out."""
        return bool(self.kind.left_out)

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that it fills from columns of the feed."""
        kind = self.kind
        sources = {
            **kind.words,
            **kind.joined,
            "availability": kind.stock,
            "inventory": kind.stock,
            "sale_price": kind.full_prices,
        }
        keys = {*map(column_key, self.names)}
        return tuple(field for field, columns in sources.items() if keys & {*map(column_key, columns)})

    def apply(self, row: Row) -> None:
        """Leave a row out, or read its values."""
        if self._unwanted and any(
            str(row.values.get(column, "")).strip().casefold() in values for column, values in self._unwanted
        ):
            row.left_out = True
            return
        for read in self._readings:
            read(row.values)
        self.kind.spellings.apply(row)

    @cached_property
    def _unwanted(self) -> list[tuple[str, list[str]]]:
        """The columns with the values of rows that are left out, where no assembly does that."""
        if self.kind.assembly:
            return []
        return [(self._key(column), values) for column, values in self.kind.left_out.items()]

    @cached_property
    def _readings(self) -> list[Callable[[Values], None]]:
        """What the kind says of values, in its order."""
        kind = self.kind
        readings = {
            self._compose: kind.words,
            self._take_parameters: kind.parameters or kind.pairs,
            self._join: kind.joined,
            self._split: kind.separators,
            self._rewrite_paths: kind.paths,
            self._name_category: self.categories,
            self._read_decimals: kind.decimal_comma,
            self._read_prices: kind.full_prices,
            self._read_currency: kind.currencies,
            self._read_stock: kind.stock,
        }
        return [read for read, applies in readings.items() if applies]

    def _key(self, column: str) -> str:
        """Return the name under which rows have a column, however the feed spells it."""
        key = column_key(column)
        return next((name for pattern, name in self.names.items() if column_key(pattern) == key), column)

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """The names under which rows have the columns that the kind names."""
        kind = self.kind
        groups = (*kind.words.values(), *kind.joined.values(), *kind.pairs, kind.parameters)
        columns = chain(*groups, kind.full_prices, kind.currencies, kind.stock, [kind.categories])
        return {column: self._key(column) for column in columns}

    def _compose(self, values: Values) -> None:
        """Fill a field that is empty with the words of several columns."""
        for field, columns in self.kind.words.items():
            if field not in values:
                words = (values.get(self._keys[column]) for column in columns)
                if text := " ".join(str(word) for word in words if word):
                    values[field] = text

    def _take_parameters(self, values: Values) -> None:
        """Fill fields from columns of names and values, which records may have nested in a list."""
        for name, value in self._parameters(values):
            field = self._field_of_option(name)
            if field and field not in values and value and LIST_SEPARATOR not in value:
                values[field] = value

    @cached_property
    def _field_of_option(self) -> Callable[[str], str | None]:
        return OptionNames(self.kind.options).field_of

    def _parameters(self, values: Values) -> Iterator[tuple[str, str]]:
        for column, (name, value) in self.kind.parameters.items():
            held = values.get(self._keys[column])
            for part in held if isinstance(held, list) else [held]:
                if isinstance(part, dict):
                    yield str(part.get(name, "")), str(part.get(value, ""))
        for name, value in self.kind.pairs:
            yield str(values.get(self._keys[name], "")), str(values.get(self._keys[value], ""))

    def _join(self, values: Values) -> None:
        for field, columns in self.kind.joined.items():
            keys = (field, *(self._keys[column] for column in columns))
            parts = [values[key] for key in keys if key in values]
            lists = [value if isinstance(value, list) else [value] for value in parts]
            if items := [*map(str, chain.from_iterable(lists))]:
                values[field] = LIST_SEPARATOR.join(items)

    def _split(self, values: Values) -> None:
        """Keep the first part of a list; further images are additional ones."""
        for field, separator in self.kind.separators.items():
            if (value := values.get(field)) is None:
                continue
            if field == "image_link" and isinstance(value, list):
                images = image_fields(map(str, value))
                values.update({name: link for name, link in images.items() if link})
            else:
                SplitField(field, separator).apply(Row(0, values))

    def _rewrite_paths(self, values: Values) -> None:
        for field, separator in self.kind.paths.items():
            if isinstance(path := values.get(field), str) and separator in path:
                values[field] = LEVEL.join(filter(None, map(str.strip, path.split(separator))))

    def _name_category(self, values: Values) -> None:
        number = str(values.get(self._keys[self.kind.categories], "")).strip()
        if "product_type" not in values and (path := self.categories.get(number)):
            values["product_type"] = path

    def _read_decimals(self, values: Values) -> None:
        """Write prices with a point for decimals, where they are clear."""
        for field in (*PRICES, *self.kind.full_prices):
            key = self._keys.get(field, field)
            if (price := values.get(key)) is not None and is_bare_amount(price):
                try:
                    values[key] = read_amount(str(price).strip())
                except PriceError:
                    continue

    def _read_prices(self, values: Values) -> None:
        """Tell the price from the sale price, where there is a price before a reduction."""
        price = str(values.get("price", "")).strip()
        texts = (values.get(self._keys[column]) for column in self.kind.full_prices)
        full = next((str(text).strip() for text in texts if text), "")
        if price_amount(price) is not None and price_amount(full) is not None:
            values.update({name: text for name, text in price_fields(price, full).items() if text})

    def _read_currency(self, values: Values) -> None:
        """Append the currency that a column names to bare prices."""
        texts = (values.get(self._keys[column]) for column in self.kind.currencies)
        if code := next((str(code).strip().upper() for code in texts if code), ""):
            AddCurrency(self.kind.codes.get(code, code)).apply(Row(0, values))

    def _read_stock(self, values: Values) -> None:
        """Take a quantity that agrees with the availability; where nothing else tells that, it does."""
        texts = (values.get(self._keys[column]) for column in self.kind.stock)
        quantity = next((number for text in texts if (number := amount(str(text).strip())) is not None), None)
        if quantity is not None:
            availability = values.setdefault("availability", "in stock" if quantity >= 1 else "out of stock")
            meaning = self.kind.spellings.meaning("availability", availability) or str(availability)
            if inventory := stock_fields(meaning, quantity)["inventory"]:
                values.setdefault("inventory", inventory)

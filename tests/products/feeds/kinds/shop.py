"""A shop with products, variants and stock, from a fixed seed: what all exports are written from.

What a catalog must hold follows from the shop itself, and not from a file that was written.
"""

import random
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape

SEED = 17
# What the shop's exports leave out: a currency, a condition, whole addresses, descriptions without markup.
EXPORT_OPTIONS = ("--currency", "EUR", "--default", "condition=new", "--fix", "html")
SHOP_OPTIONS = (*EXPORT_OPTIONS, "--base-url", "https://shop.example")
THINGS = [
    "Mütze",
    "Poncho „Ñandú“",
    "Kerzenständer",
    "テーブルランプ",
    "Crème brûlée set",
    "Rucksack Å",
    "Tee 茶",
    "Sokker ÆØÅ",
]
VENDORS = ["Nordlicht", "Señor Lopez & Søn", "青山工房"]
TYPES = ["Home > Lights", "Clothing > Hats", "Küche"]
COLORS = ["Rot", "Blau", "Grün", "Écru"]
SIZES = ["S", "M", "L/XL", "One size"]
TEXTS = [
    "Handmade in small series, 100 % wool.",
    "Für drinnen & draußen: hält „ewig“.",
    "お茶のための、しずかな器。",
]


@dataclass
class Variant:
    sku: str
    options: dict[str, str]
    price: Decimal
    full_price: Decimal | None = None  # before the sale
    gtin: str = ""
    quantity: int | None = None  # None: not tracked
    sold_when_out: bool = False
    image: str = ""

    @property
    def is_out(self) -> bool:
        return self.quantity is not None and self.quantity <= 0 and not self.sold_when_out

    def inventory(self, availability: str) -> int | None:
        """Return the quantity that agrees with an availability: 1 or more if in stock, else 0."""
        count = None if self.quantity is None else max(0, self.quantity)
        return count if count is not None and bool(count) == (availability == "in stock") else None


@dataclass
class Item:
    number: int
    handle: str
    title: str
    text: str
    vendor: str
    type: str
    images: list[str]
    variants: list[Variant] = field(default_factory=list)
    status: str = "active"  # or draft, archived, hidden

    @property
    def html(self) -> str:
        """Return the text as an editor stores it."""
        return f"<p>{escape(self.text)}</p>"

    @property
    def has_variants(self) -> bool:
        return len(self.variants) > 1


def shop(items: int = 310) -> list[Item]:
    """Make the products of a shop, always the same ones."""
    choose = random.Random(SEED)
    return [_item(choose, number) for number in range(1, items + 1)]


def _item(choose: random.Random, number: int) -> Item:
    thing = choose.choice(THINGS)
    count = choose.choice([1, 1, 2, 3, 4])
    item = Item(
        number,
        handle=f"item-{number}",
        title=f"{thing} No. {number}",
        text=choose.choice(TEXTS),
        vendor=choose.choice(VENDORS),
        type=choose.choice(TYPES),
        images=[f"https://cdn.example/{number}/{n}.jpg?v={number}" for n in range(choose.randint(1, 4))],
        status=choose.choice(["active"] * 8 + ["draft", "archived", "hidden"]),
    )
    colors, sizes = choose.sample(COLORS, 2), choose.sample(SIZES, 2)
    options = [{"Farbe": color, "Size": size} for color in colors for size in sizes]
    for n in range(count):
        price = Decimal(choose.randint(500, 90000)).scaleb(-2)
        item.variants.append(
            Variant(
                sku="" if choose.random() < 0.2 else f"{number:05d}-{n}",
                options=options[n] if count > 1 else {},
                price=price,
                full_price=price + choose.randint(1, 50) if choose.random() < 0.3 else None,
                gtin="4006381333931" if choose.random() < 0.3 else "",
                quantity=choose.choice([None, -2, 0, 1, 7, 1200]),
                sold_when_out=choose.random() < 0.3,
                image=choose.choice(item.images) if count > 1 and choose.random() < 0.5 else "",
            )
        )
    return item


def money(amount: Decimal) -> str:
    return f"{amount:.2f} EUR"


def without_empty(product: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in product.items() if value not in ("", None)}

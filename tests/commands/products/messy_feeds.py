"""Feeds as services and shops export them, with the mistakes that such files have in public."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple
from xml.sax.saxutils import escape

import xlsxwriter

SHOP = "https://shop.example"
NAMES = (
    *("Enamel Mug", "Wool Hat", "Kids' Backpack", "Linen Apron", "Oak Board", "Tea Towel", "Desk Lamp"),
    *('15" Monitor Stand', "Glass Jug 1,5 l", "Träger-Top", "Crème brûlée Set", "Phone Case | Clear"),
)
BRANDS = ("Nordlicht", "Acme & Sons", "Lumière", "Bäcker")
COLORS = ("Red", "Blue", "Black")
SIZES = ("S", "M", "L")
LONG = "Very sturdy, made to last, and a gift that everybody likes; " * 4


class MessyFeed(NamedTuple):
    """A feed, and what its owner answers where a check asks for a value."""

    name: str  # of the file
    content: bytes
    products: int  # that are in the catalog once it is pushed
    answers: Mapping[str, str] = {}  # by field or option


class Item(NamedTuple):
    """A product, as no export writes it."""

    number: int
    name: str
    brand: str
    color: str
    size: str
    cents: int
    ean: str
    stock: int

    @property
    def price(self) -> str:
        return f"{self.cents / 100:.2f}"

    @property
    def image(self) -> str:
        return f"https://cdn.shop.example/img/{self.number}.jpg"

    @property
    def path(self) -> str:
        return f"/p/{self.number}"


def items(count: int, seed: int) -> list[Item]:
    """Make up products."""
    random = Random(seed)
    made = []
    for number in range(1, count + 1):
        digits = f"40{random.randrange(10**10):010}"
        check = -sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10
        made.append(
            Item(
                1000 + number,
                f"{random.choice(NAMES)} {number}",
                random.choice(BRANDS),
                random.choice(COLORS),
                random.choice(SIZES),
                random.randrange(299, 249999),
                f"{digits}{check}",
                random.choice((0, 3, 250)),
            )
        )
    return made


def german(cents: int) -> str:
    """Write an amount as a German spreadsheet does."""
    return f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,"))


def columns(text: str) -> list[str]:
    """Read a header, of which each line but the last ends with a comma."""
    return text.replace("\n", "").split(",")


def table(
    header: Sequence[str], rows: Sequence[Mapping[str, object]], delimiter: str = ",", **options: object
) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, header, restval="", delimiter=delimiter, lineterminator="\r\n", **options)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def google_tsv() -> MessyFeed:
    """A sheet for Merchant Center: attributes with spaces, prices by hand, one row twice."""
    header = columns("""
id,title,description,link,image link,additional image link,availability,price,sale price,
sale price effective date,google product category,product type,brand,gtin,mpn,
identifier exists,condition,item group id,color,size,shipping,custom label 0
""")
    rows = []
    for item in items(60, 1):
        nth = item.number % 10
        rows.append(
            {
                "id": item.number,
                "title": f"{item.name} {LONG if nth == 3 else ''}".strip() + "  " * (nth == 4),
                "description": f"<p>{item.name}&nbsp;by {escape(item.brand)}</p>",
                "link": f"{'http' if nth == 5 else 'https'}://shop.example{item.path}?utm_source=g&c=1",
                "image link": item.image,
                "additional image link": ",".join(f"{item.image}?{n}" for n in range(12 if nth == 6 else 2)),
                "availability": "in_stock" if item.stock else "Out of Stock",
                "price": (f"{item.price} EUR", f"EUR {item.price}", f"{german(item.cents)} €")[nth % 3],
                "google product category": "166 - Apparel & Accessories>Clothing",
                "product type": "Home>Kitchen",
                "brand": item.brand,
                "gtin": "" if nth == 7 else item.ean,
                "condition": "New",
                "color": item.color,
                "size": item.size,
                "shipping": "DE:::4.90 EUR",
            }
        )
    rows.append(rows[3])
    text = table(header, rows, "\t", quoting=csv.QUOTE_NONE, quotechar=None, escapechar=None)
    return MessyFeed("google.txt", text.encode(), 60)


def google_xml() -> MessyFeed:
    """RSS of a plug-in: bare ampersands, CDATA, prices without a currency, ids of variants twice."""
    records = []
    for item in items(40, 2):
        nth = item.number % 10
        number = item.number - (nth == 9)  # the id of the row before, with other values
        records.append(
            f"""<item>
<g:id>{number}</g:id><title>{escape(item.name)}</title><g:title>{item.brand} {escape(item.name)}</g:title>
<g:description><![CDATA[<div class="rte"><p>Nice &amp; useful.<ul><li>One</li></ul></div>]]></g:description>
<link>{SHOP}{item.path}?a=1&b=2</link>
<g:image_link> {item.image} </g:image_link>
{"".join(f"<g:additional_image_link>{item.image}?{n}</g:additional_image_link>" for n in range(nth))}
<g:availability>{"in stock" if item.stock else "out of stock"}</g:availability>
<g:price>{item.price}{"" if nth == 1 else " EUR"}</g:price>
{f"<g:sale_price>{german(item.cents // 2)} EUR</g:sale_price>" if nth == 2 else ""}
<g:brand>{item.brand}</g:brand><g:gtin>{item.ean[:-1] if nth == 4 else item.ean}</g:gtin>
<g:condition>new</g:condition><g:item_group_id>{item.number // 10}</g:item_group_id>
<g:shipping><g:country>DE</g:country><g:price>4.90 EUR</g:price></g:shipping>
<g:product_type>Home &gt; Kitchen</g:product_type>
</item>"""
        )
    head = '<?xml version="1.0"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>'
    text = f"{head}\n<title>Shop</title><link>{SHOP}</link>\n{''.join(records)}\n</channel></rss>\n"
    return MessyFeed("google.xml", text.encode(), 40)


def meta() -> MessyFeed:
    """The template of Meta with its line of comments, filled in by hand."""
    header = columns("""
id,title,description,availability,condition,price,link,image_link,brand,
google_product_category,fb_product_category,quantity_to_sell_on_facebook,sale_price,
sale_price_effective_date,item_group_id,gender,color,size,age_group,material,pattern,
shipping,shipping_weight,video[0].url,style[0]
""")
    comments = ["# Required | A unique content ID for the item. Use the item's SKU if you can."]
    comments += [f"# Optional | {name}" for name in header[1:]]
    rows = [
        {
            "id": f"SKU-{item.number}",
            "title": item.name.upper(),
            "description": "" if item.number % 10 == 2 else f"{item.name} by {item.brand}",
            "availability": "in stock" if item.stock else "Out Of Stock",
            "condition": ("new", "New", "used_like_new")[item.number % 3],
            "price": (f"{item.price} USD", f"${item.price}", f"USD{item.price}")[item.number % 3],
            "link": f"shop.example{item.path}" if item.number % 10 == 5 else f"{SHOP}{item.path}",
            "image_link": item.image.removeprefix("https:") if item.number % 10 == 4 else item.image,
            "brand": item.brand,
            "quantity_to_sell_on_facebook": item.stock,
            "gender": "Unisex",
            "age_group": "all ages",
            "video[0].url": "https://cdn.shop.example/v.mp4",
        }
        for item in items(40, 3)
    ]
    commented = table(comments, []) + table(header, rows)
    return MessyFeed("meta_catalog.csv", b"\xef\xbb\xbf" + commented.encode(), 40, {"currency": "USD"})


def pinterest() -> MessyFeed:
    """A data source of Pinterest, with prices and images as a plug-in writes them."""
    header = columns("""
id,item_group_id,title,description,link,image_link,price,sale_price,availability,condition,
google_product_category,product_type,additional_image_link,brand,gender,ad_link,
free_shipping_label
""")
    rows = [
        {
            "id": item.number,
            "title": item.name,
            "description": f"{item.name} &amp; more",
            "link": f"http://shop.example{item.path}",
            "image_link": item.image,
            "price": item.price,
            "sale_price": f"{item.cents / 200:.2f}" if item.number % 5 == 0 else "",
            "availability": "in stock" if item.stock else "preorder",
            "product_type": "Home > Kitchen",
            "additional_image_link": f"{item.image}?1|{item.image}?2",
            "ad_link": f"{SHOP}{item.path}?utm_source=pinterest",
        }
        for item in items(40, 4)
    ]
    answers = {"currency": "GBP", "brand": "Nordlicht"}
    return MessyFeed("pinterest.csv", b"\xef\xbb\xbf" + table(header, rows).encode(), 40, answers)


def cj() -> MessyFeed:
    """A catalog of CJ: capitals, yes and no, columns of books beside those of goods."""
    header = columns("""
PROGRAMNAME,PROGRAMURL,CATALOGNAME,LASTUPDATED,NAME,KEYWORDS,DESCRIPTION,SKU,MANUFACTURER,
MANUFACTURERID,UPC,ISBN,CURRENCY,SALEPRICE,PRICE,RETAILPRICE,FROMPRICE,BUYURL,
IMPRESSIONURL,IMAGEURL,ADVERTISERCATEGORY,THIRDPARTYID,THIRDPARTYCATEGORY,AUTHOR,ARTIST,
TITLE,PUBLISHER,LABEL,FORMAT,SPECIAL,GIFT,PROMOTIONALTEXT,STARTDATE,ENDDATE,OFFLINE,
ONLINE,INSTOCK,CONDITION,WARRANTY,STANDARDSHIPPINGCOST
""")
    rows = [
        {
            "PROGRAMNAME": "Shop Affiliate Program",
            "PROGRAMURL": SHOP,
            "CATALOGNAME": "Shop Product Catalog",
            "LASTUPDATED": "11/20/2026 06:00:00 AM",
            "NAME": item.name.replace("|", "-"),
            "DESCRIPTION": f"<b>{item.name.replace('|', '-')}</b> from {item.brand}",
            "SKU": f"{item.number:08}",
            "MANUFACTURER": "" if item.number % 9 == 0 else item.brand,
            "UPC": item.ean[:12],
            "CURRENCY": "USD",
            "SALEPRICE": f"{item.cents / 120:.2f}" if item.number % 4 == 0 else "",
            "PRICE": item.price,
            "BUYURL": f"http://www.anrdoezrs.example/click-1-2?url=https%3A%2F%2Fshop.example{item.path}",
            "IMPRESSIONURL": "http://www.awltovhc.example/image-1-2",
            "IMAGEURL": item.image.replace("https", "http"),
            "ADVERTISERCATEGORY": "Home > Kitchen",
            "ONLINE": "Yes",
            "INSTOCK": "yes" if item.stock else "no",
            "CONDITION": "New",
            "STANDARDSHIPPINGCOST": "4.95",
        }
        for item in items(40, 5)
    ]
    return MessyFeed("cj_catalog.txt", table(header, rows, "|").encode(), 40, {"brand": "Nordlicht"})


def aliexpress() -> MessyFeed:
    """A scraped list: HTML, addresses without a scheme, prices with symbols and of before."""
    header = columns("""
productId,title,description,originalPrice,salePrice,discount,images,url,storeName,rating,
orders,availableQuantity
""")
    rows = [
        {
            "productId": 1005000000000 + item.number,
            "title": f"{item.name} {LONG}",
            "description": '<div class="detailmodule_html"><style>p{x:y}</style><p><br/></p>'
            f"<p>{item.name}<img src='//ae01.example/k.jpg'/></p></div>",
            "originalPrice": f"US ${item.cents / 50:,.2f}",
            "salePrice": f"US ${item.cents / 100:,.2f}",
            "discount": "-50%",
            "images": ";".join(f"//ae01.example/kf/{item.number}{n}.jpg" for n in range(6)),
            "url": f"//www.aliexpress.example/item/{item.number}.html?spm=a2g0o",
            "storeName": "Shop 910 Store",
            "rating": "4.8",
            "orders": "1000+",
            "availableQuantity": item.stock,
        }
        for item in items(40, 6)
    ]
    return MessyFeed("aliexpress.csv", table(header, rows).encode(), 40, {"brand": "No name"})


def shopify() -> MessyFeed:
    """A products export of Shopify: variants and images over several rows, some without SKU."""
    header = columns("""
Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,
Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,
Variant Inventory Qty,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,
Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,
Image Position,Gift Card,SEO Title,SEO Description,Status
""")
    rows: list[dict[str, object]] = []
    for item in items(40, 7):
        handle, nth = f"item-{item.number}", item.number % 10
        for at, size in enumerate(SIZES[: 1 + nth % 3]):
            variant = {
                "Handle": handle,
                "Option1 Value": size if nth % 3 else "Default Title",
                "Variant SKU": "" if nth == 4 else "SAME" if nth in (5, 6) else f"{item.number}-{size}",
                "Variant Inventory Tracker": "shopify",
                "Variant Inventory Qty": item.stock - 5,
                "Variant Inventory Policy": "deny",
                "Variant Price": item.price,
                "Variant Compare At Price": item.price if nth == 8 else "",
                "Variant Barcode": f"'{item.ean}" if at == 0 else "",
                "Image Src": f"{item.image}?v={at}",
                "Image Position": at + 1,
            }
            product = {
                "Title": item.name,
                "Body (HTML)": "" if nth == 7 else f"<p>{item.name}</p>",
                "Vendor": item.brand,
                "Type": "Home",
                "Published": "true",
                "Option1 Name": "Size" if nth % 3 else "Title",
                "Status": "draft" if item.number % 20 == 0 else "active",
            }
            rows.append(variant | (product if at == 0 else {}))
    return MessyFeed(
        "products_export_1.csv", table(header, rows).encode(), 74, {"base_url": SHOP, "currency": "EUR"}
    )


def wix() -> MessyFeed:
    """A products export of Wix Stores: names of images, surcharges, inventory in words."""
    header = columns("""
handleId,fieldType,name,description,productImageUrl,collection,sku,ribbon,price,surcharge,
visible,discountMode,discountValue,inventory,weight,cost,productOptionName1,
productOptionType1,productOptionDescription1,additionalInfoTitle1,additionalInfoDescription1,
brand
""")
    rows: list[dict[str, object]] = []
    for item in items(50, 8):
        has_sizes = item.number % 5 == 0
        rows.append(
            {
                "handleId": f"Product_{item.number}",
                "fieldType": "Product",
                "name": item.name,
                "description": "" if item.number % 7 == 0 else f"<p>{item.name}</p>",
                "productImageUrl": f"abc_{item.number}~mv2.jpg;abc_{item.number}b~mv2.jpg",
                "collection": "Home;Kitchen",
                "sku": "" if has_sizes else f"W{item.number}",
                "price": item.price,
                "visible": "true",
                "discountMode": "PERCENT",
                "discountValue": 10 if item.number % 4 == 0 else 0,
                "inventory": "InStock" if item.stock else "OutOfStock",
                "productOptionName1": "Size" if has_sizes else "",
                "productOptionType1": "DROP_DOWN" if has_sizes else "",
                "productOptionDescription1": "S;M" if has_sizes else "",
            }
        )
        rows += [
            {
                "handleId": f"Product_{item.number}",
                "fieldType": "Variant",
                "sku": f"W{item.number}-{size}",
                "surcharge": 2.5 if size == "M" else 0,
                "visible": "true",
                "inventory": "3",
                "productOptionDescription1": size,
            }
            for size in ("S", "M")
            if has_sizes
        ]
    answers = {"link": f"{SHOP}/product-page/{{handleId}}", "currency": "EUR", "brand": "Nordlicht"}
    return MessyFeed("catalog_products.csv", b"\xef\xbb\xbf" + table(header, rows).encode(), 60, answers)


def woocommerce() -> MessyFeed:
    """A products export of WooCommerce: variations, sales without dates, shortcodes in texts."""
    header = columns("""
ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,
Date sale price starts,Date sale price ends,Tax status,In stock?,Stock,Backorders allowed?,
Sale price,Regular price,Categories,Tags,Images,Parent,Position,Attribute 1 name,
Attribute 1 value(s),Meta: _yoast_wpseo_title,Meta: _wpcom_is_markdown
""")
    rows: list[dict[str, object]] = []
    for item in items(70, 9):
        has_sizes = item.number % 5 == 0
        common = {"Published": 1, "Visibility in catalog": "visible", "In stock?": int(item.stock > 0)}
        price = {
            "Regular price": german(item.cents) if item.number % 3 == 0 else item.price,
            "Sale price": f"{item.cents / 200:.2f}" if item.number % 6 == 1 else "",
        }
        rows.append(
            common
            | ({} if has_sizes else price)
            | {
                "ID": item.number,
                "Type": "variable" if has_sizes else "simple",
                "SKU": "" if item.number % 4 == 0 else f"woo-{item.number}",
                "Name": item.name.replace("&", "&amp;"),
                "Short description": f"<p>{item.name}</p>\\n",
                "Description": ""
                if item.number % 7 == 0
                else f'[vc_row]<p style="x">{item.name}</p>[/vc_row]',
                "Categories": "Home, Home > Kitchen",
                "Images": f"{item.image}, {item.image}?2",
                "Attribute 1 name": "Size" if has_sizes else "",
                "Attribute 1 value(s)": "S, M" if has_sizes else "",
            }
        )
        rows += [
            common
            | price
            | {
                "ID": item.number * 10 + at,
                "Type": "variation",
                "SKU": f"woo-{item.number}-{size}",
                "Name": f"{item.name} - {size}",
                "Parent": f"id:{item.number}" if item.number % 4 == 0 else f"woo-{item.number}",
                "Attribute 1 name": "Size",
                "Attribute 1 value(s)": size,
            }
            for at, size in enumerate(("S", "M"))
            if has_sizes
        ]
    answers = {"base_url": SHOP, "currency": "EUR", "brand": "Nordlicht"}
    return MessyFeed("wc-product-export.csv", b"\xef\xbb\xbf" + table(header, rows).encode(), 84, answers)


def german_excel() -> MessyFeed:
    """What a German spreadsheet saves as CSV: code page 1252, semicolons, decimal commas."""
    header = columns("""
Artikelnummer,Bezeichnung,Beschreibung,Hersteller,EAN,Preis,UVP,Lagerbestand,Bild 1,Bild 2,
Link,Zustand,Kategorie
""")
    rows = [
        {
            "Artikelnummer": f"{item.number:06}",
            "Bezeichnung": f"{item.name} – größer",
            "Beschreibung": f"Schöner {item.name}\nfür Küche & Büro",
            "Hersteller": item.brand,
            "EAN": "4,00639E+12" if item.number % 10 == 1 else item.ean,
            "Preis": f"{german(item.cents)} €" if item.number % 2 else german(item.cents),
            "UVP": german(item.cents * 2),
            "Lagerbestand": item.stock,
            "Bild 1": item.image,
            "Bild 2": f"{item.image}?2",
            "Link": f"www.shop.example{item.path}",
            "Zustand": "Neu",
            "Kategorie": "Küche > Tassen",
        }
        for item in items(40, 10)
    ]
    return MessyFeed("Artikel.csv", table(header, rows, ";").encode("cp1252"), 40)


def workbook() -> MessyFeed:
    """A workbook made by hand: a title above the head, amounts as numbers, a sheet of notes."""
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    sheet, money = book.add_worksheet("Products"), book.add_format({"num_format": '#,##0.00 "€"'})
    sheet.write_row(0, 0, ["Our products, November"])
    header = ["SKU", "Product name", "Details", "Price (EUR)", "Qty", "Web page", "Photo", "Maker", "Barcode"]
    sheet.write_row(2, 0, header)
    for at, each in enumerate(items(45, 11), 3):
        sheet.write_row(at, 0, [each.number, each.name, f"{each.name}\nby {each.brand}"])
        sheet.write_number(at, 3, each.cents / 100, money)
        sheet.write_row(at, 4, [each.stock, SHOP[8:] + each.path, each.image, each.brand])
        sheet.write_number(at, 8, int(each.ean))
    sheet.write_row(49, 0, ["Total", "", "", 12345.67])
    book.add_worksheet("Notes").write_row(0, 0, ["to do", "who"])
    book.close()
    return MessyFeed("Products November.xlsx", stream.getvalue(), 45, {"sheet": "Products"})


def json_lines() -> MessyFeed:
    """What a crawler writes: nested offers, booleans, lists, some values null."""
    records = [
        {
            "productId": item.number,
            "name": f" {item.name} ",
            "description": None if item.number % 11 == 0 else f"{item.name}\u00a0of {item.brand}",
            "url": f"{SHOP}{item.path}",
            "images": [item.image, f"{item.image}?2"],
            "brand": {"@type": "Brand", "name": item.brand},
            "price": item.cents / 100,
            "currency": "EUR",
            "in_stock": item.stock > 0,
            "gtin13": item.ean,
            "itemCondition": "https://schema.org/NewCondition",
            "tags": ["a", "b"],
        }
        for item in items(40, 12)
    ]
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    return MessyFeed("crawl.jsonl", text.encode(), 40)


def dollars() -> MessyFeed:
    """A feed of Pinterest whose prices have a sign that several currencies share."""
    rows = [
        f"{item.number}\t{item.name}\t{item.name}\tshop.example{item.path}\t"
        f"//cdn.example/{item.number}.jpg\t${item.price}\tin stock"
        for item in items(20, 13)
    ]
    text = "id\ttitle\tdescription\tlink\timage_link\tprice\tavailability\n" + "\n".join(rows)
    return MessyFeed("pins.tsv", text.encode(), 20, {"brand": "Nordlicht", "currency": "USD"})


def prestashop() -> MessyFeed:
    """A French shop: a title above the header, cp1252, relative images, a quantity in place of words."""
    rows = [
        f'"{item.number}";"Tasse n° {item.number}";"<p>Crème</p>";"{item.price.replace(".", ",")} €";'
        f'"{item.stock}";"{SHOP}{item.path}";"/img/{item.number}.jpg";"Nordlicht";"neuf"'
        for item in items(20, 14)
    ]
    header = '"Référence";"Nom";"Résumé";"Prix TTC";"Quantité";"URL";"Image";"Marque";"État"'
    text = "\n".join(["Export du 01/11/2026", "", header, *rows])
    return MessyFeed("export.csv", text.encode("cp1252"), 20, {"encoding": "cp1252"})


def magento() -> MessyFeed:
    """A Polish shop: a title above the header, amounts in złoty, availability in words."""
    rows = [
        f'K{item.number},Kubek {item.number},Opis kubka,"{item.price.replace(".", ",")} zł",'
        f"{'dostępny' if item.stock else 'niedostępny'},{SHOP}{item.path},{item.image},Nordlicht,nowy"
        for item in items(20, 15)
    ]
    header = "sku,nazwa,opis,cena,dostępność,url,zdjęcie,producent,stan"
    return MessyFeed("raport.csv", "\n".join(["Raport produktów", header, *rows]).encode(), 20)


def shopware() -> MessyFeed:
    """A Japanese shop, in Shift JIS, whose prices have separators of thousands."""
    rows = [
        f'S{item.number},マグカップ,青い,"{1000 + item.number:,}円",'
        f"{'在庫あり' if item.stock else '在庫なし'},{SHOP}{item.path},{item.image},ノルド,新品"
        for item in items(20, 16)
    ]
    header = "商品コード,商品名,説明,価格,在庫,URL,画像,ブランド,状態"
    return MessyFeed("items.csv", "\n".join([header, *rows]).encode("shift_jis"), 20)


FEEDS: tuple[Callable[[], MessyFeed], ...] = (
    *(google_tsv, google_xml, meta, pinterest, cj, aliexpress, shopify, wix, woocommerce, german_excel),
    *(json_lines, dollars, prestashop, magento, shopware),
)

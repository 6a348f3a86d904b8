"""Feeds made for price comparisons, and the listings of Etsy, become the products that they describe."""

import json

import pytest

HEUREKA = """\
<?xml version="1.0" encoding="utf-8"?>
<SHOP>
<SHOPITEM><ITEM_ID>K1</ITEM_ID><PRODUCTNAME>Konvice 1,7 l</PRODUCTNAME><PRODUCT>Konvice, dárek</PRODUCT>
<DESCRIPTION>Konvice.</DESCRIPTION><URL>https://shop.example/k1</URL>
<IMGURL>https://shop.example/1.jpg</IMGURL>
<IMGURL_ALTERNATIVE>https://shop.example/2.jpg</IMGURL_ALTERNATIVE>
<IMGURL_ALTERNATIVE>https://shop.example/3.jpg</IMGURL_ALTERNATIVE><PRICE>508</PRICE>
<PRICE_VAT>715,50</PRICE_VAT>
<MANUFACTURER>Acme</MANUFACTURER><CATEGORYTEXT>Heureka.cz | Domov | Konvice</CATEGORYTEXT>
<EAN>4006381333931</EAN>
<PRODUCTNO>K-17</PRODUCTNO><DELIVERY_DATE>0</DELIVERY_DATE><ITEMGROUP_ID>K</ITEMGROUP_ID>
<PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>modrá</VAL></PARAM>
<PARAM><PARAM_NAME>Velikost</PARAM_NAME><VAL>L</VAL></PARAM>
<DELIVERY><DELIVERY_ID>DPD</DELIVERY_ID><DELIVERY_PRICE>99</DELIVERY_PRICE></DELIVERY></SHOPITEM>
<SHOPITEM><ITEM_ID>K2</ITEM_ID><PRODUCT>Konvice 2 l</PRODUCT><DESCRIPTION>Konvice.</DESCRIPTION>
<URL>https://shop.example/k2</URL><IMGURL>https://shop.example/4.jpg</IMGURL><PRICE_VAT>615</PRICE_VAT>
<MANUFACTURER>Acme</MANUFACTURER><DELIVERY_DATE>10</DELIVERY_DATE></SHOPITEM>
<SHOPITEM><ITEM_ID>K3</ITEM_ID><PRODUCTNAME>Konvice 3 l</PRODUCTNAME><DESCRIPTION>Konvice.</DESCRIPTION>
<URL>https://shop.example/k3</URL><IMGURL>https://shop.example/5.jpg</IMGURL><PRICE_VAT>615</PRICE_VAT>
<MANUFACTURER>Acme</MANUFACTURER><DELIVERY_DATE>2027-03-01</DELIVERY_DATE></SHOPITEM>
<SHOPITEM><ITEM_ID>K4</ITEM_ID><PRODUCTNAME>Skryté</PRODUCTNAME><DESCRIPTION>x</DESCRIPTION>
<URL>https://shop.example/k4</URL><IMGURL>https://shop.example/6.jpg</IMGURL><PRICE_VAT>1</PRICE_VAT>
<DELIVERY_DATE>0</DELIVERY_DATE><VISIBILITY>0</VISIBILITY></SHOPITEM>
</SHOP>
"""
YML = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE yml_catalog SYSTEM "shops.dtd">
<yml_catalog date="2026-11-01 12:00"><shop><name>Shop</name><url>https://shop.example</url>
<currencies><currency id="RUR" rate="1"/></currencies>
<categories><category id="1">Техника</category>
<category id="2" parentId="1">Чай &amp; кофе</category></categories>
<offers>
<offer id="a1" type="vendor.model" available="true" group_id="g">
<url>https://shop.example/a1?x=1&amp;y=2</url>
<price>1500</price><oldprice>2000</oldprice><currencyId>RUR</currencyId><categoryId>2</categoryId>
<picture>https://shop.example/1.jpg</picture><picture>https://shop.example/2.jpg</picture>
<typePrefix>Чайник</typePrefix><vendor>Bosch</vendor><vendorCode>B-1</vendorCode><model>T 100</model>
<description>Чайник&nbsp;стальной</description><barcode>4006381333931</barcode>
<param name="Цвет">красный</param><param name="Размер" unit="RU">L</param></offer>
<offer id="a2" available="false"><url>https://shop.example/a2</url><price>99,90</price>
<currencyId>RUB</currencyId><categoryId>1</categoryId><picture>https://shop.example/3.jpg</picture>
<name>Кружка</name><vendor>Acme</vendor><description>Кружка</description></offer>
</offers></shop></yml_catalog>
"""
ETSY = """\
TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,IMAGE2,IMAGE3,VARIATION 1 TYPE,\
VARIATION 1 NAME,VARIATION 1 VALUES,SKU
Hanging,Handmade.,45.00,USD,3,"a,b",cotton,https://i.example/1.jpg,https://i.example/2.jpg,,Custom,Color,\
Blue,M-1
Mug,A mug.,12.00,USD,0,mug,clay,https://i.example/3.jpg,,,Custom,Size,"S,M","MUG-S,MUG-M"
"""
ETSY_IN_GERMAN = """\
TITEL,BESCHREIBUNG,PREIS,WÄHRUNGSCODE,MENGE,TAGS,MATERIALIEN,BILD1,BILD2,SKU
Tasse,Eine Tasse.,"12,50",EUR,4,tasse,ton,https://i.example/3.jpg,https://i.example/4.jpg,T-1
"""
IDEALO = """\
sku;brand;title;categoryPath;url;eans;hans;description;imageUrls;price;formerPrice;deliveryTime;colour;size
A1;Acme;Kettle;Home > Kettles;https://shop.example/a1;4006381333931;K-1;A kettle.;\
https://shop.example/1.jpg;19.90;29.90;1-3 working days;red;L
A2;Acme;Mug;Home;https://shop.example/a2;;K-2;A mug.;https://shop.example/2.jpg;9.90;;not available;;
"""
IDEALO_IN_GERMAN = """\
Artikelnummer im Shop;EAN / GTIN / Barcodenummer / UPC;Herstellerartikelnummer (HAN/MPN);\
Hersteller / Markenname;\
Produktname;Preis (Brutto);Lieferzeit;Produktgruppe im Shop;Produktbeschreibung;Produkt-URL;Bild-URL_1;\
Bild-URL_2;\
Versandkosten_DHL;PayPal
A1;4006381333931;K-1;Acme;Kessel;19,90;sofort lieferbar;Haus > Kessel;Ein Kessel.;https://shop.example/a1;\
https://shop.example/1.jpg;https://shop.example/2.jpg;4,99;0,00
A2;;K-2;Acme;Tasse;1.009,90;2-3 Wochen;Haus;Eine Tasse.;https://shop.example/a2;\
https://shop.example/3.jpg;;4,99;0,00
"""
PRISJAKT = """\
Product name;Article number;Manufacturer;Manufacturer SKU;URL to the product page;Price incl VAT;Shipping;\
Stock status;Image URL;EAN;Category
Kettle;A1;Acme;K-1;https://shop.example/a1;199,00;39;In stock;https://shop.example/1.jpg;4006381333931;\
Home | Tea
Mug;A2;Acme;K-2;https://shop.example/a2;99;39;No;https://shop.example/2.jpg;;Home
"""
GTIN = "4006381333931"
NEW = ("--default", "condition=new")
LINK = ("--default", "link=https://shop.example/p", "--default", "brand=Acme")
FEEDS = {
    "heureka": (
        HEUREKA,
        (*NEW, "--currency", "CZK"),
        [
            {
                "id": "K1",
                "title": "Konvice 1,7 l",
                "price": "715.50 CZK",
                "image_link": "https://shop.example/1.jpg",
                "additional_image_link": "https://shop.example/2.jpg,https://shop.example/3.jpg",
                "availability": "in stock",
                "brand": "Acme",
                "product_type": "Heureka.cz > Domov > Konvice",
                "gtin": GTIN,
                "mpn": "K-17",
                "item_group_id": "K",
                "color": "modrá",
                "size": "L",
            },
            {"id": "K2", "title": "Konvice 2 l", "price": "615 CZK", "availability": "available for order"},
            {"id": "K3", "availability": "preorder"},
        ],
    ),
    "yml": (
        YML,
        (),
        [
            {
                "id": "a1",
                "title": "Чайник Bosch T 100",
                "description": "Чайник\N{NO-BREAK SPACE}стальной",
                "link": "https://shop.example/a1?x=1&y=2",
                "price": "2000 RUB",
                "sale_price": "1500 RUB",
                "image_link": "https://shop.example/1.jpg",
                "additional_image_link": "https://shop.example/2.jpg",
                "availability": "in stock",
                "condition": "new",
                "brand": "Bosch",
                "product_type": "Техника > Чай & кофе",
                "mpn": "B-1",
                "gtin": GTIN,
                "item_group_id": "g",
                "color": "красный",
                "size": "L",
            },
            {"id": "a2", "title": "Кружка", "price": "99.90 RUB", "product_type": "Техника"},
        ],
    ),
    "etsy": (
        ETSY,
        (*NEW, *LINK),
        [
            {
                "id": "M-1",
                "title": "Hanging",
                "price": "45.00 USD",
                "availability": "in stock",
                "inventory": 3,
                "additional_image_link": "https://i.example/2.jpg",
                "color": "Blue",
            },
            {"id": "MUG-S", "availability": "out of stock", "size": None},
        ],
    ),
    "etsy, in German": (
        ETSY_IN_GERMAN,
        (*NEW, *LINK),
        [{"id": "T-1", "title": "Tasse", "price": "12.50 EUR", "inventory": 4}],
    ),
    "idealo": (
        IDEALO,
        ("--currency", "EUR"),
        [
            {
                "id": "A1",
                "price": "29.90 EUR",
                "sale_price": "19.90 EUR",
                "availability": "in stock",
                "condition": "new",
                "gtin": GTIN,
                "mpn": "K-1",
                "color": "red",
                "size": "L",
                "product_type": "Home > Kettles",
            },
            {"id": "A2", "price": "9.90 EUR", "sale_price": None, "availability": "out of stock"},
        ],
    ),
    "idealo, in German": (
        IDEALO_IN_GERMAN,
        ("--currency", "EUR"),
        [
            {
                "id": "A1",
                "title": "Kessel",
                "price": "19.90 EUR",
                "brand": "Acme",
                "image_link": "https://shop.example/1.jpg",
                "additional_image_link": "https://shop.example/2.jpg",
            },
            {"id": "A2", "price": "1009.90 EUR", "availability": "available for order"},
        ],
    ),
    "prisjakt": (
        PRISJAKT,
        (*NEW, "--currency", "SEK", "--default", "description={title}"),
        [
            {
                "id": "A1",
                "title": "Kettle",
                "price": "199.00 SEK",
                "product_type": "Home > Tea",
                "mpn": "K-1",
            },
            {"id": "A2", "price": "99 SEK", "availability": "out of stock"},
        ],
    ),
}


@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_of_another_service_becomes_what_it_describes(adsctl, name):
    content, options, expected = FEEDS[name]
    kind, file = name.partition(",")[0], "feed.xml" if content.startswith("<") else "feed.csv"
    adsctl.file(file, content)
    done = adsctl("products", "convert", file, "products.json", *options)
    assert f"(--from {kind})" in done.stderr and "not known" not in done.stderr
    products = json.loads((adsctl.home / "products.json").read_text())
    assert [product["id"] for product in products] == [each["id"] for each in expected]
    for product, wanted in zip(products, expected, strict=True):
        assert {field: product.get(field) for field in wanted} == wanted


@pytest.mark.parametrize("name", FEEDS)
def test_the_advice_asks_only_for_what_the_feed_does_not_say(adsctl, name):
    content, options, expected = FEEDS[name]
    file = "feed.xml" if content.startswith("<") else "feed.csv"
    adsctl.file(file, content)
    code = 3 if options else 0
    said = adsctl("products", "check", file, code=code, ADSCTL_OUTPUT="table").stderr
    if options:
        (line,) = (line for line in said.splitlines() if line.startswith("try: "))
        assert line.endswith(
            f"# {len(expected)} of {len(expected)} row{'s' * (len(expected) > 1)} valid, 0 left out"
        )
        assert "--map" not in line and "image_link" not in line


def test_a_document_type_that_declares_something_is_refused(adsctl):
    declared = '<!DOCTYPE yml_catalog [<!ENTITY a "aaaa">]>'
    adsctl.file("feed.xml", YML.replace('<!DOCTYPE yml_catalog SYSTEM "shops.dtd">', declared))
    assert "a document type declaration" in adsctl("products", "check", "feed.xml", code=3).stderr

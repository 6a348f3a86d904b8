"""An export of WooCommerce is read in the language of its shop.

The headers are those of exports and importers in public repositories, in the order of the exporter.
"""

import csv
import io
import json

import pytest

GERMAN = """ID|Typ|Artikelnummer|GTIN, UPC, EAN oder ISBN|Name|Veröffentlicht|Ist hervorgehoben?
Sichtbarkeit im Katalog|Kurzbeschreibung|Beschreibung|Datum, an dem Angebotspreis beginnt
Datum, an dem Angebotspreis endet|Steuerstatus|Steuerklasse|Vorrätig?|Lager|Geringe Lagermenge
Lieferrückstand?|Nur einzeln verkaufen?|Gewicht (kg)|Länge (cm)|Breite (cm)|Höhe (cm)
Kundenrezensionen erlauben?|Hinweis zum Kauf|Angebotspreis|Regulärer Preis|Kategorien|Schlagwörter
Versandklasse|Bilder|Downloadlimit|Ablauftage des Downloads|Übergeordnetes Produkt|Gruppierte Produkte
Zusatzverkäufe|Cross-Sells (Querverkäufe)|Externe URL|Button-Text|Position|Marken|Attribut 1 Name
Attribut 1 Wert(e)|Attribut 1 Sichtbar|Attribut 1 Global"""
FRENCH = """ID|Type|UGS|GTIN, UPC, EAN ou ISBN|Nom|Publié|Mis en avant\N{NARROW NO-BREAK SPACE}?
Visibilité dans le catalogue|Description courte|Description|Date de début de promo|Date de fin de promo
État de la TVA|Classe de TVA|En stock ?|Stock|Montant de stock faible
Autoriser les commandes de produits en rupture ?|Vendre individuellement ?|Poids (kg)|Longueur (cm)
Largeur (cm)|Hauteur (cm)|Autoriser les avis clients ?|Note de commande|Tarif promo|Tarif régulier
Catégories|Étiquettes|Classe d'expédition|Images|Limite de téléchargement
Jours d’expiration du téléchargement|Parent|Groupes de produits|Produits suggérés|Ventes croisées
URL externe|Libellé du bouton|Position|Marques|Nom de l’attribut 1|Valeur(s) de l’attribut 1
Attribut 1 visible|Attribut 1 global"""
SPANISH = """ID|Tipo|SKU|GTIN, UPC, EAN o ISBN|Nombre|Publicado|¿Está destacado?
Visibilidad en el catálogo|Descripción corta|Descripción|Día en que empieza el precio rebajado
Día en que termina el precio rebajado|Estado del impuesto|Clase de impuesto|¿En inventario?|Inventario
Cantidad de bajo inventario|¿Permitir reservas de productos agotados?|¿Vendido individualmente?|Peso (kg)
Longitud (cm)|Anchura (cm)|Altura (cm)|¿Permitir valoraciones de clientes?|Nota de compra|Precio rebajado
Precio normal|Categorías|Etiquetas|Clase de envío|Imágenes|Límite de descargas
Días de caducidad de la descarga|Superior|Productos agrupados|Ventas dirigidas|Ventas cruzadas|URL externa
Texto del botón|Posición|Marcas|Nombre del atributo 1|Valor(es) del atributo 1|Atributo visible 1
Atributo global 1"""
ITALIAN = """ID|Tipo|COD|GTIN, UPC, EAN o ISBN|Nome|Pubblicato|In primo piano?|Visibilità nel catalogo
Breve descrizione|Descrizione|Data di partenza del prezzo in saldo|Data in cui termina l'offerta
Stato delle imposte|Aliquota di imposta|In stock?|Magazzino|Quantità ridotta in magazzino
Abilita gli ordini arretrati?|Venduto singolarmente?|Peso (kg)|Lunghezza (cm)|Larghezza (cm)|Altezza (cm)
Permetti le recensioni clienti?|Note sull'acquisto|Prezzo in offerta|Prezzo di listino|Categorie|Tag
Classe di spedizione|Immagine|Limite di download|Scarica i giorni di scadenza|Genitore
Prodotti raggruppati|Up-sell|Cross-sell|URL esterno|Testo del pulsante|Posizione|Brand|Attributo 1 nome
Attributo 1 valuta(e)|Attributo 1 visibile|Attributo 1 globale"""
DUTCH = """ID|Type|SKU|GTIN, UPC, EAN of ISBN|Naam|Gepubliceerd|Uitgelicht?|Zichtbaarheid in catalogus
Korte beschrijving|Beschrijving|Startdatum actieprijs|Einddatum actieprijs|Btw status|Belastingklasse
Op voorraad?|Voorraad|Lage voorraad|Nabestellingen toestaan?|Wordt individueel verkocht?|Gewicht (kg)
Lengte (cm)|Breedte (cm)|Hoogte (cm)|Klantbeoordelingen toestaan?|Aankoopnotitie|Actieprijs
Reguliere prijs|Categorieën|Tags|Verzendklasse|Afbeeldingen|Downloadlimiet|Dagen vervaltijd download|Hoofd
Gegroepeerde producten|Upsells|Cross-sells|Externe URL|Knop tekst|Positie|Merken|Naam eigenschap 1
Waarde eigenschap 1|Zichtbare eigenschap 1|Globale eigenschap 1"""
POLISH = """ID|Typ|SKU|GTIN, UPC, EAN lub ISBN|Nazwa|Opublikowano|Wyróżniony produkt?
Widoczność w katalogu|Krótki opis|Opis|Data rozpoczęcia promocji|Data zakończenia promocji|Status podatku
Klasa podatkowa|W magazynie?|Stan magazynowy|Niski stan magazynowy
Pozwalać na zamówienia oczekujące (na dostawę do magazynu)?|Sprzedawany pojedynczo?|Waga (kg)|Długość (cm)
Szerokość (cm)|Wysokość (cm)|Włącz opinie klientów?|Notatka do zakupu|Cena promocyjna|Cena|Kategorie|Tagi
Klasa wysyłkowa|Obrazki|Limit pobrań|Ważność pobierania|Element nadrzędny|Produkty grupowe
Produkty "up-sell"|Produkty "Cross-sell"|Zewnętrzny adres URL|Tekst przycisku|Pozycja|Marki
Nazwa atrybutu 1|Wartości atrybutu 1|Atrybut 1 widoczny|Atrybut 1: globalny"""
# Some of its wordings are known, and the others by their place.
SWEDISH = """ID|Typ|Artikelnummer|GTIN|Namn|Publicerad|Framhävd?|Synlighet|Kort beskrivning|Beskrivning
Rea från|Rea till|Momsstatus|Momsklass|I lager?|Lager|Lite kvar|Restorder?|En och en?|Vikt (kg)|Längd (cm)
Bredd (cm)|Höjd (cm)|Recensioner?|Notis|Reapris|Ordinarie pris|Kategorier|Etiketter|Fraktklass|Bilder
Nedladdningar|Dagar|Över|Grupp|Merförsäljning|Korsförsäljning|Extern URL|Knapptext|Position|Varumärken
Attribut 1 namn|Attribut 1 värde(n)|Attribut 1 synligt|Attribut 1 globalt"""
# Of which nothing is known but the order and the values.
TURKISH = """Kimlik|Tür|Stok kodu|Barkod|İsim|Yayımlanmış|Öne çıkan?|Katalogda görünürlük|Kısa açıklama
Açıklama|Başlar|Biter|Vergi durumu|Vergi sınıfı|Stokta?|Stok|Düşük stok|Yok satış?|Tek satış?|Ağırlık (kg)
Uzunluk (cm)|Genişlik (cm)|Yükseklik (cm)|Yorum?|Not|İndirimli fiyat|Normal fiyat|Kategoriler|Etiketler
Gönderim sınıfı|Görseller|İndirme sınırı|Süre|Üst|Gruplanmış|Yukarı|Çapraz|Dış adres|Düğme|Konum|Markalar
Nitelik 1 ismi|Nitelik 1 değer(ler)i|Nitelik 1 görünür|Nitelik 1 genel"""
HEADERS = {
    "German": (GERMAN, "Farbe"),
    "French": (FRENCH, "Couleur"),
    "Spanish": (SPANISH, "Color"),
    "Italian": (ITALIAN, "Colore"),
    "Dutch": (DUTCH, "Kleur"),
    "Polish": (POLISH, "Kolor"),
    "Swedish": (SWEDISH, "Färg"),
    "another language": (TURKISH, "Color"),
}
FIELDS = (
    *("id", "type", "sku", "gtin", "name", "published", "featured", "visibility", "short", "description"),
    *(
        "starts",
        "ends",
        "tax",
        "tax_class",
        "in_stock",
        "stock",
        "low",
        "backorders",
        "individually",
        "weight",
    ),
    *("length", "width", "height", "reviews", "note", "sale", "price", "categories", "tags", "shipping"),
    *("images", "limit", "expiry", "parent", "grouped", "upsells", "cross", "external", "button", "position"),
    *("brands", "attribute", "values", "visible", "global"),
)
COMMON = {"published": "1", "visibility": "visible", "tax": "taxable", "in_stock": "1", "position": "0"}
ROWS = [
    {
        "id": "1",
        "type": "simple",
        "sku": "K-1",
        "gtin": "4006381333931",
        "name": "Kettle",
        "description": r"Of steel.\nWith a lid.",
        "starts": "2026-11-01",
        "ends": "2026-12-01",
        "stock": "5",
        "sale": "19,90",
        "price": "1029,90",
        "categories": "Kitchen > Kettles, New",
        "images": "https://shop.example/k.jpg, https://shop.example/k2.jpg",
        "brands": "Acme",
    },
    {
        "id": "2",
        "type": "variable",
        "sku": "S-1",
        "name": "Shirt",
        "description": "Linen",
        "categories": "Clothes",
        "images": "https://shop.example/s.jpg",
        "brands": "Acme",
        "attribute": "COLOR",
        "values": "red, blue",
    },
    {
        "id": "3",
        "type": "variation",
        "sku": "S-1-R",
        "name": "Shirt - red",
        "stock": "3",
        "price": "39,90",
        "parent": "S-1",
        "attribute": "COLOR",
        "values": "red",
    },
    {"id": "4", "type": "simple", "sku": "D", "name": "Draft", "published": "-1", "price": "9,90"},
    {"id": "5", "type": "simple", "sku": "P", "name": "Private", "published": "0", "price": "9,90"},
]
OPTIONS = ("--currency", "EUR", "--default", "condition=new", "--base-url", "https://shop.example")


def export(language: str) -> str:
    header, color = HEADERS[language]
    stream = io.StringIO()
    writer = csv.writer(stream)
    names = [name for line in header.splitlines() for name in line.split("|")]
    assert len(names) == len(FIELDS)
    writer.writerow(names)
    for row in ROWS:
        cells = COMMON | row
        writer.writerow(color if cells.get(name) == "COLOR" else cells.get(name, "") for name in FIELDS)
    return stream.getvalue()


@pytest.mark.parametrize("language", HEADERS)
def test_an_export_in_another_language_becomes_the_catalog_of_the_shop(adsctl, language):
    adsctl.file("export.csv", export(language))
    done = adsctl("products", "convert", "export.csv", "products.json", *OPTIONS)
    assert f"read as a WooCommerce products export in {language} (--from woocommerce)" in done.stderr
    assert "2 products left out: 1 whose" in done.stderr
    assert language == "another language" or "not known" not in done.stderr
    kettle, shirt = json.loads((adsctl.home / "products.json").read_text())
    assert kettle == {
        "id": "K-1",
        "title": "Kettle",
        "description": "Of steel.\nWith a lid.",
        "availability": "in stock",
        "condition": "new",
        "price": "1029.90 EUR",
        "link": "https://shop.example/?p=1",
        "image_link": "https://shop.example/k.jpg",
        "brand": "Acme",
        "gtin": "4006381333931",
        "additional_image_link": "https://shop.example/k2.jpg",
        "product_type": "Kitchen > Kettles",
        "inventory": 5,
        "sale_price": "19.90 EUR",
        "sale_price_effective_date": "2026-11-01T00:00:00+00:00/2026-12-01T23:59:59+00:00",
    }
    assert (shirt["id"], shirt["price"], shirt["item_group_id"]) == ("S-1-R", "39.90 EUR", "S-1")
    assert (shirt["image_link"], shirt["description"]) == ("https://shop.example/s.jpg", "Linen")
    assert (shirt["link"], shirt["product_type"], shirt["brand"], shirt["color"]) == (
        *("https://shop.example/?p=2", "Clothes", "Acme", "red"),
    )


def test_the_language_counts_where_the_kind_is_named(adsctl):
    adsctl.file("export.csv", export("German"))
    done = adsctl("products", "check", "export.csv", "--from", "woocommerce", *OPTIONS)
    assert "1 whose Veröffentlicht is -1" in done.stderr


def test_an_export_of_a_few_columns_is_known_too(adsctl):
    rows = '1,simple,K-1,Kessel,1,Aus Stahl.,1,5,"29,90",https://shop.example/k.jpg,\n'
    header = "ID,Typ,Artikelnummer,Name,Veröffentlicht,Beschreibung,Vorrätig?,Lager,Regulärer Preis,Bilder"
    header += ",Übergeordnet\n"
    adsctl.file("export.csv", header + rows + rows.replace("K-1", "K-2").replace(",1,Aus", ",-1,Aus"))
    done = adsctl("products", "check", "export.csv", *OPTIONS, "--default", "brand=Acme", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 1 and "1 whose Veröffentlicht is -1" in done.stderr


def test_a_feed_with_types_of_its_own_is_no_export(adsctl):
    adsctl.file("feed.csv", "Art,Nummer,Preis\nsimple,1,2\nvariable,2,3\n")
    assert "read as" not in adsctl("products", "check", "feed.csv", code=3).stderr

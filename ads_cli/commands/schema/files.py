"""JSON Schemas of the files that commands read: records, campaigns, recipes, fleets, settings."""

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

from ...api.conversions import Conversion
from ...api.endpoint import Request
from ...api.fields import fields_by_name, fields_of
from ...api.names import VALUES, X
from ...api.parts import has_batch_options, media_file_fields
from ...api.posts import CreatePost, CreatePostAsAdvertiser
from ...api.products import Product
from ...api.targeting import AddCriterion
from ...api.users import AudienceParams, DoNotReachParams, DoNotReachUser, User
from ...campaigns import loops, model
from ...campaigns.file import OPERATORS, RECORD_KEYS
from ...campaigns.kinds import CAMPAIGN, POST, TARGETING, TYPE, Kind, kinds_in
from ...campaigns.new_posts import OWN, SHORT_CARDS, card_kinds
from ...config.guard import DENIABLE, PARSERS
from ...config.settings import BOOLEANS, CONFIG_KEYS, PROFILE_KEYS, RECIPES
from ...console.parameters import Argument, Option, parameters_of
from ...fleet import file as fleet_file
from ...products.feeds.kinds import FeedKind
from ..runs.recipe import COLUMN_KEYS, OPTIONS, PAIRS
from .types import AMOUNT, TEXT, Definitions, Schema, file_schema, or_null

A_TEXT: Schema = {"type": TEXT}
TEXTS: Schema = {"anyOf": [A_TEXT, {"type": "array", "items": A_TEXT}]}
PLACEHOLDER: Schema = {"type": "string", "pattern": r"\{[^{}]+\}", "description": "Filled by the loop"}
BY_FIELD = ("values", "joined")  # keys of a recipe whose own keys are fields of products
FLAG: Schema = {"enum": [True, False, *BOOLEANS]}


def closed(properties: Mapping[str, Schema], *required: str, **more: Any) -> Schema:
    """Return the schema of an object that has no other keys."""
    named = {"required": [*required]} if required else {}
    return {"type": "object", "properties": {**properties}, **named, **more, "additionalProperties": False}


def of_request(kind: type[Request], definitions: Definitions) -> Schema:
    """Return the schema of a file of records of a request: its fields, and what only records have."""
    endpoint, properties = kind.endpoint, definitions.properties(fields_of(kind))
    for name in sorted({*endpoint.record_fields, endpoint.record_id, "currency"} - properties.keys()):
        properties[name] = {"readOnly": True}
    properties |= dict.fromkeys(media_file_fields(kind), file_schema())
    if endpoint.action == "update":  # null empties a field
        properties = {name: or_null(schema) for name, schema in properties.items()}
    record = closed(properties)
    if not has_batch_options(kind):
        return record
    of_one = definitions.add(f"{endpoint.command.replace(' ', '-')}-file-record", lambda: record)
    return {"anyOf": [of_one, {"type": "array", "items": of_one}]}


def campaigns(definitions: Definitions) -> Schema:
    """Return the schema of a file of campaigns."""
    records = _records(CAMPAIGN.list_name, definitions)
    texts = dict.fromkeys(model.KEYS, A_TEXT)
    return closed(texts | {"scope": {"const": "account"}, CAMPAIGN.list_name: records}, CAMPAIGN.list_name)


def _records(list_name: str, definitions: Definitions) -> Schema:
    """Return the schema of a list of records, and of those below them."""
    schemas = [_record(kind, definitions) for kind in kinds_in(list_name)]
    if list_name == TARGETING.list_name:
        schemas.append(_criterion())
    if list_name == POST.list_name:
        schemas.append(definitions.add("new-ad", lambda: _new_ad(definitions)))
    return {"type": "array", "items": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}


def _record(kind: Kind, definitions: Definitions) -> Schema:
    def make() -> Schema:
        properties = _own_keys()
        for key, field in model.fields_by_key(kind).items():
            is_amount = field.is_money and key != field.name
            filled = {
                "anyOf": [AMOUNT if is_amount else definitions.value(field.type, field.name), PLACEHOLDER]
            }
            if description := field.type.limit("description"):
                filled["description"] = description
            schema = or_null(filled) if field.is_removable else filled
            properties |= {key: schema, X.name(key): schema}
        properties |= {name: _records(name, definitions) for name in kind.below}
        return closed(properties)

    return definitions.add(f"{kind.name}-{kind.own_fields[0]}" if kind.own_fields else kind.name, make)


def _own_keys() -> dict[str, Schema]:
    loop = closed(dict.fromkeys(loops.LOOP_KEYS, TEXTS), minProperties=1, maxProperties=1)
    return {name: loop if name == "for" else A_TEXT for name in sorted(RECORD_KEYS)}


def _criterion() -> Schema:
    """Return the schema of a criterion in short, such as `EXCLUDE BROAD_KEYWORD: plastic`."""
    types = {field.name: field.type for field in fields_of(AddCriterion)}[TYPE].offered
    operators = "|".join(f"{operator} " for operator in OPERATORS if operator)
    own = _own_keys()
    names = "|".join((*types, *VALUES.get(TYPE, {}).values())) or "[A-Z_]+"
    return closed(own, patternProperties={f"^({operators})?({names})$": A_TEXT})


def _new_ad(definitions: Definitions) -> Schema:
    """Return the schema of an ad whose post is new."""
    fields = [field for kind in (CreatePost, CreatePostAsAdvertiser) for field in fields_of(kind)]
    properties = definitions.properties(field for field in fields if field.name not in OWN)
    properties = {name: {"anyOf": [schema, PLACEHOLDER]} for name, schema in properties.items()}
    properties |= {"media": file_schema(), "media_key": A_TEXT, "card": {"anyOf": _cards(definitions)}}
    return closed(properties | _own_keys())


def _cards(definitions: Definitions) -> list[Schema]:
    shorts = [
        closed({name: {"type": "object"} if name == "app" else A_TEXT for name in sorted(names)}, *names)
        for names in map(sorted, SHORT_CARDS)
    ]
    whole = []
    for name, (kind, _) in card_kinds().items():
        fields = [field for field in fields_of(kind) if field.name != "account_id"]
        properties = definitions.properties(fields) | dict.fromkeys(media_file_fields(kind), file_schema())
        properties["kind"] = {"const": name}
        whole.append(closed(properties, *(["kind"] if name else [])))
    return [*shorts, *whole]


def fleet() -> Schema:
    """Return the schema of the file of a fleet."""
    loop = closed(dict.fromkeys(fleet_file.LOOP_KEYS, TEXTS), minProperties=1)
    words: Schema = {"type": "string", "minLength": 1, "description": "A command line without adsctl"}
    task = closed(dict.fromkeys(fleet_file.TASK_KEYS, A_TEXT) | {"run": words, "for": loop}, "run")
    tasks: Schema = {"type": "array", "items": task, "minItems": 1}
    defaults: Schema = {
        "type": "object",
        "additionalProperties": words,
        "description": "Options by command, which those of a task outrank",
    }
    return closed(dict(zip(fleet_file.KEYS, (or_null(defaults), tasks), strict=True)), "tasks")


def recipe(definitions: Definitions) -> Schema:
    """Return the schema of a recipe: of options of feeds and lists, and of what only a recipe says."""
    from ..audiences import check as check_people
    from ..products.offline import check as check_products

    functions = (check_people, check_products)
    options = {
        param.long_names[0][2:]: param
        for function in functions
        for param in parameters_of(function)
        if param.long_names
    }
    properties: dict[str, Schema] = {}
    for name in OPTIONS:
        schema = _of_recipe(name, options.get(name))
        properties |= dict.fromkeys((name, name.replace("-", "_")), schema)
    feed_kind = fields_by_name(FeedKind)
    tables = {name: _of_table(feed_kind[name].type.annotation) for name in sorted(COLUMN_KEYS)}
    for name in BY_FIELD:
        tables[name]["propertyNames"] = {"enum": [*definitions.properties(fields_of(Product))]}
    return closed({name: or_null(schema) for name, schema in (properties | tables).items()})


def _of_recipe(name: str, option: Option | Argument | None) -> Schema:
    if name in PAIRS:
        pairs: Schema = {"type": "object", "additionalProperties": or_null(A_TEXT)}
        schema: Schema = {"anyOf": [pairs, *TEXTS["anyOf"]]}
    elif option is None:
        return A_TEXT
    elif getattr(option, "is_flag", False):
        schema = FLAG
    else:
        schema = TEXTS if getattr(option, "multiple", False) else A_TEXT
    return schema | ({"description": option.help} if option else {})


def _of_table(annotation: Any) -> Schema:
    """Return the schema of lists, mappings and texts in each other."""
    *_, inner = get_args(annotation) or (None,)
    if inner is None:
        return A_TEXT
    if get_origin(annotation) is dict:
        return {"type": "object", "additionalProperties": _of_table(inner)}
    return {"type": "array", "items": _of_table(inner)}


def guard() -> Schema:
    """Return the schema of the guard: of its own file, and of a profile."""
    words: Schema = {"enum": [*DENIABLE]}
    own: dict[str, Schema] = {
        "read_only": FLAG,
        "deny": {"anyOf": [{"type": "string"}, {"type": "array", "items": words}]},
    }
    return closed({key: own.get(key, A_TEXT) for key in PARSERS})


def settings() -> Schema:
    """Return the schema of config.yaml."""
    names: Schema = {"type": "object", "additionalProperties": A_TEXT}
    profile = dict.fromkeys(PROFILE_KEYS, A_TEXT) | {RECIPES: names, "guard": or_null(guard())}
    profiles: Schema = {"type": "object", "additionalProperties": or_null(closed(profile))}
    return closed(dict(zip(CONFIG_KEYS, (A_TEXT, or_null(profiles)), strict=True)))


def products(definitions: Definitions) -> Schema:
    """Return the schema of a row of a feed, which may have other columns too."""
    return {"type": "object", "properties": definitions.properties(fields_of(Product))}


def people(definitions: Definitions) -> Schema:
    """Return the schema of a row of a list of people, before it is hashed."""
    structs = (User, AudienceParams, DoNotReachUser, DoNotReachParams)
    names = dict.fromkeys(field.name for struct in structs for field in fields_of(struct))
    return {"type": "object", "properties": dict.fromkeys(sorted({*names} - {"users"}), TEXTS)}


def conversions(definitions: Definitions) -> Schema:
    """Return the schema of a row of conversions."""
    return {"type": "object", "properties": definitions.properties(fields_of(Conversion))}


# The kinds of files, each with what makes its schema.
KINDS: dict[str, Callable[[Definitions], Schema]] = {
    "campaigns": campaigns,
    "recipe": recipe,
    "fleet": lambda definitions: fleet(),
    "config": lambda definitions: settings(),
    "guard": lambda definitions: guard(),
    "products": products,
    "people": people,
    "conversions": conversions,
}
ROWS = ("products", "people", "conversions")  # tables, mostly, which no editor holds against a schema
# The files that custom commands read, by their parameters; others may be of any kind.
OF_COMMANDS = {
    "campaigns plan": {"file": "campaigns"},
    "campaigns apply": {"file": "campaigns"},
    "fleet run": {"file": "fleet"},
    "fleet check": {"file": "fleet"},
    "conversions send": {"files": "conversions", "file": "conversions"},
}
OF_GROUPS = {
    "products": {"files": "products", "file": "products", "recipe": "recipe"},
    "audiences": {"files": "people", "file": "people", "recipe": "recipe"},
}


def kinds_of(command: str) -> dict[str, str]:
    """Return the kinds of files that a command reads, by parameter."""
    return OF_COMMANDS.get(command) or OF_GROUPS.get(command.split()[0], {})

"""JSON schemas in words."""

from collections.abc import Mapping
from typing import Any

_LISTED = 8  # values of an enumeration that are named in full


class Schemas:
    """The named schemas of an OpenAPI document."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what `schema` refers to, or itself. A lone `allOf` counts as a reference."""
        while True:
            if len(schema.get("allOf", [])) == 1:
                schema = schema["allOf"][0]
            elif "$ref" in schema:
                schema = self._named[schema["$ref"].rpartition("/")[2]]
            else:
                return schema

    def alternatives(self, schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the schemas that a value may have one of."""
        return [self.resolved(choice) for choice in schema.get("anyOf", schema.get("oneOf", []))]

    def words(self, schema: Mapping[str, Any]) -> str:
        """Return the type of a value in words: `integer`, `list of string`, `string or null`."""
        schema = self.resolved(schema)
        if choices := self.alternatives(schema):
            return " or ".join(dict.fromkeys(self.words(choice) for choice in choices))
        if "const" in schema:
            return f"“{schema['const']}”"
        if values := schema.get("enum"):
            known = ", ".join(f"“{value}”" for value in values[:_LISTED])
            return f"{known} and others" if len(values) > _LISTED else known
        kind = schema.get("type", "any value")
        if kind == "array":
            return f"list of {self.words(schema.get('items', {}))}"
        if schema.get("format") == "date-time":
            return "time"
        return str(kind)

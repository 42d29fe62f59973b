"""Reads untrusted YAML as plain values.

The base class of the loader refuses Python tags. This module refuses aliases, because nine lines of them can
represent a billion values when expanded.
"""

import yaml


class YamlInvalid(ValueError):
    """Raised when a text is not YAML, or uses unsupported features. The message says why."""


class _Loader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise YamlInvalid("it holds aliases (*name); write the values out")
        return super().compose_node(parent, index)


def read_yaml(text: str | bytes) -> object:
    """Return the value of a YAML document.

    Raises:
        YamlInvalid: the text is not YAML, or has aliases.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - made from the safe one
    except YamlInvalid:
        raise
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise YamlInvalid(str(error)[:200]) from error

"""Reads untrusted YAML as plain values.

Tags of Python are refused by the loader that this is made from. Aliases are refused here: nine lines of them
can stand for a billion values, which cost memory only when expanded.
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
    """The value of a YAML document.

    Raises:
        YamlInvalid: it is none, or holds aliases.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - made from the safe one
    except YamlInvalid:
        raise
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise YamlInvalid(str(error)[:200]) from error

#!/usr/bin/env python3
"""Run an administrative command of the site."""

import sys

from django.core.management import execute_from_command_line

from web.config import use_settings
from web.setting import ConfigError

if __name__ == "__main__":
    use_settings()
    try:
        execute_from_command_line(sys.argv)
    except ConfigError as error:
        sys.exit(str(error))

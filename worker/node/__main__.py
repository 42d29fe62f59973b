"""`python -m worker.node`: the service of a GPU host, until SIGTERM or Ctrl-C."""

import argparse
import signal
import sys

import django
from django.conf import settings

from web.config import use_settings
from web.setting import ConfigError


def main(argv: list[str] | None = None) -> int:
    """Monitor this host's GPUs and report them. The exit status is 1 if none can be used."""
    argparse.ArgumentParser(prog="python -m worker.node", description=main.__doc__).parse_args(argv)
    use_settings()
    try:
        django.setup()
    except ConfigError as error:
        return _complain(str(error))
    from web.site.judging import node_settings  # noqa: PLC0415 - needs Django's settings
    from worker.node.assembly import NoNode, open_service  # noqa: PLC0415 - as above
    from worker.node.engine import open_engine  # noqa: PLC0415 - as above
    from worker.probes import Probes  # noqa: PLC0415 - as above

    config = settings.WARPCOURT
    engine = open_engine(config.isolation)
    try:
        service = open_service(
            node_settings(config), config.data_dir / "cache", reap=engine.reap, engine=engine.version
        )
    except NoNode as error:
        return _complain(str(error))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: service.ask_to_stop())
    probes = Probes(
        config.metrics_host,
        config.node_metrics_port,
        token=config.metrics_token,
        folder=None,
        trouble=lambda: service.trouble,
    )
    probes.start()
    service.run()
    return 0


def _complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

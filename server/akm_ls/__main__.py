"""``python -m akm_ls`` is ``akm-ls``."""

import sys


def run() -> int:
    """`akm_ls.cli.main`, quiet also about a Ctrl-C that comes while it is being loaded."""
    try:
        from akm_ls.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())

"""``python -m akm_ls`` is ``akm-ls``."""

import sys

from akm_ls.cli import main

if __name__ == "__main__":
    sys.exit(main())

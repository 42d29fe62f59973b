"""The settings of the site for tests: a separate data directory, and fast password hashes."""

import atexit
import os
import shutil
import tempfile

if "WARPCOURT_DATA_DIR" not in os.environ:
    os.environ["WARPCOURT_DATA_DIR"] = tempfile.mkdtemp(prefix="warpcourt-test-")
    atexit.register(shutil.rmtree, os.environ["WARPCOURT_DATA_DIR"], ignore_errors=True)
os.environ.setdefault("WARPCOURT_SECRET_KEY", "only for tests, and long enough that nothing complains")
os.environ.setdefault("WARPCOURT_TARGET", "scripted")
# Test processes share the cores, and threads of PyTorch and NumPy wait for each other by spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from web.settings import *  # noqa: F403 - the environment has to be set first

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Each test client creates the middleware again. Therefore WhiteNoise searches for files on request, not at
# that time.
WHITENOISE_AUTOREFRESH = True

# A test may be slow in the middle of a transaction.
DATABASES["default"]["OPTIONS"].pop("options", None)  # noqa: F405 - from web.settings

# Use a file instead of memory, so that the threads of a test share the database as on a real site.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405 - from web.settings
    DATABASES["default"]["TEST"] = {"NAME": f"{WARPCOURT.data_dir}/test-{os.getpid()}.sqlite3"}  # noqa: F405 - as above

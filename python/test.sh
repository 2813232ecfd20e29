#!/bin/sh
# Builds the wheel and tests it, in an environment of its own below target/python. Says so where Python or maturin is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/python
# A development build without machine code: what is tested is the border, and this builds in a third of the time.
profile=${LARIAT_PYTHON_PROFILE:-dev}

if ! python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 9))' 2> /dev/null; then
    echo "skipped: the Python package needs Python 3.9 or newer, with venv"
    exit 0
fi
mkdir -p "$work"
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
if ! "$work/venv/bin/python" -c 'import maturin' 2> /dev/null; then
    if ! "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.8,<2'; then
        echo "skipped: the Python package is built by maturin, which could not be installed"
        exit 0
    fi
fi
rm -rf "$work/wheels"
CARGO_TARGET_DIR=$work "$work/venv/bin/maturin" build --quiet --locked --no-default-features --profile "$profile" \
    --manifest-path "$root/python/Cargo.toml" --interpreter "$work/venv/bin/python" --out "$work/wheels"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work"/wheels/*.whl
# Not from the folder with the sources, which have no library.
cd "$work"
exec "$work/venv/bin/python" -m unittest discover --start-directory "$root/python/tests" --quiet

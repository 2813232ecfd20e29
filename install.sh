#!/bin/sh
# Installs Lariat for one user, or below any folder: from a release archive, or built from this repository.
#
#   ./install.sh                       in an unpacked archive: installs it; in a clone: builds and installs
#   ./install.sh ARCHIVE.tar.gz        a release archive; ARCHIVE.tar.gz.sha256 beside it is checked
#   PREFIX=/usr/local ./install.sh     below another folder than ~/.local
set -eu

prefix=${PREFIX:-${HOME}/.local}
here=$(cd "$(dirname "$0")" && pwd)
archive=${1:-}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

work=""
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

if [ -n "$archive" ]; then
    [ -f "$archive" ] || fail "there is no file \`$archive\`"
    if [ -f "$archive.sha256" ]; then
        want=$(cut -d ' ' -f 1 < "$archive.sha256")
        have=$(sha256sum "$archive" | cut -d ' ' -f 1)
        [ "$want" = "$have" ] || fail "\`$archive\` is damaged: its checksum is not the one in \`$archive.sha256\`"
    else
        echo "install.sh: note: without \`$archive.sha256\` the archive is not checked for damage" >&2
    fi
    work=$(mktemp -d)
    tar -xzf "$archive" -C "$work"
    from=$(echo "$work"/lariat-*)
    [ -x "$from/lariat" ] || fail "\`$archive\` is not a release archive of Lariat"
elif [ -x "$here/lariat" ]; then
    from=$here
elif [ -f "$here/crates/cli/Cargo.toml" ]; then
    command -v cargo > /dev/null || fail "building needs Rust 1.95 or newer (https://rustup.rs); or give a release archive"
    (cd "$here" && cargo build --locked --profile dist --package lariat-cli)
    work=$(mktemp -d)
    from=$work
    cp "${CARGO_TARGET_DIR:-$here/target}/dist/lariat" "$from/lariat"
    "$from/lariat" man "$from/man"
    mkdir -p "$from/completions"
    "$from/lariat" completions bash > "$from/completions/lariat.bash"
    "$from/lariat" completions zsh > "$from/completions/_lariat"
    "$from/lariat" completions fish > "$from/completions/lariat.fish"
else
    fail "this is neither an unpacked archive nor a clone of the repository; give a release archive"
fi

put() {
    mkdir -p "$(dirname "$prefix/$2")"
    cp "$from/$1" "$prefix/$2"
}

mkdir -p "$prefix/bin"
# A program that runs cannot be written over, but replaced.
cp "$from/lariat" "$prefix/bin/.lariat.new"
chmod 755 "$prefix/bin/.lariat.new"
mv -f "$prefix/bin/.lariat.new" "$prefix/bin/lariat"
if [ -d "$from/man" ]; then
    for page in "$from"/man/*.1; do
        put "man/$(basename "$page")" "share/man/man1/$(basename "$page")"
    done
fi
if [ -d "$from/completions" ]; then
    put completions/lariat.bash share/bash-completion/completions/lariat
    put completions/_lariat share/zsh/site-functions/_lariat
    put completions/lariat.fish share/fish/vendor_completions.d/lariat.fish
fi

"$prefix/bin/lariat" --version
echo "installed in $prefix/bin"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add it to your path: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac

//! `install.sh` installs what is in a release archive, and nothing that is damaged. A script stands for the program.

use std::path::Path;
use std::process::{Command, Output};

fn sh(line: &str, folder: &Path) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../install.sh");
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("INSTALL", script).env("PREFIX", folder.join("installed"));
    command.output().expect("a shell")
}

const ARCHIVE: &str = "\
set -e
mkdir -p lariat-1/man lariat-1/completions
printf '#!/bin/sh\\necho lariat 1\\n' > lariat-1/lariat
chmod +x lariat-1/lariat
for page in lariat lariat-check; do echo page > lariat-1/man/$page.1; done
for script in lariat.bash _lariat lariat.fish; do echo script > lariat-1/completions/$script; done
tar -czf a.tar.gz lariat-1
sha256sum a.tar.gz > a.tar.gz.sha256
";

#[cfg(target_os = "linux")]
#[test]
fn an_archive_is_checked_and_installed() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = sh(ARCHIVE, folder.path());
    assert!(made.status.success(), "{made:?}");
    // Twice: what is there is replaced.
    for line in ["sh \"$INSTALL\" a.tar.gz", "cp \"$INSTALL\" lariat-1/install.sh && sh lariat-1/install.sh"] {
        let installed = sh(line, folder.path());
        let said = String::from_utf8_lossy(&installed.stdout).into_owned();
        assert!(
            installed.status.success() && said.contains("lariat 1") && said.contains("export PATH"),
            "{installed:?}"
        );
        for file in [
            "bin/lariat",
            "share/man/man1/lariat-check.1",
            "share/bash-completion/completions/lariat",
            "share/zsh/site-functions/_lariat",
            "share/fish/vendor_completions.d/lariat.fish",
        ] {
            assert!(folder.path().join("installed").join(file).exists(), "{file} after {line}");
        }
        std::fs::remove_dir_all(folder.path().join("installed/share")).expect("it was there");
    }
    for (line, why) in [
        ("echo more >> a.tar.gz; sh \"$INSTALL\" a.tar.gz", "damaged"),
        ("sh \"$INSTALL\" missing.tar.gz", "no file"),
        ("cp \"$INSTALL\" . && sh install.sh", "neither an unpacked archive nor a clone"),
    ] {
        let refused = sh(line, folder.path());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(1) && said.contains(why), "{line}: {refused:?}");
    }
}

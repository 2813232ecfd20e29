//! The release archive: the program as it is given to others, its manual pages, completions, licences and the install script.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The program may not be larger, in bytes.
const MOST_BYTES: u64 = 15_000_000;
/// Shells that completions are written for.
const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];
/// What comes along from the checkout.
const BESIDE: [&str; 5] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "install.sh"];

/// Builds the program for `target`, or for this machine, and packs it into `folder`.
pub(crate) fn run(target: Option<&str>, folder: &Path) -> ExitCode {
    match release(target, folder) {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn release(target: Option<&str>, folder: &Path) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut build = Command::new("cargo");
    build.args(["build", "--locked", "--profile", "dist", "-p", "lariat-cli"]).current_dir(&root);
    build.args(target.into_iter().flat_map(|target| ["--target", target]));
    succeed(&mut build)?;
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.map_or(built.clone(), |target| built.join(target)).join("dist").join("lariat");
    let bytes = std::fs::metadata(&program).map_err(|error| format!("{}: {error}", program.display()))?.len();
    if bytes > MOST_BYTES {
        return Err(format!("the program has {bytes} bytes, and {MOST_BYTES} are the limit"));
    }
    eprintln!("the program has {bytes} bytes");

    let host = match target {
        Some(target) => target.to_owned(),
        None => host()?,
    };
    let name = format!("lariat-{}-{host}", env!("CARGO_PKG_VERSION"));
    let stage = folder.join(&name);
    let failed = |error: std::io::Error| format!("{}: {error}", stage.display());
    if stage.exists() {
        std::fs::remove_dir_all(&stage).map_err(failed)?;
    }
    std::fs::create_dir_all(stage.join("completions")).map_err(failed)?;
    std::fs::copy(&program, stage.join("lariat")).map_err(failed)?;
    for file in BESIDE {
        std::fs::copy(root.join(file), stage.join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    // A program for another machine cannot write them, so this one's does.
    let writer = || {
        let mut command = Command::new("cargo");
        command.args(["run", "--quiet", "--locked", "--profile", "dist", "-p", "lariat-cli", "--"]).current_dir(&root);
        command
    };
    let stage = stage.canonicalize().map_err(failed)?;
    succeed(writer().arg("man").arg(stage.join("man")))?;
    for shell in SHELLS {
        let output = writer().args(["completions", shell]).stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| format!("cargo: {error}"))?;
        let path = stage.join("completions").join(format!("lariat.{shell}"));
        std::fs::write(&path, output.stdout).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let archive = format!("{name}.tar.gz");
    succeed(Command::new("tar").args(["-czf", &archive, &name]).current_dir(folder))?;
    let sum = Command::new("sha256sum").arg(&archive).current_dir(folder).output();
    let sum = sum.map_err(|error| format!("sha256sum: {error}"))?;
    let sum_file = folder.join(format!("{archive}.sha256"));
    std::fs::write(&sum_file, sum.stdout).map_err(|error| format!("{}: {error}", sum_file.display()))?;
    std::fs::remove_dir_all(&stage).map_err(|error| format!("{}: {error}", stage.display()))?;
    Ok(folder.join(archive))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", command.get_program().display())) }
}

/// The machine that this program was made for, as the compiler calls it.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

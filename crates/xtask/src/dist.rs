//! Release archives: `cargo xtask dist`.
//!
//! An archive has the program, its manual pages, completion scripts, the licences and the first documents, in one folder, and a file
//! with its checksum lies beside it. The program is static where the machine can link so: for `x86_64-unknown-linux-musl`, if that
//! target is installed. Files are in the order of their names, with the time of the last commit and no owner, so that
//! the same sources and compiler give the same archive.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A program that is larger is noted: the aim is not reached yet (docs/adr/0111).
const MOST_BYTES: u64 = 15 << 20;
/// The target of static programs on Linux.
const STATIC: &str = "x86_64-unknown-linux-musl";
/// For these a completion script is written, under the name that the shell looks for.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "lariat.bash"),
    ("elvish", "lariat.elv"),
    ("fish", "lariat.fish"),
    ("powershell", "_lariat.ps1"),
    ("zsh", "_lariat"),
];
/// What else is in an archive.
const DOCUMENTS: [&str; 5] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "install.sh"];

/// What the command line asks for.
#[derive(Debug, clap::Args)]
pub(crate) struct DistOptions {
    /// Build for this target [default: static for Linux if `x86_64-unknown-linux-musl` is installed, else this machine]
    #[arg(long)]
    target: Option<String>,
    /// Where the archive goes
    #[arg(long, default_value = "target/dist-archives")]
    folder: PathBuf,
    /// Pack this program instead of building one
    #[arg(long)]
    program: Option<PathBuf>,
}

/// Builds the program and packs it; says where the archive is. `root` is the folder of the repository.
pub(crate) fn run(root: &Path, options: &DistOptions) -> ExitCode {
    match pack(root, options) {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("no archive: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pack(root: &Path, options: &DistOptions) -> Result<PathBuf, String> {
    let host = host_target()?;
    let target = match &options.target {
        Some(target) => target.clone(),
        None if host == "x86_64-unknown-linux-gnu" && is_installed(STATIC) => STATIC.to_owned(),
        None => {
            if host.contains("linux") {
                eprintln!(
                    "note: {STATIC} is not installed, so the program needs the C library of this machine or a newer one; `rustup target add {STATIC}` installs it"
                );
            }
            host.clone()
        }
    };
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build(root, &target)?,
    };
    let bytes = std::fs::metadata(&program).map_err(|error| format!("`{}`: {error}", program.display()))?.len();
    if bytes > MOST_BYTES {
        eprintln!("note: `{}` has {bytes} bytes, more than the {MOST_BYTES} that are aimed at", program.display());
    }
    println!("{}: {:.1} MiB", program.display(), bytes as f64 / f64::from(1 << 20));
    let name = format!("lariat-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = options.folder.join(&name);
    let wrong = |error: io::Error| format!("`{}`: {error}", folder.display());
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(wrong(error)),
        _ => std::fs::create_dir_all(folder.join("completions")).map_err(wrong)?,
    }
    let file = if target.contains("windows") { "lariat.exe" } else { "lariat" };
    std::fs::copy(&program, folder.join(file)).map_err(wrong)?;
    for document in DOCUMENTS {
        std::fs::copy(root.join(document), folder.join(document)).map_err(|error| format!("`{document}`: {error}"))?;
    }
    // A program for another machine cannot write its own pages.
    let runs_here = target == host || (target == STATIC && host == "x86_64-unknown-linux-gnu");
    if runs_here {
        output(Command::new(folder.join(file)).arg("man").arg(folder.join("man")))?;
        for (shell, script) in SHELLS {
            let text = output(Command::new(folder.join(file)).args(["completions", shell]))?;
            std::fs::write(folder.join("completions").join(script), text).map_err(wrong)?;
        }
    }
    archive(root, &options.folder, &name)
}

fn build(root: &Path, target: &str) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--locked", "--profile", "dist", "--package", "lariat-cli", "--target", target]);
    let status = cargo.current_dir(root).status().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("cargo did not build the program".to_owned());
    }
    let file = if target.contains("windows") { "lariat.exe" } else { "lariat" };
    let all = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(all.join(target).join("dist").join(file))
}

/// Packs the folder `name`, and writes the checksum beside the archive.
fn archive(root: &Path, parent: &Path, name: &str) -> Result<PathBuf, String> {
    let time = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root));
    let time = time.map_or_else(|_| "0".to_owned(), |time| time.trim().to_owned());
    let file = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rwX,go+rX,go-w"]);
    tar.arg(format!("--mtime=@{time}")).args(["--use-compress-program", "gzip -9n", "-cf", &file, name]);
    output(tar.current_dir(parent))?;
    let sum = output(Command::new("sha256sum").arg(&file).current_dir(parent))?;
    let sums = parent.join(format!("{file}.sha256"));
    std::fs::write(&sums, sum).map_err(|error| format!("`{}`: {error}", sums.display()))?;
    Ok(parent.join(file))
}

/// The target that the compiler makes programs for by itself.
fn host_target() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

fn is_installed(target: &str) -> bool {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// What the command prints; an error if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("`{name}`: {error}"))?;
    if !output.status.success() {
        let arguments: Vec<&OsStr> = command.get_args().collect();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("`{name}` {arguments:?}: {said}"));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{name}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of a program that stands for the real one: it is complete, its checksum is right, and packing is repeatable.
    #[cfg(target_os = "linux")]
    #[test]
    fn archives_are_complete_and_repeatable() {
        use std::os::unix::fs::PermissionsExt;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = std::env::temp_dir().join(format!("lariat-dist-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let program = folder.join("program");
        let script = "#!/bin/sh\nif [ \"$1\" = man ]; then mkdir -p \"$2\" && echo page > \"$2/lariat.1\"; else echo \"$@\"; fi\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let target = Some(host_target().unwrap());
        let pack_into = |name: &str| {
            let options =
                DistOptions { target: target.clone(), folder: folder.join(name), program: Some(program.clone()) };
            pack(&root, &options).unwrap()
        };
        let (first, second) = (pack_into("a"), pack_into("b"));
        assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap());
        let listed = output(Command::new("tar").arg("-tzf").arg(&first)).unwrap();
        let shells = SHELLS.map(|(_, script)| format!("completions/{script}"));
        let wanted = ["lariat", "man/lariat.1"].into_iter().chain(DOCUMENTS).map(str::to_owned).chain(shells);
        for file in wanted {
            assert!(listed.lines().any(|line| line.ends_with(&format!("/{file}"))), "{file} in {listed}");
        }
        let check = Command::new("sha256sum")
            .args(["--check", "--quiet"])
            .arg(first.with_extension("gz.sha256"))
            .current_dir(first.parent().unwrap())
            .status()
            .unwrap();
        assert!(check.success());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! What a model file asks for by its `options:` lines.

use lariat::{CheckOptions, ProcessFairness, ReadOptions};
use lariat_testkit::file_test::Case;

/// How the model is to be read, and how it is to be checked.
pub(crate) fn options(case: &Case) -> (ReadOptions, CheckOptions) {
    let (mut reading, mut checking) = (ReadOptions::default(), CheckOptions::default());
    for option in &case.options {
        match option.as_str() {
            "--allow-deadlock" => checking.allow_deadlock = true,
            "--lose-messages" => reading.lose_messages = true,
            "--empty-channels" => reading.empty_channels = true,
            fairness if fairness.starts_with("--fairness=") => {
                checking.fairness.processes = match &fairness[11..] {
                    "weak" => ProcessFairness::Weak,
                    "strong" => ProcessFairness::Strong,
                    other => panic!("{}: there is no {other} fairness", case.path.display()),
                };
            }
            property if property.starts_with("--property=") => checking.properties.push(property[11..].to_owned()),
            define if define.starts_with("-D") => {
                let (name, value) = define[2..].split_once('=').unwrap_or((&define[2..], "1"));
                reading.defines.push((name.to_owned(), value.to_owned()));
            }
            other => panic!("{}: the option {other} has no meaning here", case.path.display()),
        }
    }
    (reading, checking)
}

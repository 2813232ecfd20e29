//! A saved trace and the model it is a run of, read: what `replay` and `shorten` have in common.

use crate::args::ReadArgs;
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use lariat::{CheckError, Model, ReadOptions, Retelling, Told};
use lariat_base::SourceMap;
use lariat_engine::retell::{Account, Claim};
use lariat_render::{Context, Origin, Saved};
use lariat_system::System;
use std::path::{Path, PathBuf};

/// A saved trace and its model.
#[derive(Debug)]
pub(crate) struct SavedRun {
    pub(crate) model: Model,
    pub(crate) saved: Saved,
    pub(crate) origin: Origin,
    model_name: String,
    trace_name: String,
}

impl SavedRun {
    /// Reads both. Whatever is wrong with them is told already when this is an error.
    pub(crate) fn read(
        model_path: &Path,
        trace_path: &Path,
        property: Option<&str>,
        reading: &ReadArgs,
        refusal: &Refusal,
    ) -> Result<Self, Exit> {
        let text = lariat::read_trace(trace_path)
            .map_err(|diagnostic| refusal.of_model(&SourceMap::default(), &[diagnostic]))?;
        let trace_name = trace_path.display().to_string();
        let saved = Saved::read(&text, property)
            .map_err(|reason| refusal.of_request(&format!("`{trace_name}` cannot be replayed: {reason}")))?;
        if let Some(property) = property.filter(|_| saved.is_trail()) {
            let reason =
                format!("a trail does not say which property it is of, so `--property {property}` chooses nothing");
            return Err(refusal.of_request(&reason));
        }
        let options = combined(&reading.options(), saved.origin());
        let model = Model::read(model_path, &options)
            .map_err(|rejected| refusal.of_model(&rejected.sources, &rejected.diagnostics))?;
        if saved.is_trail() && !model.is_promela() {
            let reason = format!("a trail is of a Promela model, and `{}` is none", model_path.display());
            return Err(refusal.of_request(&reason));
        }
        if saved.is_of_other_text(model.sources()) {
            output::note("warning: the trace was made from another text of the model; it may not replay\n");
        }
        let model_name = model_path.display().to_string();
        Ok(Self { model, saved, origin: origin(&options), model_name, trace_name })
    }

    /// What the trace is called: by its property, else by its file.
    pub(crate) fn name(&self) -> &str {
        self.saved.property().unwrap_or(&self.trace_name)
    }

    /// Looks for the run.
    pub(crate) fn retell(&self) -> Result<Retelling, CheckError> {
        lariat::retell(&self.model, self)
    }

    /// Calls `make` with what texts and documents need to know.
    pub(crate) fn with_context<T>(
        &self,
        system: &System,
        trail: Option<&str>,
        make: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        make(&Context {
            version: env!("CARGO_PKG_VERSION"),
            model: &self.model_name,
            origin: Some(&self.origin),
            system,
            sources: self.model.sources(),
            unreached: None,
            unchecked: &[],
            trail,
            keep_going: false,
            peak_memory_bytes: None,
        })
    }
}

impl Told for SavedRun {
    fn claim(&self) -> Claim {
        self.saved.claim()
    }

    fn account<'a>(&'a self, system: &'a System) -> Box<dyn Account + 'a> {
        self.saved.account(system, self.model.sources())
    }
}

/// What a model is read with: what is given now, else what the trace was made with. If both are there and different, that
/// is told.
fn combined(given: &ReadOptions, saved: Option<&Origin>) -> ReadOptions {
    let Some(saved) = saved else { return given.clone() };
    let mut options = given.clone();
    if given.defines.is_empty() {
        options.defines.clone_from(&saved.defines);
    } else if given.defines != saved.defines {
        let spelled: Vec<String> = saved.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        let made = if spelled.is_empty() { "without -D".to_owned() } else { format!("with {}", spelled.join(" ")) };
        output::note(&format!("warning: the trace was made {made}; other definitions are given now, and used\n"));
    }
    if given.include_folders.is_empty() {
        options.include_folders = saved.include_folders.iter().map(PathBuf::from).collect();
    }
    let switches = [
        ("--lose-messages", &mut options.lose_messages, saved.lose_messages),
        ("--empty-channels", &mut options.empty_channels, saved.empty_channels),
    ];
    for (name, given, made_with) in switches {
        if *given && !made_with {
            output::note(&format!("warning: the trace was made without {name}; it is given now, and used\n"));
        }
        *given |= made_with;
    }
    options
}

/// What a document says of how the model was read.
pub(crate) fn origin(options: &ReadOptions) -> Origin {
    Origin {
        defines: options.defines.clone(),
        include_folders: options.include_folders.iter().map(|folder| folder.display().to_string()).collect(),
        lose_messages: options.lose_messages,
        empty_channels: options.empty_channels,
    }
}

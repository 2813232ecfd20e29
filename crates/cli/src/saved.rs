//! A saved trace and the model it is a run of, read: what `replay` and `shorten` have in common.

use crate::args::ReadArgs;
use crate::exit::Exit;
use crate::output;
use crate::refusal::Refusal;
use lariat::Overflow;
use lariat::front::FrontEnds;
use lariat::{
    CheckError, CheckOptions, ClaimedProperty, FairnessOptions, Model, ProcessFairness, ReadOptions, RunControl,
    RunSearch, SavedTrace,
};
use lariat_base::SourceMap;
use lariat_engine::find_run::{ClaimedEnd, RunRecord};
use lariat_render::documents::{Define, Table};
use lariat_render::{Context, Origin, Saved, TrailClaim, WriteLimit};
use lariat_system::System;
use std::path::{Path, PathBuf};

/// A saved trace and its model.
#[derive(Debug)]
pub(crate) struct SavedRun {
    pub(crate) model: Model,
    pub(crate) saved: Saved,
    reading: ReadOptions,
    origin: Origin,
    claimed: ClaimedProperty,
    /// The property that the run is said to violate, if the trace or the command line tells.
    property: Option<String>,
    /// Whether that is the claim that a trail was made with, and no more is said.
    guessed: bool,
    model_name: String,
    trace_name: String,
}

impl SavedRun {
    /// Reads both. An error has been reported already.
    pub(crate) fn read(
        model_path: &Path,
        trace_path: &Path,
        property: Option<&str>,
        reading: &ReadArgs,
        front_ends: &FrontEnds,
        refusal: &Refusal,
    ) -> Result<Self, Exit> {
        let text = lariat::read_trace(trace_path)
            .map_err(|diagnostic| refusal.of_model(&SourceMap::default(), &[diagnostic]))?;
        let trace_name = trace_path.display().to_string();
        let saved = Saved::read(&text, property)
            .map_err(|reason| refusal.of_request(&format!("`{trace_name}` cannot be replayed: {reason}")))?;
        let options = combined(&reading.options(), saved.origin());
        let mut model = Model::read_by(front_ends, model_path, &options)
            .map_err(|rejected| refusal.of_model(&rejected.sources, &rejected.diagnostics))?;
        if saved.is_trail() && model.spin().is_none() {
            let reason =
                format!("a trail is a run of a Promela model, and `{}` is not a Promela model", model_path.display());
            return Err(refusal.of_request(&reason));
        }
        let made = saved.origin().cloned().unwrap_or_default();
        if made.fingerprint.as_ref().is_some_and(|made| *made != fingerprint(&model)) {
            output::note("warning: the model has changed since the trace was saved; it may not replay\n");
        }
        if saved.is_trail() && !is_named_after(trace_path, model_path) {
            output::note(&format!(
                "warning: `{trace_name}` is not named after `{}`; a trail does not say which model it is of, so it may be a run of \
                 another one\n",
                model_path.display()
            ));
        }
        let watching = saved.watching().filter(|_| property.is_none()).and_then(|claim| match claim {
            TrailClaim::Number(number) => model.spin().and_then(|spin| spin.property_of_trail(number)),
            TrailClaim::Progress => Some("np_".to_owned()),
        });
        let (mut property, guessed) = match saved.property().or(property) {
            Some(named) => (Some(named.to_owned()), false),
            None => (watching.clone(), watching.is_some()),
        };
        let claimed = match claimed_property(&mut model, &saved, property.as_deref(), &made) {
            Ok(claimed) => claimed,
            Err(_) if guessed => {
                property = None;
                ClaimedProperty::SAFETY
            }
            Err(error) => return Err(refusal.of_error(model.sources(), &error)),
        };
        let origin = Origin {
            ltl: made.ltl.clone(),
            automata: made.automata.clone(),
            fairness: made.fairness.clone(),
            ..origin(&model, &options)
        };
        let model_name = model_path.display().to_string();
        Ok(Self { model, saved, reading: options, origin, claimed, property, guessed, model_name, trace_name })
    }

    /// What the model was read with.
    pub(crate) fn reading(&self) -> &ReadOptions {
        &self.reading
    }

    /// What the trace is called: by its property, else by its file.
    pub(crate) fn name(&self) -> &str {
        self.property().unwrap_or(&self.trace_name)
    }

    /// The property that the run is said to violate, if that is known.
    pub(crate) fn property(&self) -> Option<&str> {
        self.property.as_deref()
    }

    /// Looks for the run.
    pub(crate) fn find(&self, control: &RunControl) -> Result<RunSearch, CheckError> {
        let search = lariat::find_run(&self.model, &self.claimed, self, control)?;
        match (&search.found, &self.property) {
            // A trail does not say that its cycle is what violates the claim: it may be of another kind.
            (Err(lost), Some(property)) if self.guessed && lost.objection.is_some() => {
                output::note(&format!("warning: the cycle of the trail does not violate `{property}`\n"));
                lariat::find_run(&self.model, &ClaimedProperty::SAFETY, self, control)
            }
            _ => Ok(search),
        }
    }

    /// What texts and documents need to know.
    pub(crate) fn context<'a>(
        &'a self,
        trail: Option<&'a str>,
        limit: Option<&'a WriteLimit<'a>>,
        trace_lines: Option<usize>,
    ) -> Context<'a> {
        Context {
            version: env!("CARGO_PKG_VERSION"),
            model: &self.model_name,
            origin: Some(&self.origin),
            sources: self.model.sources(),
            unreached: None,
            trail,
            keep_going: false,
            has_disk: false,
            trace_lines,
            limit,
            with_model: true,
            with_graphs: true,
        }
    }
}

impl SavedTrace for SavedRun {
    fn claim(&self) -> ClaimedEnd {
        self.saved.claim()
    }

    fn is_decided(&self) -> bool {
        self.saved.is_decided() || self.saved.is_trail()
    }

    fn may_stop_at_violation(&self) -> bool {
        self.saved.watching().is_some() || (self.saved.is_trail() && self.property.is_some())
    }

    fn record<'a>(&'a self, system: &'a System) -> Box<dyn RunRecord + 'a> {
        self.saved.record(system, self.model.sources())
    }
}

/// Whether the trail has the name that SPIN and we give it: that of the model, a number if there are several, and `.trail`.
fn is_named_after(trail: &Path, model: &Path) -> bool {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
    let name = text(trail.file_stem());
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    [model.file_name(), model.file_stem()].into_iter().any(|part| {
        let part = text(part);
        name == part.trim_end_matches(|c: char| c.is_ascii_digit())
    })
}

/// What a model is read with: what is given now, else what the trace was made with. If both are there and different, that
/// is told.
fn combined(given: &ReadOptions, saved: Option<&Origin>) -> ReadOptions {
    let Some(saved) = saved else { return given.clone() };
    let mut options = given.clone();
    let defines: Vec<(String, String)> =
        saved.defines.iter().map(|define| (define.name.clone(), define.value.clone())).collect();
    if given.defines.is_empty() {
        options.defines = defines;
    } else if given.defines != defines {
        let spelled: Vec<String> = defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        let made = if spelled.is_empty() { "without -D".to_owned() } else { format!("with {}", spelled.join(" ")) };
        output::note(&format!("warning: the trace was made {made}; other definitions are given now, and used\n"));
    }
    if given.include_folders.is_empty() {
        options.include_folders = saved.include_folders.iter().map(PathBuf::from).collect();
    }
    let mut overflow_fails = options.overflow == Overflow::Error;
    let switches = [
        ("--lose-messages", &mut options.lose_messages, saved.lose_messages),
        ("--empty-channels", &mut options.empty_channels, saved.empty_channels),
        ("--overflow error", &mut overflow_fails, saved.overflow_fails),
    ];
    for (name, given, made_with) in switches {
        if *given && !made_with {
            output::note(&format!("warning: the trace was made without {name}; it is given now, and used\n"));
        }
        *given |= made_with;
    }
    if overflow_fails {
        options.overflow = Overflow::Error;
    }
    options
}

/// The property that the trace is said to break: by name, or as the document states it. Only runs that are said to violate a
/// temporal property are judged by it.
fn claimed_property(
    model: &mut Model,
    saved: &Saved,
    property: Option<&str>,
    made: &Origin,
) -> Result<ClaimedProperty, CheckError> {
    let claim = saved.claim();
    let is_temporal = matches!(&claim, ClaimedEnd::Failure(word) if ["cycle", "bad_prefix"].contains(&word.as_str()));
    let is_branching = claim == ClaimedEnd::Shows;
    let name = match property {
        Some(name) if saved.is_trail() || is_temporal || is_branching => name.to_owned(),
        _ => return Ok(ClaimedProperty::SAFETY),
    };
    let mut options = CheckOptions { fairness: fairness_options(&made.fairness)?, ..CheckOptions::default() };
    let list = match () {
        () if made.ltl.contains(&name) => &mut options.formulas,
        () if made.automata.contains(&name) => &mut options.automata,
        // A formula that was given by `--ctl` is called by its text.
        () if is_branching && model.properties().iter().all(|stated| stated.name != name) => &mut options.branching,
        () => &mut options.properties,
    };
    list.push(name);
    ClaimedProperty::new(model, &options)
}

/// The names by which a document tells of fairness: those of the options.
const FAIRNESS: [&str; 7] =
    ["fairness", "justice", "compassion", "fair-action", "strong-action", "fair-ltl", "fair-automaton"];

/// Which infinite runs count, as a document tells it.
pub(crate) fn fairness_texts(options: &FairnessOptions) -> Table<Vec<String>> {
    let FairnessOptions { processes, justice, compassion, weak_actions, strong_actions, formulas, automata } = options;
    let processes = match processes {
        ProcessFairness::None => Vec::new(),
        ProcessFairness::Weak => vec!["weak".to_owned()],
        ProcessFairness::Strong => vec!["strong".to_owned()],
    };
    let values = [&processes, justice, compassion, weak_actions, strong_actions, formulas, automata];
    let given = FAIRNESS.into_iter().zip(values).filter(|(_, values)| !values.is_empty());
    given.map(|(name, values)| (name.to_owned(), values.clone())).collect()
}

/// Which infinite runs count, read from what a document tells.
fn fairness_options(given: &Table<Vec<String>>) -> Result<FairnessOptions, CheckError> {
    let unknown =
        |what: &str| CheckError::Refused(format!("the fairness `{what}` of the trace is not known to this release"));
    let mut options = FairnessOptions::default();
    for (name, values) in &given.0 {
        let list = match name.as_str() {
            "fairness" => {
                options.processes = match values.first().map(String::as_str) {
                    None | Some("none") => ProcessFairness::None,
                    Some("weak") => ProcessFairness::Weak,
                    Some("strong") => ProcessFairness::Strong,
                    Some(other) => return Err(unknown(other)),
                };
                continue;
            }
            "justice" => &mut options.justice,
            "compassion" => &mut options.compassion,
            "fair-action" => &mut options.weak_actions,
            "strong-action" => &mut options.strong_actions,
            "fair-ltl" => &mut options.formulas,
            "fair-automaton" => &mut options.automata,
            _ => return Err(unknown(name)),
        };
        list.extend(values.iter().cloned());
    }
    Ok(options)
}

/// What a document says of how the model was read.
pub(crate) fn origin(model: &Model, options: &ReadOptions) -> Origin {
    Origin {
        fingerprint: Some(fingerprint(model)),
        defines: options.defines.iter().cloned().map(|(name, value)| Define { name, value }).collect(),
        include_folders: options.include_folders.iter().map(|folder| folder.display().to_string()).collect(),
        lose_messages: options.lose_messages,
        empty_channels: options.empty_channels,
        overflow_fails: options.overflow == Overflow::Error,
        ..Origin::default()
    }
}

fn fingerprint(model: &Model) -> String {
    format!("{:016x}", model.fingerprint())
}

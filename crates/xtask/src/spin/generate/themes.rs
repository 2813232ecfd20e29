//! Themes: the parts of the language that a model may use. Each model has a few, so that all pairs of them meet often.

use lariat_testkit::Rng;
use std::collections::BTreeSet;

/// A part of the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::spin) enum Theme {
    Buffers,
    Rendezvous,
    ChannelValues,
    Structures,
    StructureParameters,
    Arrays,
    Mtypes,
    Atomics,
    DSteps,
    Escapes,
    Jumps,
    Handover,
    Timeouts,
    Runs,
    Locals,
    Inlines,
    Counters,
    Provided,
    Priorities,
    Last,
    Enabled,
    Remote,
    Wide,
    Formulas,
    CycleLabels,
}

/// Name and frequency in percent of each theme.
pub(in crate::spin) const THEMES: [(Theme, &str, usize); 25] = [
    (Theme::Buffers, "buffers", 50),
    (Theme::Rendezvous, "rendezvous", 40),
    (Theme::ChannelValues, "channel-values", 20),
    (Theme::Structures, "structures", 25),
    (Theme::StructureParameters, "structure-parameters", 30),
    (Theme::Arrays, "arrays", 30),
    (Theme::Mtypes, "mtypes", 25),
    (Theme::Atomics, "atomics", 65),
    (Theme::DSteps, "d-steps", 35),
    (Theme::Escapes, "escapes", 35),
    (Theme::Jumps, "jumps", 55),
    (Theme::Handover, "handover", 60),
    (Theme::Timeouts, "timeouts", 20),
    (Theme::Runs, "runs", 35),
    (Theme::Locals, "locals", 50),
    (Theme::Inlines, "inlines", 20),
    (Theme::Counters, "counters", 20),
    (Theme::Provided, "provided", 15),
    (Theme::Priorities, "priorities", 15),
    (Theme::Last, "last", 6),
    (Theme::Enabled, "enabled", 10),
    (Theme::Remote, "remote", 20),
    (Theme::Wide, "wide", 12),
    (Theme::Formulas, "formulas", 55),
    (Theme::CycleLabels, "cycle-labels", 25),
];

/// The themes of one model.
#[derive(Clone, Debug)]
pub(in crate::spin) struct Themes(BTreeSet<Theme>);

impl Themes {
    /// Random themes without those in `excluded`, and without combinations that SPIN refuses.
    pub(super) fn random(rng: &mut Rng, excluded: &[Theme]) -> Self {
        let mut themes = BTreeSet::new();
        for (theme, _, percent) in THEMES {
            if rng.chance(percent) && !excluded.contains(&theme) {
                themes.insert(theme);
            }
        }
        // SPIN's verifier has neither priorities nor `enabled` together with rendezvous channels.
        if themes.contains(&Theme::Priorities) || themes.contains(&Theme::Enabled) {
            themes.remove(&Theme::Rendezvous);
        }
        // SPIN counts its claim too, so there is nothing to compare.
        if themes.contains(&Theme::Formulas) && rng.chance(80) {
            themes.remove(&Theme::Counters);
        }
        Self(themes)
    }

    pub(super) fn has(&self, theme: Theme) -> bool {
        self.0.contains(&theme)
    }
}

/// The theme of this name.
pub(in crate::spin) fn theme_of_name(name: &str) -> Option<Theme> {
    THEMES.iter().find(|(_, known, _)| *known == name).map(|&(theme, ..)| theme)
}

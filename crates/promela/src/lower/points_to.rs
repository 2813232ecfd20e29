//! Which channel declarations a channel variable may hold: the smallest sets closed under assignments, arguments and
//! messages. Cells of an array and instances of a proctype are not told apart, and what is computed, or read from a
//! variable of another type, may be any channel.

use crate::check::{Access, Basic, ChannelId, Checked, Ex, Pattern, Scalar, VarId, VarInit};
use crate::flow::ElementKind;
use std::collections::{BTreeSet, HashMap};

type Set = BTreeSet<ChannelId>;

/// The channels each variable may hold.
#[derive(Debug, Default)]
pub(crate) struct PointsTo {
    vars: HashMap<VarId, Set>,
    fields: HashMap<(ChannelId, usize), Set>,
    grew: bool,
}

impl PointsTo {
    pub(crate) fn new(model: &Checked) -> Self {
        let mut sets = Self::default();
        for (var, declared) in model.vars.entries() {
            if let VarInit::Channel(channel) = declared.init {
                sets.vars.entry(var).or_default().insert(channel);
            }
        }
        loop {
            sets.grew = false;
            for (var, declared) in model.vars.entries() {
                if let VarInit::Value(value) = &declared.init {
                    sets.flow_to_var(model, value, var);
                }
            }
            for proc in model.procs.iter() {
                for element in proc.flow.elements.iter() {
                    if let ElementKind::Basic(basic) = &element.kind {
                        sets.follow(model, basic);
                    }
                }
            }
            if !sets.grew {
                return sets;
            }
        }
    }

    /// The channels that the cell may hold.
    pub(crate) fn of(&self, access: &Access) -> Set {
        self.vars.get(&access.var).cloned().unwrap_or_default()
    }

    fn follow(&mut self, model: &Checked, basic: &Basic) {
        match basic {
            Basic::Assign(target, value) => self.flow_to_var(model, value, target.var),
            Basic::Run { proc, args, .. } => {
                for ((parameter, _), arg) in model.parameter_cells(*proc).zip(args) {
                    self.flow_to_var(model, arg, parameter);
                }
            }
            Basic::Send { channel, args, .. } => {
                for to in self.of(channel) {
                    for (field, arg) in args.iter().enumerate() {
                        let held = self.held(model, arg);
                        let set = self.fields.entry((to, field)).or_default();
                        let before = set.len();
                        set.extend(held);
                        self.grew |= set.len() > before;
                    }
                }
            }
            Basic::Receive { channel, args, .. } => {
                for from in self.of(channel) {
                    for (field, pattern) in args.iter().enumerate() {
                        if let Pattern::Set(target) = pattern
                            && model.vars[target.var].scalar == Scalar::Chan
                        {
                            let held = self.fields.get(&(from, field)).cloned().unwrap_or_default();
                            self.extend_var(target.var, held);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn held(&self, model: &Checked, value: &Ex) -> Set {
        match value {
            Ex::Read(access) if model.vars[access.var].scalar == Scalar::Chan => self.of(access),
            Ex::Conditional(parts) => &self.held(model, &parts[1]) | &self.held(model, &parts[2]),
            Ex::Const(_) => Set::new(),
            // A channel's number can hide in a variable of any type.
            _ => model.channels.ids().collect(),
        }
    }

    fn flow_to_var(&mut self, model: &Checked, value: &Ex, var: VarId) {
        if model.vars[var].scalar == Scalar::Chan {
            let held = self.held(model, value);
            self.extend_var(var, held);
        }
    }

    fn extend_var(&mut self, var: VarId, held: Set) {
        let set = self.vars.entry(var).or_default();
        let before = set.len();
        set.extend(held);
        self.grew |= set.len() > before;
    }
}

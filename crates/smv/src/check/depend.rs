//! Assignments that depend on each other in a circle. It is the text that decides, not the values.

use super::Elaborator;
use crate::term::{Kind, ProcessId, Term, TermNode, VarId};
use lariat_base::{Diagnostic, Id};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The variables that a term speaks of: now, and in the next state.
pub(crate) fn variables(term: &Term) -> (BTreeSet<VarId>, BTreeSet<VarId>) {
    let (mut now, mut next) = (BTreeSet::new(), BTreeSet::new());
    let mut seen: HashSet<*const TermNode> = HashSet::new();
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        if let Kind::Var(var, is_next) = term.kind {
            if is_next {
                next.insert(var)
            } else {
                now.insert(var)
            };
        } else if seen.insert(std::sync::Arc::as_ptr(term)) {
            waiting.extend(term.parts());
        }
    }
    (now, next)
}

/// Sorts `nodes` so that what others depend on comes first; or a circle.
pub(crate) fn sorted(uses: &BTreeMap<VarId, BTreeSet<VarId>>) -> Result<Vec<VarId>, Vec<VarId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Open,
        Done,
    }
    let mut marks: BTreeMap<VarId, Mark> = BTreeMap::new();
    let mut order = Vec::new();
    for &root in uses.keys() {
        if marks.contains_key(&root) {
            continue;
        }
        // A stack of our own: chains may be as long as there are variables.
        let mut path = vec![(root, uses[&root].iter().copied().collect::<Vec<_>>())];
        marks.insert(root, Mark::Open);
        while let Some((node, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                marks.insert(*node, Mark::Done);
                order.push(*node);
                path.pop();
                continue;
            };
            match marks.get(&next) {
                Some(Mark::Done) => {}
                Some(Mark::Open) => {
                    let first = path.iter().position(|(node, _)| *node == next).unwrap_or(0);
                    return Err(path[first..].iter().map(|(node, _)| *node).collect());
                }
                None => {
                    let Some(its) = uses.get(&next) else { continue };
                    marks.insert(next, Mark::Open);
                    path.push((next, its.iter().copied().collect()));
                }
            }
        }
    }
    Ok(order)
}

impl Elaborator<'_, '_> {
    /// Tells of circles among assignments.
    pub(super) fn check_dependencies(&mut self) {
        let flat = &self.flat;
        let now = |values: &BTreeMap<VarId, Term>| -> BTreeMap<VarId, BTreeSet<VarId>> {
            values.iter().map(|(var, value)| (*var, variables(value).0)).collect()
        };
        let always = now(&flat.always);
        let mut graphs = vec![("", always.clone())];
        let mut initial = always.clone();
        initial.extend(now(&flat.init));
        graphs.push(("init", initial));
        for process in (0..flat.processes.len()).map(ProcessId::new) {
            let mut next = always.clone();
            let of_process = flat.next.iter().filter_map(|(var, by)| Some((*var, by.get(&process)?)));
            next.extend(of_process.map(|(var, value)| (var, variables(value).1)));
            graphs.push(("next", next));
        }
        for (word, graph) in graphs {
            let Err(circle) = sorted(&graph) else { continue };
            let value = |var: &VarId| {
                let nexts = || self.flat.next.get(var).and_then(|by| by.values().next());
                let of_word = if word == "init" { self.flat.init.get(var) } else { nexts() };
                self.flat.always.get(var).or(of_word).map(|value| value.span)
            };
            let spans: Vec<_> = circle.iter().filter_map(value).collect();
            let names: Vec<&str> = circle.iter().map(|var| self.flat.vars[*var].name.as_str()).collect();
            let what = if word.is_empty() { "the value".to_owned() } else { format!("`{word}`") };
            let message = format!("{what} of `{}` depends on itself: {} → {0}", names[0], names.join(" → "));
            let mut diagnostic = Diagnostic::error(spans.first().copied().unwrap_or(self.main), "V0404", message);
            for span in spans.iter().skip(1) {
                diagnostic = diagnostic.note(*span, "and here");
            }
            self.report.push(diagnostic.help("`TRANS` and `INVAR` may say such things"));
            return;
        }
    }
}

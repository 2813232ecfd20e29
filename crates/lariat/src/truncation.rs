//! Warnings about values that were seen to be truncated.

use lariat_base::{Diagnostic, SourceMap, Span};
use lariat_system::{ActionId, Expr, System};

/// One for each place: several actions may come from one statement. Constants were warned of when the model was read.
pub(crate) fn warnings(sources: &SourceMap, system: &System, cuts: &[(ActionId, u16)]) -> Vec<Diagnostic> {
    let mut places: Vec<(Span, Span)> = Vec::new();
    let mut warnings = Vec::new();
    for &(action, number) in cuts {
        let action = &system.actions[action];
        let cut = &action.cuts[usize::from(number)];
        let is_constant = matches!(cut.parts(), Some((Expr::Const(_), _)));
        if is_constant || places.contains(&(action.span, cut.span)) {
            continue;
        }
        places.push((action.span, cut.span));
        let limits = cut.parts().map_or(String::new(), |(_, fits)| format!(", which holds {} to {}", fits.lo, fits.hi));
        let into = sources.text(cut.span).trim();
        let into = if action.is_sent_to(into) { format!("a field of `{into}`") } else { format!("`{into}`") };
        let message = format!("`{}`: a value does not fit into {into}{limits}, and is truncated", action.name);
        let help = "`--overflow error` shows a run to it, `--overflow silent` leaves out this warning";
        warnings.push(Diagnostic::warning(action.span, "C0013", message).help(help));
    }
    warnings
}

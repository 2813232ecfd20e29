//! Bounds of temporal operators: `EBF 0..3 p`, `F [0, 3] p`.

use super::{Parser, Read, Stopped};
use crate::tree::{Expr, Modality};
use lariat_base::Diagnostic;

impl Parser<'_> {
    /// Bounds stand here in a way that the operator before them does not have.
    pub(super) fn no_bounds<T>(&mut self, message: &str, help: &str) -> Read<T> {
        self.report.push(Diagnostic::error(self.span(), "V0108", message).help(help));
        Err(Stopped)
    }

    /// `a..b` behind a bounded operator: what follows the second number belongs to the formula.
    pub(super) fn range(&mut self) -> Read<(Box<Expr>, Box<Expr>)> {
        let low = self.prefixed()?;
        self.expect("..")?;
        let high = self.prefixed()?;
        Ok((Box::new(low), Box::new(high)))
    }

    /// `[a, b]` behind an operator of linear time.
    pub(super) fn bounds(&mut self, modality: Modality) -> Read<(Box<Expr>, Box<Expr>)> {
        if matches!(modality, Modality::Next | Modality::Yesterday | Modality::WeakYesterday) {
            let message = "only `F`, `G`, `O` and `H` have bounds";
            self.report.push(Diagnostic::error(self.span(), "V0108", message));
            return Err(Stopped);
        }
        let opened = self.span();
        self.advance();
        let low = self.arithmetic()?;
        self.expect(",")?;
        let high = self.arithmetic()?;
        self.close("]", opened)?;
        Ok((Box::new(low), Box::new(high)))
    }
}

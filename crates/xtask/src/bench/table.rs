//! Figures side by side, and what sums them up.

use std::fmt::{self, Display, Formatter};

/// Rows of cells under a header. The first column is text, the others are numbers.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

/// In place of a figure that there is not.
pub(super) const ABSENT: &str = "-";

impl Table {
    pub(super) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()] }
    }
    pub(super) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.rows[0].len(), "as many cells as in the header");
        self.rows.push(row);
    }
}

impl Display for Table {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        for row in &self.rows {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(out, "  {cell:<width$}")?,
                    _ => write!(out, "  {cell:>width$}")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A figure with so many digits after the point, or the sign for none.
pub(super) fn cell(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| ABSENT.to_owned(), |figure| format!("{figure:.digits$}"))
}

/// A large number, in groups of three digits.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The geometric mean, which treats "twice as fast" and "half as fast" alike; `None` of no figures.
pub(super) fn geometric_mean(figures: &[f64]) -> Option<f64> {
    let logarithms: f64 = figures.iter().map(|figure| figure.ln()).sum();
    (!figures.is_empty()).then(|| (logarithms / figures.len() as f64).exp())
}

/// What is wanted of ratios that are better the larger they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) mean: f64,
    pub(super) least: f64,
}

/// Ratios by model, summed up.
#[derive(Clone, Debug)]
pub(super) struct Ratios {
    pub(super) mean: Option<f64>,
    least: Option<(String, f64)>,
}

impl Ratios {
    pub(super) fn new(ratios: &[(String, f64)]) -> Self {
        let figures: Vec<f64> = ratios.iter().map(|&(_, ratio)| ratio).collect();
        let least = ratios.iter().min_by(|one, other| one.1.total_cmp(&other.1)).cloned();
        Self { mean: geometric_mean(&figures), least }
    }

    /// One line: the mean, the least, and whether they are as wanted.
    pub(super) fn line(&self, what: &str, wanted: Wanted) -> String {
        let (Some(mean), Some((model, least))) = (self.mean, &self.least) else {
            return format!("{what}: nothing to compare");
        };
        let reached = if mean >= wanted.mean && *least >= wanted.least { "reached" } else { "missed" };
        let floor = if wanted.least > 0.0 { format!(", no model below {}", wanted.least) } else { String::new() };
        let wanted = format!("wanted {}{floor}: {reached}", wanted.mean);
        format!("{what}: {mean:.2} as geometric mean, least {least:.2} ({model}); {wanted}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["model", "states", "ratio"]);
        table.push(vec!["dekker".to_owned(), count(1_234_567), cell(Some(3.125), 2)]);
        table.push(vec!["x".to_owned(), count(101), cell(None, 2)]);
        let expected = "  model      states  ratio\n  dekker  1,234,567   3.12\n  x             101      -\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn one_model_may_spoil_a_good_mean() {
        let wanted = Wanted { mean: 3.0, least: 1.5 };
        let ratios = Ratios::new(&[("a".to_owned(), 9.0), ("b".to_owned(), 1.0)]);
        assert_eq!(
            ratios.line("speed", wanted),
            "speed: 3.00 as geometric mean, least 1.00 (b); wanted 3, no model below 1.5: missed"
        );
        assert_eq!(Ratios::new(&[]).line("speed", wanted), "speed: nothing to compare");
    }
}

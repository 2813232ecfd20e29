//! Aligned columns.

use crate::Style;
use std::fmt::Write;

/// One very long text must not push the figures off the screen.
const WIDEST: usize = 36;

/// A table with a heading: the first columns are texts, flush left, the others figures, flush right.
#[derive(Debug)]
pub(super) struct Table {
    texts: usize,
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<const N: usize>(heading: [&str; N], texts: usize) -> Self {
        Self { texts, heading: heading.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.heading.len(), "one cell for each column");
        self.rows.push(cells.to_vec());
    }

    /// The last row, if there are `total` in all: how many are missing, and what their first figures sum up to.
    pub(super) fn more<const N: usize>(&mut self, total: usize, figures: [String; N]) {
        if total > self.rows.len() {
            let mut cells = vec![String::new(); self.heading.len()];
            cells[0] = format!("… {} more", total - self.rows.len());
            cells[self.texts..self.texts + N].clone_from_slice(&figures);
            self.rows.push(cells);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn text(&self, style: Style) -> String {
        let widths: Vec<usize> = (0..self.heading.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&self.heading]).map(|row| row[column].chars().count());
                cells.max().unwrap_or(0)
            })
            .collect();
        let line = |row: &[String]| {
            let mut line = String::from(" ");
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().filter(|(_, (_, width))| **width > 0) {
                let _ = if column < self.texts {
                    write!(line, " {cell:width$} ")
                } else {
                    write!(line, " {cell:>width$} ")
                };
            }
            line.trim_end().to_owned()
        };
        let mut text = format!("{}\n", style.strong(line(&self.heading)));
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(row));
        }
        text
    }
}

/// The text, or its beginning if it is long.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(WIDEST - 1).collect();
    format!("{}…", beginning.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let mut table = Table::new(["name", "", "count"], 2);
        table.row(["a".into(), String::new(), "1,000".into()]);
        table.row(["long".into(), String::new(), "7".into()]);
        table.more(12, ["93".into()]);
        assert_eq!(
            table.text(Style::Plain),
            "  name       count\n  a          1,000\n  long           7\n  … 10 more     93\n"
        );
        assert_eq!(shortened(&"x".repeat(99)).chars().count(), WIDEST);
    }
}

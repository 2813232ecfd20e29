//! Reading a model in a test, and showing what came of it.
#![allow(dead_code, reason = "no test file uses all of it")]

use lariat_base::{Diagnostic, SourceMap};
use lariat_promela::tree::{Block, Model, Stmt, StmtKind, Unit};
use lariat_promela::{Options, Parsed, parse_model};

pub(crate) struct Reading {
    pub(crate) sources: SourceMap,
    pub(crate) model: Model,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a model; `files` are there to be included.
pub(crate) fn read_with(text: &str, defines: &[(&str, &str)], files: &[(&str, &str)]) -> Reading {
    let mut sources = SourceMap::default();
    let defines = defines.iter().map(|(name, body)| (name.to_string(), body.to_string())).collect();
    let mut loader = |path: &str, _: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(name, text)| (name.to_string(), text.to_string())).ok_or("no such file".to_string())
    };
    let Parsed { model, diagnostics, .. } =
        parse_model(&mut sources, "model.pml", text, &Options { defines }, &mut loader);
    Reading { sources, model, diagnostics }
}

pub(crate) fn read(text: &str) -> Reading {
    read_with(text, &[], &[])
}

/// Reads a model that has no mistakes.
pub(crate) fn read_well(text: &str) -> Reading {
    let reading = read(text);
    assert!(reading.diagnostics.is_empty(), "{text}\n{}", reading.complaints().join("\n"));
    reading
}

/// The statements of an `init` with this body, which has no mistakes.
pub(crate) fn body(text: &str) -> String {
    let reading = read_well(&format!("typedef T {{ byte f }}; proctype P(byte a) {{ skip }}\ninit {{\n{text}\n}}"));
    reading.last_body()
}

impl Reading {
    /// `line:column code message / help`
    pub(crate) fn complaints(&self) -> Vec<String> {
        let show = |diagnostic: &Diagnostic| {
            let place = self.sources.location(diagnostic.span);
            let place = place.map_or("-".to_string(), |place| format!("{}:{}", place.line, place.column));
            let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" / {help}"));
            format!("{place} {} {}{help}", diagnostic.code, diagnostic.message)
        };
        self.diagnostics.iter().map(show).collect()
    }
    /// The statements of the last process.
    pub(crate) fn last_body(&self) -> String {
        let body = self.model.units.iter().rev().find_map(|unit| match unit {
            Unit::Proctype(proctype) => Some(&proctype.body),
            Unit::Init(init) => Some(&init.body),
            Unit::Never(never) => Some(&never.body),
            _ => None,
        });
        outline(body.expect("a process"))
    }
}

fn outline(block: &Block) -> String {
    block.stmts.iter().map(outline_stmt).collect::<Vec<_>>().join("; ")
}

fn outline_stmt(stmt: &Stmt) -> String {
    let labels: String = stmt.labels.iter().map(|label| format!("{label}: ")).collect();
    let options = |options: &[Block]| options.iter().map(outline).collect::<Vec<_>>().join(" | ");
    let shown = match &stmt.kind {
        StmtKind::Block(block) => format!("{{{}}}", outline(block)),
        StmtKind::Atomic(block) => format!("atomic{{{}}}", outline(block)),
        StmtKind::DStep(block) => format!("d_step{{{}}}", outline(block)),
        StmtKind::If(list) => format!("if[{}]", options(list)),
        StmtKind::Do(list) => format!("do[{}]", options(list)),
        StmtKind::ForRange(.., block) | StmtKind::ForIn(.., block) => format!("{stmt}{{{}}}", outline(block)),
        StmtKind::Unless(main, escape) => format!("<{} unless {}>", outline_stmt(main), outline_stmt(escape)),
        StmtKind::Call(call) => format!("{stmt}{{{}}}", outline(&call.body)),
        _ => stmt.to_string(),
    };
    labels + &shown
}

//! What will be done for each property, for people and for scripts.

use crate::documents::{Document, Heading, PlanDocument, PlanLimits, SCHEMA};
use crate::results::bytes_text;
use lariat_engine::{CodeKind, ObjectivePlan, Plan, ProductPlan, PropertyPlan, SearchChoice, StoreKind};
use std::fmt::Write;
use std::time::Duration;

/// The plans as text.
pub fn plans_text(plans: &[PropertyPlan], memory_bytes: u64, time: Option<Duration>) -> String {
    let mut text = String::new();
    for plan in plans {
        let _ = writeln!(text, "{}: engine `{}`", plan.property, plan.first.plan.engine);
        choice_text(&mut text, &plan.first);
        if let Some(next) = &plan.when_full {
            let _ = writeln!(text, "  when memory is full: engine `{}`", next.plan.engine);
            choice_text(&mut text, next);
        }
    }
    let _ = write!(text, "limits: {} of memory", bytes_text(memory_bytes));
    if let Some(time) = time {
        let _ = write!(text, ", {time:?} for all properties together");
    }
    text.push('\n');
    text
}

fn choice_text(text: &mut String, choice: &SearchChoice) {
    let Plan { engine: _, program, reduction, product, search } = &choice.plan;
    let mut line = |what: &str, said: String| {
        let _ = writeln!(text, "  {what:<10} {said}");
    };
    if let Some(program) = program {
        let code = match program.code {
            CodeKind::Auto => "native code where there is some for this machine, else bytecode",
            CodeKind::Native => "native code",
            CodeKind::Bytecode => "bytecode",
        };
        let guess = if program.pool_may_grow { ", doubled if that is too few" } else { "" };
        line("program", format!("{code}; room for {} processes{guess}", program.pool_size));
    }
    if *reduction {
        line("reduction", "partial-order reduction".to_owned());
    }
    if let Some(product) = product {
        line("product", product_text(product));
    }
    let threads = match search.threads {
        1 => "one thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let mut how = format!("{}, {threads}", search.algorithm);
    if search.keep_going {
        how.push_str(", past failures");
    }
    if let Some(depth) = search.depth_limit {
        let _ = write!(how, ", at most {depth} steps deep");
    }
    if search.runs > 1 {
        let _ = write!(how, ", {} runs with different hash functions", search.runs);
    }
    line("search", how);
    if let Some(store) = search.store {
        let disk = search.disk.first().map(|folder| format!("; the stack may go to `{}`", folder.display()));
        line("store", store_text(store) + &disk.unwrap_or_default());
    } else if !search.disk.is_empty() {
        let folders: Vec<String> = search.disk.iter().map(|folder| format!("`{}`", folder.display())).collect();
        line("disk", folders.join(", "));
    }
    for considered in &choice.considered {
        let why = considered.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        line("not", format!("`{}`, which does not support {}{why}", considered.engine, considered.unsupported));
    }
}

fn product_text(product: &ProductPlan) -> String {
    let states = match product.automaton_states {
        1 => "1 state".to_owned(),
        states => format!("{states} states"),
    };
    let mut said = match product.objective {
        ObjectivePlan::BadPrefix => {
            format!("with an automaton of {states}; it looks for a state after which every run is bad")
        }
        ObjectivePlan::AcceptingCycle => {
            format!("with an automaton of the bad runs of {states}; an accepting cycle is searched")
        }
        ObjectivePlan::RejectingCycle => {
            format!("with an automaton of the good runs, made of one of {states}; a rejecting cycle is searched")
        }
    };
    if product.fairness_constraints > 0 {
        let _ = write!(said, "; {} fairness constraints", product.fairness_constraints);
    }
    if product.copies {
        said.push_str("; several acceptance sets by copies");
    }
    said
}

fn store_text(store: StoreKind) -> String {
    let exactness = match store {
        StoreKind::Tree | StoreKind::Flat | StoreKind::Hybrid { .. } => "keeps all states",
        StoreKind::Cache { .. } => "forgets states when memory is full, and searches them again",
        StoreKind::Bitstate { .. } | StoreKind::Compact => "may miss states, so that the verdict is never *holds*",
    };
    format!("{}: {exactness}", store.name())
}

/// The plans as a JSON document.
pub fn plan_document(
    version: &str,
    model: &str,
    plans: &[PropertyPlan],
    memory_bytes: u64,
    time: Option<Duration>,
) -> Document<PlanDocument> {
    Document(PlanDocument {
        heading: Heading { schema: Some(SCHEMA), version: version.to_owned(), model: model.to_owned(), origin: None },
        plans: plans.to_vec(),
        limits: PlanLimits { memory_bytes, seconds: time.map(|time| time.as_secs_f64()) },
    })
}

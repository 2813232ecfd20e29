//! What will be done for each property, for people and for scripts.

use crate::documents::{Document, Heading, PlanDocument, SCHEMA};
use crate::results::{bytes_text, counted, shortfall_text};
use lariat_engine::{
    After, CheckPlan, CodeKind, CompassionBy, FairBy, FairSearch, GraphLimit, HeuristicKind, ObjectivePlan, Plan,
    PlannedSearch, ProductPlan, PropertyPlan, Prune, Restrict, SimplifiedPlan, StoreKind,
};
use std::fmt::Write;
use std::time::Duration;

/// The plans as text.
pub fn plans_text(plan: &CheckPlan) -> String {
    let CheckPlan { plans, limits } = plan;
    let mut text = String::new();
    for PropertyPlan { property, searches, no_search } in plans {
        if let Some(reason) = no_search {
            let _ = writeln!(text, "{property}: no search, undecided: {}", shortfall_text(&reason.shortfall()));
        }
        for search in searches {
            let begins = match &search.after[..] {
                [] => format!("{property}:"),
                after => format!("  {}:", after_text(after)),
            };
            let _ = writeln!(text, "{begins} engine `{}`", search.plan.engine);
            search_text(&mut text, search);
        }
    }
    let _ = write!(text, "limits: {} of memory", bytes_text(limits.memory_bytes));
    if let Some(seconds) = limits.seconds {
        let _ = write!(text, ", {:?} for all properties together", Duration::from_secs_f64(seconds));
    }
    if let Some(seconds) = limits.seconds_per_property {
        let _ = write!(text, ", {:?} for each property", Duration::from_secs_f64(seconds));
    }
    text.push('\n');
    text
}

fn after_text(after: &[After]) -> String {
    let reasons = after.iter().map(|after| match after {
        After::GraphSize => "the graph is too large",
        After::Memory => "memory is full",
        After::Effort => "decision diagrams cost more than listing the states would",
        After::Unable => "the search before it cannot be done",
    });
    format!("if {}", reasons.collect::<Vec<_>>().join(" or "))
}

fn search_text(text: &mut String, planned: &PlannedSearch) {
    let Plan { engine: _, program, reduction, product, search } = &planned.plan;
    let mut line = |what: &str, said: String| {
        let _ = writeln!(text, "  {what:<10} {said}");
    };
    if let Some(program) = program {
        let code = match program.code {
            CodeKind::Auto => "bytecode, and native code once it pays",
            CodeKind::Native => "native code",
            CodeKind::Bytecode => "bytecode",
        };
        let processes = match program.pool_size {
            1 => "1 process".to_owned(),
            size => format!("{size} processes"),
        };
        let guess = if program.pool_may_grow { ", doubled if that is too few" } else { "" };
        line("program", format!("{code}; room for {processes}{guess}"));
    }
    if *reduction {
        line("reduction", "partial-order: steps whose order makes no difference are left out".to_owned());
    } else if let Some(why) = &planned.unreduced {
        line("reduction", format!("none: {why}"));
    }
    if let Some(forgotten) = &planned.simplified {
        line("simplified", simplified_text(forgotten));
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
    if search.shortest {
        how.push_str(", a shortest trace");
    }
    if let Some(heuristic) = search.heuristic {
        how.push_str(match heuristic {
            HeuristicKind::None => ", not guided",
            HeuristicKind::Automaton => ", guided by the automaton",
            HeuristicKind::Control => ", guided by control",
            HeuristicKind::Both => ", guided by the automaton and by control",
        });
    }
    if search.scouts {
        how.push_str(", with scouts for deep failures");
    }
    if search.profile {
        how.push_str(", with a profile");
    }
    if let Some(GraphLimit { states, steps, .. }) = search.graph_limit {
        let _ =
            write!(how, "; gives up beyond about {states} states or {steps} steps, or where they take long to list");
    }
    if let Some(states) = search.graph_instead {
        let _ = write!(how, "; stops if listing the states looks cheaper, up to {states} of them");
    }
    if let Some(states) = planned.states_limit {
        let _ = write!(how, "; given up beyond {states} states");
    }
    line("search", how);
    if let Some(fair) = &search.fair {
        line("fair loops", fair_text(fair));
    }
    if let Some(order) = &search.order {
        let named = order.iter().filter(|line| !line.is_empty()).count();
        line("order", format!("{named} variables from the order file on top"));
    }
    if let Some(store) = search.store {
        let folder = search.disk.as_ref().and_then(|disk| disk.folders.first());
        let disk = folder.map(|folder| format!("; the stack may go to `{}`", folder.display()));
        let seed = if store.keeps_all() { String::new() } else { format!("; seed {}", search.seed) };
        line("store", store_text(store) + &seed + &disk.unwrap_or_default());
    } else if let Some(disk) = search.disk.as_ref().filter(|disk| disk.is_given()) {
        let folders: Vec<String> = disk.folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
        line("disk", folders.join(", "));
    }
    for considered in &planned.considered {
        let why = considered.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        line("not", format!("`{}`, which does not support {}{why}", considered.engine, considered.unsupported));
    }
}

/// At most so many names are listed.
const MOST_NAMES: usize = 4;

fn simplified_text(forgotten: &SimplifiedPlan) -> String {
    let listed = |names: &[String]| {
        let shown = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(MOST_NAMES);
        if more > 0 { format!("{shown} and {more} more") } else { shown }
    };
    let reset = format!("reset where they are written before they are read: {}", listed(&forgotten.dead));
    let dropped = format!("never read, so not kept: {}", listed(&forgotten.unread));
    match (forgotten.dead.is_empty(), forgotten.unread.is_empty()) {
        (false, true) => reset,
        (true, _) => dropped,
        (false, false) => format!("{reset}; {dropped}"),
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
        let _ = write!(said, "; {}", counted(product.fairness_constraints as u64, "fairness constraint"));
    }
    if product.copies {
        said.push_str("; several acceptance sets by copies");
    }
    said
}

fn fair_text(fair: &FairSearch) -> String {
    let by = fair.by.map(|by| match by {
        FairBy::Backward => "backward",
        FairBy::Forward => "forward",
        FairBy::Both => "in both directions",
        FairBy::Components => "by strongly connected components",
    });
    let prune = fair.prune.map(|prune| match prune {
        Prune::All => "all states without successors are removed in each round",
        Prune::OneStep => "states without successors are removed one step a round",
    });
    let restrict = fair.restrict.map(|restrict| match restrict {
        Restrict::Full => "full restriction",
        Restrict::Light => "light restriction",
    });
    let compassion = fair.compassion.map(|compassion| match compassion {
        CompassionBy::Native => "compassion as it is",
        CompassionBy::Formula => "compassion in the formula",
        CompassionBy::Justice => "compassion turned into justice",
    });
    let said: Vec<&str> = [by, prune, restrict, compassion].into_iter().flatten().collect();
    said.join("; ")
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
pub fn plan_document(version: &str, model: &str, plan: CheckPlan) -> Document<PlanDocument> {
    let heading = Heading { schema: Some(SCHEMA), version: version.to_owned(), model: model.to_owned(), origin: None };
    Document(PlanDocument { heading, plan })
}

use lariat_base::SourceMap;
use lariat_space::*;
use std::ops::ControlFlow;
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut sources = SourceMap::default();
        let name = file.rsplit('/').next().unwrap();
        let dir = std::path::Path::new(&file).parent().unwrap().to_owned();
        let mut loader = |p: &str, _: &str| {
            std::fs::read_to_string(dir.join(p)).map(|t| (p.to_owned(), t)).map_err(|e| e.to_string())
        };
        let model = match lariat_promela::read_model(&mut sources, name, &text, &Default::default(), &mut loader) {
            Ok(m) => m,
            Err(e) => {
                for d in e.iter().take(3) {
                    println!("{name}\terror\t{:?} {} {}", sources.location(d.span).map(|l| l.line), d.code, d.message);
                }
                continue;
            }
        };
        let pool = model.pool_bound().unwrap_or(8).max(model.initial_processes());
        let system = match model.system(pool) {
            Ok(s) => s,
            Err(e) => {
                println!("{name}\terror\t{}", e[0].message);
                continue;
            }
        };
        let space = ReferenceSpace::new(&system).unwrap();
        let graph = match Enumerated::new(&space, 20000) {
            Ok(g) => g,
            Err(_) => {
                println!("{name}\ttoo many");
                continue;
            }
        };
        let mut verdict = "holds".to_owned();
        for s in &graph.states {
            let mut any = false;
            let _ = space.steps(s, &mut (), |st| {
                any = true;
                if let Outcome::Fault(f) = st.target {
                    verdict = format!("fails");
                    let _ = f;
                }
                ControlFlow::<()>::Continue(())
            });
            if !any && !space.is_proper_end(s, &mut ()) {
                verdict = "fails".into();
            }
        }
        println!("{name}\tsafety\t{verdict}\t{}\t{}", graph.states.len(), graph.transitions());
    }
}

//! t
use lariat_base::SourceMap;
use lariat_space::*;
use std::ops::ControlFlow;
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut sources = SourceMap::default();
        let name = file.rsplit('/').next().unwrap();
        let dir = std::path::Path::new(&file).parent().unwrap().to_owned();
        let mut loader =
            |p: &str, _| std::fs::read_to_string(dir.join(p)).map(|t| (p.to_owned(), t)).map_err(|e| e.to_string());
        let model = match lariat_promela::read_model(&mut sources, name, &text, &Default::default(), &mut loader) {
            Ok(m) => m,
            Err(e) => {
                for d in e.iter().take(3) {
                    println!("{name}\terror\t{:?} {} {}", sources.location(d.span).map(|l| l.line), d.code, d.message);
                }
                continue;
            }
        };
        let mut pool = model.pool_bound().unwrap_or(8).max(model.initial_processes());
        'again: loop {
            let system = match model.system(pool) {
                Ok(s) => s,
                Err(e) => {
                    println!("{name}\terror\t{}", e[0].message);
                    break;
                }
            };
            let t = std::time::Instant::now();
            let space = match lariat_exec::Program::compile(&system) {
                Ok(s) => s,
                Err(e) => {
                    println!("{name}\tcompile {e:?}");
                    break;
                }
            };
            let mut scratch = space.scratch();
            let mut seen: hashbrown::HashMap<Box<[u64]>, ()> = Default::default();
            let mut queue = std::collections::VecDeque::new();
            let _ = space.initial(&mut scratch, |s| {
                seen.insert(s.into(), ());
                queue.push_back(s.to_vec());
                ControlFlow::<()>::Continue(())
            });
            let mut verdict = "holds";
            let mut n = 0u64;
            let mut full = false;
            while let Some(s) = queue.pop_front() {
                let mut any = false;
                let _ = space.steps(&s, &mut scratch, |st| {
                    any = true;
                    match st.target {
                        Outcome::Fault(lariat_system::Fault::PoolFull(_)) => {
                            full = true;
                        }
                        Outcome::Fault(_) => verdict = "fails",
                        Outcome::State(t) => {
                            n += 1;
                            if !seen.contains_key(t) {
                                seen.insert(t.into(), ());
                                queue.push_back(t.to_vec());
                            }
                        }
                    }
                    ControlFlow::<()>::Continue(())
                });
                if full && pool < 255 {
                    pool = (pool * 2).min(255);
                    continue 'again;
                }
                if !any && !space.is_proper_end(&s, &mut scratch) {
                    verdict = "fails";
                }
                if seen.len() > 13_000_000 {
                    println!("{name}\ttoo many");
                    break 'again;
                }
            }
            println!("{name}\tsafety\t{verdict}\t{}\t{n}", seen.len());
            eprintln!(
                "{name} {} states {:.2}s {} words {:.0} st/s",
                seen.len(),
                t.elapsed().as_secs_f64(),
                space.words_per_state(),
                seen.len() as f64 / t.elapsed().as_secs_f64()
            );
            break;
        }
    }
}

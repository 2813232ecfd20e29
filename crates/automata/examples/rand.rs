//! temp
use lariat_testkit::*;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    for (past, operators, props) in [(false, 8, 3), (true, 6, 3), (false, 12, 2), (true, 8, 3)] {
        let k = FormulaKnobs { past, operators, props, ..Default::default() };
        let p = k.propositions();
        let mut n = 0;
        check_random_formulas(a[0]..a[1], &k, |f| {
            let t = std::time::Instant::now();
            if check_automata(f, &p, 10, 7)?.is_err() { n += 1; }
            if t.elapsed().as_secs_f64() > 1.0 { println!("slow {} {}", t.elapsed().as_secs_f64(), lariat_logic::print(f, &p, lariat_logic::Dialect::Auto)); }
            Ok(())
        });
        println!("{past} {operators}: refused {n}");
    }
}

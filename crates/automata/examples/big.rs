//! temp
use lariat_automata::*;
use lariat_logic::*;
use lariat_testkit::*;
fn go(name: &str, f: &Formula, p: &Propositions) {
    let t = std::time::Instant::now();
    let r = to_buchi(f, p, &TranslateOptions::default());
    let ms = t.elapsed().as_millis();
    if ms > 500 || !name.starts_with("rand") { println!("{name}: {} ms {:?}", ms, r.map(|a| (a.state_count(), a.edge_count()))); }
}
fn main() {
    let mut fs: Vec<(String, String)> = Vec::new();
    let p = |i: usize| format!("p{i}");
    let v: Vec<String> = (0..21).map(p).collect();
    let mut right = v[20].clone(); for i in (0..20).rev() { right = format!("({} U {right})", v[i]); }
    let mut left = v[0].clone(); for i in 1..21 { left = format!("({left} U {})", v[i]); }
    let mut rel = v[0].clone(); for i in 1..21 { rel = format!("({rel} R {})", v[i]); }
    let mut mix = v[0].clone(); for i in 1..21 { mix = if i%2==0 {format!("({mix} R {})", v[i])} else {format!("({mix} U {})", v[i])}; }
    fs.push(("right".into(), right.clone())); fs.push(("left".into(), left.clone())); fs.push(("rel".into(), rel)); fs.push(("mix".into(), mix));
    fs.push(("!right".into(), format!("!{right}"))); fs.push(("!left".into(), format!("!{left}")));
    for n in [8usize, 12, 16, 20] {
        fs.push((format!("GF{n}"), (0..n).map(|i| format!("G F p{i}")).collect::<Vec<_>>().join(" & ")));
        fs.push((format!("F{n}"), (0..n).map(|i| format!("F p{i}")).collect::<Vec<_>>().join(" & ")));
        fs.push((format!("GFiff{n}"), (0..n).map(|i| format!("(G F p{i} -> G F q{i})")).collect::<Vec<_>>().join(" & ")));
        fs.push((format!("GU{n}"), (0..n).map(|i| format!("G(p{i} -> (q{i} U r{i}))")).collect::<Vec<_>>().join(" & ")));
    }
    fs.push(("spin".into(), "G(p -> (a | (b W c) | (d W c) | (e W c)))".into()));
    fs.push(("!spin".into(), "!G(p -> (a | (b W c) | (d W c) | (e W c)))".into()));
    fs.push(("or64".into(), format!("G({} -> F({}))", (0..32).map(|i| format!("p{i}")).collect::<Vec<_>>().join("|"), (32..64).map(|i| format!("p{i}")).collect::<Vec<_>>().join("&"))));
    for (n, f) in &fs {
        let mut props = Propositions::default();
        let f = parse(f, ParseOptions { dialect: Dialect::Spot, ..Default::default() }, &mut props).unwrap();
        go(n, &f, &props);
    }
    for (past, props) in [(false, 64), (true, 64), (false, 3), (true, 3), (false, 10)] {
        let k = FormulaKnobs { operators: 50, props, past, ..Default::default() };
        let p = k.propositions();
        for seed in 0..30 { go(&format!("rand past {past} props {props} seed {seed}"), &random_formula(seed, &k), &p); }
    }
}

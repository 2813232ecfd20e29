mod recording;
use recording::Recording;
use std::path::Path;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let r = Recording::of_model(Path::new(&args[1]), u64::MAX);
    println!("{} words {} states {} transitions {}", args[1], r.words_per_state, r.words.len() / r.words_per_state, r.targets.len());
    r.write(Path::new(&args[2])).unwrap();
}

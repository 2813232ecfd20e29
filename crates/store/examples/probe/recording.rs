//! Every state of a model and every transition between them, in the order of breadth-first search.

use lariat_base::SourceMap;
use lariat_exec::Program;
use lariat_promela::{ModelOptions, read_model};
use lariat_space::{Outcome, State, StateSpace, each};
use lariat_store::{Answer, Batch, Budget, FlatStore, Origins, Recall, Store};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) struct Recording {
    pub(crate) words_per_state: usize,
    /// The states, side by side.
    pub(crate) words: Vec<u64>,
    /// By state: where its targets end in `targets`.
    pub(crate) target_ends: Vec<u32>,
    /// The states that were reached, in order.
    pub(crate) targets: Vec<u32>,
}

impl Recording {
    pub(crate) fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    pub(crate) fn targets_of(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.target_ends[number - 1] };
        &self.targets[start as usize..self.target_ends[number] as usize]
    }

    /// Walks the Promela model in the file `path` until `most_states` states are expanded.
    pub(crate) fn of_model(path: &Path, most_states: u64) -> Self {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let folder = path.parent().expect("a file has a folder").to_owned();
        let mut loader = |written: &str, _: &str| {
            let text = std::fs::read_to_string(folder.join(written)).map_err(|error| error.to_string())?;
            Ok((written.to_owned(), text))
        };
        let mut sources = SourceMap::default();
        let model = read_model(&mut sources, "model", &text, &ModelOptions::default(), &mut loader).expect("a model");
        let system = model.system(model.pool_bound().unwrap_or(8)).expect("a system");
        let space = Program::compile(&system).expect("a program");

        let words_per_state = space.words_per_state();
        let budget = Budget::new(u64::MAX);
        let store = FlatStore::new(words_per_state, &budget).expect("memory");
        let mut batch = Batch::new(words_per_state);
        let mut origins = Origins::new(words_per_state);
        let mut scratch = space.scratch();
        let mut recording = Self { words_per_state, words: Vec::new(), target_ends: Vec::new(), targets: Vec::new() };
        let _: ControlFlow<()> = space.initial(&mut scratch, |state| {
            batch.push(state, None);
            ControlFlow::Continue(())
        });
        store.probe(&mut batch, &origins).expect("memory");
        recording.keep_new(&batch);
        let mut next = 0;
        while next < store.len().min(most_states) {
            batch.clear();
            store.recall(&[lariat_store::Handle(next)], &mut origins);
            let _: ControlFlow<()> = space.steps(
                origins.state(0),
                &mut scratch,
                each(|step| {
                    if let Outcome::State(state) = step.target {
                        batch.push(state, None);
                    }
                    ControlFlow::Continue(())
                }),
            );
            store.probe(&mut batch, &origins).expect("memory");
            recording.keep_new(&batch);
            recording.targets.extend(batch.answers.iter().map(|answer| {
                let (Answer::New(handle) | Answer::Known(handle)) = answer;
                handle.0 as u32
            }));
            recording.target_ends.push(recording.targets.len() as u32);
            next += 1;
        }
        recording
    }

    fn keep_new(&mut self, batch: &Batch) {
        for (number, answer) in batch.answers.iter().enumerate() {
            if matches!(answer, Answer::New(_)) {
                self.words.extend_from_slice(batch.state(number));
            }
        }
    }

    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        for count in [self.words_per_state, self.words.len(), self.target_ends.len(), self.targets.len()] {
            file.write_all(&(count as u64).to_le_bytes())?;
        }
        self.words.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))?;
        self.target_ends.iter().try_for_each(|end| file.write_all(&end.to_le_bytes()))?;
        self.targets.iter().try_for_each(|target| file.write_all(&target.to_le_bytes()))
    }

    pub(crate) fn read(path: &Path) -> std::io::Result<Self> {
        let mut file = BufReader::new(File::open(path)?);
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = read_u64(&mut file)? as usize;
        }
        let [words_per_state, words, target_ends, targets] = counts;
        Ok(Self {
            words_per_state,
            words: (0..words).map(|_| read_u64(&mut file)).collect::<Result<_, _>>()?,
            target_ends: (0..target_ends).map(|_| read_u32(&mut file)).collect::<Result<_, _>>()?,
            targets: (0..targets).map(|_| read_u32(&mut file)).collect::<Result<_, _>>()?,
        })
    }
}

fn read_u64(file: &mut impl Read) -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_u32(file: &mut impl Read) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

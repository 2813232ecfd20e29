//! What processes saw by the way of the runs of a property, put together: each has seen what its own workers read.

use crate::session::Session;
use crate::share::Halt;
use crate::words::{Reader, push_list};
use lariat_engine::Watched;

/// What all processes have seen, if this one has seen this; `None` if some are lost.
pub(crate) fn watched_by_all(mut session: Session, mine: &Watched) -> Option<Watched> {
    let mut words = vec![u64::from(mine.letters.is_some())];
    push_list(&mut words, mine.letters.as_deref().unwrap_or_default());
    push_list(&mut words, &mine.idle_constraints.iter().map(|&number| number as u64).collect::<Vec<_>>());
    let said = session.run(|link, trouble| {
        let said = link.gather(&words)?;
        merged(&said).ok_or_else(|| Halt::from(trouble.damaged()))
    });
    said.ok()
}

/// A letter that some process read was read; a constraint is idle if it is so for all.
fn merged(said: &[Vec<u64>]) -> Option<Watched> {
    let (mut letters, mut idle) = (Some(Vec::new()), None::<Vec<usize>>);
    for words in said {
        let mut reader = Reader(words);
        let has_letters = reader.word()? == 1;
        let (read, constraints) = (reader.list()?, reader.list()?);
        letters = letters.filter(|_| has_letters);
        if let Some(letters) = &mut letters {
            letters.extend_from_slice(read);
        }
        let constraints: Vec<usize> = constraints.iter().map(|&number| number as usize).collect();
        idle = Some(match idle {
            None => constraints,
            Some(idle) => idle.into_iter().filter(|number| constraints.contains(number)).collect(),
        });
    }
    if let Some(letters) = &mut letters {
        letters.sort_unstable();
        letters.dedup();
    }
    Some(Watched { letters, idle_constraints: idle? })
}

//! What connects a worker with the others: a dataflow of timely, and rounds.
//!
//! The dataflow is an input, an exchange, and a receiver whose output is probed. Its timestamps are *rounds*: a level of a search,
//! or a wave of a pass. What the receiver gets goes to the worker's own loop, and what that makes of it goes back into the input
//! with the next timestamp, so the loop of the dataflow is closed by the worker's loop. (Operators of timely must own what they
//! use; a state space is borrowed.)
//!
//! A round is over when no worker can send anything of it any more, and everything that was sent has been received by all: the
//! progress protocol of timely says so. At its end every worker says something to all, a *summary*, and so all of them decide the
//! same.
//!
//! At most [`CREDIT`] parcels with data are on their way from one worker to another: a worker says which it has looked at. So a
//! slow worker does not fill the memory of others or its own. Who has to wait looks at what was received meanwhile; that sends no
//! data, so no two wait for each other.

use crate::parcel::{Kind, Parcel, Post, WorkerId};
use crate::trouble::{Lost, Trouble};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::{Input, Operator, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// So many parcels with data may be on their way from one worker to another.
pub(crate) const CREDIT: usize = 16;
/// A worker that waits looks after so long whether the run goes on.
const PATIENCE: Duration = Duration::from_millis(20);

type Inbox = Rc<RefCell<VecDeque<(u64, Parcel)>>>;

/// One worker's connection with the others.
pub(crate) struct Link<'w> {
    worker: &'w mut Worker,
    input: Option<InputHandle<u64, NoopBuilder<Parcel>>>,
    probe: ProbeHandle<u64>,
    /// As the receiver got them, with their rounds.
    inbox: Inbox,
    /// Data, with their rounds.
    waiting: VecDeque<(u64, Parcel)>,
    /// By worker, what it said at the end of this round; and of the next one.
    summaries: [Vec<Option<Vec<u64>>>; 2],
    round: u64,
    /// By worker, parcels with data that are on their way there.
    underway: Vec<usize>,
    trouble: &'w Trouble,
    /// Whether some worker has a reason to stop in this round; and in the next one.
    is_halted: [bool; 2],
    pub(crate) sent: Sent,
}

/// What a worker sent to others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    pub(crate) parcels: u64,
}

impl<'w> Link<'w> {
    pub(crate) fn new(worker: &'w mut Worker, trouble: &'w Trouble) -> Self {
        let peers = worker.peers();
        let inbox = Inbox::default();
        let (probe, received) = (ProbeHandle::new(), Rc::clone(&inbox));
        let input = worker.dataflow::<u64, _, _>(|scope| {
            let (input, stream) = scope.new_input_with_builder::<NoopBuilder<Parcel>>();
            stream
                .unary::<NoopBuilder<Parcel>, _, _, _>(DistributorPact(|_| Post), "receive", |_, _| {
                    move |input, _| {
                        input.for_each(|time, parcel| {
                            received.borrow_mut().push_back((*time.time(), std::mem::take(parcel)));
                        });
                    }
                })
                .probe_with(&probe);
            input
        });
        Self {
            worker,
            input: Some(input),
            probe,
            inbox,
            waiting: VecDeque::new(),
            summaries: [vec![None; peers], vec![None; peers]],
            round: 0,
            underway: vec![0; peers],
            trouble,
            is_halted: [false; 2],
            sent: Sent::default(),
        }
    }

    /// Which worker this is.
    pub(crate) fn me(&self) -> WorkerId {
        self.worker.index()
    }
    /// How many workers there are.
    pub(crate) fn peers(&self) -> usize {
        self.worker.peers()
    }
    /// Whether some worker has a reason to stop in this round.
    pub(crate) fn is_halted(&self) -> bool {
        self.is_halted[0]
    }

    fn post(&mut self, to: WorkerId, kind: Kind, words: Vec<u64>) {
        let mut parcel = Parcel { from: self.me(), to, kind, words };
        if to != parcel.from {
            self.sent.bytes += parcel.wire_bytes();
            self.sent.parcels += 1;
        }
        self.input.as_mut().expect("it is open").send_batch(&mut parcel);
    }

    /// Whether data can be sent to the worker now: see [`CREDIT`].
    pub(crate) fn has_room(&self, to: WorkerId) -> bool {
        self.underway[to] < CREDIT
    }
    /// Sends data; there is [room](Self::has_room).
    pub(crate) fn send(&mut self, to: WorkerId, words: Vec<u64>) {
        debug_assert!(self.has_room(to), "who sends has waited for room");
        self.underway[to] += 1;
        self.post(to, Kind::Data, words);
    }
    /// Says to all that there is a reason to stop.
    pub(crate) fn halt(&mut self) {
        self.is_halted[0] = true;
        let me = self.me();
        for to in (0..self.peers()).filter(|&to| to != me) {
            self.post(to, Kind::Halt, Vec::new());
        }
    }

    /// Lets timely work, and sorts what it received. An error if the others are lost.
    pub(crate) fn pump(&mut self, wait: bool) -> Result<(), Lost> {
        self.trouble.check()?;
        self.worker.step_or_park(Some(if wait { PATIENCE } else { Duration::ZERO }));
        let inbox = Rc::clone(&self.inbox);
        for (round, parcel) in inbox.borrow_mut().drain(..) {
            let Parcel { from, to, kind, .. } = parcel;
            let later = round.checked_sub(self.round).filter(|later| *later < 2);
            let (Some(later), true) = (later, from < self.underway.len() && to == self.worker.index()) else {
                return Err(self.trouble.damaged());
            };
            match kind {
                Kind::Data => self.waiting.push_back((round, parcel)),
                Kind::Seen => {
                    let left = self.underway[from].checked_sub(1);
                    self.underway[from] = left.ok_or_else(|| self.trouble.damaged())?;
                }
                Kind::Summary => {
                    if self.summaries[later as usize][from].replace(parcel.words).is_some() {
                        return Err(self.trouble.damaged());
                    }
                }
                Kind::Halt => self.is_halted[later as usize] = true,
                Kind::None | Kind::Damaged => return Err(self.trouble.damaged()),
            }
        }
        Ok(())
    }

    /// The next data of this round, with the worker that sent them.
    pub(crate) fn receive(&mut self) -> Option<(WorkerId, Vec<u64>)> {
        let (_, parcel) = self.waiting.pop_front_if(|(round, _)| *round == self.round)?;
        self.post(parcel.from, Kind::Seen, Vec::new());
        Some((parcel.from, parcel.words))
    }

    /// This worker sends no more data in this round, and says this to all.
    pub(crate) fn close(&mut self, summary: &[u64]) {
        for to in 0..self.peers() {
            self.post(to, Kind::Summary, summary.to_vec());
        }
        let next = self.round + 1;
        self.input.as_mut().expect("it is open").advance_to(next);
    }
    /// After [`close`](Self::close): whether everything of this round was received, and looked at. If it was, the next round has
    /// begun, and this is what each worker said.
    pub(crate) fn ended(&mut self) -> Result<Option<Vec<Vec<u64>>>, Lost> {
        let has_more = self.waiting.front().is_some_and(|(round, _)| *round == self.round);
        if has_more || self.probe.less_equal(&self.round) {
            return Ok(None);
        }
        let [now, next] = &mut self.summaries;
        let said: Option<Vec<Vec<u64>>> = now.iter_mut().map(Option::take).collect();
        std::mem::swap(now, next);
        self.is_halted = [self.is_halted[1], false];
        self.round += 1;
        said.map(Some).ok_or_else(|| self.trouble.damaged())
    }
    /// A round in which nothing is sent but what each worker says to all.
    pub(crate) fn gather(&mut self, said: &[u64]) -> Result<Vec<Vec<u64>>, Lost> {
        self.close(said);
        loop {
            if let Some(all) = self.ended()? {
                return Ok(all);
            }
            self.pump(true)?;
        }
    }

    /// Nothing is sent any more: lets timely come to its end.
    pub(crate) fn finish(&mut self) -> Result<(), Lost> {
        self.input = None;
        while self.worker.has_dataflows() {
            self.trouble.check()?;
            self.worker.step_or_park(Some(PATIENCE));
        }
        Ok(())
    }
}

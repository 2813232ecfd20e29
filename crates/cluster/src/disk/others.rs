//! The other workers, to one with its share on disk: records that belong to others are sent, and those that come go into a sorter.

use crate::link::Link;
use crate::parcel::WorkerId;
use crate::rows::{NoRows, RowReader};
use crate::share::Outgoing;
use crate::trouble::{Lost, Trouble};
use crate::words::{common_stop, stop_words};
use lariat_engine::Shortfall;
use lariat_runs::error::Halt;
use lariat_runs::exchange::{Exchange, Produce};
use lariat_runs::sorter::Sorter;
use lariat_space::State;
use lariat_subject::Stop;
use std::cell::{Cell, RefCell};

/// Connects a worker with the others.
pub(crate) struct Others<'l, 'w> {
    pub(crate) traffic: RefCell<Traffic<'l, 'w>>,
    /// Whether all workers know why nothing goes on, or some are lost: then there are no more rounds.
    pub(crate) is_over: Cell<bool>,
    pub(crate) is_lost: Cell<bool>,
    trouble: &'l Trouble,
}

/// What is sent and received.
pub(crate) struct Traffic<'l, 'w> {
    pub(crate) link: &'l mut Link<'w>,
    pub(crate) trouble: &'l Trouble,
    pub(crate) outgoing: Outgoing,
}

impl Traffic<'_, '_> {
    /// Sends what is worth sending, or all, and gives what was received to the sorter.
    pub(crate) fn exchange(&mut self, all: bool, sorter: &mut Sorter<'_>) -> Result<(), Broken> {
        for to in 0..self.link.peers() {
            while self.outgoing.is_worth_sending(to, all) {
                while !self.link.has_room(to) {
                    self.link.pump(true)?;
                    self.receive(sorter)?;
                }
                let rows = self.outgoing.take(to);
                self.link.send(to, rows);
            }
        }
        if self.link.peers() > 1 {
            self.link.pump(false)?;
            self.receive(sorter)?;
        }
        Ok(())
    }

    fn receive(&mut self, sorter: &mut Sorter<'_>) -> Result<(), Broken> {
        while let Some((_, rows)) = self.link.receive() {
            self.read(&rows, sorter)?;
        }
        Ok(())
    }

    fn read(&self, rows: &[u64], sorter: &mut Sorter<'_>) -> Result<(), Broken> {
        let words = self.outgoing.words();
        let mut rows = RowReader::new(rows, sorter.words());
        while let Some(record) = rows.next().map_err(|NoRows| self.trouble.damaged())? {
            // Otherwise it would be counted twice.
            if self.outgoing.owner(&record[..words]) != self.outgoing.me {
                return Err(self.trouble.damaged().into());
            }
            sorter.push(record)?;
        }
        Ok(())
    }

    /// Ends a round with what this worker says to all: what all have said, and what went wrong here while the rest was received. After that
    /// nothing more is taken: a search that ends does not need it.
    pub(crate) fn close(
        &mut self,
        summary: &[u64],
        mut sorter: Option<&mut Sorter<'_>>,
    ) -> Result<(Vec<Vec<u64>>, Option<Halt>), Lost> {
        self.link.close(summary);
        let mut late = None;
        loop {
            while let Some((_, rows)) = self.link.receive() {
                let Some(sorter) = sorter.as_deref_mut().filter(|_| late.is_none()) else { continue };
                match self.read(&rows, sorter) {
                    Ok(()) => {}
                    Err(Broken::Here(halt)) => late = Some(halt),
                    Err(Broken::Lost) => return Err(Lost),
                }
            }
            if let Some(said) = self.link.ended()? {
                return Ok((said, late));
            }
            self.link.pump(true)?;
        }
    }
}

/// Why a worker does not go on with a round.
pub(crate) enum Broken {
    Here(Halt),
    Lost,
}

impl From<Halt> for Broken {
    fn from(halt: Halt) -> Self {
        Self::Here(halt)
    }
}
impl From<Lost> for Broken {
    fn from(_: Lost) -> Self {
        Self::Lost
    }
}

/// Somewhere in the code that knows nothing of other workers: they are lost, or all stop; [`Others::is_over`] says that it is so.
const OVER: Halt = Halt::Stop(Stop::Short(Shortfall::Cluster));

impl<'l, 'w> Others<'l, 'w> {
    pub(crate) fn new(link: &'l mut Link<'w>, trouble: &'l Trouble, outgoing: Outgoing) -> Self {
        let traffic = RefCell::new(Traffic { link, trouble, outgoing });
        Self { traffic, trouble, is_over: Cell::new(false), is_lost: Cell::new(false) }
    }

    /// The number of this worker.
    pub(crate) fn me(&self) -> WorkerId {
        self.traffic.borrow().outgoing.me
    }
    /// Why workers are lost.
    pub(crate) fn trouble(&self) -> &'l Trouble {
        self.trouble
    }
    /// Some workers are lost.
    pub(crate) fn lost(&self) -> Halt {
        self.is_over.set(true);
        self.is_lost.set(true);
        OVER
    }
    pub(crate) fn halt(&self, trouble: Broken) -> Halt {
        match trouble {
            Broken::Here(halt) => halt,
            Broken::Lost => self.lost(),
        }
    }

    /// A round in which nothing is sent but what each says to all, behind why it stops: what all have said behind that. If one has a reason
    /// to stop, all do.
    pub(crate) fn say(&self, stop: Option<Stop>, words: &[u64]) -> Result<Vec<Vec<u64>>, Halt> {
        let mut traffic = self.traffic.borrow_mut();
        if stop.is_some() {
            // Others may still be at work.
            traffic.outgoing.clear();
            traffic.link.halt();
        }
        let mut summary = stop_words(stop).to_vec();
        summary.extend_from_slice(words);
        let (said, _) = traffic.close(&summary, None).map_err(|Lost| self.lost())?;
        drop(traffic);
        self.common(said)
    }

    /// What all have said behind their reasons to stop, if none has one.
    pub(crate) fn common(&self, said: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, Halt> {
        match common_stop(&said) {
            None => Err(self.damaged()),
            Some(Some(stop)) => {
                self.is_over.set(true);
                Err(Halt::Stop(stop))
            }
            Some(None) => Ok(said.into_iter().map(|mut words| words.split_off(2)).collect()),
        }
    }
}

impl Exchange for Others<'_, '_> {
    fn owns(&self, state: &State) -> bool {
        let traffic = self.traffic.borrow();
        traffic.outgoing.owner(state) == traffic.outgoing.me
    }

    fn collect(&self, sorter: &mut Sorter<'_>, produce: &mut Produce<'_>) -> Result<(), Halt> {
        let mut traffic = self.traffic.borrow_mut();
        let traffic = &mut *traffic;
        let (me, words) = (traffic.outgoing.me, traffic.outgoing.words());
        let (mut is_halted, mut pushed) = (false, 0_u32);
        let produced = produce(&mut |record| {
            let owner = traffic.outgoing.owner(&record[..words]);
            pushed = pushed.wrapping_add(1);
            if owner == me {
                sorter.push(record)?;
            } else {
                traffic.outgoing.push(owner, &record[..words], &record[words..]);
            }
            if traffic.outgoing.is_crowded || pushed & 0xff == 0 {
                traffic.exchange(false, sorter).map_err(|trouble| self.halt(trouble))?;
                if traffic.link.is_halted() {
                    is_halted = true;
                    return Err(OVER);
                }
            }
            Ok(())
        });
        match produced {
            Err(_) if is_halted => traffic.outgoing.clear(),
            produced => {
                produced?;
                traffic.exchange(true, sorter).map_err(|trouble| self.halt(trouble))?;
            }
        }
        let (said, late) = traffic.close(&stop_words(None), Some(sorter)).map_err(|Lost| self.lost())?;
        self.common(said)?;
        late.map_or(Ok(()), Err)
    }

    fn sum(&self, mine: u64) -> Result<u64, Halt> {
        let said = self.say(None, &[mine])?;
        let sum = said.iter().try_fold(0_u64, |sum, words| sum.checked_add(*words.first()?));
        sum.ok_or_else(|| self.damaged())
    }

    fn least(&self, mine: Option<Vec<u64>>, words: usize) -> Result<Option<Vec<u64>>, Halt> {
        let said = self.say(None, &mine.unwrap_or_default())?;
        if said.iter().any(|record| !record.is_empty() && record.len() != words) {
            return Err(self.damaged());
        }
        Ok(said.into_iter().filter(|record| !record.is_empty()).min())
    }

    fn damaged(&self) -> Halt {
        self.trouble.damaged();
        self.lost()
    }
}

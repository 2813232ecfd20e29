//! Documents are written piece by piece: a trace may have more entries than fit into memory as values.

use super::Cut;
use crate::fill::entry;
use crate::results::shortfall_word;
use crate::{TraceView, WriteLimit};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::io;

/// The entries of a trace, made one by one while they are written; each is one line.
#[derive(Clone, Debug)]
pub struct WrittenSteps<'a> {
    /// The trace.
    pub(crate) view: Box<TraceView<'a>>,
    /// When to stop, if ever.
    pub(crate) limit: Option<&'a WriteLimit<'a>>,
}

impl Serialize for WrittenSteps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = Entries { steps: self, cut: RefCell::new(None) };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("steps", &entries)?;
        // It is known when the entries are written.
        if let Some(cut) = entries.cut.take() {
            map.serialize_entry("cut", &cut)?;
        }
        map.end()
    }
}

struct Entries<'a> {
    steps: &'a WrittenSteps<'a>,
    cut: RefCell<Option<Cut>>,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WrittenSteps { view, limit } = self.steps;
        let mut list = serializer.serialize_seq(None)?;
        for (written, shown) in view.entries().enumerate() {
            if let Some(shortfall) = limit.and_then(|limit| limit.met(written)) {
                let cut = Cut { reason: shortfall_word(&shortfall).to_owned(), steps: written };
                self.cut.replace(Some(cut));
                break;
            }
            let line = serde_json::to_string(&entry(&shown)).map_err(S::Error::custom)?;
            list.serialize_element(&RawValue::from_string(line).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

/// A document, to be displayed: two spaces for each level, and each entry of a trace on one line.
#[derive(Debug)]
pub struct Document<T>(pub T);

impl<T: Serialize> Display for Document<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_writer_pretty(Pieces(f), &self.0).map_err(|_| fmt::Error)
    }
}

/// A document in one line, to be displayed.
#[derive(Debug)]
pub struct Line<T>(pub T);

impl<T: Serialize> Display for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_writer(Pieces(f), &self.0).map_err(|_| fmt::Error)
    }
}

/// Hands texts on that come as bytes.
struct Pieces<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl io::Write for Pieces<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

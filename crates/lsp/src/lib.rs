//! A language server: what an editor asks about models, over the Language Server Protocol.
//!
//! It knows no language and checks nothing itself. What names mean is recorded by front ends while they read a text
//! ([`NameIndex`](lariat_base::NameIndex)); how a text is read and checked is the [`Host`]'s to say, who also reads the options
//! that a model states for itself. The text of the editor counts, saved or not, also where another file includes it.
//!
//! One thread reads messages, one answers them, and each check that was started has one of its own. A message that cannot be
//! read is answered as such; a panic inside a request is the error of that request; a text that takes too long to read has a
//! diagnostic that says so. Nothing of that ends the server.

mod checks;
mod completion;
mod diagnostics;
mod host;
mod lenses;
mod names;
mod outline;
mod reading;
mod server;
mod text;
mod transport;
mod uri;

pub use host::{Answer, Answers, Asked, CheckRequest, Host, Outcome};
pub use server::serve;
pub use transport::{MAX_MESSAGE_BYTES, Received, receive};

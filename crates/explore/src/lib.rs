//! The server behind `lariat explore`: a model that is walked through in a browser.
//!
//! The page brings along where it is, as a [`Walk`](lariat::Walk) of a few numbers, with each request: the server keeps nothing of
//! its visitors, so that several tabs do not get in each other's way. What it keeps are checks: those that run, and the answers
//! of the last ones.
//!
//! It listens on the loopback interface alone, and answers only to who knows the token in the address and asks for it by that
//! address (`guard`). What it is sent is bounded in size, in number and in the time it may take; nothing of it names a file.

mod checks;
mod guard;
mod place;
mod requests;
mod server;

pub use server::{Served, Server};

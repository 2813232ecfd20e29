//! The server: connections, requests, answers.
//!
//! One thread handles connections; what takes time is done on a few others, with limits. A request is answered or refused, never
//! more: whatever is wrong with it is an answer with a reason.

use crate::checks::Checks;
use crate::guard::Guard;
use crate::place;
use crate::requests::{CheckRequest, Tab, WalkText, Wander};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use lariat::{Explorer, Limits, Walk};
use lariat_base::SourceMap;
use lariat_render::documents::ControlRows;
use lariat_render::{Context, MOST_PLACES, Origin, control_rows};
use lariat_report::Page;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Deep expressions are walked by recursion.
pub(crate) const STACK_BYTES: usize = 256 << 20;
/// A request has no more bytes than this, beside its head.
const MOST_BODY_BYTES: usize = 1 << 20;
/// A trace that is sent has no more.
const MOST_TRACE_BYTES: usize = 32 << 20;
/// The head of a request has no more.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// As many connections are open at once.
const MOST_CONNECTIONS: usize = 64;
/// As many requests are worked on at once.
const MOST_WORKERS: usize = 4;
/// As many tabs are known.
const MOST_TABS: usize = 1_000;
/// The time in which the head of a request, or its rest, must have come.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time that a request may take, and the memory that is looked at for that.
const WORK: Limits = Limits { memory_bytes: 4 << 30, time: Some(Duration::from_secs(30)) };
/// A tab that has not said that it is open for so long is not.
const TAB_PATIENCE: Duration = Duration::from_secs(90);
/// With no tab open any more, the server waits so long for another: pages that are loaded again close and open.
const LINGER: Duration = Duration::from_secs(3);
/// The time between two looks at whether to end.
const INTERVAL: Duration = Duration::from_millis(100);

/// What is served.
#[derive(Debug)]
pub struct Served {
    /// The model.
    pub explorer: Explorer,
    /// Its name, as it was given.
    pub model_name: String,
    /// How it was read.
    pub origin: Origin,
    /// Where a tab begins that does not say where it is.
    pub begin: Walk,
    /// The version of the program.
    pub version: &'static str,
    /// What all checks together may take.
    pub memory_bytes: u64,
}

impl Served {
    pub(crate) fn context<'c>(&'c self, sources: &'c SourceMap) -> Context<'c> {
        Context {
            version: self.version,
            model: &self.model_name,
            origin: Some(&self.origin),
            sources,
            unreached: None,
            trail: None,
            keep_going: false,
            has_disk: false,
            trace_lines: None,
            limit: None,
            with_model: true,
            with_graphs: false,
        }
    }

    /// What the page must know to begin with.
    fn facts(&self, control_graphs: &[ControlRows]) -> Value {
        let model = self.explorer.model();
        let stated = model.properties().iter().map(|property| property.name.as_str());
        let properties: Vec<&str> = std::iter::once("safety").chain(stated).collect();
        json!({
            "explore": true,
            "model": self.model_name,
            "version": self.version,
            "properties": properties,
            "walk": WalkText::from(self.begin.clone()),
            "most_steps": lariat::MOST_STEPS,
            "has_processes": model.spin().is_some(),
            "control_graphs": control_graphs,
        })
    }
}

/// A server that listens, but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    guard: Guard,
}

impl Server {
    /// Listens at a port of the loopback interface: any that is free if it is 0.
    pub fn bind(port: u16) -> Result<Self, String> {
        let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let listener = listener.map_err(|error| format!("cannot listen at port {port}: {error}"))?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        Ok(Self { listener, guard: Guard::new(port)? })
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers until `stop` is set, the page says so, or, with `end_when_closed`, the last tab is closed.
    pub fn run(self, served: Served, stop: &Arc<AtomicBool>, end_when_closed: bool) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .thread_stack_size(STACK_BYTES)
            .max_blocking_threads(MOST_WORKERS)
            .build()
            .map_err(|error| error.to_string())?;
        let (system, _) = served.explorer.initial();
        let control_graphs = control_rows(&system, served.explorer.model().sources(), MOST_PLACES);
        let page = Page::of_explorer(&served.model_name, &served.facts(&control_graphs), &control_graphs).to_string();
        let shared = Arc::new(Shared {
            served: Arc::new(served),
            guard: self.guard,
            page: Bytes::from(page),
            checks: Checks::default(),
            workers: Semaphore::new(MOST_WORKERS),
            tabs: Mutex::default(),
            stop: Arc::clone(stop),
        });
        let served = runtime.block_on(listen(&shared, self.listener, end_when_closed));
        shared.checks.stop_all();
        // Requests that are still worked on are not waited for.
        runtime.shutdown_timeout(Duration::from_millis(200));
        served
    }
}

/// What all connections share.
struct Shared {
    served: Arc<Served>,
    guard: Guard,
    page: Bytes,
    checks: Checks,
    workers: Semaphore,
    tabs: Mutex<Tabs>,
    stop: Arc<AtomicBool>,
}

/// The tabs that are open, with when they said so last.
#[derive(Default)]
struct Tabs {
    open: HashMap<u64, Instant>,
    /// When the last one was closed.
    closed: Option<Instant>,
}

impl Tabs {
    fn tell(&mut self, tab: u64, open: bool) {
        match open {
            true if self.open.len() < MOST_TABS => drop(self.open.insert(tab, Instant::now())),
            true => {}
            false => drop(self.open.remove(&tab)),
        }
        self.closed = self.open.is_empty().then(Instant::now);
    }

    /// Whether tabs were open and no longer are.
    fn are_closed(&mut self) -> bool {
        let before = self.open.len();
        self.open.retain(|_, told| told.elapsed() < TAB_PATIENCE);
        if before > 0 && self.open.is_empty() {
            self.closed = Some(Instant::now());
        }
        self.closed.is_some_and(|closed| closed.elapsed() >= LINGER)
    }
}

async fn listen(shared: &Arc<Shared>, listener: std::net::TcpListener, end_when_closed: bool) -> Result<(), String> {
    let listener = TcpListener::from_std(listener).map_err(|error| error.to_string())?;
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let closed = || shared.tabs.lock().unwrap_or_else(PoisonError::into_inner).are_closed();
    let is_over = || shared.stop.load(Ordering::SeqCst) || (end_when_closed && closed());
    while !is_over() {
        let accepted = async {
            // Further ones wait until another ends.
            let permit = Arc::clone(&connections).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let Ok((permit, accepted)) = tokio::time::timeout(INTERVAL, accepted).await else { continue };
        let Ok((stream, _)) = accepted else {
            // An error is one of the connection, or too many open files: the next one may be better.
            tokio::time::sleep(INTERVAL).await;
            continue;
        };
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let _permit = permit;
            let service = service_fn(move |request| answer(Arc::clone(&shared), request));
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(MOST_HEAD_BYTES);
            // What is no request ends the connection.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
        });
    }
    // The last answer may still be on its way.
    tokio::time::sleep(INTERVAL).await;
    Ok(())
}

type Answer = Response<Full<Bytes>>;

/// Why a request is not answered as it wishes.
type Refused = (StatusCode, String);

fn bad(reason: impl ToString) -> Refused {
    (StatusCode::BAD_REQUEST, reason.to_string())
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let path = request.uri().path().to_owned();
    let wanted = match shared.guard.admit(&path, request.headers()) {
        Ok(wanted) => wanted,
        Err(reason) => return Ok(refused((StatusCode::FORBIDDEN, reason.to_owned()))),
    };
    Ok(route(&shared, wanted, request).await.unwrap_or_else(refused))
}

async fn route(shared: &Arc<Shared>, wanted: &str, request: Request<Incoming>) -> Result<Answer, Refused> {
    let (word, number) = wanted.split_once('/').unwrap_or((wanted, ""));
    let numbered = || number.parse::<u64>().map_err(|_| bad("there is no such number"));
    let gone = || (StatusCode::NOT_FOUND, "there is no such check, or it is not kept any more".to_owned());
    match (request.method(), word) {
        (&Method::GET, "") => Ok(page(shared.page.clone())),
        (&Method::GET, "check") => Ok(json_answer(shared.checks.shown(numbered()?).ok_or_else(gone)?.to_string())),
        (&Method::GET, "report") => {
            let text = shared.checks.page(numbered()?).ok_or_else(gone)?;
            Ok(page(Bytes::copy_from_slice(text.as_bytes())))
        }
        (&Method::POST, "walk") => {
            let walk: Walk = body::<WalkText>(request).await?.into();
            let text = work(shared, move |served, control| place::run(served, &walk, control)).await?.map_err(bad)?;
            Ok(json_answer(text))
        }
        (&Method::POST, "offers") => {
            let (walk, taken) = body::<(WalkText, Option<u32>)>(request).await?;
            let walk: Walk = walk.into();
            let offers = work(shared, move |served, control| place::offers(served, &walk, taken, control));
            Ok(json_answer(offers.await?.map_err(bad)?.to_string()))
        }
        (&Method::POST, "wander") => {
            let Wander { walk, count } = body(request).await?;
            let walk: Walk = walk.into();
            let found = work(shared, move |served, control| place::wander(&served.explorer, &walk, count, control));
            Ok(json_answer(json!(WalkText::from(found.await?.map_err(bad)?)).to_string()))
        }
        (&Method::POST, "trace") => {
            let bytes = bytes(request, MOST_TRACE_BYTES).await?;
            let text = String::from_utf8(bytes.to_vec()).map_err(|_| bad("the file is not text"))?;
            let found = work(shared, move |served, control| place::walk_of_trace(&served.explorer, &text, control));
            Ok(json_answer(json!(WalkText::from(found.await?.map_err(bad)?)).to_string()))
        }
        (&Method::POST, "check") => {
            let wanted: CheckRequest = body(request).await?;
            let number = shared.checks.start(&shared.served, wanted).map_err(bad)?;
            Ok(json_answer(json!({ "number": number }).to_string()))
        }
        (&Method::POST, "stop") => match shared.checks.stop(numbered()?) {
            true => Ok(json_answer("{}".to_owned())),
            false => Err(gone()),
        },
        (&Method::POST, "tab") => {
            let Tab { tab, open } = body(request).await?;
            shared.tabs.lock().unwrap_or_else(PoisonError::into_inner).tell(tab, open);
            Ok(json_answer("{}".to_owned()))
        }
        (&Method::POST, "end") => {
            shared.stop.store(true, Ordering::SeqCst);
            Ok(json_answer("{}".to_owned()))
        }
        _ => Err((StatusCode::NOT_FOUND, "there is nothing here".to_owned())),
    }
}

/// Works on another thread, within limits. A panic there is an answer too.
async fn work<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Served, &lariat::RunControl) -> T + Send + 'static,
) -> Result<T, Refused> {
    let served = Arc::clone(&shared.served);
    let _permit = shared.workers.acquire().await;
    let done = tokio::task::spawn_blocking(move || work(&served, &WORK.control())).await;
    done.map_err(|_| {
        (StatusCode::INTERNAL_SERVER_ERROR, "internal error, please report; the terminal says more".to_owned())
    })
}

/// What a request carries, as it should be.
async fn body<T: DeserializeOwned>(request: Request<Incoming>) -> Result<T, Refused> {
    let bytes = bytes(request, MOST_BODY_BYTES).await?;
    serde_json::from_slice(&bytes).map_err(|error| bad(format!("this is not understood: {error}")))
}

async fn bytes(request: Request<Incoming>, most: usize) -> Result<Bytes, Refused> {
    let collected = tokio::time::timeout(PATIENCE, Limited::new(request.into_body(), most).collect()).await;
    match collected {
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the request takes too long".to_owned())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err((StatusCode::PAYLOAD_TOO_LARGE, format!("more than {} MiB are not taken", most >> 20)))
        }
        Ok(Err(error)) => Err(bad(error)),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

fn refused((status, reason): Refused) -> Answer {
    let mut answer = json_answer(json!({ "error": reason }).to_string());
    *answer.status_mut() = status;
    answer
}

fn json_answer(text: String) -> Answer {
    with_headers(Bytes::from(text), "application/json")
}

fn page(text: Bytes) -> Answer {
    with_headers(text, "text/html; charset=utf-8")
}

/// Nothing is kept by the browser, shown inside another page, or sent on.
fn with_headers(text: Bytes, kind: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(text));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

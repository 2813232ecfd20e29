//! The loop: takes messages, answers them, and reads what was changed when there is nothing else to do.

use crate::checks::{self, COMMAND, CheckLimits, MAX_CHECKS, Running};
use crate::host::{Answers, CheckRequest, Host};
use crate::reading::Reading;
use crate::text::{Encoding, Text};
use crate::transport::{Received, receive};
use crate::uri::path_of;
use crate::{completion, diagnostics, lenses, names, outline};
use lariat::front::{EditedTexts, FrontEnd};
use lariat_base::UnsavedTexts;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _, Progress, PublishDiagnostics,
    ShowMessage,
};
use lsp_types::request::{
    CodeLensRequest, Completion, DocumentSymbolRequest, ExecuteCommand, GotoDefinition, HoverRequest, Initialize,
    PrepareRenameRequest, References, Rename, Request as _, Shutdown, WorkDoneProgressCreate,
};
use lsp_types::{
    CodeLensOptions, CompletionOptions, ExecuteCommandOptions, HoverProviderCapability, InitializeParams,
    InitializeResult, MessageType, NumberOrString, OneOf, Position, PositionEncodingKind, ProgressParams,
    PublishDiagnosticsParams, RenameOptions, ServerCapabilities, ServerInfo, ShowMessageParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri, WorkDoneProgressOptions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// The time between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_millis(500);

/// What the loop waits for.
enum Event {
    Received(Received),
    /// The client went away.
    End,
    Checked(u64, Result<Answers, String>),
}

/// Serves a client until it says that it is done, or goes away. True if it said so properly.
pub fn serve(host: Arc<dyn Host>, mut input: impl BufRead + Send + 'static, output: impl Write) -> bool {
    let (events, waiting) = mpsc::channel();
    let received = events.clone();
    let reader = move || {
        while let Ok(Some(found)) = receive(&mut input) {
            if received.send(Event::Received(found)).is_err() {
                return;
            }
        }
        let _ = received.send(Event::End);
    };
    // It ends with the stream, or with the program.
    if std::thread::Builder::new().name("reader".to_owned()).spawn(reader).is_err() {
        return false;
    }
    let mut server = Server {
        host,
        output,
        events,
        encoding: Encoding::Utf16,
        shows_progress: false,
        limits: CheckLimits::of_options(None),
        documents: HashMap::new(),
        changed: Vec::new(),
        checks: HashMap::new(),
        checks_started: 0,
        is_initialized: false,
        is_done: false,
    };
    loop {
        // What was changed is read when no message waits: of many changes in a row, the last.
        let event = match waiting.try_recv() {
            Ok(event) => event,
            Err(_) => {
                server.read_changed();
                match waiting.recv_timeout(BETWEEN_REPORTS) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) => {
                        server.report_checks();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return false,
                }
            }
        };
        match event {
            Event::End => {
                server.end_checks();
                return server.is_done;
            }
            Event::Received(Received::Garbage(why)) => server.refuse_garbage(&why),
            Event::Received(Received::Message(Message::Notification(notification)))
                if notification.method == lsp_types::notification::Exit::METHOD =>
            {
                server.end_checks();
                return server.is_done;
            }
            Event::Received(Received::Message(message)) => server.take(message),
            Event::Checked(number, answers) => server.checked(number, answers),
        }
    }
}

/// A text that is open in the editor.
struct Document {
    uri: Uri,
    path: PathBuf,
    text: Text,
    /// As it was read last; none if it was changed since.
    reading: Option<Reading>,
    /// What was published of it.
    found: HashMap<Uri, Vec<lsp_types::Diagnostic>>,
    /// What checks found, until the text changes.
    answered: HashMap<Uri, Vec<lsp_types::Diagnostic>>,
}

struct Server<W> {
    host: Arc<dyn Host>,
    output: W,
    events: Sender<Event>,
    encoding: Encoding,
    /// Whether the client shows progress that the server begins.
    shows_progress: bool,
    limits: CheckLimits,
    documents: HashMap<String, Document>,
    /// The documents to be read.
    changed: Vec<String>,
    checks: HashMap<u64, Running>,
    checks_started: u64,
    is_initialized: bool,
    is_done: bool,
}

/// Why a request is not answered.
struct Refused(ErrorCode, String);

type Answered = Result<Value, Refused>;

impl<W: Write> Server<W> {
    fn send(&mut self, message: impl Into<Message>) {
        // A client that went away is noticed when its stream ends.
        let _ = message.into().write(&mut self.output);
    }
    fn notify<N: lsp_types::notification::Notification>(&mut self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }
    fn respond(&mut self, id: RequestId, answered: Answered) {
        self.send(match answered {
            Ok(value) => Response::new_ok(id, value),
            Err(Refused(code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    /// What cannot be read has no number to answer to.
    fn refuse_garbage(&mut self, why: &str) {
        let error = json!({ "code": ErrorCode::ParseError as i32, "message": format!("not a message: {why}") });
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        let _ = write!(self.output, "Content-Length: {}\r\n\r\n{body}", body.len());
        let _ = self.output.flush();
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let (id, method) = (request.id.clone(), request.method.clone());
                // A panic concerns the request that it happened in.
                match catch_unwind(AssertUnwindSafe(|| self.answer(request))) {
                    Ok(Some(answered)) => self.respond(id, answered),
                    // It is answered later.
                    Ok(None) => {}
                    Err(_) => {
                        let message = format!("internal error in `{method}`: please report it");
                        self.respond(id, Err(Refused(ErrorCode::InternalError, message)));
                    }
                }
            }
            Message::Notification(notification) => {
                let _ = catch_unwind(AssertUnwindSafe(|| self.hear(notification)));
            }
            // Answers to what the server asks for change nothing.
            Message::Response(_) => {}
        }
    }

    fn answer(&mut self, request: Request) -> Option<Answered> {
        if !self.is_initialized && request.method != Initialize::METHOD {
            let message = "the first request is `initialize`".to_owned();
            return Some(Err(Refused(ErrorCode::ServerNotInitialized, message)));
        }
        if self.is_done {
            return Some(Err(Refused(ErrorCode::InvalidRequest, "the server was shut down".to_owned())));
        }
        Some(match request.method.as_str() {
            Initialize::METHOD => self.initialize(request),
            Shutdown::METHOD => {
                self.end_checks();
                self.is_done = true;
                Ok(Value::Null)
            }
            ExecuteCommand::METHOD => {
                return self.execute(request).map_or_else(|refused| Some(Err(refused)), |()| None);
            }
            GotoDefinition::METHOD => self.about::<GotoDefinition>(
                request,
                |params| params.text_document_position_params.text_document.uri.clone(),
                |reading, _, params| {
                    let at = params.text_document_position_params.position;
                    to_value(names::definitions(reading, at))
                },
            ),
            References::METHOD => self.about::<References>(
                request,
                |params| params.text_document_position.text_document.uri.clone(),
                |reading, _, params| {
                    let at = params.text_document_position.position;
                    to_value(names::references(reading, at, params.context.include_declaration))
                },
            ),
            HoverRequest::METHOD => self.about::<HoverRequest>(
                request,
                |params| params.text_document_position_params.text_document.uri.clone(),
                |reading, asked, params| {
                    let at = params.text_document_position_params.position;
                    to_value(names::hover(reading, at, asked.language))
                },
            ),
            PrepareRenameRequest::METHOD => self.about::<PrepareRenameRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |reading, asked, params| {
                    to_value(names::prepare_rename(reading, params.position, asked.texts).map_err(refused)?)
                },
            ),
            Rename::METHOD => self.about::<Rename>(
                request,
                |params| params.text_document_position.text_document.uri.clone(),
                |reading, asked, params| {
                    let at = params.text_document_position.position;
                    to_value(names::rename(reading, at, &params.new_name, asked.texts).map_err(refused)?)
                },
            ),
            DocumentSymbolRequest::METHOD => self.about::<DocumentSymbolRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |reading, _, _| to_value(outline::outline(reading)),
            ),
            Completion::METHOD => self.about::<Completion>(
                request,
                |params| params.text_document_position.text_document.uri.clone(),
                |reading, asked, params| {
                    let at: Position = params.text_document_position.position;
                    to_value(completion::completions(reading, at, asked.texts))
                },
            ),
            CodeLensRequest::METHOD => self.about::<CodeLensRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |reading, asked, _| to_value(lenses::lenses(reading, asked.uri, asked.path, asked.comment)),
            ),
            other => {
                Err(Refused(ErrorCode::MethodNotFound, format!("`{other}` is not something that this server does")))
            }
        })
    }

    fn initialize(&mut self, request: Request) -> Answered {
        let params: InitializeParams = from_value(request.params)?;
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_ref());
        let takes_utf8 = encodings.is_some_and(|known| known.contains(&PositionEncodingKind::UTF8));
        self.encoding = if takes_utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
        self.shows_progress =
            params.capabilities.window.as_ref().and_then(|window| window.work_done_progress).unwrap_or(false);
        self.limits = CheckLimits::of_options(params.initialization_options.as_ref());
        self.is_initialized = true;
        let progress = WorkDoneProgressOptions { work_done_progress: Some(true) };
        to_value(InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(match self.encoding {
                    Encoding::Utf8 => PositionEncodingKind::UTF8,
                    Encoding::Utf16 => PositionEncodingKind::UTF16,
                }),
                text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
                definition_provider: Some(OneOf::Left(true)),
                references_provider: Some(OneOf::Left(true)),
                hover_provider: Some(HoverProviderCapability::Simple(true)),
                rename_provider: Some(OneOf::Right(RenameOptions {
                    prepare_provider: Some(true),
                    work_done_progress_options: WorkDoneProgressOptions::default(),
                })),
                document_symbol_provider: Some(OneOf::Left(true)),
                completion_provider: Some(CompletionOptions {
                    trigger_characters: Some(vec![".".to_owned(), "@".to_owned()]),
                    ..CompletionOptions::default()
                }),
                code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
                execute_command_provider: Some(ExecuteCommandOptions {
                    commands: vec![COMMAND.to_owned()],
                    work_done_progress_options: progress,
                }),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "lariat".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    /// Answers a request about a document that is open, as it is now.
    fn about<R: lsp_types::request::Request>(
        &mut self,
        request: Request,
        uri_of: impl FnOnce(&R::Params) -> Uri,
        answer: impl FnOnce(&Reading, &About<'_>, &R::Params) -> Answered,
    ) -> Answered
    where
        R::Params: DeserializeOwned,
    {
        let params: R::Params = from_value(request.params)?;
        let uri = uri_of(&params);
        self.read(uri.as_str());
        let Some(document) = self.documents.get(uri.as_str()) else {
            return Err(Refused(ErrorCode::InvalidParams, format!("`{}` is not open", uri.as_str())));
        };
        let Some(reading) = &document.reading else { return Ok(Value::Null) };
        let front_end: &dyn FrontEnd = self.host.front_ends().reading(&document.path);
        let language = front_end.language().to_lowercase();
        let texts = front_end.edited_texts();
        let comment = self.host.front_ends().comment_of(&document.path);
        let about = About { uri: &document.uri, path: &document.path, language: &language, comment, texts };
        answer(reading, &about, &params)
    }

    fn hear(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Ok(params) = from_value::<lsp_types::DidOpenTextDocumentParams>(notification.params) else {
                    return;
                };
                self.open(params.text_document.uri, Text::new(params.text_document.text));
            }
            DidChangeTextDocument::METHOD => {
                let Ok(params) = from_value::<lsp_types::DidChangeTextDocumentParams>(notification.params) else {
                    return;
                };
                let Some(document) = self.documents.get_mut(params.text_document.uri.as_str()) else { return };
                for change in &params.content_changes {
                    document.text = document.text.changed(change, self.encoding);
                }
                // The files that the answers were about are published again when the text is read.
                for (uri, _) in document.answered.drain() {
                    document.found.entry(uri).or_default();
                }
                let path = document.path.clone();
                self.change(&path);
            }
            DidCloseTextDocument::METHOD => {
                let Ok(params) = from_value::<lsp_types::DidCloseTextDocumentParams>(notification.params) else {
                    return;
                };
                self.close(params.text_document.uri.as_str());
            }
            "$/cancelRequest" => {
                let id: Option<RequestId> =
                    notification.params.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
                let stopped = self.checks.values().filter(|running| Some(&running.request) == id.as_ref());
                stopped.for_each(|running| running.control.end());
            }
            "window/workDoneProgress/cancel" => {
                let token: Option<NumberOrString> =
                    notification.params.get("token").and_then(|token| serde_json::from_value(token.clone()).ok());
                let stopped = self.checks.values().filter(|running| Some(&running.token) == token.as_ref());
                stopped.for_each(|running| running.control.end());
            }
            // Others need no answer.
            _ => {}
        }
    }

    fn open(&mut self, uri: Uri, text: Text) {
        // What is not a file has a path of its own, so that its language is known by its ending.
        let path = path_of(&uri).unwrap_or_else(|| {
            let name = uri.as_str().rsplit(['/', ':']).next().unwrap_or_default().to_owned();
            std::path::absolute(Path::new("unsaved").join(&name)).unwrap_or_else(|_| PathBuf::from(name))
        });
        let document = Document {
            uri: uri.clone(),
            path: path.clone(),
            text,
            reading: None,
            found: HashMap::new(),
            answered: HashMap::new(),
        };
        self.documents.insert(uri.as_str().to_owned(), document);
        self.change(&path);
    }

    fn close(&mut self, uri: &str) {
        let Some(document) = self.documents.remove(uri) else { return };
        let stopped = self.checks.values().filter(|running| running.uri.as_str() == uri);
        stopped.for_each(|running| running.control.end());
        self.changed.retain(|changed| changed != uri);
        let touched: HashSet<Uri> = document.found.into_keys().chain(document.answered.into_keys()).collect();
        self.publish(touched);
        self.change(&document.path);
    }

    /// The text for a file changed: all that read it are to be read anew.
    fn change(&mut self, path: &Path) {
        for (uri, document) in &mut self.documents {
            let reads_it = document.path == path
                || document.reading.as_ref().is_none_or(|reading| {
                    // What could not be included may be there now.
                    reading.is_broken() || reading.files().any(|(_, _, read)| read == path)
                });
            if reads_it && !self.changed.contains(uri) {
                self.changed.push(uri.clone());
            }
        }
    }

    fn unsaved(&self) -> UnsavedTexts {
        let texts = self.documents.values();
        UnsavedTexts::new(texts.map(|document| (document.path.clone(), Arc::clone(&document.text.text))))
    }

    fn read_changed(&mut self) {
        while let Some(uri) = self.changed.first().cloned() {
            self.read(&uri);
        }
    }

    /// Reads a document, if it was changed, and publishes what is wrong with it.
    fn read(&mut self, uri: &str) {
        if !self.changed.iter().any(|changed| changed == uri) {
            return;
        }
        self.changed.retain(|changed| changed != uri);
        let unsaved = self.unsaved();
        let Some(document) = self.documents.get_mut(uri) else { return };
        let reading = Reading::new(&*self.host, &document.path, &document.text, &unsaved, self.encoding);
        let found = diagnostics::of_reading(&reading, &document.uri);
        let before = std::mem::replace(&mut document.found, found);
        document.reading = Some(reading);
        let touched: HashSet<Uri> = before.into_keys().chain(document.found.keys().cloned()).collect();
        self.publish(touched);
    }

    /// Publishes what is known about these files.
    fn publish(&mut self, files: HashSet<Uri>) {
        for uri in files {
            let found = self.documents.values().flat_map(|document| [&document.found, &document.answered]);
            let all: Vec<_> = found.filter_map(|found| found.get(&uri)).flatten().cloned().collect();
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics: all, version: None });
        }
    }

    /// Starts a check. It is answered when it is done.
    fn execute(&mut self, request: Request) -> Result<(), Refused> {
        let invalid = |message: String| Refused(ErrorCode::InvalidParams, message);
        let params: lsp_types::ExecuteCommandParams = from_value(request.params)?;
        if params.command != COMMAND {
            return Err(invalid(format!("there is no command `{}`", params.command)));
        }
        let (uri, asked) = checks::parsed(&params.arguments).map_err(invalid)?;
        let unsaved = self.unsaved();
        let Some(document) = self.documents.get(uri.as_str()) else {
            return Err(invalid(format!("`{}` is not open", uri.as_str())));
        };
        if self.checks.len() >= MAX_CHECKS {
            let message = format!("{MAX_CHECKS} checks are running; cancel one first");
            return Err(Refused(ErrorCode::RequestFailed, message));
        }
        self.checks_started += 1;
        let number = self.checks_started;
        let events = self.events.clone();
        let title = match &asked {
            crate::Asked::Property(Some(name)) => format!("Checking {name}"),
            crate::Asked::Property(None) => "Checking all properties".to_owned(),
            crate::Asked::Expectation(line) => format!("Checking the answer in line {line}"),
        };
        let text = Arc::clone(&document.text.text);
        let check = CheckRequest { path: document.path.clone(), unsaved, asked };
        let done = move |answers| {
            let _ = events.send(Event::Checked(number, answers));
        };
        let control = checks::start(Arc::clone(&self.host), check, self.limits, done)
            .map_err(|message| Refused(ErrorCode::RequestFailed, message))?;
        let own = params.work_done_progress_params.work_done_token;
        let token = own.clone().unwrap_or_else(|| NumberOrString::String(format!("lariat/check/{number}")));
        if own.is_none() && self.shows_progress {
            let id = RequestId::from(format!("progress/{number}"));
            let params = json!({ "token": token });
            self.send(Request::new(id, WorkDoneProgressCreate::METHOD.to_owned(), params));
        }
        let is_shown = own.is_some() || self.shows_progress;
        if is_shown {
            self.notify::<Progress>(checks::begin(&token, title));
        }
        self.checks.insert(number, Running { request: request.id, uri, text, control, token, is_shown });
        Ok(())
    }

    fn report_checks(&mut self) {
        let shown = self.checks.values().filter(|running| running.is_shown);
        let reports: Vec<ProgressParams> = shown.map(checks::report).collect();
        reports.into_iter().for_each(|report| self.notify::<Progress>(report));
    }

    /// A check is done.
    fn checked(&mut self, number: u64, answers: Result<Answers, String>) {
        let Some(running) = self.checks.remove(&number) else { return };
        let answered = match answers {
            Err(message) => {
                self.show(MessageType::ERROR, message.clone());
                if running.is_shown {
                    self.notify::<Progress>(checks::end(&running.token, message.clone()));
                }
                Err(Refused(ErrorCode::RequestFailed, message))
            }
            Ok(answers) => {
                let lines: Vec<&str> = answers.answers.iter().map(|answer| answer.message.as_str()).collect();
                let message = lines.join("\n");
                let worst = answers.answers.iter().map(|answer| answer.outcome);
                let kind = match worst.max_by_key(|outcome| match outcome {
                    crate::Outcome::Passed => 0,
                    crate::Outcome::Undecided => 1,
                    crate::Outcome::Failed => 2,
                }) {
                    Some(crate::Outcome::Failed) => MessageType::ERROR,
                    Some(crate::Outcome::Undecided) => MessageType::WARNING,
                    Some(crate::Outcome::Passed) | None => MessageType::INFO,
                };
                if running.is_shown {
                    self.notify::<Progress>(checks::end(&running.token, message.clone()));
                }
                self.show(kind, message);
                let text: Vec<&str> = answers.answers.iter().map(|answer| answer.text.as_str()).collect();
                let log = lsp_types::LogMessageParams { typ: MessageType::INFO, message: text.join("\n") };
                self.notify::<lsp_types::notification::LogMessage>(log);
                self.publish_answers(&running, &answers);
                Ok(checks::as_result(&answers.answers))
            }
        };
        self.respond(running.request, answered);
    }

    fn show(&mut self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    fn publish_answers(&mut self, running: &Running, answers: &Answers) {
        let (encoding, uri) = (self.encoding, &running.uri);
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return };
        // What was changed while the check went on has other places, so nothing is shown there.
        if !Arc::ptr_eq(&document.text.text, &running.text) {
            return;
        }
        let found = checks::as_diagnostics(answers, document.reading.as_ref(), uri, encoding);
        let mut touched: HashSet<Uri> = found.keys().cloned().collect();
        // A newer answer about the same thing takes the place of an older one.
        let names: Vec<String> = answers.answers.iter().map(|answer| format!("{}: ", answer.name)).collect();
        for (at, known) in &mut document.answered {
            let count = known.len();
            known.retain(|old| !names.iter().any(|name| old.message.starts_with(name.as_str())));
            if known.len() < count {
                touched.insert(at.clone());
            }
        }
        for (at, new) in found {
            document.answered.entry(at).or_default().extend(new);
        }
        self.publish(touched);
    }

    fn end_checks(&mut self) {
        self.checks.values().for_each(|running| running.control.end());
    }
}

/// The document that a request is about.
struct About<'a> {
    uri: &'a Uri,
    path: &'a Path,
    /// Its language, as editors call it.
    language: &'a str,
    /// How a comment begins, if its name ends as those of models do.
    comment: Option<&'static str>,
    texts: Option<&'a dyn EditedTexts>,
}

fn refused(reason: String) -> Refused {
    Refused(ErrorCode::RequestFailed, reason)
}

fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Refused> {
    serde_json::from_value(value).map_err(|error| Refused(ErrorCode::InvalidParams, error.to_string()))
}

fn to_value(value: impl Serialize) -> Answered {
    serde_json::to_value(value).map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
}

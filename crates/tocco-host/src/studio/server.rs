// SPDX-License-Identifier: MIT OR Apache-2.0
//! The studio on the network: hyper reads requests, axum answers them with the page's files or joins a page to the bridge.
//!
//! One thread serves everybody. Whatever a stranger can make grow has a bound: heads, messages, connections, pages, the queue
//! to each page, and the time that any of them may take.

use super::bridge::Bridge;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

/// Longest request head that is read, bytes. Browsers send this host the cookies of every other program on loopback.
const LONGEST_HEAD: usize = 65_536;
/// Longest message of a page, bytes: a whole scene fits.
const LONGEST_MESSAGE: usize = 4 << 20;
/// Bytes that an idle page's socket keeps ready for reading.
const READ_AHEAD: usize = 2048;
/// Requests that are answered at a time; more wait until one is done.
const MOST_REQUESTS: usize = 256;
/// A browser that says or takes nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);
/// A request that is not answered and fetched after so long is let go.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
/// Rest after a connection could not be accepted, most often because the system allows no more open files.
const REST: Duration = Duration::from_millis(100);

/// What the server gives out: name and bytes.
pub type Files = Vec<(String, Bytes)>;

#[derive(Clone)]
struct Served {
    files: Arc<Files>,
    bridge: Bridge,
}

/// Answers until the program is stopped.
pub async fn run(listener: TcpListener, files: Files, bridge: Bridge) {
    let served = Served { files: Arc::new(files), bridge };
    let router = Router::new().route("/bridge", any(join)).fallback(file).with_state(served);
    let room = Arc::new(Semaphore::new(MOST_REQUESTS));
    while let Ok(place) = Arc::clone(&room).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REST).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            answer(stream, router).await;
            drop(place);
        });
    }
}

/// Serves one connection until its request is answered, or until it has become a WebSocket with a task of its own.
async fn answer(stream: TcpStream, router: Router) {
    // A gesture is one small packet: it does not wait for company.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // What went wrong concerns the browser, which sees it too.
    let _ = timeout(LONGEST_ANSWER, connection).await;
}

/// A file of the page, and nothing else: names are compared, no path is opened.
async fn file(State(served): State<Served>, method: Method, uri: Uri) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return reply(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET\n");
    }
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match served.files.iter().find(|(file, _)| file == name) {
        Some((_, bytes)) => reply(StatusCode::OK, kind_of(name), bytes.clone()),
        None => reply(StatusCode::NOT_FOUND, "text/plain", "no such file in the studio\n"),
    }
}

/// A page joins the bridge.
async fn join(
    State(served): State<Served>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let Ok(upgrade) = upgrade else { return file(State(served), method, uri).await };
    // Another site's page may not speak for the user: only our own page may join.
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if text(ORIGIN).is_some_and(|origin| origin != format!("http://{}", text(HOST).unwrap_or_default())) {
        return reply(StatusCode::FORBIDDEN, "text/plain", "only the studio's own page may join\n");
    }
    let Some(queue) = served.bridge.admit() else {
        return reply(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "too many pages are open; close some\n");
    };
    upgrade
        .read_buffer_size(READ_AHEAD)
        .write_buffer_size(0)
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_upgrade(|socket| converse(socket, queue, served.bridge))
}

/// Carries gestures both ways until the page leaves, or is let go because it does not take what it is sent.
async fn converse(mut socket: WebSocket, mut queue: mpsc::Receiver<Arc<str>>, bridge: Bridge) {
    loop {
        tokio::select! {
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => bridge.forward(&text).await,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
            gesture = queue.recv() => {
                let Some(gesture) = gesture else { return };
                let sent = timeout(PATIENCE, socket.send(Message::text(&*gesture))).await;
                if !matches!(sent, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}

/// Every answer: not kept by the browser, and with the headers that give the page shared memory with its audio worklet.
fn reply(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let headers = [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-cache"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        (X_CONTENT_TYPE_OPTIONS.as_str(), "nosniff"),
        (CONNECTION.as_str(), "close"),
    ];
    (status, headers, body.into()).into_response()
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

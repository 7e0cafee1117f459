//! What a function's own tests on the wasm target stand on. A request goes through the routes of the function and comes back as an answer; what the
//! function calls meanwhile, Postgres and storage, is answered from a list, and noted.
//!
//! The tests run in Node, which has the Request, Response and fetch that workerd and Deno have.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::StreamExt;
use gristmill_core::signature::Key;
use gristmill_edge::Routes;
use js_sys::{Function, Object, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::future_to_promise;
use worker::worker_sys::web_sys;
use worker::{Env, Headers, Method, Request, RequestInit, Response};

/// Signs invocations in tests; the example of Standard Webhooks.
pub const INVOKE_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// Signs links of files in tests.
pub const FILES_SECRET: &str = "a secret of sixteen letters and more";
/// The service's key in tests.
pub const SERVICE_KEY: &str = "service.key.signed";

const BINDINGS: [(&str, &str); 5] = [
    ("SUPABASE_URL", "http://platform.test"),
    ("SUPABASE_ANON_KEY", "anon.key.signed"),
    ("SUPABASE_SERVICE_ROLE_KEY", SERVICE_KEY),
    ("INVOKE_SECRET", INVOKE_SECRET),
    ("FILES_SECRET", FILES_SECRET),
];

/// How a path that ends in these letters is answered.
pub type Answers = &'static [(&'static str, u16, &'static str)];

/// A request that the function makes.
#[derive(Debug, Clone)]
pub struct Called {
    /// Its method and URL.
    pub what: String,
    /// Its header Authorization.
    pub authorization: String,
    /// Its body.
    pub body: String,
}

/// What the function has called.
#[derive(Clone, Default)]
pub struct Calls(Rc<RefCell<Vec<Called>>>);

impl Calls {
    /// All calls to a path that ends in these letters.
    pub fn of(&self, path: &str) -> Vec<Called> {
        let calls = self.0.borrow();
        calls
            .iter()
            .filter(|call| call.what.ends_with(path))
            .cloned()
            .collect()
    }
}

/// A request to the function.
pub struct Asked {
    method: Method,
    path: String,
    headers: Headers,
    body: Option<Vec<u8>>,
    bindings: Vec<(String, JsValue)>,
}

/// What the function answered.
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Headers,
    /// Its chunks, as they came.
    pub chunks: Vec<Vec<u8>>,
    /// What was called for it.
    pub calls: Calls,
}

/// A request without a body or a token.
pub fn ask(method: Method, path: &str) -> Asked {
    Asked {
        method,
        path: path.to_owned(),
        headers: Headers::new(),
        body: None,
        bindings: Vec::new(),
    }
}

impl Asked {
    /// With a header.
    pub fn header(self, name: &str, value: &str) -> Self {
        let set = self.headers.set(name, value);
        assert!(set.is_ok(), "{name} is no header");
        self
    }

    /// With a token.
    pub fn by(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// With a body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// With another binding than all tests have.
    pub fn binding(mut self, name: &str, value: &str) -> Self {
        self.bindings.push((name.to_owned(), value.into()));
        self
    }

    /// With a bucket of R2 that holds nothing.
    pub fn empty_bucket(mut self, name: &str) -> Self {
        // The runtime's binding is known by the name of its class.
        let make = "return new (class R2Bucket { async head() { return null; } async get() { return null; } })()";
        let bucket = Function::new_no_args(make).call0(&JsValue::NULL);
        self.bindings
            .push((name.to_owned(), bucket.unwrap_or_default()));
        self
    }

    /// With the signature of our Postgres, made so many seconds ago.
    pub fn signed(self, seconds_ago: i64) -> Self {
        let at = (chrono::Utc::now().timestamp() - seconds_ago).to_string();
        let id = uuid::Uuid::now_v7().to_string();
        let body = self.body.clone().unwrap_or_default();
        let signed = Key::parse(INVOKE_SECRET)
            .ok()
            .and_then(|key| key.sign(&id, &at, &body).ok());
        self.header("webhook-id", &id)
            .header("webhook-timestamp", &at)
            .header("webhook-signature", &signed.unwrap_or_default())
    }

    /// Has the function answer it. What the function calls is answered as the list says, and 404 what the list does not have.
    pub async fn send(self, routes: Routes, answers: Answers) -> worker::Result<Answer> {
        let calls = stand_in(answers)?;
        let env = Object::new();
        let bindings = BINDINGS.map(|(name, value)| (name.to_owned(), JsValue::from(value)));
        for (name, value) in bindings.into_iter().chain(self.bindings) {
            Reflect::set(&env, &name.into(), &value)?;
        }
        let mut init = RequestInit::new();
        init.with_method(self.method).with_headers(self.headers);
        if let Some(body) = self.body {
            init.with_body(Some(js_sys::Uint8Array::from(body.as_slice()).into()));
        }
        let request = Request::new_with_init(&format!("http://function.test{}", self.path), &init)?;
        let response = routes.serve(request, env.unchecked_into::<Env>()).await?;
        // Over the border and back: what JavaScript would be given is what is read.
        let native: web_sys::Response = response.into();
        let mut response = Response::from(native);
        let mut chunks = Vec::new();
        if !matches!(response.status_code(), 204 | 304) {
            let mut stream = response.stream()?;
            while let Some(chunk) = stream.next().await {
                chunks.push(chunk?);
            }
        }
        Ok(Answer {
            status: response.status_code(),
            headers: response.headers().clone(),
            chunks,
            calls,
        })
    }
}

impl Answer {
    /// All bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    /// As JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes()).unwrap_or_default()
    }

    /// Status, and the code of the problem that it is.
    pub fn refusal(&self) -> (u16, String) {
        let code = self.json()["code"].as_str().unwrap_or_default().to_owned();
        (self.status, code)
    }

    /// A header; empty without it.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).ok().flatten().unwrap_or_default()
    }
}

/// What every function does alike: a path that it does not have, a method that it does not take, health, its own description, and an
/// id of its own for each request.
pub async fn behaves(routes: fn() -> Routes, has: &str) {
    let refusal = async |method, path: &str| {
        let answer = ask(method, path).send(routes(), &[]).await;
        answer.map(|answer| answer.refusal()).unwrap_or_default()
    };
    assert_eq!(
        refusal(Method::Get, "/no/such/path/at/all").await,
        (404, "not_found".to_owned())
    );
    assert_eq!(
        refusal(Method::Patch, has).await,
        (405, "method_not_allowed".to_owned())
    );

    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = ask(Method::Get, "/openapi.json").send(routes(), &[]).await;
        assert!(answer.is_ok(), "it does not describe itself");
        if let Ok(answer) = answer {
            assert!(
                !answer.json()["paths"][has].is_null(),
                "{has} is not described"
            );
            ids.push(answer.header("x-correlation-id"));
        }
    }
    assert!(ids[0].len() == 36 && ids[0] != ids[1], "{ids:?}");
}

/// What a secured path answers to nobody: 401, before anything is called.
pub async fn wants_a_token(routes: fn() -> Routes, method: Method, path: &str) {
    let answer = ask(method, path).send(routes(), &[]).await;
    assert!(answer.is_ok(), "{path} broke");
    if let Ok(answer) = answer {
        assert_eq!(answer.status, 401, "{path}");
        assert!(
            answer
                .header("content-type")
                .starts_with("application/problem+json")
        );
        assert!(
            answer.calls.0.borrow().is_empty(),
            "something was called for nobody"
        );
    }
}

/// What a path that takes signed requests alone does without a signature, with a stale one, and with one of another body.
pub async fn wants_a_signature(routes: fn() -> Routes, path: &str, body: &str) {
    let unsigned = || ask(Method::Post, path).body(body);
    let forged = unsigned().signed(0).body("{}");
    for asked in [
        unsigned(),
        unsigned().signed(3600),
        unsigned().signed(-3600),
        forged,
    ] {
        let answer = asked.send(routes(), &[]).await;
        assert!(answer.is_ok(), "{path} broke");
        if let Ok(answer) = answer {
            assert_eq!(answer.refusal().1, "bad_signature");
            assert!(
                answer.calls.0.borrow().is_empty(),
                "something was called for a stranger"
            );
        }
    }
}

// Each test puts its own in the place of the one before.
fn stand_in(answers: Answers) -> Result<Calls, JsValue> {
    let calls = Calls::default();
    let noted = calls.clone();
    let fetch = Closure::<dyn Fn(JsValue, JsValue) -> Promise>::new(
        move |resource: JsValue, init: JsValue| {
            let noted = noted.clone();
            future_to_promise(async move { answer(&resource, &init, answers, &noted).await })
        },
    );
    let function: Function = fetch.into_js_value().unchecked_into();
    Reflect::set(&js_sys::global(), &"fetch".into(), &function)?;
    Ok(calls)
}

async fn answer(
    resource: &JsValue,
    init: &JsValue,
    answers: Answers,
    noted: &Calls,
) -> Result<JsValue, JsValue> {
    let construct: Function = Reflect::get(&js_sys::global(), &"Request".into())?.unchecked_into();
    let arguments = js_sys::Array::of2(resource, init);
    let request: web_sys::Request = Reflect::construct(&construct, &arguments)?.unchecked_into();
    let what = format!("{} {}", request.method(), request.url());
    let authorization = request.headers().get("authorization")?.unwrap_or_default();
    let body = wasm_bindgen_futures::JsFuture::from(request.text()?).await?;
    noted.0.borrow_mut().push(Called {
        what: what.clone(),
        authorization,
        body: body.as_string().unwrap_or_default(),
    });
    let known = answers.iter().find(|(path, ..)| what.ends_with(path));
    let (status, text) = known.map_or((404, "{}"), |(_, status, text)| (*status, *text));
    let response = Response::builder()
        .with_status(status)
        .with_header("content-type", "application/json")
        .map(|response| response.fixed(text.as_bytes().to_vec()))
        .map_err(|error| JsValue::from_str(&error.to_string()))?;
    Ok(web_sys::Response::from(response).into())
}

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use uuid::Uuid;

use super::*;
use crate::Once;
use gristmill_core::job::JobId;

fn read(variables: &[(&'static str, &str)]) -> Result<Schemas, BadSchema> {
    let variables: BTreeMap<_, _> = variables.iter().copied().collect();
    Schemas::read(|name| variables.get(name).map(|value| (*value).to_owned()))
}

#[test]
fn an_absent_an_empty_and_the_usual_schema_are_the_same() {
    assert_eq!(read(&[]), Ok(Schemas::default()));
    let usual = read(&[("EXPORTS_SCHEMA", ""), ("REFRESH_SCHEMA", "public")]);
    assert_eq!(usual, Ok(Schemas::default()));
}

#[test]
fn each_application_is_found_by_its_own_variable() {
    let schemas = read(&[
        ("DOCUMENTS_SCHEMA", "a"),
        ("EXPORTS_SCHEMA", "b_2"),
        ("REFRESH_SCHEMA", "_c"),
        ("WORKFLOWS_SCHEMA", "a"),
    ]);
    let rpc = Rpc::new("http://127.0.0.1:9", "", "").in_schemas(schemas.unwrap());
    let of = |calls: Calls<'_>| calls.schema.map(str::to_owned);
    assert_eq!(of(rpc.documents()).as_deref(), Some("a"));
    assert_eq!(of(rpc.exports()).as_deref(), Some("b_2"));
    assert_eq!(of(rpc.refresh()).as_deref(), Some("_c"));
    assert_eq!(of(rpc.workflows()).as_deref(), Some("a"));
}

#[test]
fn what_is_no_plain_name_is_refused_with_its_variable() {
    assert!(read(&[("EXPORTS_SCHEMA", &"a".repeat(63))]).is_ok());
    let long = "a".repeat(64);
    for name in [
        "Acme",
        "1st",
        "a-b",
        "a b",
        "a.b",
        "\"a\"",
        "ä",
        "a\r\nx: y",
        &long,
    ] {
        let refused = read(&[("EXPORTS_SCHEMA", name)]).unwrap_err().to_string();
        assert!(refused.starts_with("EXPORTS_SCHEMA is "), "{refused}");
    }
}

/// Answers one request with `answer`; gives its first line and the profile that it named.
async fn heard<T>(
    answer: &str,
    ask: impl AsyncFnOnce(String) -> Result<T, RpcError>,
) -> (String, Option<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = async {
        let (mut stream, _) = listener.accept().await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let length = answer.len();
        let text = format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{answer}"
        );
        stream.write_all(text.as_bytes()).await?;
        stream.flush().await?;
        io::Result::Ok((String::from_utf8_lossy(&head).into_owned(), stream))
    };
    let (served, asked) = tokio::join!(serve, ask(url));
    asked.map(|_| ()).unwrap();
    let (head, _stream) = served.unwrap();
    let profile = head
        .lines()
        .find_map(|line| line.strip_prefix("content-profile: "));
    let first = head.lines().next().unwrap_or_default();
    (first.to_owned(), profile.map(str::to_owned))
}

fn acme(url: &str) -> Rpc {
    Rpc::new(url, "key", "token").in_schemas(read(&[("EXPORTS_SCHEMA", "acme")]).unwrap())
}

#[tokio::test]
async fn a_call_names_the_profile_of_its_application_alone() {
    let id: JobId = Uuid::nil().to_string().parse().unwrap();
    let exports = heard("null", async |url| acme(&url).get_export(id).await).await;
    assert_eq!(exports.0, "POST /rpc/get_export HTTP/1.1");
    assert_eq!(exports.1.as_deref(), Some("acme"));
    let workflows = heard("null", async |url| acme(&url).get_workflow(id).await).await;
    assert_eq!(workflows.1, None);
    let engine = heard("[]", async |url| acme(&url).worker_queues().await).await;
    assert_eq!(engine.1, None);
}

#[tokio::test]
async fn a_call_under_a_key_is_the_engines_and_a_plain_one_the_applications() {
    let ask = async |url: &str, once| {
        let calls = acme(url).once(once);
        calls
            .exports()
            .create::<u8>("request_export", &json!({}))
            .await
    };
    let plain = heard("1", async |url| ask(&url, None).await).await;
    assert_eq!(plain.0, "POST /rpc/request_export HTTP/1.1");
    assert_eq!(plain.1.as_deref(), Some("acme"));
    let answer = r#"{"answer": 1, "replayed": false}"#;
    let once = Once::new("key".into(), "digest".into());
    let keyed = heard(answer, async |url| ask(&url, Some(once)).await).await;
    assert_eq!(keyed.0, "POST /rpc/call_once HTTP/1.1");
    assert_eq!(keyed.1, None);
}

/// The folders of `sql/` whose functions each file here calls, and how.
const FILES: [(&str, &str, &[&str]); 5] = [
    ("documents.rs", "documents", &["documents"]),
    ("usage.rs", "documents", &["usage", "identity"]),
    ("exports.rs", "exports", &["exports"]),
    ("refresh.rs", "refresh", &["refresh"]),
    ("workflows.rs", "workflows", &["workflows"]),
];

#[test]
fn every_call_goes_to_the_part_that_has_its_function() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeMap::new();
    for part in fs::read_dir(root.join("../../sql")).unwrap() {
        let part = part.unwrap().path();
        let name = part.file_name().unwrap().to_string_lossy().into_owned();
        note_functions(&part, &name, &mut known);
    }
    assert!(known.len() > 100, "{}", known.len());
    let mut seen = 0;
    for file in fs::read_dir(root.join("src")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".rs") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        let application = FILES.iter().find(|(of, ..)| *of == name);
        for word in source.split('"').filter(|word| known.contains_key(*word)) {
            let part = known[word].as_str();
            let folders = application.map(|(.., folders)| *folders);
            let belongs =
                folders.map_or_else(|| !is_application(part), |list| list.contains(&part));
            assert!(belongs, "{name} calls {word} of {part}");
            seen += 1;
        }
        if let Some((_, way, _)) = application {
            let compact: String = source.split_whitespace().collect();
            let others = FILES.iter().filter(|(_, other, _)| other != way);
            let others = others.map(|(_, other, _)| format!("self.{other}()"));
            for past in others.chain(["self.call".into(), "self.create".into()]) {
                assert!(!compact.contains(&past), "{name} has {past}…");
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

fn is_application(part: &str) -> bool {
    FILES.iter().any(|(.., folders)| folders.contains(&part))
}

fn note_functions(folder: &Path, part: &str, known: &mut BTreeMap<String, String>) {
    let Ok(files) = fs::read_dir(folder) else {
        return; // a file beside the folders
    };
    for file in files {
        let file = file.unwrap().path();
        if file.is_dir() {
            note_functions(&file, part, known);
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for declared in text.split("function public.").skip(1) {
            let name = declared.split('(').next().unwrap_or_default();
            // A later part may name another's function in a grant or a comment.
            if text.contains(&format!("create or replace function public.{name}(")) {
                known.insert(name.to_owned(), part.to_owned());
            }
        }
    }
}

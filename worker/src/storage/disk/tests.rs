use super::*;
use http_body_util::Full;

async fn disk() -> (PathBuf, Disk) {
    let folder = std::env::temp_dir().join(format!("gristmill-disk-{}", Uuid::now_v7()));
    let disk = Disk::open(&folder, 10).await.unwrap();
    (folder, disk)
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn body(text: &'static str) -> Full<Bytes> {
    Full::new(Bytes::from_static(text.as_bytes()))
}

#[tokio::test]
async fn a_stored_object_is_read_listed_and_removed() {
    let (folder, disk) = disk().await;
    disk.put(&key("a"), "text/plain", body("one"), false)
        .await
        .unwrap();
    disk.put(&key("a/b"), "text/plain", body("two"), false)
        .await
        .unwrap();
    let (metadata, mut file) = disk.get(&key("a/b")).await.unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).await.unwrap();
    assert_eq!((metadata.size, text.as_str()), (3, "two"));
    let first = disk.list("", None, 1).await.unwrap();
    assert_eq!(
        (first.objects[0].key.as_str(), first.cursor.as_deref()),
        ("a", Some("a"))
    );
    let rest = disk.list("", first.cursor.as_deref(), 1).await.unwrap();
    assert_eq!((rest.objects[0].key.as_str(), rest.cursor), ("a/b", None));
    assert!(disk.remove(&key("a/b")).await.unwrap());
    assert!(!disk.remove(&key("a/b")).await.unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_body_that_is_too_large_leaves_nothing() {
    let (folder, disk) = disk().await;
    let refused = disk
        .put(&key("a/b"), "text/plain", body("more than ten"), true)
        .await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert_eq!(disk.list("", None, 10).await.unwrap(), Listing::default());
    assert_eq!(
        std::fs::read_dir(folder.join("unfinished"))
            .unwrap()
            .count(),
        0
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_sender_that_hangs_up_leaves_nothing() {
    let (folder, disk) = disk().await;
    let never = http_body_util::StreamBody::new(futures_util::stream::pending::<
        std::result::Result<hyper::body::Frame<Bytes>, Error>,
    >());
    let place = key("a");
    let putting = disk.put(&place, "text/plain", Box::pin(never), true);
    let cut = tokio::time::timeout(std::time::Duration::from_millis(50), putting).await;
    assert!(cut.is_err());
    let left = std::fs::read_dir(folder.join("unfinished")).unwrap();
    assert_eq!(left.count(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn an_object_is_replaced_only_when_asked_to() {
    let (folder, disk) = disk().await;
    disk.put(&key("a"), "text/plain", body("one"), false)
        .await
        .unwrap();
    let refused = disk
        .put(&key("a"), "text/plain", body("two"), false)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    disk.put(&key("a"), "text/plain", body("three"), true)
        .await
        .unwrap();
    assert_eq!(disk.get(&key("a")).await.unwrap().0.size, 5);
    std::fs::remove_dir_all(folder).unwrap();
}

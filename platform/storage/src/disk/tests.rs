use super::*;
use http_body_util::Full;
use std::path::PathBuf;

async fn disk() -> (PathBuf, Disk) {
    let folder = std::env::temp_dir().join(format!("gristmill-disk-{}", Uuid::now_v7()));
    let disk = Disk::open(&folder).await.unwrap();
    (folder, disk)
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn prefix(text: &str) -> KeyPrefix {
    text.parse().unwrap()
}

fn body(text: &'static str) -> Full<Bytes> {
    Full::new(Bytes::from_static(text.as_bytes()))
}

async fn put(disk: &Disk, place: &str, text: &'static str, if_there: IfThere) -> Result<Metadata> {
    let received = disk.receive("text/plain", body(text), 10).await?;
    disk.publish(received, &key(place), if_there).await
}

fn unfinished(folder: &Path) -> usize {
    std::fs::read_dir(folder.join("unfinished"))
        .unwrap()
        .count()
}

#[tokio::test]
async fn a_stored_object_is_read_listed_and_removed() {
    let (folder, disk) = disk().await;
    put(&disk, "a", "one", IfThere::Refuse).await.unwrap();
    put(&disk, "a/b", "two", IfThere::Refuse).await.unwrap();
    let (metadata, mut file) = disk.get(&key("a/b")).await.unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).await.unwrap();
    assert_eq!((metadata.size, text.as_str()), (3, "two"));
    let first = disk.list(&prefix(""), None, 1).await.unwrap();
    assert_eq!(
        (first.objects[0].key.as_str(), first.cursor.as_deref()),
        ("a", Some("a"))
    );
    let rest = disk.list(&prefix(""), Some(&key("a")), 1).await.unwrap();
    assert_eq!((rest.objects[0].key.as_str(), rest.cursor), ("a/b", None));
    assert!(disk.remove(&key("a/b")).await.unwrap());
    assert!(!disk.remove(&key("a/b")).await.unwrap());
    assert_eq!(unfinished(&folder), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_body_that_is_too_large_leaves_nothing() {
    let (folder, disk) = disk().await;
    let refused = put(&disk, "a/b", "more than ten", IfThere::Replace).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::FileTooLarge);
    let left = disk.list(&prefix(""), None, 10).await.unwrap();
    assert_eq!(left, Listing::default());
    assert_eq!(unfinished(&folder), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_sender_that_hangs_up_leaves_nothing() {
    let (folder, disk) = disk().await;
    let never = http_body_util::StreamBody::new(futures_util::stream::pending::<
        std::result::Result<hyper::body::Frame<Bytes>, Error>,
    >());
    let receiving = disk.receive("text/plain", Box::pin(never), 10);
    let cut = tokio::time::timeout(std::time::Duration::from_millis(50), receiving).await;
    assert!(cut.is_err());
    assert_eq!(unfinished(&folder), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn an_object_is_replaced_only_when_asked_to() {
    let (folder, disk) = disk().await;
    put(&disk, "a", "one", IfThere::Refuse).await.unwrap();
    let refused = put(&disk, "a", "two", IfThere::Refuse).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(disk.get(&key("a")).await.unwrap().0.size, 3);
    put(&disk, "a", "three", IfThere::Replace).await.unwrap();
    assert_eq!(disk.get(&key("a")).await.unwrap().0.size, 5);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_move_replaces_nothing() {
    let (folder, disk) = disk().await;
    put(&disk, "a/b", "one", IfThere::Refuse).await.unwrap();
    put(&disk, "c", "three", IfThere::Refuse).await.unwrap();
    let refused = disk.rename(&key("a/b"), &key("c")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    disk.rename(&key("a/b"), &key("d/e")).await.unwrap();
    assert!(!disk.has(&key("a/b")).await.unwrap());
    assert_eq!(disk.get(&key("d/e")).await.unwrap().0.size, 3);
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_symbolic_link_leads_to_nothing_outside_the_folder() {
    let (folder, disk) = disk().await;
    put(&disk, "a/b", "one", IfThere::Refuse).await.unwrap();
    let outside = folder.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::copy(folder.join("objects/a/b@"), outside.join("b@")).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("objects/linked")).unwrap();
    std::os::unix::fs::symlink(outside.join("b@"), folder.join("objects/a/c@")).unwrap();

    for reached in ["linked/b", "a/c"] {
        assert!(disk.get(&key(reached)).await.is_err(), "{reached} is read");
    }
    assert!(disk.remove(&key("linked/b")).await.is_err());
    let written = put(&disk, "linked/d", "one", IfThere::Replace).await;
    assert!(written.is_err());
    let listed = disk.list(&prefix(""), None, 10).await.unwrap();
    let keys: Vec<_> = listed.objects.iter().map(|object| &object.key).collect();
    assert_eq!(keys, ["a/b"]);
    assert!(disk.list(&prefix("linked/"), None, 10).await.is_err());
    assert!(outside.join("b@").exists() && !outside.join("d@").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_name_that_a_client_chose_is_no_folder_of_another_object() {
    let (folder, disk) = disk().await;
    let names = ["b:u/a", "b:u/a@/c", "b:u/My scan (1).pdf", "b:u/6:00?.pdf"];
    for name in names {
        put(&disk, name, "text", IfThere::Refuse).await.unwrap();
    }
    let listing = disk.list(&prefix("b:u/"), None, 10).await.unwrap();
    let mut found: Vec<_> = listing
        .objects
        .iter()
        .map(|object| object.key.as_str())
        .collect();
    found.sort_unstable();
    assert_eq!(found, ["u/6:00?.pdf", "u/My scan (1).pdf", "u/a", "u/a@/c"]);
    for name in names {
        assert!(disk.remove(&key(name)).await.unwrap(), "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

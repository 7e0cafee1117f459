use gristmill::Client;

struct Picture {
    object: String,
}

fn main() {
    let client = Client::new("http://127.0.0.1:9", "key");
    let _ = client.enqueue(&Picture { object: "cat.png".into() });
}

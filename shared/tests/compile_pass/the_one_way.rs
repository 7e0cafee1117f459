use gristmill_shared::job::JobId;
use gristmill_shared::refresh::{
    Asked, Ending, Fetched, Providers, RefreshJob, RefreshSettlement, Transport, TypeRow, call,
};

async fn refresh(job: &RefreshJob, row: &TypeRow, providers: &Providers, way: &impl Transport, id: JobId) -> RefreshSettlement {
    let asked = Asked::new(job, Some(row), providers).ok().unwrap();
    let arrived = call(way, &asked).await.ok().unwrap();
    let fetched = Fetched::judge(&asked, arrived).ok().unwrap();
    let _ = (fetched.source(), fetched.bytes().get());
    RefreshSettlement { id, attempt: 1, symbol: String::new(), data_type: String::new(), ending: Ending::Fetched(fetched) }
}

fn main() {
    let _ = refresh::<Nothing>;
}

struct Nothing;
impl Transport for Nothing {
    async fn get(&self, _: gristmill_shared::refresh::Request) -> Result<gristmill_shared::refresh::Reply, String> {
        Err(String::new())
    }
}

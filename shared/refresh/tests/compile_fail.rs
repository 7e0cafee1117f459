//! Ways around the checks of a refresh that do not compile: contracts 5, 6a, 14 and 21 are held by types.

use gristmill_core::job::JobId;
use gristmill_refresh::{
    Asked, Ending, Fetched, Providers, RefreshJob, RefreshSettlement, Transport, TypeRow, call,
};

/// The one way that does compile: it shows that the programs fail for what they do, not for a name that has changed.
#[allow(dead_code)]
async fn the_one_way(
    job: &RefreshJob,
    row: &TypeRow,
    providers: &Providers,
    way: &impl Transport,
    id: JobId,
) -> Option<RefreshSettlement> {
    let asked = Asked::new(job, Some(row), providers).ok()?;
    let arrived = call(way, &asked).await.ok()?;
    let fetched = Fetched::judge(&asked, arrived).ok()?;
    let _ = (fetched.source(), fetched.bytes().get());
    let (symbol, data_type) = (String::new(), String::new());
    Some(RefreshSettlement {
        id,
        attempt: 1,
        symbol,
        data_type,
        ending: Ending::Fetched(fetched),
    })
}

#[test]
fn no_way_around_the_checks_compiles() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

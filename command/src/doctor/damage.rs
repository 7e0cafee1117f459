//! What is not as the release has made it: `mill.damage()` compares the catalog of Postgres with the record of the installation.

use super::{Detail, Finding, not_looked_at};

/// Each finding with the SQL that mends it.
pub(super) async fn find(client: &tokio_postgres::Client) -> Finding {
    let details = match client
        .query("select d.finding, d.mend from mill.damage() d", &[])
        .await
    {
        Ok(rows) => rows
            .iter()
            .map(|row| Detail {
                what: row.get(0),
                mend: Some(format!("{};", row.get::<_, String>(1))),
            })
            .collect(),
        Err(error) => vec![not_looked_at(&error)],
    };
    Finding {
        name: "damage",
        details,
        mend: "What compares the installation with the release does not work itself. Run: delete from mill.migration where path like 'observe/damage/%'; \
               and then: gristmill migrate",
    }
}

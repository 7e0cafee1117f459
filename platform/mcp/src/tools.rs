//! The tools themselves. Their descriptions are what an assistant chooses by.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::Value;

use super::asked::{Job, Matching, Retry, Search};
use super::database::{Console, Refused};
use super::doctor;

/// All tools, or those that only look.
#[derive(Clone)]
pub(crate) struct Tools {
    console: Arc<Console>,
    router: ToolRouter<Self>,
}

// A refusal is an answer that the assistant can act on, and no fault of the protocol.
fn said(answer: Result<Value, Refused>) -> CallToolResult {
    match answer {
        Ok(answer) => CallToolResult::success(vec![ContentBlock::text(answer.to_string())]),
        Err(refused) => CallToolResult::error(vec![ContentBlock::text(refused.to_string())]),
    }
}

impl Tools {
    pub(crate) fn new(console: Console, may_act: bool) -> Self {
        let mut router = Self::looking();
        if may_act {
            router += Self::acting();
        }
        Self {
            console: Arc::new(console),
            router,
        }
    }

    async fn preview(&self, asked: &Matching) -> Result<Value, Refused> {
        let statement = "select public.console_preview('retry', $1, $2)";
        self.console
            .call(statement, &[&asked.search, &asked.group])
            .await
    }
}

#[tool_router(router = looking)]
impl Tools {
    #[tool(
        description = "Examines the whole deployment and says how to mend what is not sound, with the commands. Changes nothing. Start here when something is wrong.",
        annotations(read_only_hint = true)
    )]
    async fn doctor(&self) -> CallToolResult {
        said(doctor::report(self.console.url()).await.map(Value::String))
    }

    #[tool(
        description = "All queues with depth, oldest due job, running, failures and breaker; alerts that fire; workers with their last sign of life.",
        annotations(read_only_hint = true)
    )]
    async fn overview(&self) -> CallToolResult {
        let statement = "select public.console_overview()";
        said(self.console.call(statement, &[]).await)
    }

    #[tool(
        description = "Why one job is not running, or how it went: every reason as a sentence that says what to do, with attempts, errors, steps, logs and links. Payloads are masked.",
        annotations(read_only_hint = true)
    )]
    async fn explain_job(&self, Parameters(job): Parameters<Job>) -> CallToolResult {
        let statement = "select public.console_job($1)";
        said(self.console.call(statement, &[&job.id]).await)
    }

    #[tool(
        description = "Searches jobs, newest first. The answer says how far it looked and has a cursor to go on.",
        annotations(read_only_hint = true)
    )]
    async fn find_jobs(&self, Parameters(asked): Parameters<Search>) -> CallToolResult {
        let statement = "select public.console_jobs($1, $2, $3)";
        let limit = asked.limit.unwrap_or(50);
        let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
            &[&asked.search, &asked.cursor, &limit];
        said(self.console.call(statement, parameters).await)
    }

    #[tool(
        description = "Dead letters in groups of one kind, error type and shape of the message, with count, first and last seen.",
        annotations(read_only_hint = true)
    )]
    async fn dead_letters(&self, Parameters(asked): Parameters<Search>) -> CallToolResult {
        let statement = "select public.console_dead_groups($1, $2, $3)";
        let limit = asked.limit.unwrap_or(50);
        let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
            &[&asked.search, &asked.cursor, &limit];
        said(self.console.call(statement, parameters).await)
    }
}

#[tool_router(router = acting)]
impl Tools {
    #[tool(
        description = "Counts the dead letters that a retry would take, with samples. Changes nothing. Show the person the count before retry_dead_letters.",
        annotations(read_only_hint = true)
    )]
    async fn preview_retry(&self, Parameters(asked): Parameters<Matching>) -> CallToolResult {
        said(self.preview(&asked).await)
    }

    #[tool(
        description = "Retries the dead letters that match, as a bulk action that the console shows and can stop. Refused unless expected_count is what preview_retry counts at this moment.",
        annotations(
            read_only_hint = false,
            destructive_hint = false,
            idempotent_hint = false
        )
    )]
    async fn retry_dead_letters(&self, Parameters(asked): Parameters<Retry>) -> CallToolResult {
        let matching = Matching {
            search: asked.search,
            group: asked.group,
        };
        let previewed = match self.preview(&matching).await {
            Ok(previewed) => previewed,
            Err(refused) => return said(Err(refused)),
        };
        let count = previewed["count"].as_i64();
        if count != Some(asked.expected_count) {
            let now = count.map_or_else(|| "another number".to_owned(), |count| count.to_string());
            let sentence = format!(
                "nothing was retried: {now} dead letters match now, not {}. Call preview_retry again and show the person the count.",
                asked.expected_count
            );
            return said(Err(Refused::Postgres(sentence)));
        }
        let statement = "select public.console_bulk('retry', $1, $2, $3)";
        let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
            &[&matching.search, &matching.group, &asked.reason];
        said(self.console.call(statement, parameters).await)
    }
}

#[tool_handler(
    router = self.router,
    name = "gristmill",
    instructions = "Looks at a deployment of Gristmill: background jobs on Postgres. Begin with overview or doctor. For one job use explain_job: its sentences say what to do. Payloads are masked; do not ask people to paste them."
)]
impl ServerHandler for Tools {}

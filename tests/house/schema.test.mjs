// scripts/schema: sql/schema.sql is the dump of a full installation, sdk/typescript/src/rpc-types.ts has the types of its RPCs, and old ones are noticed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";

import { difference, plain } from "../../scripts/lib/schema/dump.mjs";
import { root } from "../../sdk/local/stack/paths.mjs";
import { hasDebianPostgres } from "../../sdk/local/stack/postgres.mjs";

test("sql/schema.sql and the types of RPCs are what a full installation has; ./scripts/schema renews them", { skip: !hasDebianPostgres() && "the dump is made with Debian's Postgres 15" }, () => {
  const { status, stdout, stderr } = spawnSync(path.join(root, "scripts/schema"), ["--check"], { encoding: "utf8", env: { ...process.env, GRISTMILL_BUILT: "1" } });
  assert.equal(status, 0, stdout + stderr);
});

test("a dump says nothing of versions, sessions and its own headings, and keeps bodies of functions", () => {
  const dump = `--
-- PostgreSQL database dump
--

\\restrict abc

-- Dumped from database version 15.18
-- Dumped by pg_dump version 15.18

SET lock_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

--
-- Name: f(); Type: FUNCTION; Schema: mill; Owner: -
--

CREATE FUNCTION mill.f() RETURNS void
    LANGUAGE sql
    AS $$
-- a comment at the margin
SET ROLE anon
$$;


\\unrestrict abc
`;
  assert.equal(plain(dump), "CREATE FUNCTION mill.f() RETURNS void\n    LANGUAGE sql\n    AS $$\n-- a comment at the margin\nSET ROLE anon\n$$;\n");
});

test("the first difference is shown from both sides, with its line", () => {
  assert.equal(difference("a\nb\nc\n", "a\nb\nc\n"), null);
  assert.equal(difference("a\nb\nc", "a\nx\nc", 1), "line 2:\n  - b\n  + x");
  assert.equal(difference("a\nb", "a"), "line 2:\n  - b");
  assert.equal(difference("a", "a\nb"), "line 2:\n  + b");
});

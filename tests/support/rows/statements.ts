import { BroadcastChannel } from 'node:worker_threads';
import { createClient } from '@supabase/supabase-js';
import { openDatabase } from '../../../packages/embedded-supabase/src/backend.ts';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import type { Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { threadProgram } from '../../../packages/embedded-supabase/src/engine/pglite-thread.ts';
import type { RestApi } from '../../../packages/embedded-supabase/src/rest/lite.ts';
import { readSettings } from '../../../packages/embedded-supabase/src/settings.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import type { BackendClient } from '../../../src/lib/data/result.ts';
import type { Database } from '../../../src/lib/domain/database.types.ts';
import { dataEnvironment } from '../data-folders.ts';

/** Rows and pages that statements touched, as EXPLAIN (ANALYZE, BUFFERS) counts them. */
export type StatementCost = {
  /** Rows that any step of a plan returned or removed. */
  rows: number;
  /** Pages of 8 KB that were read, cached or not. */
  buffers: number;
};

/** One executed statement, also one inside a function, policy or trigger. */
export type Statement = StatementCost & { text: string; plan: PlanStep };

/** A step of a plan in PostgreSQL's JSON format. */
export type PlanStep = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanStep[];
};

/** Parses a log entry of auto_explain. */
export function readStatement(json: string): Statement {
  const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanStep };
  return {
    text,
    plan,
    rows: Math.round(rowsOf(plan)),
    // The counts of a step include the steps below it.
    buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  };
}

function rowsOf(step: PlanStep): number {
  const each =
    (step['Actual Rows'] ?? 0) +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Join Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0);
  const own = each * (step['Actual Loops'] ?? 0);
  return (step.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), own);
}

/** Returns the sum of the statements. Nested statements count twice, which does not matter for comparisons. */
export function totalCost(statements: StatementCost[]): StatementCost {
  return {
    rows: statements.reduce((sum, { rows }) => sum + rows, 0),
    buffers: statements.reduce((sum, { buffers }) => sum + buffers, 0),
  };
}

/**
 * The embedded backend's database and REST interface in this process. They report what each statement touches.
 */
export type MeasuredDatabase = {
  engine: Engine;
  restApi: RestApi;
  /** Runs work and returns the statements that ran meanwhile, in the order in which they ended. */
  statementsOf(work: () => PromiseLike<unknown>): Promise<Statement[]>;
};

/** Settings of the log entries. */
const LOG_SETTINGS = `
  load 'auto_explain';
  set auto_explain.log_analyze = on;
  set auto_explain.log_buffers = on;
  set auto_explain.log_timing = off;
  set auto_explain.log_nested_statements = on;
  set auto_explain.log_format = json;`;

/** Logs all statements, also nested ones, as notices, because PGlite has no log. */
const START_LOGGING = 'set auto_explain.log_min_duration = 0; set client_min_messages = log;';
/** Stops logging after the work, because logging takes time that must not be measured. */
const STOP_LOGGING = 'set auto_explain.log_min_duration = -1; reset client_min_messages;';

/** Notice that marks the end of the work. */
const END = 'end of the work';

/** Opens the newsroom of a data folder on the engine of this project, without counting what statements touch. */
export async function openUnmeasuredDatabase(data: string): Promise<MeasuredDatabase> {
  const settings = readSettings(dataEnvironment(data));
  const opened = await openDatabase(settings, { config: await readConfig(), onLockLost() {} });
  return {
    ...opened,
    async statementsOf(work) {
      await work();
      return [];
    },
  };
}

/** Opens the newsroom of a data folder on PGlite, and counts what statements touch. */
export async function openMeasuredDatabase(data: string): Promise<MeasuredDatabase> {
  threadProgram.url = new URL('statements-worker.ts', import.meta.url);
  const settings = readSettings({ EMBEDDED_SUPABASE_DATA: data });
  const { engine, restApi } = await openDatabase(settings, { config: await readConfig(), onLockLost() {} });
  const notices = new BroadcastChannel('explaining');
  notices.unref();
  const messages: string[] = [];
  let finished = Promise.withResolvers<void>();
  notices.onmessage = (event) => {
    const message = (event as { data: string }).data;
    if (message === END) finished.resolve();
    else messages.push(message);
  };
  await engine.exec(LOG_SETTINGS);
  return {
    engine,
    restApi,
    async statementsOf(work) {
      messages.length = 0;
      await engine.exec(START_LOGGING);
      try {
        await work();
      } finally {
        finished = Promise.withResolvers();
        await engine.exec(`do $$ begin raise log '${END}'; end $$; ${STOP_LOGGING}`);
        await finished.promise;
      }
      return messages
        .filter((message) => message.includes('"Query Text"'))
        .map((message) => readStatement(message.slice(message.indexOf('{'))));
    },
  };
}

/** The backend URL of these tests. No such host exists. */
const LOCAL_URL = 'http://rows.invalid';

/** Creates a client with these claims. This process answers its requests. */
export function clientOf(restApi: RestApi, claims: Claims): BackendClient {
  return createClient<Database>(LOCAL_URL, 'a-key', {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (...request) => restApi.handle(new Request(...request), claims, 'server') },
  });
}

/** Answers requests of the site's anonymous client in this process. @returns a function that restores fetch */
export function interceptReaderRequests(restApi: RestApi): () => void {
  process.env.PUBLIC_SUPABASE_URL = LOCAL_URL;
  process.env.PUBLIC_SUPABASE_PUBLISHABLE_KEY = 'a-key';
  const outside = globalThis.fetch;
  globalThis.fetch = (...request) => {
    const asked = new Request(...request);
    return asked.url.startsWith(LOCAL_URL)
      ? restApi.handle(asked, { role: 'anon' }, 'server')
      : outside(asked);
  };
  return () => {
    globalThis.fetch = outside;
  };
}

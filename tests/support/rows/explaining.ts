import { BroadcastChannel } from 'node:worker_threads';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import type { Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { threadProgram } from '../../../packages/embedded-supabase/src/engine/pglite-thread.ts';
import { openNewsroomData } from '../../../packages/embedded-supabase/src/open-database.ts';
import type { Lite } from '../../../packages/embedded-supabase/src/rest/lite.ts';
import { readSettings } from '../../../packages/embedded-supabase/src/settings.ts';
import { readStatement, type Statement } from './plan.ts';

/** The embedded backend's database and its REST, in this process, telling of each statement what it touched. */
export type Explaining = {
  engine: Engine;
  lite: Lite;
  /** Does something and tells each statement that ran meanwhile, in the order in which they ended. */
  statementsOf(work: () => PromiseLike<unknown>): Promise<Statement[]>;
};

/** What is told of a statement. */
const EXPLAINING = `
  load 'auto_explain';
  set auto_explain.log_analyze = on;
  set auto_explain.log_buffers = on;
  set auto_explain.log_timing = off;
  set auto_explain.log_nested_statements = on;
  set auto_explain.log_format = json;`;

/** Everything, also what functions and triggers say: as text of the session, because PGlite has no log. */
const TELLING = 'set auto_explain.log_min_duration = 0; set client_min_messages = log;';
/** Telling takes time, which whoever measures it does not want to see. */
const SILENT = 'set auto_explain.log_min_duration = -1; reset client_min_messages;';

/** The last notice of some work. */
const END = 'end of the work';

/** Opens the newsroom of a data folder on PGlite. */
export async function openExplaining(data: string): Promise<Explaining> {
  threadProgram.url = new URL('explaining-worker.ts', import.meta.url);
  const settings = readSettings({ STOPPRESS_DATA: data });
  const { engine, lite } = await openNewsroomData(settings, { config: await readConfig(), onTaken() {} });
  const notices = new BroadcastChannel('explaining');
  notices.unref();
  const heard: string[] = [];
  let silent = Promise.withResolvers<void>();
  notices.onmessage = (event) => {
    const message = (event as { data: string }).data;
    if (message === END) silent.resolve();
    else heard.push(message);
  };
  await engine.exec(EXPLAINING);
  return {
    engine,
    lite,
    async statementsOf(work) {
      heard.length = 0;
      await engine.exec(TELLING);
      try {
        await work();
      } finally {
        silent = Promise.withResolvers();
        await engine.exec(`do $$ begin raise log '${END}'; end $$; ${SILENT}`);
        await silent.promise;
      }
      return heard
        .filter((message) => message.includes('"Query Text"'))
        .map((message) => readStatement(message.slice(message.indexOf('{'))));
    },
  };
}

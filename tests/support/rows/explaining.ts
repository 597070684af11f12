import type { PGlite } from '@electric-sql/pglite';
import { auto_explain } from '@electric-sql/pglite/contrib/auto_explain';
import { readConfig } from '../../../supabase/embedded/config.ts';
import type { Engine } from '../../../supabase/embedded/engine/engine.ts';
import { engineOptions } from '../../../supabase/embedded/engine/pglite.ts';
import type { Lite } from '../../../supabase/embedded/lite.ts';
import { openNewsroomData } from '../../../supabase/embedded/newsroom-data.ts';
import { readSettings } from '../../../supabase/embedded/settings.ts';
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

/** Opens the newsroom of a data folder on PGlite. */
export async function openExplaining(data: string): Promise<Explaining> {
  // A library of PostgreSQL's own, which the product has no use for.
  engineOptions.extensions = { ...engineOptions.extensions, auto_explain };
  const settings = readSettings({ STOPPRESS_DATA: data });
  const { engine, lite } = await openNewsroomData(settings, { config: await readConfig(), onTaken() {} });
  const heard: string[] = [];
  listenTo((engine as Engine & { pg: PGlite }).pg, (message) => heard.push(message));
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
        await engine.exec(SILENT);
      }
      return heard
        .filter((message) => message.includes('"Query Text"'))
        .map((message) => readStatement(message.slice(message.indexOf('{'))));
    },
  };
}

/** PGlite hands what the session says to whoever asked: here somebody else hears it too. */
function listenTo(pg: PGlite, hear: (message: string) => void): void {
  const run = pg.execProtocolStream.bind(pg);
  pg.execProtocolStream = (message, options) =>
    run(message, {
      ...options,
      onNotice(notice) {
        if (notice.message) hear(notice.message);
        options?.onNotice?.(notice);
      },
    });
}

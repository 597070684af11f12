import { BroadcastChannel } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { auto_explain } from '@electric-sql/pglite/contrib/auto_explain';
import { pgliteOptions } from '../../../packages/embedded-supabase/src/engine/pglite-options.ts';

/* PGlite's worker with auto_explain, which reports each statement as a notice. Forwards all notices to the tests. */

pgliteOptions.extensions = { ...pgliteOptions.extensions, auto_explain };

const notices = new BroadcastChannel('explaining');
const run = PGlite.prototype.execProtocolStream;
PGlite.prototype.execProtocolStream = function (message, options) {
  return run.call(this, message, {
    ...options,
    onNotice(notice) {
      if (notice.message) notices.postMessage(notice.message);
      options?.onNotice?.(notice);
    },
  });
};

await import('../../../packages/embedded-supabase/src/engine/pglite-worker.ts');

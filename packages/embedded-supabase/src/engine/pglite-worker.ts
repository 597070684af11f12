import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { DatabaseFault } from './errors.ts';
import { makeCommitsDurable, useReserveWhenFull } from './full-disk.ts';
import { captureWasmModule, pgliteOptions } from './pglite-options.ts';
import { endTransaction, pgliteSession, StatementRunner } from './pglite-session.ts';
import type { ErrorReport, ThreadEvent, ThreadReply, ThreadRequest, ThreadStart } from './pglite-thread.ts';
import { openDiskReserve } from './reserve.ts';

/*
 * Program of the thread in which PGlite runs. pglite-thread.ts starts it. The thread answers requests one at a time, in
 * order. All of its data is in the data folder, so it can be terminated at any moment.
 */

const port = parentPort;
if (!port) throw new Error('PGlite runs in a worker thread.');
const { folder, reserve, wasmModule } = workerData as ThreadStart;

const postEvent = (event: ThreadEvent) => port.postMessage(event);
const reply = (message: ThreadReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

let compiledModule = wasmModule;
const pg = await PGlite.create(folder, {
  ...pgliteOptions,
  pgliteWasmModule: wasmModule,
  extensions: {
    ...pgliteOptions.extensions,
    compiled: captureWasmModule((module) => {
      compiledModule ??= module;
    }),
  },
});
await makeCommitsDurable(pg);
await useReserveWhenFull(pg, openDiskReserve(reserve), () => postEvent({ event: 'disk_full' }));

const statements = new StatementRunner(pg, (message) => postEvent({ event: 'warning', message }));
const session = pgliteSession(pg, statements);
const unlisten = new Map<string, () => Promise<void>>();

/** Matches a script after which prepared statements may return other columns, or no longer exist. */
const CHANGES_SCHEMA = /\b(?:create|alter|drop|deallocate|discard)\b/i;

async function handleRequest(request: ThreadRequest): Promise<void> {
  if (request.kind === 'query') {
    const { statement, parameters, maxBytes, begin } = request;
    return reply({ result: await statements.run(statement, parameters, { maxBytes, begin }) });
  }
  if (request.begin) await pg.exec('BEGIN');
  switch (request.kind) {
    case 'end':
      await endTransaction(pg, request.command);
      break;
    case 'exec':
      if (CHANGES_SCHEMA.test(request.script)) statements.forgetStatements();
      await session.exec(request.script);
      break;
    case 'copyOut': {
      const pieces: Uint8Array[] = [];
      for await (const piece of session.copyOut(request.query)) pieces.push(piece);
      return reply(
        { result: pieces },
        pieces.map(({ buffer }) => buffer as ArrayBuffer),
      );
    }
    case 'copyIn':
      await session.copyIn(request.target, asIterable(request.rows));
      break;
    case 'listen': {
      const { channel } = request;
      const onPayload = (payload: string) => postEvent({ event: 'notification', channel, payload });
      unlisten.set(channel, await pg.listen(channel, onPayload));
      break;
    }
    case 'unlisten':
      await unlisten.get(request.channel)?.();
      unlisten.delete(request.channel);
      break;
    case 'reset':
      // Without an open transaction, `rollback` only causes a warning.
      await pg.exec('rollback; reset role');
      break;
    case 'close':
      await pg.exec('checkpoint');
      await pg.close();
  }
  reply({ result: undefined });
}

async function* asIterable(rows: Uint8Array) {
  yield rows;
}

function errorReport(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  if (error instanceof DatabaseFault) {
    const { code, detail, hint, constraint } = error;
    return { name, message, stack, code, detail, hint, constraint };
  }
  const code = 'code' in error ? String(error.code) : undefined;
  // A WebAssembly trap can leave PGlite's memory in an inconsistent state.
  return { name, message, stack, code, isFatal: error instanceof WebAssembly.RuntimeError };
}

port.on('message', (request: ThreadRequest) => {
  handleRequest(request).catch((error: unknown) => reply({ error: errorReport(error) }));
});
postEvent({ event: 'ready', wasmModule: compiledModule });

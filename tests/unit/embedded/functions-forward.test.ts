import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forwardRequest } from '../../../packages/embedded-supabase/src/functions/forward.ts';
import type { FunctionErrorCode } from '../../../packages/embedded-supabase/src/functions/refusals.ts';
import { eventually } from '../../support/eventually.ts';

/** A function that answers every request with these bytes. */
async function respondingWith(bytes: string) {
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.resume().on('error', () => {});
    connection.write(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(connection, 'connect');
  const { promise: ended, resolve: end } = Promise.withResolvers<FunctionErrorCode>();
  return { call: { connection, ended }, end, connections };
}

const request = () => new Request('http://backend/functions/v1/one', { method: 'POST', body: 'words' });

test('gives up a function that does not answer, and cuts off one that does not end', async () => {
  const silent = await respondingWith('');
  const late = await forwardRequest(request(), '/one', silent.call, undefined, {
    responseMs: 20,
    totalMs: 60_000,
  });
  expect(late.status).toBe(504);
  expect(await late.json()).toMatchObject({ code: 'IDLE_TIMEOUT' });
  await eventually(() => expect(silent.call.connection.destroyed).toBe(true));

  const endless = await respondingWith('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n');
  const times = { responseMs: 60_000, totalMs: 50 };
  const begun = await forwardRequest(request(), '/one', endless.call, undefined, times);
  expect(begun.status).toBe(200);
  await expect(begun.text()).rejects.toThrow();
});

test('reports invalid statuses and missing responses as errors of the function', async () => {
  const odd = await respondingWith('HTTP/1.1 777 Odd\r\nContent-Length: 0\r\n\r\n');
  const answer = await forwardRequest(request(), '/one', odd.call, undefined);
  expect(answer.status).toBe(500);
  expect(answer.headers.get('sb-error-code')).toBe('INVALID_RESPONSE_STATUS_CODE');

  const gone = await respondingWith('');
  const waiting = forwardRequest(request(), '/one', gone.call, undefined);
  await eventually(() => expect(gone.connections).toHaveLength(1));
  gone.connections[0]?.destroy();
  gone.end('WORKER_RESOURCE_LIMIT');
  expect((await waiting).status).toBe(546);
});

test("adds an error code to a function's own failure", async () => {
  const own = await respondingWith(
    'HTTP/1.1 503 Later\r\nContent-Length: 2\r\nContent-Type: image/svg+xml\r\n\r\nno',
  );
  const answer = await forwardRequest(request(), '/one', own.call, undefined);
  expect(answer.headers.get('sb-error-code')).toBe('EDGE_FUNCTION_ERROR');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await answer.text()).toBe('no');
});

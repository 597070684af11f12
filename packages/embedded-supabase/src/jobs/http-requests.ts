import type { Engine } from '../engine/engine.ts';
import { UnavailableError } from '../engine/errors.ts';
import { backendLog } from '../log/log.ts';

/** A request that `net.http_get` or a similar function has queued. */
type HttpRequestRow = {
  id: string;
  method: string;
  url: string;
  headers: Record<string, unknown>;
  /** Base64, or null. */
  body: string | null;
  timeout: number;
};

/** Result of a request: a response, or the reason why there is none. */
type HttpResult = {
  status?: number;
  type?: string | null;
  headers?: Record<string, string>;
  content?: string;
  timedOut?: boolean;
  error?: string;
};

/** Maximum response body in bytes. The database stores it, and callers need only a status or a little JSON. */
export const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Maximum timeout in milliseconds, so that the queue does not stall. */
const MAX_TIMEOUT_MS = 60_000;

/** Makes a request; never throws. @param stopSignal aborts when the backend stops */
async function makeRequest(
  { method, url, headers, body, timeout }: HttpRequestRow,
  stopSignal: AbortSignal,
): Promise<HttpResult> {
  const timeoutMs = Math.min(Math.max(timeout, 1), MAX_TIMEOUT_MS);
  const timeoutSignal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: body === null || method === 'GET' ? null : Buffer.from(body, 'base64'),
      signal: AbortSignal.any([timeoutSignal, stopSignal]),
    });
    const content = await readText(response);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      headers: Object.fromEntries(response.headers),
      content,
    };
  } catch (error) {
    if (timeoutSignal.aborted) return { timedOut: true, error: `Timeout of ${timeoutMs} ms reached.` };
    return { error: stopSignal.aborted ? 'The backend was stopped.' : reasonOf(error) };
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`The answer is longer than ${MAX_RESPONSE_BYTES} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  // PostgreSQL cannot store a NUL in text.
  return (text + decoder.decode()).replaceAll('\0', '');
}

/** Returns the reason of an error. fetch hides it as the cause of the error `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? cause.message : error.message;
}

/** Maximum number of concurrent requests. */
const MAX_CONCURRENT_REQUESTS = 16;

/** Milliseconds that running requests may take when the backend stops. */
const STOP_TIMEOUT_MS = 2_000;

/** Makes the requests of `net.http_request_queue` and stores their results. Requests start in their order. */
export function openHttpRequestQueue(engine: Engine) {
  const stopController = new AbortController();
  const runningRequests = new Set<Promise<void>>();
  let queueRun: Promise<void> | undefined;
  let isReadNeeded = false;
  let isStopping = false;

  const startRequest = (request: HttpRequestRow) => {
    const running = runRequest(engine, request, stopController.signal).finally(() => {
      runningRequests.delete(running);
      void processQueue();
    });
    runningRequests.add(running);
  };

  const startQueuedRequests = async () => {
    do {
      isReadNeeded = false;
      const freeSlots = MAX_CONCURRENT_REQUESTS - runningRequests.size;
      if (freeSlots <= 0 || isStopping) return;
      const claimedRequests = await claimRequests(engine, freeSlots);
      claimedRequests.forEach(startRequest);
      // All slots are in use. The queue is processed again when a request ends.
      if (claimedRequests.length === freeSlots) return;
    } while (isReadNeeded);
  };

  /** Starts queued requests, one run at a time. A call during a run makes it read the queue again. */
  function processQueue(): Promise<void> {
    isReadNeeded = true;
    queueRun ??= startQueuedRequests()
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError))
          backendLog.error('The queue of requests was not read.', { error });
      })
      .finally(() => {
        queueRun = undefined;
      });
    return queueRun;
  }

  return {
    processQueue,
    /** Waits for the running requests. Those in the queue wait for the next start. */
    async stop(): Promise<void> {
      isStopping = true;
      const stopTimeout = setTimeout(() => stopController.abort(), STOP_TIMEOUT_MS);
      await queueRun;
      while (runningRequests.size > 0) await Promise.all(runningRequests);
      clearTimeout(stopTimeout);
      stopController.abort();
      await queueRun;
    },
  };
}

/** Removes requests from the queue first, so that each is sent at most once. */
async function claimRequests(engine: Engine, limit: number): Promise<HttpRequestRow[]> {
  const { rows } = await engine.transaction((session) =>
    session.query<HttpRequestRow>(
      `with claimed as (
         delete from net.http_request_queue q
         where q.id in (select id from net.http_request_queue order by id limit $1::integer for update skip locked)
         returning q.*)
       select id::text, method::text as method, url, headers, encode(body, 'base64') as body,
         timeout_milliseconds as timeout from claimed order by claimed.id`,
      [limit],
    ),
  );
  return rows;
}

async function runRequest(engine: Engine, request: HttpRequestRow, stopSignal: AbortSignal): Promise<void> {
  const { status, type, headers, content, timedOut, error } = await makeRequest(request, stopSignal);
  const values = [
    request.id,
    status ?? null,
    type ?? null,
    headers ? JSON.stringify(headers) : null,
    content ?? null,
    timedOut ?? false,
    error ?? null,
  ];
  try {
    await engine.transaction((session) =>
      session.query(
        `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
         values ($1::bigint, $2::integer, $3, $4::text::jsonb, $5, $6::boolean, $7)`,
        values,
      ),
    );
  } catch (error) {
    backendLog.error(`The result of request ${request.id} was not stored.`, { error });
  }
}

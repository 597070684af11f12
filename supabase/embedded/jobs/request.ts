/** What `net.http_get` and its like have asked for. */
export type Asked = {
  id: string;
  method: string;
  url: string;
  headers: Record<string, unknown>;
  /** Base64, or null. */
  body: string | null;
  timeout: number;
};

/** What is written down of it; an answer, or why there is none. */
export type Came = {
  status: number | null;
  type: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timedOut: boolean;
  error: string | null;
};

/** Of an answer. Whoever asks wants a status or a little JSON; the database keeps it. */
export const MOST_BYTES = 1024 * 1024;

/** Whatever was asked for, in ms: a queue must not stand still. */
const LONGEST_MS = 60_000;

const NOTHING: Came = {
  status: null,
  type: null,
  headers: null,
  content: null,
  timedOut: false,
  error: null,
};

/** Makes a request; never throws. @param ending aborts when the backend stops */
export async function makeRequest(
  { method, url, headers, body, timeout }: Asked,
  ending: AbortSignal,
): Promise<Came> {
  const most = Math.min(Math.max(timeout, 1), LONGEST_MS);
  const late = AbortSignal.timeout(most);
  try {
    const answer = await fetch(url, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: body === null || method === 'GET' ? null : Buffer.from(body, 'base64'),
      signal: AbortSignal.any([late, ending]),
    });
    const content = await readText(answer);
    return {
      ...NOTHING,
      status: answer.status,
      type: answer.headers.get('content-type'),
      headers: Object.fromEntries(answer.headers),
      content,
    };
  } catch (error) {
    if (late.aborted) return { ...NOTHING, timedOut: true, error: `Timeout of ${most} ms reached.` };
    return { ...NOTHING, error: ending.aborted ? 'The backend was stopped.' : reasonOf(error) };
  }
}

async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`The answer is longer than ${MOST_BYTES} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  // PostgreSQL keeps no NUL in a text.
  return (text + decoder.decode()).replaceAll('\0', '');
}

/** fetch hides what went wrong behind `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? cause.message : error.message;
}

import { Refused } from '../_shared/refusals.ts';

/** Timeout of a request to the Bot API in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Larger answers are refused. */
const MAX_BYTES = 100_000;

/** Address of the Bot API. The operator of the server may run one of their own. */
const api = Deno.env.get('STOPPRESS_TELEGRAM_API') || 'https://api.telegram.org';

/** Form of a bot's token, as @BotFather shows it. */
export const TOKEN_FORM = /^\d{3,20}:[\w-]{30,100}$/;

/**
 * Calls a method of the Bot API and returns its result.
 * @throws Refused `bad_state` for a refused token or call, `rate_limited` with the time to wait, `unavailable`
 */
export async function callTelegram(token: string, method: string, parameters: object): Promise<unknown> {
  const answer = await send(`${api}/bot${token}/${method}`, parameters);
  if (answer.ok === true) return answer.result;
  const { error_code: code, parameters: more } = answer;
  if (code === 429) {
    const retryAfter = Number((more as { retry_after?: unknown } | undefined)?.retry_after) || 30;
    throw new Refused('rate_limited', null, { retryAfter });
  }
  if (code === 401 || code === 404) throw new Refused('bad_state', 'telegram_token_refused');
  if (code === 403) throw new Refused('bad_state', 'telegram_chat_closed');
  if (typeof code === 'number' && code < 500) {
    const details = { description: String(answer.description ?? code).slice(0, 200) };
    throw new Refused('bad_state', 'telegram_refused', { details });
  }
  throw new Refused('unavailable', 'telegram_unreachable');
}

async function send(url: string, parameters: object): Promise<Record<string, unknown>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(parameters),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(response);
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // The message of the error would contain the token.
    return {};
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) throw new Error('too large');
    parts.push(part);
  }
  return new Blob(parts).text();
}

import { ResponseTooLarge, readBytes } from '../_shared/http-client.ts';
import { Refused } from '../_shared/refusals.ts';
import type { ChannelFiles, PhotoProblem } from './filing.ts';

/** Timeout of a request to the Bot API in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Larger answers are refused. */
const MAX_BYTES = 100_000;

/** Address of the Bot API. The operator of the server may run one of their own. */
const api = Deno.env.get('STOPPRESS_TELEGRAM_API') || 'https://api.telegram.org';

/** Form of a bot's token, as @BotFather shows it. */
export const TOKEN_FORM = /^\d{3,20}:[\w-]{30,100}$/;

/** A call that got no answer of Telegram, so that it is not known whether Telegram has done it. */
export class NoAnswer extends Refused {
  constructor() {
    super('unavailable', 'telegram_unreachable');
  }
}

/**
 * Calls a method of the Bot API and returns its result.
 * @throws Refused `bad_state` for a refused token or call, `rate_limited` with the time to wait, `unavailable`
 * @throws NoAnswer
 */
export async function callTelegram(token: string, method: string, parameters: object): Promise<unknown> {
  const answer = await send(`${api}/bot${token}/${method}`, parameters);
  if (answer.ok === true) return answer.result;
  const { ok, error_code: code, parameters: more } = answer;
  // An answer of a proxy does not tell what Telegram has done.
  if (ok !== false || typeof code !== 'number') throw new NoAnswer();
  if (code === 429) {
    const retryAfter = Number((more as { retry_after?: unknown } | undefined)?.retry_after) || 30;
    throw new Refused('rate_limited', null, { retryAfter });
  }
  if (code === 401 || code === 404) throw new Refused('bad_state', 'telegram_token_refused');
  if (code === 403) throw new Refused('bad_state', 'telegram_chat_closed');
  if (code < 500) {
    const details = { description: String(answer.description ?? code).slice(0, 200) };
    throw new Refused('bad_state', 'telegram_refused', { details });
  }
  throw new Refused('unavailable', 'telegram_unreachable');
}

/** Returns the files of a bot's chats. */
export const telegramFiles = (readToken: () => Promise<string>): ChannelFiles => ({
  async problemOf(file) {
    const path = await findFile(await readToken(), file);
    return typeof path === 'string' ? undefined : path.problem;
  },
  async fetch(file, maxBytes) {
    const token = await readToken();
    const path = await findFile(token, file);
    return typeof path === 'string' ? download(`${api}/file/bot${token}/${path}`, maxBytes) : undefined;
  },
});

/** Returns the path under which Telegram offers a file for an hour. */
async function findFile(token: string, file_id: string): Promise<string | { problem: PhotoProblem }> {
  try {
    const { file_path } = (await callTelegram(token, 'getFile', { file_id })) as { file_path?: unknown };
    const isPath = typeof file_path === 'string' && /^[\w-]+(?:[/.][\w-]+)*$/.test(file_path);
    return isPath ? file_path : { problem: 'gone' };
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== 'telegram_refused') throw error;
    return { problem: /too big/i.test(String(error.options.details?.description)) ? 'too_large' : 'gone' };
  }
}

/** Timeout of a download in milliseconds. Telegram waits about a minute for the answer to a delivery. */
const DOWNLOAD_TIMEOUT_MS = 30_000;

/** @returns undefined if the file is gone or too large */
async function download(url: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let status = 0;
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
    });
    status = response.status;
    if (response.ok) return await readBytes(response.body ?? [], maxBytes);
    await response.body?.cancel();
  } catch (error) {
    if (error instanceof ResponseTooLarge) return undefined;
    // The message of other errors would contain the token.
    throw new Refused('unavailable', 'telegram_unreachable');
  }
  if (status === 404 || status === 400 || status === 410) return undefined;
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
    const text = new TextDecoder().decode(await readBytes(response.body ?? [], MAX_BYTES));
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // The message of the error would contain the token.
    return {};
  }
}

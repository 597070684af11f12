import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fault of one call of the Bot API. */
export type TelegramFault =
  | 'too_many_requests'
  | 'server_error'
  | 'proxy_error'
  | 'no_answer'
  | 'blocked_by_user'
  | 'download_failed';

export type TelegramCall = { method: string; parameters: Record<string, unknown> };

/** A server that behaves as core.telegram.org/bots/api documents the Bot API, with one bot. */
export type TelegramServer = {
  url: string;
  token: string;
  /** All calls with a valid token, in order. */
  calls: TelegramCall[];
  /** The webhook that was set. */
  webhook(): { url: string; secret_token: string; max_connections: number } | undefined;
  /** Files by their id. A file that is not here has expired. */
  files: Map<string, Buffer>;
  /** The next call gets this fault; with a method, the next call of that method. */
  fail(fault: TelegramFault, method?: string): void;
  stop(): Promise<void>;
};

/** Starts a Bot API. */
export async function startTelegram(): Promise<TelegramServer> {
  const token = `123456789:${'A'.repeat(35)}`;
  const calls: TelegramCall[] = [];
  const faults: { fault: TelegramFault; method?: string | undefined }[] = [];
  const files = new Map<string, Buffer>();
  let webhook: Record<string, unknown> | undefined;

  /** Returns the result of a method, or the description of an error. */
  function resultOf({ method, parameters }: TelegramCall): { result: unknown } | { error: string } {
    switch (method) {
      case 'getMe':
        return { result: { id: 123456789, is_bot: true, first_name: 'Desk', username: 'desk_bot' } };
      case 'setWebhook':
        if (!String(parameters.url).startsWith('https://'))
          return { error: 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook' };
        webhook = parameters;
        return { result: true };
      case 'deleteWebhook':
        webhook = undefined;
        return { result: true };
      case 'sendMessage':
        return { result: { message_id: 1, chat: { id: parameters.chat_id }, text: parameters.text } };
    }
    if (method === 'getFile') return fileOf(String(parameters.file_id));
    return { error: 'Not Found' };
  }

  function fileOf(file_id: string): { result: unknown } | { error: string } {
    const file = files.get(file_id);
    if (!file) return { error: 'Bad Request: wrong file_id or the file is temporarily unavailable' };
    if (file.length > 20 * 1024 * 1024) return { error: 'Bad Request: file is too big' };
    const file_path = `photos/${file_id}.jpg`;
    return { result: { file_id, file_unique_id: file_id, file_size: file.length, file_path } };
  }

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const refuse = (error_code: number, description: string, parameters?: object) =>
      answer(error_code, { ok: false, error_code, description, parameters });
    const [, fileToken, fileId = ''] =
      /^\/file\/bot([^/]+)\/photos\/([\w-]+)\.jpg$/.exec(request.url ?? '') ?? [];
    if (fileToken === token) {
      const file = files.get(fileId);
      if (faults[0]?.fault === 'download_failed' && faults.shift()) return refuse(502, 'Bad Gateway');
      return file ? void response.end(file) : refuse(404, 'Not Found');
    }
    let text = '';
    for await (const part of request) text += part;
    const [, sentToken, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (sentToken !== token) return refuse(401, 'Unauthorized');
    const next = faults[0];
    const isFor = next && next.fault !== 'download_failed' && (next.method ?? method) === method;
    const fault = isFor ? faults.shift()?.fault : undefined;
    if (fault === 'no_answer') return;
    if (fault === 'server_error') return refuse(500, 'Internal Server Error');
    // A proxy answers, also after Telegram has done the call.
    if (fault === 'proxy_error') return answer(502, { error: 'Bad Gateway' });
    if (fault === 'too_many_requests')
      return refuse(429, 'Too Many Requests: retry after 17', { retry_after: 17 });
    if (fault === 'blocked_by_user') return refuse(403, 'Forbidden: bot was blocked by the user');
    const call = { method, parameters: JSON.parse(text || '{}') as Record<string, unknown> };
    calls.push(call);
    const result = resultOf(call);
    if ('error' in result) refuse(result.error === 'Not Found' ? 404 : 400, result.error);
    else answer(200, { ok: true, ...result });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    calls,
    files,
    webhook: () => webhook as ReturnType<TelegramServer['webhook']>,
    fail: (fault, method) => void faults.push({ fault, method }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let updates = 500_000;
let messages = 0;
const SENT_AT = Math.floor(Date.now() / 1000) - 3_600;

/** A message as Telegram delivers it, with numbers of its own. `more` replaces fields of the message. */
export function telegramMessage(from: number, text: string, more: object = {}) {
  const message_id = ++messages;
  const message = {
    message_id,
    from: { id: from, is_bot: false, first_name: 'Ana', username: 'ana', language_code: 'en' },
    chat: { id: from, first_name: 'Ana', username: 'ana', type: 'private' },
    date: SENT_AT + Math.floor(message_id / 10),
    text,
    ...more,
  };
  return { update_id: ++updates, message };
}

/** The edit of a message, as Telegram delivers it. */
export function telegramEdit({ message }: ReturnType<typeof telegramMessage>, text: string) {
  return { update_id: ++updates, edited_message: { ...message, edit_date: message.date, text } };
}

import type { SupabaseClient } from '@supabase/supabase-js';
import { type BrowserBackend, browserClient } from '../../lib/data/browser-client.ts';
import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { type BackendClient, type CommandName, dataOf } from '../../lib/data/result.ts';
import type { Database } from '../../lib/domain/database.types.ts';
import type { ErrorCode } from '../../lib/domain/errors.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { type AccessTokens, accessTokens } from '../outbox/access-tokens.ts';
import { TEMPORARY_CODES } from '../outbox/retry.ts';
import { commandSender, type Send } from '../outbox/rpc.ts';
import type { UploadTarget } from '../outbox/upload.ts';
import { type ChannelHandle, type DeskHandlers, joinDeskChannel } from './channel.ts';

type Arguments<Name extends CommandName> = Omit<
  Database['public']['Functions'][Name]['Args'],
  'idempotency_key'
>;

/** The backend as the desk uses it. */
export type DeskBackend = {
  /** Access tokens, for calls outside the client. */
  tokens: AccessTokens;
  /**
   * Reads with the person's permissions.
   * @throws Refused
   */
  read<T>(query: (client: BackendClient) => Promise<T>): Promise<T>;
  /**
   * Runs a database function. A repeated call has the same idempotency key until it was answered.
   * @throws Refused
   */
  execute<Name extends CommandName>(action: Name, args: Arguments<Name>): Promise<unknown>;
  /** Where to upload files of a bucket, with the person's permissions. */
  uploadTarget(bucket: string): UploadTarget;
  /** Makes a call of the outbox. */
  send: Send;
  /** Call after the state was refetched and shown. */
  refetched(): void;
  /** Joins the channel of a coverage's desk. */
  joinDesk(coverage: string, handlers: DeskHandlers): ChannelHandle;
  /** Joins another channel. */
  join(open: (client: BackendClient, person: string) => ChannelHandle): ChannelHandle;
};

/** Placeholder for server rendering, which reads and sends nothing. */
export const NO_BACKEND: DeskBackend = {
  tokens: { get: noBackend, forget: () => {} },
  read: noBackend,
  execute: noBackend,
  uploadTarget: () => ({ endpoint: '', bucket: '', headers: noBackend }),
  send: noBackend,
  refetched: () => {},
  joinDesk: () => NO_CHANNEL,
  join: () => NO_CHANNEL,
};

const NO_CHANNEL: ChannelHandle = { track: () => {}, leave: () => {} };

function noBackend(): Promise<never> {
  return Promise.reject(new Error('There is no desk on the server.'));
}

/** @param person id of the person; a session of another person is not used */
export function deskBackend(settings: BrowserBackend, person: string): DeskBackend {
  const tokens = accessTokens(person);
  const client = browserClient(settings, tokens.get);
  const keys = idempotencyKeys();

  /** Gets a token first, because supabase-js reports an expired session and a lost connection in the same way. */
  async function withSession<T>(operation: () => Promise<T>): Promise<T> {
    await tokens.get();
    try {
      return await operation();
    } catch (error) {
      if (error instanceof Refused && error.refusal.code === 'signed_out') tokens.forget();
      throw error;
    }
  }

  return {
    tokens,
    read: (query) => withSession(() => query(client)),
    async execute(action, args) {
      const idempotency_key = keys.keyFor(action, args);
      try {
        const result = await withSession(() => callFunction(client, action, { idempotency_key, ...args }));
        keys.settle(action, args);
        return result;
      } catch (error) {
        if (error instanceof Refused) keys.settle(action, args, error.refusal.code);
        throw error;
      }
    },
    uploadTarget: (bucket) => uploadTarget(settings, tokens, bucket),
    send: commandSender(settings, tokens),
    refetched: keys.refetched,
    joinDesk: (coverage, handlers) => joinDeskChannel(client, coverage, person, handlers),
    join: (open) => open(client, person),
  };
}

/** Where to upload files of a bucket. */
export function uploadTarget(
  { publicUrl, publishableKey }: BrowserBackend,
  tokens: AccessTokens,
  bucket: string,
): UploadTarget {
  const url = new URL(publicUrl, window.location.origin).href.replace(/\/$/, '');
  return {
    endpoint: `${url}/storage/v1/upload/resumable`,
    bucket,
    headers: async () => ({
      apikey: publishableKey,
      Authorization: `Bearer ${await tokens.get()}`,
    }),
    forget: tokens.forget,
  };
}

/** Loads the code for uploads with the first file, because most visits to the desk send none. @throws Refused `unavailable` */
export async function loadUploader(): Promise<typeof import('../outbox/upload.ts')> {
  try {
    return await import('../outbox/upload.ts');
  } catch {
    throw new Refused('unavailable');
  }
}

/** Has the server check and store a file that was uploaded. @throws Refused `not_found`, `unavailable` */
export async function processUpload<Result>(path: string): Promise<Result> {
  const response = await fetchWithTimeout(path, { method: 'POST' }).catch(() => null);
  if (response?.status === 404) throw new Refused('not_found');
  if (!response?.ok) throw new Refused('unavailable');
  return (await response.json()) as Result;
}

type Rpc = (name: CommandName, args: object) => ReturnType<SupabaseClient['rpc']>;

async function callFunction(client: BackendClient, name: CommandName, args: object): Promise<unknown> {
  // The arguments are typed where they are passed; rpc() cannot infer a generic name.
  const rpc = client.rpc.bind(client) as unknown as Rpc;
  return dataOf(rpc(name, args));
}

/**
 * Actions that set a value which may be changed back. After a refetch a new key is needed, because the database would
 * ignore a repeated one.
 */
const SETTINGS = ['set_coverage_state', 'continue_coverage', 'pin_update'];

type IdempotencyKeys = {
  /** The idempotency key of a command: the same for the same action and arguments until it was answered. */
  keyFor(action: string, args: unknown): string;
  /**
   * Records how a command ended.
   * @param code error code; none after success
   */
  settle(action: string, args: unknown, code?: ErrorCode): void;
  /** Call after the state was refetched and shown. */
  refetched(): void;
};

/** Remembers commands without an answer, so that repeating one does not execute it twice. */
export function idempotencyKeys(newId: () => string = () => crypto.randomUUID()): IdempotencyKeys {
  const entries = new Map<string, { idempotencyKey: string; action: string; isLost: boolean }>();
  const key = (action: string, args: unknown) => JSON.stringify([action, args]);
  return {
    keyFor(action, args) {
      const idempotencyKey = entries.get(key(action, args))?.idempotencyKey ?? newId();
      entries.set(key(action, args), { idempotencyKey, action, isLost: false });
      return idempotencyKey;
    },
    settle(action, args, code) {
      const entry = entries.get(key(action, args));
      if (entry && code && TEMPORARY_CODES.includes(code)) entry.isLost = true;
      else entries.delete(key(action, args));
    },
    refetched() {
      for (const [name, { action, isLost }] of entries) {
        if (isLost && SETTINGS.includes(action)) entries.delete(name);
      }
    },
  };
}

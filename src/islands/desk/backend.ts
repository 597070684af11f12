import type { SupabaseClient } from '@supabase/supabase-js';
import { type BrowserBackend, browserClient } from '../../lib/data/browser-client.ts';
import { dataOf } from '../../lib/data/result.ts';
import type { Database } from '../../lib/domain/database.types.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { type AccessTokens, accessTokens } from '../outbox/access-tokens.ts';
import type { Send } from '../outbox/deliver.ts';
import { idempotencyKeys } from '../outbox/idempotency.ts';
import { commandSender } from '../outbox/sender.ts';
import { type ChannelLine, type DeskEars, openDeskLine } from './channel.ts';

type Functions = Database['public']['Functions'];
/** The functions that change something: those that take an op. */
export type Action = {
  [Name in keyof Functions]: Functions[Name]['Args'] extends { op: string } ? Name : never;
}[keyof Functions];
export type Arguments<Name extends Action> = Omit<Functions[Name]['Args'], 'op'>;

/** The backend as somebody at the desk has it. */
export type DeskBackend = {
  /** For calls that the client does not make. */
  tokens: AccessTokens;
  /** Reads under the person's own rights. @throws Refused */
  read<T>(query: (client: SupabaseClient<Database>) => Promise<T>): Promise<T>;
  /** Does something, once however often it is pressed until an answer comes. @throws Refused */
  press<Name extends Action>(action: Name, args: Arguments<Name>): Promise<unknown>;
  /** Makes a call of the outbox. */
  send: Send;
  /** To be told when the desk shows how things stand. */
  looked(): void;
  /** Joins the channel of a coverage's desk. */
  openLine(coverage: string, ears: DeskEars): ChannelLine;
  /** Joins another channel. */
  join(open: (client: SupabaseClient<Database>, person: string) => ChannelLine): ChannelLine;
};

/** Nothing is read or sent while a page is rendered. */
export const NO_BACKEND: DeskBackend = {
  tokens: { get: nobodyHere, forget: () => {} },
  read: nobodyHere,
  press: nobodyHere,
  send: nobodyHere,
  looked: () => {},
  openLine: () => NO_LINE,
  join: () => NO_LINE,
};

const NO_LINE: ChannelLine = { track: () => {}, leave: () => {} };

function nobodyHere(): Promise<never> {
  return Promise.reject(new Error('There is no desk on the server.'));
}

/** @param person the id of whoever this desk was opened for: nothing is sent under anybody else's session */
export function deskBackend(settings: BrowserBackend, person: string): DeskBackend {
  const tokens = accessTokens(person);
  const client = browserClient(settings, tokens.get);
  const book = idempotencyKeys();

  /** A session that has ended must be told apart from a line that has: supabase-js reports both as no answer. */
  async function signedIn<T>(work: () => Promise<T>): Promise<T> {
    await tokens.get();
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused && error.refusal.code === 'signed_out') tokens.forget();
      throw error;
    }
  }

  return {
    tokens,
    read: (query) => signedIn(() => query(client)),
    async press(action, args) {
      const op = book.keyFor(action, args);
      try {
        const done = await signedIn(() => callFunction(client, action, { op, ...args }));
        book.settle(action, args);
        return done;
      } catch (error) {
        if (error instanceof Refused) book.settle(action, args, error.refusal.code);
        throw error;
      }
    },
    send: commandSender(settings, tokens),
    looked: book.refetched,
    openLine: (coverage, ears) => openDeskLine(client, coverage, person, ears),
    join: (open) => open(client, person),
  };
}

type Rpc = (name: Action, args: object) => ReturnType<SupabaseClient['rpc']>;

async function callFunction(client: SupabaseClient<Database>, name: Action, args: object): Promise<unknown> {
  // The arguments were typed by name when they were given; rpc() cannot follow a name that is not yet known.
  const rpc = client.rpc.bind(client) as unknown as Rpc;
  return dataOf(rpc(name, args));
}

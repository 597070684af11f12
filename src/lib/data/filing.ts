import { createHash, randomInt } from 'node:crypto';
import { backendSettings, siteUrl } from './environment.ts';
import { type BackendClient, dataOf, functionData, runCommand } from './result.ts';

/* Filing by chat. The edge function `receive-filing` talks to the channels. */

export type FilingChannel = 'telegram';

/** A chat that is linked to a person. */
type FilingSender = {
  id: string;
  channel: FilingChannel;
  /** Name that the channel shows. */
  name: string;
  publishes: boolean;
  linked_at: string;
  last_filed_at: string | null;
};

/** The connected channels, and the person's own chats. */
export type OwnFiling = {
  channels: { channel: FilingChannel; account: string }[];
  senders: FilingSender[];
};

/** Returns the person's own chats; null for people who may not write updates. */
export async function readOwnFiling(backend: BackendClient): Promise<OwnFiling | null> {
  // The generated types do not know the shape of the JSON.
  return (await dataOf(backend.rpc('my_filing'))) as OwnFiling | null;
}

/** A code that links a chat. It is shown once and not stored. */
export type FilingCode = { channel: FilingChannel; code: string; expiresAt: string };

/** Characters of codes, as `supabase/functions/receive-filing/message.ts` reads them. */
const CODE_CHARACTERS = '23456789BCDFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;

/**
 * Makes a code with which the person links a chat.
 * @param language language of the answers in the chat
 * @throws Refused
 */
export async function makeFilingCode(
  backend: BackendClient,
  channel: FilingChannel,
  language: string,
): Promise<FilingCode> {
  const characters = Array.from(
    { length: CODE_LENGTH },
    () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)],
  );
  const code = characters.join('');
  const code_hash = createHash('sha256').update(code).digest('hex');
  const made = await runCommand(backend, 'make_filing_code', { channel, code_hash, language });
  return { channel, code, expiresAt: (made as { expires_at: string }).expires_at };
}

/** Unlinks a chat. @throws Refused */
export async function unlinkFilingSender(backend: BackendClient, sender_id: string): Promise<void> {
  await runCommand(backend, 'unlink_filing_sender', { sender_id });
}

/** Why deliveries were refused. */
type FilingRefusalReason = 'forged' | 'unlinked' | 'inactive' | 'code';

/** Filing by chat as owners see it. */
export type FilingSettings = {
  channels: { channel: FilingChannel; account: string; connected_at: string }[];
  senders: (FilingSender & { person_id: string; person: string; may_file: boolean })[];
  /** Numbers of the last 7 days. */
  refusals: { channel: FilingChannel; reason: FilingRefusalReason; number: number }[];
};

/** Returns the connections, linked chats and counts. Only owners may read them. */
export async function readFiling(backend: BackendClient): Promise<FilingSettings> {
  return (await dataOf(backend.rpc('read_filing'))) as FilingSettings;
}

/** Decides whether the messages of a chat are published at once. @throws Refused */
export async function setFilingTrust(
  backend: BackendClient,
  sender_id: string,
  publishes: boolean,
): Promise<void> {
  await runCommand(backend, 'set_filing_trust', { sender_id, publishes });
}

/** Connects the bot of this token. @throws Refused that says what is wrong */
export async function connectTelegram(backend: BackendClient, token: string): Promise<void> {
  const { publicUrl } = backendSettings();
  // A public URL of `/` means that the site itself passes the calls on.
  const url = new URL('/functions/v1/receive-filing', publicUrl === '/' ? siteUrl('/') : publicUrl).href;
  await functionData(backend.functions.invoke('receive-filing', { body: { act: 'connect', token, url } }));
}

/** Sends a text to the owner's own chat. @throws Refused that says what is wrong */
export async function testTelegram(backend: BackendClient, text: string): Promise<void> {
  await functionData(backend.functions.invoke('receive-filing', { body: { act: 'test', text } }));
}

/** Ends the connection and forgets the token. @throws Refused */
export async function disconnectTelegram(backend: BackendClient): Promise<void> {
  await functionData(backend.functions.invoke('receive-filing', { body: { act: 'disconnect' } }));
}

import { Refused } from '../_shared/refusals.ts';

/** Request body: owners send `invite` and `again`, invited people send `join`. */
export type InviteRequest =
  | ({ act: 'invite'; id: string; content: Record<string, unknown> } & InviteDelivery)
  | ({ act: 'again'; id: string } & InviteDelivery)
  | { act: 'join'; token: string; name: string; password: string };

/** By mail, or as a link to pass on. */
type InviteDelivery = { by: 'mail' | 'link' };

/** Fields of an invite that the database validates. */
const CONTENT = ['email', 'name', 'role', 'coverage_id', 'days'];

/** @throws Refused */
export function readInviteRequest(sent: Record<string, unknown>): InviteRequest {
  if (sent.act === 'join') {
    const [token, name, password] = ['token', 'name', 'password'].map((field) => textOf(sent, field));
    return { act: 'join', token, name, password };
  }
  const id = textOf(sent, 'id');
  const by = sent.by === 'link' ? 'link' : 'mail';
  if (sent.act === 'again') return { act: 'again', id, by };
  if (sent.act !== 'invite') throw new Refused('invalid', 'call_not_understood', { field: 'act' });
  const content = Object.fromEntries(
    CONTENT.flatMap((field) => (field in sent ? [[field, sent[field]]] : [])),
  );
  return { act: 'invite', id, content, by };
}

function textOf(sent: Record<string, unknown>, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string') throw new Refused('invalid', 'call_not_understood', { field });
  return value;
}

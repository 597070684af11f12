import type { Code } from '../http/errors.ts';

/** Refusals after which it is not known whether the thing was done: the next try must be the same press. */
const OPEN: Code[] = ['unavailable', 'internal', 'signed_out', 'rate_limited'];

export type Presses = {
  /** The op of a press: the same for the same action with the same arguments until it was answered for good. */
  opFor(action: string, args: unknown): string;
  /** Notes how a press ended. @param code of its refusal; none when it was done */
  settle(action: string, args: unknown, code?: Code): void;
};

/** Remembers presses whose answer never came, so that pressing again cannot do a thing twice. */
export function presses(newId: () => string = () => crypto.randomUUID()): Presses {
  const open = new Map<string, string>();
  const key = (action: string, args: unknown) => JSON.stringify([action, args]);
  return {
    opFor(action, args) {
      const op = open.get(key(action, args)) ?? newId();
      open.set(key(action, args), op);
      return op;
    },
    settle(action, args, code) {
      if (!code || !OPEN.includes(code)) open.delete(key(action, args));
    },
  };
}

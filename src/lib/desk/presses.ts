import type { Code } from '../http/errors.ts';

/** Refusals after which it is not known whether the thing was done: the next try must be the same press. */
export const OPEN: Code[] = ['unavailable', 'internal', 'signed_out', 'rate_limited'];

/**
 * Actions that set something to a value which may be set to another and back. Whoever sees how it stands presses
 * anew: under an old op nothing would happen.
 */
const SETTINGS = ['set_coverage_state', 'continue_coverage', 'pin_update'];

export type Presses = {
  /** The op of a press: the same for the same action with the same arguments until it was answered for good. */
  opFor(action: string, args: unknown): string;
  /** Notes how a press ended. @param code of its refusal; none when it was done */
  settle(action: string, args: unknown, code?: Code): void;
  /** To be told when the person has seen how things stand. */
  looked(): void;
};

/** Remembers presses whose answer never came, so that pressing again cannot do a thing twice. */
export function presses(newId: () => string = () => crypto.randomUUID()): Presses {
  const open = new Map<string, { op: string; action: string; isLost: boolean }>();
  const key = (action: string, args: unknown) => JSON.stringify([action, args]);
  return {
    opFor(action, args) {
      const op = open.get(key(action, args))?.op ?? newId();
      open.set(key(action, args), { op, action, isLost: false });
      return op;
    },
    settle(action, args, code) {
      const press = open.get(key(action, args));
      if (press && code && OPEN.includes(code)) press.isLost = true;
      else open.delete(key(action, args));
    },
    looked() {
      for (const [name, { action, isLost }] of open) {
        if (isLost && SETTINGS.includes(action)) open.delete(name);
      }
    },
  };
}

import type { ErrorCode } from '../../lib/domain/errors.ts';
import { TEMPORARY_CODES } from './retry.ts';

/**
 * Actions that set a value which may be changed back. After a refetch a new key is needed, because the database would
 * ignore a repeated one.
 */
const SETTINGS = ['set_coverage_state', 'continue_coverage', 'pin_update'];

export type IdempotencyKeys = {
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

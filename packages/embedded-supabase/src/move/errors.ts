import { StartError } from '../start-error.ts';

/** A move that cannot be carried out, for a reason that its message says. It holds neither a key nor a word of the newsroom's. */
export class MoveError extends StartError {
  override name = 'MoveError';
}

import { resolve } from 'node:path';

/** A call that cannot be understood or carried out; the message is one sentence. */
export class Misused extends Error {
  override name = 'Misused';
}

/** A path as it was meant where the command was called: npm runs a script in the project's folder. */
export const calledPath = (path: string) => resolve(process.env.INIT_CWD ?? '', path);

import { StartError } from '../start-error.ts';

/**
 * A backup or a restore that cannot be carried out, for a reason that its message says. It is shown as it is, so it
 * holds neither a key nor a word of the newsroom's.
 */
export class BackupError extends StartError {
  override name = 'BackupError';
}

/** What a system error means to the owner, in one sentence; undefined for what they cannot mend. */
export function systemSentence(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const place = 'path' in error ? ` ${String(error.path)}` : '';
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full: make room, then try again.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `This program may not use${place}: give its user the right to, or name another place.`;
    case 'ENOENT':
      return `There is no${place}.`;
    default:
      return undefined;
  }
}

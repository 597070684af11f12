import { backendLog } from './log/log.ts';

/** An error that the operator can fix. Its message says how, and contains no secrets. */
export class StartError extends Error {
  override name = 'StartError';
}

/**
 * Returns a message for a person: that of a StartError, or the name and stack of another error without its text.
 * @param failed the action that failed, without a full stop
 */
export function startFailureMessage(error: unknown, failed = 'The backend could not start'): string {
  if (error instanceof StartError) return replaceTerms(error.message);
  // A library's message may quote its configuration, which contains secrets.
  if (!(error instanceof Error)) return `${failed}.`;
  const stackFrames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  const { code } = error as NodeJS.ErrnoException;
  // System error codes such as ENOSPC or EACCES contain no secrets.
  const kind = /^E[A-Z0-9]+$/.test(code ?? '') ? code : error.name;
  return `${failed} (${kind}).\n${stackFrames.slice(0, 8).join('\n')}`.trimEnd();
}

/** Replaces names of options and commands with those of the program that started this one (option `terms`). */
export function replaceTerms(message: string): string {
  const terms = JSON.parse(process.env.EMBEDDED_SUPABASE_TERMS || '{}') as Record<string, string>;
  // Longest first: a term may be part of another one.
  const names = Object.keys(terms).sort((a, b) => b.length - a.length);
  return names.reduce((text, name) => text.replaceAll(name, terms[name] ?? name), message);
}

/** Logs the message of `startFailureMessage`. */
export function logStartFailure(error: unknown, failed?: string): void {
  const [sentence = '', ...stackLines] = startFailureMessage(error, failed).split('\n');
  if (error instanceof StartError) for (const line of [sentence, ...stackLines]) backendLog.error(line);
  else backendLog.error(sentence, { at: stackLines.map((line) => line.trim()).join(' < ') || undefined });
}

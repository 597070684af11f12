import { redactSecrets } from './redact.ts';

/** Parts of an error that are logged. Other properties, such as query values, are left out. */
export type DescribedError = {
  class: string;
  code?: string;
  message: string;
  /** Stack frames, `at …`. */
  stack: string[];
  cause?: DescribedError;
};

/** Of places, and of causes behind causes. */
const DEEPEST = { stack: 20, causes: 3 };

export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) {
    return {
      class: error === null ? 'null' : typeof error,
      message: redactSecrets(String(error)),
      stack: [],
    };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    class: redactSecrets(error.name || error.constructor.name),
    ...(code && { code: redactSecrets(code) }),
    message: redactSecrets(error.message),
    stack: placesOf(error),
    ...(error.cause !== undefined &&
      depth < DEEPEST.causes && { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Its head repeats name and message, whose lines may look like places. */
const placesOf = ({ stack = '', message }: Error): string[] =>
  String(stack)
    .replace(message, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, DEEPEST.stack)
    .map(redactSecrets);

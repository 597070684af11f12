import type { Readable } from 'node:stream';
import { openLog } from '../../log/log.ts';
import { bucket } from '../bucket.ts';

/** Hosted's: characters of a line, and lines in ten seconds. */
const LONGEST_LINE = 10_000;
const LINES = { capacity: 100, perSecond: 10 };

/** What it prints on its standard output and on that for errors. */
export type LogOf = (stream: Readable, level: 'info' | 'error') => void;

/** Writes what a function prints to the backend's log, line by line under its name, and not without end. */
export function logOf(name: string): LogOf {
  const log = openLog(`function ${name}`);
  const lines = bucket(LINES);
  let left = 0;
  return (stream, level) => {
    const line = (text: string) => {
      if (!lines.take()) {
        left += 1;
        return;
      }
      if (left > 0) log[level](`(${left} lines left out)`);
      left = 0;
      // Signs of control stand for nothing that a reader of the log needs: colours, most of the time.
      log[level](text.replace(/\p{Cc}/gu, ' '));
    };
    let begun = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const [first = '', ...more] = chunk.split('\n');
      // What goes on after the longest line is not kept.
      begun = (begun + first).slice(0, LONGEST_LINE);
      for (const next of more) {
        line(begun);
        begun = next.slice(0, LONGEST_LINE);
      }
    });
    stream.on('end', () => begun && line(begun));
  };
}

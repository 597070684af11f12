import { expect, test } from 'vitest';
import {
  createImageQueue,
  type PhotoSender,
} from '../../../src/lib/server/image-processing/image-processor.server.ts';
import { eventually } from '../../support/eventually.ts';

test('photos of the newsroom do not wait for those of tips, nor tips for held ones', async () => {
  const turn = createImageQueue();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const send = (sender: PhotoSender, name: string) =>
    turn(sender, () => {
      begun.push(name);
      return new Promise((resolve) => void ends.set(name, resolve));
    });
  const end = async (name: string, next: string[]) => {
    ends.get(name)?.();
    await eventually(() => expect(begun).toEqual(next));
  };
  const all = [send('held_tip', 'h1')];
  await eventually(() => expect(begun).toEqual(['h1']));
  all.push(send('held_tip', 'h2'), send('tip', 't1'), send('tip', 't2'));
  all.push(...['n1', 'n2', 'n3'].map((name) => send('newsroom', name)));
  await eventually(() => expect(begun).toEqual(['h1', 'n1']));
  await end('h1', ['h1', 'n1', 'n2']);
  // A tip waits for that slot by now.
  all.push(send('newsroom', 'n4'));
  await end('n1', ['h1', 'n1', 'n2', 'n3']);
  await end('n2', ['h1', 'n1', 'n2', 'n3', 'n4']);
  await end('n3', ['h1', 'n1', 'n2', 'n3', 'n4', 't1']);
  await end('n4', ['h1', 'n1', 'n2', 'n3', 'n4', 't1']);
  await end('t1', ['h1', 'n1', 'n2', 'n3', 'n4', 't1', 't2']);
  await end('t2', ['h1', 'n1', 'n2', 'n3', 'n4', 't1', 't2', 'h2']);
  ends.get('h2')?.();
  await Promise.all(all);
});

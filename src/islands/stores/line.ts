import { atom, type ReadableAtom } from 'nanostores';
import type { ChannelLine, LineEars } from '../browser/private-channel.ts';
import { paced } from './paced.ts';

/** How the desk hears what others do: not yet, at once, or only when it looks. */
export type LineState = 'opening' | 'joined' | 'lost';

export type Line = {
  $line: ReadableAtom<LineState>;
  /** Opens a line unless there is one, or one was refused just now. */
  open(): void;
  close(): void;
};

/** What is done with what the line tells, but for its own state. */
export type Heard = Pick<LineEars, 'present'> & {
  /** The line was found, lost, or closed: whatever happened meanwhile was not heard. */
  turned(isJoined: boolean): void;
};

/** Before a line that was refused or closed is tried again. */
const AGAIN_MS = 30_000;

/** A channel allows five presence calls in thirty seconds; one is left for whatever we do not know of. */
const PACE = { most: 4, per: 30_000, settle: 500 };

/** The line of a desk to its colleagues, who are told `$editing` whenever it changes. */
export function makeLine<Told extends object>(
  openLine: (ears: LineEars & Told) => ChannelLine,
  $editing: ReadableAtom<string | null>,
  heard: Heard & Told,
): Line {
  const $line = atom<LineState>('opening');
  let line: ChannelLine | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;
  const track = paced((editing: string | null) => line?.track({ editing }), PACE);

  function turn(state: LineState): void {
    if (state === 'lost' && $line.get() === 'lost') return;
    $line.set(state);
    heard.turned(state === 'joined');
    if (state === 'joined') track($editing.get());
  }

  const ears = {
    ...heard,
    joined: () => turn('joined'),
    lost: () => turn('lost'),
    closed() {
      line = undefined;
      notBefore = performance.now() + AGAIN_MS;
      turn('lost');
    },
  };
  let stopTelling: (() => void) | undefined;

  return {
    $line,
    open() {
      if (line || performance.now() < notBefore) return;
      line = openLine(ears);
      stopTelling ??= $editing.listen(track);
    },
    close() {
      line?.leave();
      line = undefined;
      stopTelling?.();
      stopTelling = undefined;
      $line.set('opening');
    },
  };
}

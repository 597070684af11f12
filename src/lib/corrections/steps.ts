import type { Version, VersionWords } from './version.ts';

/** A step from one public version to the next, or over several typing errors to the last of them. */
export type Step = {
  /** The version that it led to. */
  version: number;
  kind: 'publication' | Version['kind'];
  /** Revisions that it stands for. */
  count: number;
  at: string;
  /** When the last of several was made. */
  until: string | null;
  note: string | null;
  redacted: Version['redacted'];
  /** What it led from and to; null where the words were taken away, and before the publication. */
  before: VersionWords | null;
  after: VersionWords | null;
};

/**
 * What became of an update in the open, the newest step first. Revisions in a row are one step, told by what they came to.
 * @param versions those that readers may see, in their order
 * @param publishedAt when the first of them was published; null where older ones were left out
 */
export function stepsOf(versions: Version[], publishedAt: string | null): Step[] {
  const [first, ...rest] = versions;
  if (!first) return [];
  const steps: Step[] = [];
  if (publishedAt) steps.push({ ...stepTo(first, null), kind: 'publication', at: publishedAt });
  let before = first.words;
  for (const version of rest) {
    const last = steps.at(-1);
    if (last?.kind === 'revision' && last.after && version.kind === 'revision' && version.words) {
      last.version = version.version;
      last.count += 1;
      last.until = version.at;
      last.after = version.words;
    } else steps.push(stepTo(version, before));
    before = version.words;
  }
  return steps.toReversed();
}

function stepTo({ version, kind, at, note, redacted, words }: Version, before: VersionWords | null): Step {
  return { version, kind, count: 1, at, until: null, note, redacted, before, after: words };
}

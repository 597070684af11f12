import { Refused, refusal } from '../http/errors.ts';
import { LIMITS } from '../limits.ts';
import { embed as words } from '../text/embed.ts';

/* Who may show our coverage in a frame, as the form of it holds that: a choice, and sites one a line. */

export const FRAME_WAYS = ['anybody', 'nobody', 'sites'] as const;

export type FramesForm = { frames: string; frame_sites: string };

export function framesForm(frames: string[]): FramesForm {
  if (frames.includes('*')) return { frames: 'anybody', frame_sites: '' };
  return { frames: frames.length === 0 ? 'nobody' : 'sites', frame_sites: frames.join('\n') };
}

/**
 * What the database is sent. People write names, or copy the address of a page: what counts of it is where that is.
 * @throws Refused naming the first line that is no site
 */
export function framesOf({ frames, frame_sites = '' }: Partial<FramesForm>): string[] {
  if (frames === 'anybody') return ['*'];
  if (frames !== 'sites') return [];
  const lines = frame_sites.split(/[\s,;]+/).filter(Boolean);
  if (lines.length === 0) throw wrong(words.noSites);
  const sites = [...new Set(lines.map(originOf))];
  if (sites.length > LIMITS.frames) throw wrong(words.tooMany(LIMITS.frames));
  return sites;
}

function originOf(line: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(line) ? line : `https://${line}`);
  const { hostname = '', origin = '' } = url ?? {};
  const isHere = origin.startsWith('http:') && /^(localhost|127\.0\.0\.1)$/.test(hostname);
  const isSite = origin.startsWith('https:') && /^(\*\.(?=[^.]+\.))?[a-z0-9.-]+$/.test(hostname);
  if (!isHere && !isSite) throw wrong(words.noSite(line));
  return origin;
}

const wrong = (sentence: string) => new Refused(refusal('invalid', { field: 'frame_sites', sentence }));

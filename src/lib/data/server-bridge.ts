import { LRUCache } from 'lru-cache';
import { type Coordinates, mapPicturePath } from '../domain/body/places.ts';
import type { PhotoState } from '../domain/photos.ts';
import type { Refusal } from '../i18n/refusals.ts';

/** Processing state of a photo. `refusal_code` is an error code. */
export type ProcessingStatus = { state: PhotoState; refusal_code: string | null };

/**
 * Result of a request. Errors are returned instead of thrown because the pages' bundle has its own copy of the error
 * class. The status is null if there is no such photo.
 */
export type ProcessResult = { status: ProcessingStatus | null } | { refusal: Refusal };

/** Content of an Open Graph image. Equal contents are the same image. */
export type OgImage = {
  /** Name of the newsroom. */
  name: string;
  kicker: string;
  headline: string;
  /** State of the coverage in words. */
  state: string;
  isLive: boolean;
  /** Accent colour, `#rrggbb`. */
  accent: string;
  direction: 'ltr' | 'rtl';
  /** Id of the photo above the text. Such an image is a JPEG; without a photo it is a PNG. */
  photo?: string;
};

/** An image of the site, re-encoded: null for an SVG, which stays as it is. The icons have the sizes of `ICON_SIZES`. */
export type DrawnSiteImage = {
  logo: { content: Uint8Array; width: number; height: number } | null;
  icons: Uint8Array[];
};

type ServerBridge = {
  /** Number of reader sockets that this process proxies. */
  openSockets: number;
  /**
   * Number of invalidations of the page cache so far: rows that were read before the last one may be outdated. Absent
   * without a page cache.
   */
  invalidations?: number;
  /**
   * Processes a photo at once if it is waiting. Absent until the server has started its image processor.
   * @param address client address, for rate limits
   */
  processPhoto?: (id: string, address: string) => Promise<ProcessResult>;
  /**
   * Renders the content of an Open Graph image; null if that is not possible now. Absent until the server has started
   * its renderer.
   * @param readPhoto reads the file of the photo, if the image is not cached; null if that is not possible
   */
  renderOgImage?: (
    image: OgImage,
    readPhoto?: () => Promise<Uint8Array | null>,
  ) => Promise<Uint8Array | null>;
  /**
   * Draws a logo and its icons from a PNG or a clean SVG; null if it is no such image or too large. Absent until the server
   * has started its process for it.
   */
  drawSiteImage?: (content: Uint8Array, format: 'png' | 'svg') => Promise<DrawnSiteImage | null>;
  /** The owner's basemap. Absent without one, or if it was refused. */
  basemap?: {
    /** Whether the place is in its area. */
    covers(place: Coordinates): boolean;
    /** Draws an SVG picture of a place; null if that is not possible now. */
    draw(place: Coordinates): Promise<string | null>;
  };
};

const BRIDGE = Symbol.for('stoppress.server-bridge');
const host: typeof globalThis & { [BRIDGE]?: ServerBridge } = globalThis;

/**
 * Connects the server with the pages. They are bundled separately, so each has its own copy of this module, and the
 * bridge is stored globally.
 */
host[BRIDGE] ??= { openSockets: 0 };
export const serverBridge: ServerBridge = host[BRIDGE];

/** Returns the path of the picture of a map that our server draws; undefined if it cannot draw this place. */
export const drawnMapPath = (updatePath: string, place: Coordinates): string | undefined =>
  serverBridge.basemap?.covers(place) ? mapPicturePath(updatePath, place) : undefined;

/** Maximum age in milliseconds, for changes whose message was lost. Public pages are fresh for as long. */
const MAX_AGE_MS = 10_000;

/** Maximum number of remembered results of one function. */
const MAX_RESULTS = 100;

type Entry<Result> = { result: Promise<Result>; invalidations: number; at: number };

/**
 * Remembers the results of a function for public pages, so that a rendering reads only the rows that no other page
 * shows. A result is used until the page cache hears of any change, like a page, and for at most `MAX_AGE_MS`. Readings
 * under way are shared. Without a page cache, nothing is remembered.
 * @param isKept whether a result may be used again
 */
export function cacheRows<Result>(
  read: (key: string) => Promise<Result>,
  isKept: (result: Result) => boolean = () => true,
): (key: string) => Promise<Result> {
  const entries = new LRUCache<string, Entry<Result>>({ max: MAX_RESULTS });
  return (key) => {
    const { invalidations } = serverBridge;
    if (invalidations === undefined) return read(key);
    const known = entries.get(key);
    const isCurrent = known?.invalidations === invalidations && performance.now() - known.at < MAX_AGE_MS;
    if (known && isCurrent) return known.result;
    const entry = { result: read(key), invalidations, at: performance.now() };
    const forget = () => {
      if (entries.peek(key) === entry) entries.delete(key);
    };
    entry.result.then((result) => isKept(result) || forget(), forget);
    entries.set(key, entry);
    return entry.result;
  };
}

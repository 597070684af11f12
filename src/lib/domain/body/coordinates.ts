import { LIMITS } from '../limits.ts';
import { type Coordinates, isOnEarth } from './places.ts';

/* Reads coordinates that people type or paste. Pages for readers do not need it. */

const NUMBER = '[-+\u2212]?\\d{1,3}(?:\\.\\d{1,20})?';
const PAIR = `(${NUMBER}),(${NUMBER})`;
const GEO_URI = new RegExp(`^geo:${PAIR}(?:[,;?][^\\s()]*)?$`, 'i');
const ZOOM_OF_URI = /[?&]z=(\d{1,2})/i;

/** Parses a `geo:` URI (RFC 5870). Coordinates outside of the world are returned too. Null if it is something else. */
export function parseGeoUri(text: string): Coordinates | null {
  const [, latitude, longitude] = GEO_URI.exec(text) ?? [];
  if (!latitude || !longitude) return null;
  return coordinates(latitude, longitude, ZOOM_OF_URI.exec(text)?.[1]);
}

/** Five decimals are about a metre. */
const PRECISION = 1e5;

function coordinates(latitude: string, longitude: string, zoom?: string): Coordinates {
  return {
    latitude: rounded(numberOf(latitude)),
    longitude: rounded(numberOf(longitude)),
    ...(zoom && { zoom: Math.min(Math.max(1, Math.round(Number(zoom))), LIMITS.map_zoom) }),
  };
}

const numberOf = (text: string): number => Number(text.replace('\u2212', '-'));

/** Adds 0, because -0 is written as 0. */
const rounded = (degrees: number): number => Math.round(degrees * PRECISION) / PRECISION + 0;

/**
 * Places of the coordinates in addresses of maps, the most exact first: the marker of OpenStreetMap and of Google Maps, a
 * query for a place, and the middle of the map.
 */
const IN_ADDRESSES: readonly RegExp[] = [
  new RegExp(`[?&]mlat=(${NUMBER})&mlon=(${NUMBER})`),
  new RegExp(`!3d(${NUMBER})!4d(${NUMBER})`),
  new RegExp(`[?&](?:q|query|ll|sll|center|destination|daddr|coordinate)=(?:loc:)?${PAIR}`),
  new RegExp(`/(?:place|search|dir)/${PAIR}`),
  new RegExp(`[#&]map=\\d{1,2}(?:\\.\\d{1,9})?/(${NUMBER})/(${NUMBER})`),
  new RegExp(`/@${PAIR}`),
];
const ZOOMS_IN_ADDRESSES: readonly RegExp[] = [
  /[#&]map=(\d{1,2}(?:\.\d{1,9})?)\//,
  /,(\d{1,2}(?:\.\d{1,9})?)z/,
  /[?&](?:z|zoom)=(\d{1,2})/,
];

function parseAddress(address: string): Coordinates | null {
  const text = address.replace(/%2c|%20|\+/gi, (code) => (code.toLowerCase() === '%2c' ? ',' : ''));
  for (const pattern of IN_ADDRESSES) {
    const [, latitude, longitude] = pattern.exec(text) ?? [];
    if (!latitude || !longitude) continue;
    const zoom = ZOOMS_IN_ADDRESSES.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])[0];
    return coordinates(latitude, longitude, zoom);
  }
  return null;
}

/** Degrees, minutes and seconds with a letter: `53°41'24.4"N`. The letters are English and Spanish. */
const ANGLE =
  /^(\d{1,3}(?:\.\d{1,20})?)[°º\s]*(?:(\d{1,2}(?:\.\d{1,20})?)['′’\s]*)?(?:(\d{1,2}(?:\.\d{1,20})?)["″”'′’\s]*)?([NSEWO])$/i;
const SIGNS: Record<string, 1 | -1> = { N: 1, E: 1, S: -1, W: -1, O: -1 };

function parseAngles(text: string): Coordinates | null {
  const [first = '', second = '', ...more] = text.split(/(?<=[NSEWO])[\s,;]*/i).filter(Boolean);
  const [latitude, longitude] = [angleOf(first, 'NS'), angleOf(second, 'EWO')];
  if (latitude === null || longitude === null || more.length > 0) return null;
  return { latitude: rounded(latitude), longitude: rounded(longitude) };
}

function angleOf(text: string, letters: string): number | null {
  const [, degrees, minutes = '0', seconds = '0', letter = ''] = ANGLE.exec(text) ?? [];
  const sign = SIGNS[letter.toUpperCase()];
  if (degrees === undefined || !sign || !letters.includes(letter.toUpperCase())) return null;
  return sign * (Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600);
}

/** Two numbers: `53.69, -0.44`. */
const NUMBERS = new RegExp(`^(${NUMBER})\u00b0?(?:\\s*[,;]\\s*|\\s+)(${NUMBER})\u00b0?$`);

/**
 * Parses coordinates as people type or paste them: `53.69, -0.44`, `53,69; -0,44`, `53°41'24"N 0°26'24"W`, a `geo:`
 * URI, or an address of OpenStreetMap, Google Maps or Apple Maps that contains them.
 * @returns null if there are no coordinates in it, or if they are outside of the world
 */
export function parseCoordinates(typed: string): Coordinates | null {
  const text = typed.trim();
  if (text.length > LIMITS.url) return null;
  const found = /^https?:\/\//i.test(text)
    ? parseAddress(text)
    : (parseGeoUri(text) ?? parseNumbers(text) ?? parseAngles(text));
  return found && isOnEarth(found) ? found : null;
}

/** A comma within a number is its decimal sign, if something else separates the numbers. */
function parseNumbers(text: string): Coordinates | null {
  const [, latitude, longitude] =
    NUMBERS.exec(text) ?? NUMBERS.exec(text.replace(/(\d),(?=\d)/g, '$1.')) ?? [];
  return latitude && longitude ? coordinates(latitude, longitude) : null;
}

import { LIMITS } from '../limits.ts';
import { type Place, shorten } from './blocks.ts';
import { parseCoordinates } from './coordinates.ts';
import { coordinatesLine, isOnEarth, MAP_SIZE } from './places.ts';

/** Google has a domain for each country. */
const GOOGLE_HOST = /^(?:(?:www|maps)\.)?google\.(?:com?\.)?[a-z]{2,3}$/;

/** The middle of the map in the parameter `pb` of Google Maps: longitude before latitude. */
const GOOGLE_MIDDLE = /!2d(-?\d{1,3}(?:\.\d{1,20})?)!3d(-?\d{1,2}(?:\.\d{1,20})?)/;

/** Pixels of a tile of web maps, of which zoom level 0 has one. */
const TILE_PIXELS = 256;

/**
 * Returns the place of an embedded map of OpenStreetMap or Google Maps.
 * @param address of the frame
 * @param title of the frame. Default: the coordinates
 * @returns undefined for another frame, or without coordinates in its address
 */
export function embeddedPlace(address: string, title: string): Place | undefined {
  const url = URL.parse(address.trim(), 'https://localhost');
  const place = url && (openStreetMapPlace(url) ?? googlePlace(url));
  if (!place || !isOnEarth(place)) return undefined;
  return { type: 'map', name: shorten(title, LIMITS.dateline) || coordinatesLine(place), ...place };
}

/** The marker of the map, else its middle. The width of the map tells the zoom level. */
function openStreetMapPlace({ hostname, pathname, searchParams }: URL) {
  if (!/^(?:www\.)?openstreetmap\.org$/.test(hostname) || pathname !== '/export/embed.html') return null;
  const sides = (searchParams.get('bbox') ?? '').split(',').map(Number);
  const [west = 0, south = 0, east = 0, north = 0] = sides;
  const isArea = sides.length === 4 && sides.every(Number.isFinite) && west < east;
  const middle = isArea ? `${average(south, north)}, ${average(west, east)}` : '';
  const place = parseCoordinates(searchParams.get('marker') ?? middle);
  if (!place || !isArea) return place;
  const level = Math.floor(Math.log2((360 * MAP_SIZE.width) / TILE_PIXELS / (east - west)));
  return { ...place, zoom: Math.min(Math.max(1, level), LIMITS.map_zoom) };
}

/** Written without an exponent, as coordinates are. */
const average = (a: number, b: number): string => ((a + b) / 2).toFixed(5);

function googlePlace({ hostname, pathname, searchParams, href }: URL) {
  if (!GOOGLE_HOST.test(hostname) || !/^\/maps(?:\/|$)/.test(pathname)) return null;
  const [, longitude, latitude] = GOOGLE_MIDDLE.exec(searchParams.get('pb') ?? '') ?? [];
  return parseCoordinates(latitude && longitude ? `${latitude}, ${longitude}` : href);
}

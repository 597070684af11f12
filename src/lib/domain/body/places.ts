import { LIMITS } from '../limits.ts';
import type { Place } from './blocks.ts';

/** Coordinates in degrees, and the zoom level of a web map if it is known. */
export type Coordinates = Omit<Place, 'type' | 'name'>;

/** A street with its neighbours. */
export const DEFAULT_ZOOM = 16;

/** Returns the `geo:` URI of a place, which opens the map program of a device. */
export const geoUri = ({ latitude, longitude, zoom }: Coordinates): string =>
  `geo:${latitude},${longitude}${zoom ? `?z=${zoom}` : ''}`;

/** Returns the address of a place on OpenStreetMap, with a marker. */
export const openStreetMapUrl = ({ latitude, longitude, zoom = DEFAULT_ZOOM }: Coordinates): string =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${latitude}/${longitude}`;

/** Returns the coordinates in one line, the same in all languages. */
export const coordinatesLine = ({ latitude, longitude, zoom }: Coordinates): string =>
  `${latitude}, ${longitude}${zoom ? ` (z ${zoom})` : ''}`;

/** Size of the picture of a map in pixels. */
export const MAP_SIZE = { width: 640, height: 360 } as const;

/**
 * Returns the path of the picture of a map that our server draws.
 * @param updatePath path of the update that contains the map
 */
export const mapPicturePath = (
  updatePath: string,
  { latitude, longitude, zoom = DEFAULT_ZOOM }: Coordinates,
): string => `${updatePath}/map/${latitude},${longitude},${zoom}.svg`;

/** Whether the coordinates are on the earth, with a zoom level that maps have. */
export const isOnEarth = ({ latitude, longitude, zoom = DEFAULT_ZOOM }: Coordinates): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && zoom >= 1 && zoom <= LIMITS.map_zoom;

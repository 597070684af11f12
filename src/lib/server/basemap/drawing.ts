import type { VectorTile, VectorTileFeature } from '@mapbox/vector-tile';
import { type Coordinates, DEFAULT_ZOOM, MAP_SIZE } from '../../domain/body/places.ts';
import { clipLine, clipRing, isWithin, type Position, pathOf, straightPart } from './geometry.ts';
import {
  AREAS,
  type Area,
  areaOf,
  type Bounds,
  hasStreetNames,
  isRiver,
  LINES,
  type Line,
  lineOf,
  nameOf,
  placeRank,
  type Tiles,
} from './tiles.ts';

/** Units of the picture per pixel. Its coordinates are whole units. */
const UNITS = 2;
const SIZE = { width: MAP_SIZE.width * UNITS, height: MAP_SIZE.height * UNITS };
/** Width of the world in units at zoom level 0, as on all web maps. */
const WORLD = 256 * UNITS;
/** Latitude at which web maps end. */
const MAX_LATITUDE = 85;

/** Whether the place is in the area of the basemap. */
export const covers = ({ west, south, east, north }: Bounds, { latitude, longitude }: Coordinates): boolean =>
  Math.abs(latitude) < MAX_LATITUDE &&
  latitude >= south &&
  latitude <= north &&
  longitude >= west &&
  longitude <= east;

/** Position on a world that is 1 wide and high (Mercator). */
function project({ latitude, longitude }: Coordinates): Position {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

type StreetName = { name: string; at: Position; angle: number };
type PlaceName = { name: string; at: Position; rank: number };

/** Shapes of a picture by class, as parts of SVG paths, and the names on it. */
type Shapes = {
  paths: Record<Area | Line | 'river', string[]>;
  streets: Map<string, StreetName>;
  places: Map<string, PlaceName>;
};

/** Features of one picture. A street map of a city has about 10,000. */
const MAX_FEATURES = 100_000;

/** Draws the surroundings of a place with a marker. @returns null where the basemap has no tile */
export async function drawMap(tiles: Tiles, place: Coordinates): Promise<string | null> {
  const zoom = place.zoom ?? DEFAULT_ZOOM;
  // Smaller tiles would be too many.
  if (tiles.minZoom > zoom) return null;
  // A tile is drawn about 512 pixels wide, as vector tiles are made for.
  const tileZoom = Math.min(Math.max(zoom - 1, tiles.minZoom), tiles.maxZoom);
  const side = (WORLD * 2 ** zoom) / 2 ** tileZoom;
  const middle = project(place);
  const origin = {
    x: middle.x * WORLD * 2 ** zoom - SIZE.width / 2,
    y: middle.y * WORLD * 2 ** zoom - SIZE.height / 2,
  };
  const shapes = emptyShapes();
  const count = 2 ** tileZoom;
  let features = 0;
  let found = 0;
  for (let row = Math.floor(origin.y / side); row * side < origin.y + SIZE.height; row++) {
    for (let column = Math.floor(origin.x / side); column * side < origin.x + SIZE.width; column++) {
      if (row < 0 || row >= count) continue;
      const tile = await tiles.read(tileZoom, ((column % count) + count) % count, row);
      if (!tile) continue;
      found++;
      const corner = { x: column * side - origin.x, y: row * side - origin.y };
      features += addTile(shapes, tile, corner, side, MAX_FEATURES - features);
    }
  }
  return found > 0 ? writePicture(shapes, zoom) : null;
}

const emptyShapes = (): Shapes => ({
  paths: {
    green: [],
    water: [],
    building: [],
    river: [],
    path: [],
    rail: [],
    street: [],
    road: [],
    highway: [],
  },
  streets: new Map(),
  places: new Map(),
});

/** Adds the features of a tile. @returns their number */
function addTile(shapes: Shapes, tile: VectorTile, corner: Position, side: number, most: number): number {
  let count = 0;
  for (const [name, layer] of Object.entries(tile.layers)) {
    if (!(layer.extent > 0)) continue;
    const scale = side / layer.extent;
    for (let index = 0; index < layer.length && count < most; index++) {
      count++;
      addFeature(shapes, name, layer.feature(index), (x, y) => ({
        x: corner.x + x * scale,
        y: corner.y + y * scale,
      }));
    }
  }
  return count;
}

const [POINT, LINE, POLYGON] = [1, 2, 3];

function addFeature(
  { paths, streets, places }: Shapes,
  layer: string,
  feature: VectorTileFeature,
  at: (x: number, y: number) => Position,
): void {
  const { type, properties } = feature;
  const geometry = () => feature.loadGeometry().map((part) => part.map(({ x, y }) => at(x, y)));
  if (type === POLYGON) {
    const area = areaOf(layer, properties);
    if (area) paths[area].push(...geometry().map((ring) => pathOf(clipRing(ring, SIZE), true)));
  } else if (type === LINE) {
    const line = isRiver(layer) ? 'river' : lineOf(layer, properties);
    const name = hasStreetNames(layer) ? nameOf(properties) : '';
    if (!line && !name) return;
    for (const part of geometry().flatMap((whole) => clipLine(whole, SIZE))) {
      if (line) paths[line].push(pathOf(part, false));
      if (name) addStreetName(streets, name, part);
    }
  } else if (type === POINT) {
    const rank = placeRank(layer, properties);
    const name = rank === undefined ? '' : nameOf(properties);
    const position = name ? geometry()[0]?.[0] : undefined;
    if (position && rank !== undefined && isWithin(position, SIZE))
      places.set(name, { name, at: position, rank });
  }
}

/** A street is named once, at its first part with enough room. */
function addStreetName(streets: Map<string, StreetName>, name: string, part: Position[]): void {
  const ends = streets.has(name) ? undefined : straightPart(part, widthOf(name), SIZE);
  if (!ends) return;
  const [from, to] = ends;
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
  streets.set(name, { name, at: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, angle });
}

/** Largest picture in characters. Details are left out of larger ones. */
const MAX_LENGTH = 200_000;
/** Details that are left out, in this order. */
const DETAILS = ['building', 'path', 'green', 'street', 'river', 'rail'] as const;

/** The look of the site (layouts/styles/tokens.css), in light and dark. */
const STYLE =
  'path{fill:none;stroke-linejoin:round;stroke-linecap:round}.land{fill:#f4efe4}.green{fill:#e3e6d0}.water{fill:#c9d6dc}' +
  '.building{fill:#e0d7c6}.river{stroke:#c9d6dc;stroke-width:4}.street,.road,.highway{stroke:#fdfbf6}.path,.rail{stroke:#b9b09f;stroke-width:2}' +
  '.path{stroke-dasharray:4 6}.edge{stroke:#d8d1c3}text{font:24px ui-sans-serif,system-ui,sans-serif;fill:#5d564c;stroke:#f4efe4;' +
  'stroke-width:6;paint-order:stroke;stroke-linejoin:round;text-anchor:middle}.place{font-weight:600;font-size:28px;fill:#16130f}' +
  '.pin{fill:#16130f;stroke:#fdfbf6;stroke-width:6}@media (prefers-color-scheme:dark){.land{fill:#1e1b17}.green{fill:#20251b}' +
  '.water{fill:#1c323d}.building{fill:#302b24}.river{stroke:#1c323d}.street,.road,.highway{stroke:#4d473d}.path,.rail{stroke:#5a5348}' +
  '.edge{stroke:#14120f}text{fill:#a9a193;stroke:#1e1b17}.place{fill:#ece7dd}.pin{fill:#ece7dd;stroke:#14120f}}';

/** Widths of lines in units at the zoom level of streets. */
const WIDTHS: Partial<Record<Line, number>> = { street: 8, road: 12, highway: 16 };
/** Zoom level at which lines have that width. */
const STREET_ZOOM = 16;

function writePicture(shapes: Shapes, zoom: number): string {
  const { paths } = shapes;
  const lengthOf = (parts: string[]) => parts.reduce((sum, part) => sum + part.length, 0);
  let length = Object.values(paths).reduce((sum, parts) => sum + lengthOf(parts), 0);
  for (const detail of DETAILS) {
    if (length <= MAX_LENGTH) break;
    length -= lengthOf(paths[detail]);
    paths[detail] = [];
  }
  if (length > MAX_LENGTH) paths.water = paths.road = paths.highway = [];
  const strokeOf = (line: Line) =>
    Math.max(2, Math.round((WIDTHS[line] ?? 0) * 2 ** ((zoom - STREET_ZOOM) / 2)));
  const draw = (name: string, parts: string[], width?: number) =>
    parts.length > 0
      ? `<path class="${name}"${width ? ` stroke-width="${width}"` : ''} d="${parts.join('')}"/>`
      : '';
  const areas = AREAS.map((area) => draw(area, paths[area]));
  const wide = LINES.filter((line) => WIDTHS[line]);
  // Streets have an edge. All edges are below all streets, so that crossings are open.
  const edges = wide.map((line) => draw('edge', paths[line], strokeOf(line) + 3));
  const lines = LINES.map((line) => draw(line, paths[line], WIDTHS[line] && strokeOf(line)));
  // Without a view box, a small screen shows the middle of the map in full size, so that its names can be read.
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"><style>${STYLE}</style>` +
    '<rect class="land" width="100%" height="100%"/><svg x="50%" y="50%" overflow="visible">' +
    `<g transform="scale(${1 / UNITS}) translate(${-SIZE.width / 2} ${-SIZE.height / 2})">` +
    [...areas, draw('river', paths.river), ...edges, ...lines, ...writeNames(shapes)].join('') +
    `<circle class="pin" cx="${SIZE.width / 2}" cy="${SIZE.height / 2}" r="15"/></g></svg></svg>`
  );
}

/** Estimated width of a name and height of its line, in units. */
const widthOf = (name: string): number => [...name].length * 14;
const LINE_HEIGHT = 32;
const MAX_STREET_NAMES = 14;
const MAX_PLACE_NAMES = 8;

type Box = { left: number; top: number; right: number; bottom: number };

/** Writes the names that have room: places first, larger ones before smaller ones. */
function writeNames({ streets, places }: Shapes): string[] {
  const { width, height } = SIZE;
  const middle = { x: width / 2, y: height / 2 };
  const taken: Box[] = [boxAround(middle, 60, 60)];
  const hasRoom = (box: Box) => {
    const isWithin = box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
    const isFree = taken.every(
      (other) =>
        box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    );
    if (isWithin && isFree) taken.push(box);
    return isWithin && isFree;
  };
  const placeNames = [...places.values()]
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .filter(({ name, at }) => hasRoom(boxAround(at, widthOf(name) * 1.2, LINE_HEIGHT)))
    .slice(0, MAX_PLACE_NAMES)
    .map(
      ({ name, at }) =>
        `<text class="place" x="${Math.round(at.x)}" y="${Math.round(at.y) + 9}">${escapeText(name)}</text>`,
    );
  const streetNames = [...streets.values()]
    .filter(({ name, at, angle }) => {
      const turn = (Math.abs(angle) * Math.PI) / 180;
      const textWidth = widthOf(name);
      return hasRoom(
        boxAround(
          at,
          textWidth * Math.cos(turn) + LINE_HEIGHT * Math.sin(turn),
          textWidth * Math.sin(turn) + LINE_HEIGHT * Math.cos(turn),
        ),
      );
    })
    .slice(0, MAX_STREET_NAMES)
    .map(
      ({ name, at, angle }) =>
        `<text transform="translate(${Math.round(at.x)} ${Math.round(at.y)}) rotate(${Math.round(angle)})" y="8">${escapeText(name)}</text>`,
    );
  return [...streetNames, ...placeNames];
}

const boxAround = ({ x, y }: Position, width: number, height: number): Box => ({
  left: x - width / 2,
  top: y - height / 2,
  right: x + width / 2,
  bottom: y + height / 2,
});

const escapeText = (text: string): string =>
  text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

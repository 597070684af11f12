/** What a map shows, from the ground up. The names are classes of the picture's styles. */
export const AREAS = ['green', 'water', 'building'] as const;
export const LINES = ['path', 'rail', 'street', 'road', 'highway'] as const;
export type Area = (typeof AREAS)[number];
export type Line = (typeof LINES)[number];

type Properties = Record<string, number | string | boolean>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The kind of a feature: `kind` in Protomaps files, `class` in OpenMapTiles files. */
const kindOf = (properties: Properties): string =>
  text(properties.kind) || text(properties.class) || text(properties['pmap:kind']);

const GREEN = new Set([
  'allotments',
  'cemetery',
  'farmland',
  'forest',
  'garden',
  'golf_course',
  'grass',
  'grassland',
  'meadow',
  'nature_reserve',
  'national_park',
  'park',
  'pitch',
  'playground',
  'protected_area',
  'recreation_ground',
  'scrub',
  'village_green',
  'wood',
]);

/** Layers of areas in both schemas. Other layers are not drawn. */
export function areaOf(layer: string, properties: Properties): Area | undefined {
  if (layer === 'water') return 'water';
  if (layer === 'buildings' || layer === 'building') return 'building';
  if (layer === 'park') return 'green';
  const isGround = layer === 'landuse' || layer === 'landcover';
  return isGround && GREEN.has(kindOf(properties)) ? 'green' : undefined;
}

const LINE_KINDS: Record<string, Line> = {
  highway: 'highway',
  motorway: 'highway',
  trunk: 'highway',
  major_road: 'road',
  primary: 'road',
  secondary: 'road',
  tertiary: 'road',
  medium_road: 'road',
  minor_road: 'street',
  minor: 'street',
  residential: 'street',
  service: 'street',
  unclassified: 'street',
  path: 'path',
  track: 'path',
  pedestrian: 'path',
  rail: 'rail',
};

export function lineOf(layer: string, properties: Properties): Line | undefined {
  if (layer !== 'roads' && layer !== 'transportation') return undefined;
  const kind = kindOf(properties);
  return Object.hasOwn(LINE_KINDS, kind) ? LINE_KINDS[kind] : undefined;
}

/** Rivers and streams are lines too. */
export const isRiver = (layer: string): boolean => layer === 'waterway' || layer === 'water';

/** Maximum length of a name on a map, in characters. */
const MAX_NAME_LENGTH = 40;

/** The name of a feature in its own language; '' for none. */
export function nameOf(properties: Properties): string {
  const name = text(properties.name)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return [...name].length > MAX_NAME_LENGTH ? '' : name;
}

export const hasStreetNames = (layer: string): boolean =>
  layer === 'roads' || layer === 'transportation_name';

const PLACE_RANKS = ['city', 'town', 'locality', 'village', 'suburb', 'neighbourhood', 'quarter', 'hamlet'];

/** Rank of a place by its size, the largest first; undefined for features that are no place. */
export function placeRank(layer: string, properties: Properties): number | undefined {
  if (layer !== 'places' && layer !== 'place') return undefined;
  const rank = PLACE_RANKS.indexOf(kindOf(properties));
  if (rank < 0) return undefined;
  // Protomaps files call most places `locality`, and tell them apart by their population.
  const population = Number(properties.population_rank);
  return rank - (Number.isFinite(population) ? Math.min(Math.max(population, 0), 20) / 21 : 0);
}

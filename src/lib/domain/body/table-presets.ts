/** What a table shows. Readers see its cells in a form that suits it. Without styles it is a table like any other. */
export const TABLE_PRESETS = ['results', 'score', 'closures', 'shelters'] as const;
export type TablePreset = (typeof TABLE_PRESETS)[number];

/** Names of the presets in the Markdown of an update, in each language of the interface. */
const PRESET_NAMES: Record<TablePreset, string[]> = {
  results: ['results', 'resultados'],
  score: ['score', 'marcador'],
  closures: ['closures', 'cierres'],
  shelters: ['shelters', 'albergues'],
};

/** Returns the preset with this name in any language of the interface. */
export function presetNamed(name: string): TablePreset | undefined {
  const lowerCase = name.trim().toLowerCase();
  return TABLE_PRESETS.find((preset) => PRESET_NAMES[preset].includes(lowerCase));
}

const SHARE = /^(\d{1,3})(?:[.,](\d{1,4}))?\s?[%٪]$/;

/** Returns the share that a cell states, such as `41.2 %`, as a number from 0 to 100. */
export function shareOf(text: string): number | undefined {
  const [, whole, fraction = '0'] = SHARE.exec(text.trim()) ?? [];
  const share = Number(`${whole}.${fraction}`);
  return share <= 100 ? share : undefined;
}

/** First words of a cell about a closed or full place, and about a place with restrictions. */
const CLOSED = /^(?:closed|shut|full|cerrad[oa]s?|cortad[oa]s?|complet[oa]s?|llen[oa]s?)(?!\p{L})/iu;
const RESTRICTED = /^(?:restricted|limited|restringid[oa]s?|limitad[oa]s?)(?!\p{L})/iu;

/**
 * Returns the state that the first word of a cell names, in a language of the interface. An open place needs no mark.
 */
export function stateOf(text: string): 'closed' | 'restricted' | undefined {
  if (CLOSED.test(text)) return 'closed';
  return RESTRICTED.test(text) ? 'restricted' : undefined;
}

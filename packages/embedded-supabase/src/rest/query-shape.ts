/** Maximum length of a shape in characters, because shapes are stored and logged. */
const MAX_LENGTH = 500;

/** Parameters whose value is a list of names. */
const LISTS_OF_NAMES = new Set(['select', 'order', 'columns', 'on_conflict']);

const OPERATOR = '(?:not\\.)?[a-z]+(?:\\([a-z]+\\))?';
const FILTER = new RegExp(`^(${OPERATOR})\\.`);
const LOGIC_PARAMETER = /^(?:.+\.)?(?:or|and)$/;
const FILTER_IN_LOGIC = new RegExp(`([\\w>-]+)\\.(${OPERATOR})\\.`, 'g');

/**
 * Describes a request without its values: method, path, columns and operators, or the name of a function. Two requests
 * have the same shape if they differ only in values, in the order of parameters or in repetitions.
 */
export function queryShape(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url);
  const path = pathname
    .split('/')
    .map((part) => (/^[0-9]+$/.test(part) || /[0-9a-f]{8}-[0-9a-f]{4}-/i.test(part) ? ':id' : part));
  // Names of files and folders are values.
  const namedPath = path[1] === 'storage' ? path.slice(0, 6) : path;
  if (path[1] !== 'rest') return `${method} ${namedPath.join('/')}`.slice(0, MAX_LENGTH);
  const parts = new Set([...searchParams].map(([name, value]) => parameterShape(name, value)));
  return `${method} ${path.join('/')} ${[...parts].sort().join(' ')}`.trim().slice(0, MAX_LENGTH);
}

function parameterShape(name: string, value: string): string {
  if (LISTS_OF_NAMES.has(name)) return `${name}=${value}`;
  if (LOGIC_PARAMETER.test(name)) {
    const filters = [...value.matchAll(FILTER_IN_LOGIC)].map(
      ([, column, operator]) => `${column}.${operator}`,
    );
    return `${name}=(${[...new Set(filters)].sort().join(',')})`;
  }
  const operator = FILTER.exec(value)?.[1];
  return operator ? `${name}=${operator}` : name;
}

/** A path of ours with those of the parameters that there are. */
export function pathWith(path: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Those of the parameters that have these names, in the order of the names. */
export function pick(parameters: URLSearchParams, names: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, parameters.get(name)]));
}

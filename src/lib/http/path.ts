/** A path of ours with those of the parameters that there are. */
export function pathWith(path: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Parameters that mean something, in their order, each with the values that do. */
export type Declared = Readonly<Record<string, RegExp>>;

/** Of any value that there may be. */
export const ANYTHING = /^/;

/** Those of the parameters that mean something, in the order in which they are declared. */
export function pick(parameters: URLSearchParams, declared: Declared): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, values]) => {
      const value = parameters.get(name);
      return [name, value !== null && values.test(value) ? value : null];
    }),
  );
}

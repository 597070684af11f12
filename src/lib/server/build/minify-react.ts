import react from '@astrojs/react';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';

/**
 * `@astrojs/react` with smaller scripts in the browser: hydration by `network/hydrate.ts`, and React without the
 * exports that no island uses. Bundlers cannot remove those, because React's files are CommonJS.
 *
 * Measured on the scripts of a followed live page, packed with Brotli: 63,652 bytes; 65,832 without the removal of
 * exports (3.3 % more); 66,254 also without the undefined globals. The budget in
 * `tests/budget/scripts.json` is 63,800 bytes.
 */
export function leanReact(): AstroIntegration {
  const { name, hooks } = react();
  return {
    name,
    hooks: {
      ...hooks,
      'astro:config:setup': (setup) => {
        setup.updateConfig({ vite: { plugins: [usedExports()] } });
        return hooks['astro:config:setup']?.({
          ...setup,
          addRenderer: (renderer) =>
            setup.addRenderer({ ...renderer, clientEntrypoint: './src/islands/network/hydrate.ts' }),
        });
      },
    },
  };
}

/** Exports of React that islands use. The build fails when a module imports another one. */
const USED = [
  'Fragment',
  'createContext',
  'startTransition',
  'useCallback',
  'useContext',
  'useDeferredValue',
  'useEffect',
  'useId',
  'useMemo',
  'useRef',
  'useState',
  'useSyncExternalStore',
];

/** Exports of the scheduler that React uses. */
const SCHEDULED = [
  'unstable_IdlePriority',
  'unstable_ImmediatePriority',
  'unstable_LowPriority',
  'unstable_NormalPriority',
  'unstable_UserBlockingPriority',
  'unstable_cancelCallback',
  'unstable_getCurrentPriorityLevel',
  'unstable_now',
  'unstable_requestPaint',
  'unstable_scheduleCallback',
  'unstable_shouldYield',
];

/**
 * Global names that React looks up and the build defines as undefined: developer tools, Node's `setImmediate`, and the
 * Navigation API, with which React would show the page as loading during transitions.
 */
const UNDEFINED_GLOBALS = ['__REACT_DEVTOOLS_GLOBAL_HOOK__', 'setImmediate', 'navigation'];

/** Files of the libraries and their used exports. Exports that begin with `__` stay: the libraries use them. */
const LIBRARIES = [
  { file: /\/react\/cjs\/react\.production\.js$/, used: [...USED, 'version'] },
  { file: /\/react-dom\/cjs\/react-dom\.production\.js$/, used: [] },
  { file: /\/scheduler\/cjs\/scheduler\.production\.js$/, used: SCHEDULED },
  { file: /\/react-dom\/cjs\/react-dom-client\.production\.js$/, used: ['hydrateRoot'] },
];

const IMPORTS = /\bimport\s*\{([^}]*)\}\s*from\s*["'](?:react|react-dom|react-dom\/client)["']/g;

function usedExports(): Plugin {
  return {
    name: 'stoppress-used-exports',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    configEnvironment: (name) =>
      name === 'client'
        ? { define: Object.fromEntries(UNDEFINED_GLOBALS.map((global) => [global, 'undefined'])) }
        : null,
    transform(code, id) {
      for (const [, names = ''] of code.matchAll(IMPORTS)) {
        const unknown = names
          .split(',')
          .map((name) => name.trim().split(' ')[0] ?? '')
          .filter((name) => name && ![...USED, 'hydrateRoot'].includes(name));
        if (unknown.length > 0)
          this.error(`${id} uses ${unknown.join(', ')}: add it to USED in minify-react.ts.`);
      }
      const library = LIBRARIES.find(({ file }) => file.test(id));
      return library ? { code: withoutUnusedExports(code, this.parse(code), library.used), map: null } : null;
    },
  };
}

type Program = ReturnType<
  ThisParameterType<Extract<Plugin['transform'], (...all: never) => unknown>>['parse']
>;

/** The code of a library without the statements of its unused exports. */
function withoutUnusedExports(code: string, { body }: Program, used: string[]): string {
  let output = '';
  let end = 0;
  for (const statement of body) {
    const name = exportedName(statement);
    if (name === undefined || name.startsWith('__') || used.includes(name)) continue;
    output += code.slice(end, statement.start);
    end = statement.end;
  }
  return output + code.slice(end);
}

/** The name in a statement `exports.NAME = …;`. */
function exportedName(statement: Program['body'][number]): string | undefined {
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression')
    return;
  const { left } = statement.expression;
  if (left.type !== 'MemberExpression' || left.object.type !== 'Identifier' || left.object.name !== 'exports')
    return;
  return left.property.type === 'Identifier' ? left.property.name : undefined;
}

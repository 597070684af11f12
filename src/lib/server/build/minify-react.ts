import react from '@astrojs/react';
import type { AstroIntegration } from 'astro';
import type { Plugin } from 'vite';

/**
 * React as `@astrojs/react` brings it, but lighter in the browser: what starts an island there is our own, and of the
 * libraries' names those alone are built in that something uses. A bundler cannot see that by itself, because they
 * are not written as modules.
 */
export function leanReact(): AstroIntegration {
  const { name, hooks } = react();
  return {
    name,
    hooks: {
      ...hooks,
      'astro:config:setup': (setup) => {
        setup.updateConfig({ vite: { plugins: [usedNames()] } });
        return hooks['astro:config:setup']?.({
          ...setup,
          addRenderer: (renderer) =>
            setup.addRenderer({ ...renderer, clientEntrypoint: './src/islands/network/hydrate.ts' }),
        });
      },
    },
  };
}

/** What islands use of React. The build fails where something imports another name. */
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

/** What React uses of its scheduler. */
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
 * What React looks for in its surroundings, and is not to find: developers' tools; a server's way to wait; browsers'
 * navigation, which it would make look busy during transitions that wait for something. Ours wait for nothing.
 */
const NOT_THERE = ['__REACT_DEVTOOLS_GLOBAL_HOOK__', 'setImmediate', 'navigation'];

/** Files of the libraries, and which of their exports are used; what they use of each other has `__` in front. */
const LIBRARIES = [
  { file: /\/react\/cjs\/react\.production\.js$/, used: [...USED, 'version'] },
  { file: /\/react-dom\/cjs\/react-dom\.production\.js$/, used: [] },
  { file: /\/scheduler\/cjs\/scheduler\.production\.js$/, used: SCHEDULED },
  { file: /\/react-dom\/cjs\/react-dom-client\.production\.js$/, used: ['hydrateRoot'] },
];

const IMPORTS = /\bimport\s*\{([^}]*)\}\s*from\s*["'](?:react|react-dom|react-dom\/client)["']/g;

function usedNames(): Plugin {
  return {
    name: 'stoppress-used-names',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    configEnvironment: (name) =>
      name === 'client' ? { define: Object.fromEntries(NOT_THERE.map((what) => [what, 'undefined'])) } : null,
    transform(code, id) {
      for (const [, names = ''] of code.matchAll(IMPORTS)) {
        const unknown = names
          .split(',')
          .map((name) => name.trim().split(' ')[0] ?? '')
          .filter((name) => name && ![...USED, 'hydrateRoot'].includes(name));
        if (unknown.length > 0)
          this.error(`${id} uses ${unknown.join(', ')}: add it to USED in lean-react.ts.`);
      }
      const library = LIBRARIES.find(({ file }) => file.test(id));
      return library ? { code: without(code, this.parse(code), library.used), map: null } : null;
    },
  };
}

type Program = ReturnType<
  ThisParameterType<Extract<Plugin['transform'], (...all: never) => unknown>>['parse']
>;

/** The text of a library without the statements that export what is not used. */
function without(code: string, { body }: Program, used: string[]): string {
  let kept = '';
  let end = 0;
  for (const statement of body) {
    const name = exported(statement);
    if (name === undefined || name.startsWith('__') || used.includes(name)) continue;
    kept += code.slice(end, statement.start);
    end = statement.end;
  }
  return kept + code.slice(end);
}

/** What `exports.NAME = …;` exports. */
function exported(statement: Program['body'][number]): string | undefined {
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression')
    return;
  const { left } = statement.expression;
  if (left.type !== 'MemberExpression' || left.object.type !== 'Identifier' || left.object.name !== 'exports')
    return;
  return left.property.type === 'Identifier' ? left.property.name : undefined;
}

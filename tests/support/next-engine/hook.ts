import { registerHooks } from 'node:module';

/*
 * A program that loads this file with `--import` becomes a later release with PGlite 0.5 and PostgreSQL 18. The hook
 * replaces all imports of PGlite by the later version, and engine/pglite-release.ts by ./release.ts.
 */

const PGLITE = '@electric-sql/pglite';
const RELEASE = new URL('release.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isPglite = specifier === PGLITE || specifier.startsWith(`${PGLITE}/`);
    if (isPglite && context.parentURL !== RELEASE) {
      return next(specifier.replace(PGLITE, 'pglite-next'), { ...context, parentURL: import.meta.url });
    }
    const resolved = next(specifier, context);
    return resolved.url.endsWith('/embedded-supabase/src/engine/pglite-release.ts')
      ? { ...resolved, url: RELEASE }
      : resolved;
  },
});

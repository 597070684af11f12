import 'astro';

declare module 'astro' {
  interface AstroClientDirectives {
    /** When the browser is idle, or when the island is seen; on a poor line only when its reader asks for it. */
    'client:connection'?: boolean | 'visible';
  }
}

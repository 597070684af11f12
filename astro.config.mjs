import node from '@astrojs/node';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { devBackend } from './src/lib/server/dev-backend.ts';

export default defineConfig({
  output: 'server',
  // Middleware mode: the outer server of src/lib/server owns the port, the files and the passing on.
  adapter: node({ mode: 'middleware' }),
  integrations: [react(), devBackend()],
  // The cookie of @supabase/ssr is the session; Astro's own store would be a second truth.
  session: false,
  trailingSlash: 'never',
  build: { inlineStylesheets: 'always', assets: '_astro' },
  devToolbar: { enabled: false },
  // Pictures are sized when they are uploaded, never while a page is rendered.
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  security: {
    checkOrigin: true,
    csp: {
      algorithm: 'SHA-256',
      directives: [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ],
    },
  },
});

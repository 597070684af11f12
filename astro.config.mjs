import { createHash } from 'node:crypto';
import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import { SIGNED_IN_SCRIPT } from './src/lib/domain/sign-in.ts';
import { stampBuild } from './src/lib/server/build/build-id.ts';
import {
  buildScripts,
  deskFiles,
  offlineWorker,
  reactIslands,
} from './src/lib/server/build/build-scripts.ts';
import { MAX_PHOTO_FORM_BYTES } from './src/lib/server/request-bodies.ts';

export default defineConfig({
  output: 'server',
  // Middleware mode: the server in src/lib/server owns port, files and proxy, and limits the body size per page. This
  // is the largest of those limits. The middleware of the pages reads each page as a whole, so streams would only cost time.
  adapter: node({
    mode: 'middleware',
    bodySizeLimit: MAX_PHOTO_FORM_BYTES,
    experimentalDisableStreaming: true,
  }),
  integrations: [reactIslands(), offlineWorker(), stampBuild(), deskFiles(), buildScripts()],
  // The cookie of @supabase/ssr is the session, so Astro's session store is off.
  logger: { entrypoint: './src/lib/server/pages-logger.ts' },
  session: false,
  trailingSlash: 'never',
  build: { inlineStylesheets: 'always', assets: '_astro' },
  devToolbar: { enabled: false },
  // Photos are resized after the upload, never while a page is rendered.
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  security: {
    checkOrigin: true,
    // The server replaces forwarded headers of clients by its own, derived from SITE_URL.
    allowedDomains: [{}],
    csp: {
      algorithm: 'SHA-256',
      scriptDirective: {
        hashes: [`sha256-${createHash('sha256').update(SIGNED_IN_SCRIPT).digest('base64')}`],
      },
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

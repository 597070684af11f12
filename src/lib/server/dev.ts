import { dev } from 'astro';
import { openBackend, tellPages } from './backend.ts';
import { devBackend } from './dev-backend.ts';
import { loadEnvironment } from './environment.ts';
import { failure } from './failure.ts';
import { readSettings } from './settings.ts';
import { onStop } from './stopping.ts';

try {
  loadEnvironment();
  const settings = readSettings(process.env, '.stoppress/dev');
  const siteUrl = settings.siteUrl ?? `http://${settings.host}:${settings.port}`;
  const backend = await openBackend(settings.backend, siteUrl);
  tellPages(process.env, backend, siteUrl);
  const server = await dev({
    server: { host: settings.host, port: settings.port },
    vite: { server: { strictPort: true } },
    integrations: [devBackend(backend)],
  });
  onStop(async () => {
    await server.stop();
    await backend.stop();
  });
  process.send?.({ type: 'ready', url: siteUrl });
} catch (error) {
  console.error(failure(error));
  process.exit(1);
}

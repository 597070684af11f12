import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { announceSetup } from './backend.ts';
import { loadEnvironment, logFailure, onStop } from './program.ts';
import { readServerSettings } from './settings.ts';
import { startSite } from './site.ts';

try {
  loadEnvironment();
  const starting = startSite(readServerSettings(process.env), { backups: true });
  // Registered before the start has finished, so that a half-started backend is stopped too.
  onStop(async () => (await starting.catch(() => undefined))?.stop());
  const site = await starting;
  log.info(SERVER.ready(site.siteUrl));
  if (site.mails) log.info(site.mails);
  await announceSetup(site.siteUrl);
  process.send?.({ type: 'ready', url: site.url });
} catch (error) {
  logFailure(error);
  process.exit(1);
}

import { buildSite } from './build-site.ts';
import { warmPrograms } from './warm-programs.ts';

await buildSite();
await warmPrograms();

import { DEMO } from '../../i18n/cli.ts';
import { failure, onStop } from '../../server/program.ts';
import { startDemo } from './demo.ts';
import { DEMO_PASSWORD, PEOPLE } from './people.ts';

const over = new AbortController();
try {
  console.log(DEMO.starting);
  const starting = startDemo(process.env, over.signal);
  // Registered before the start has finished, so that a half-started demo is removed too.
  onStop(async () => {
    over.abort();
    await (await starting.catch(() => undefined))?.stop();
  });
  const demo = await starting;
  console.log(DEMO.ready(demo.url));
  for (const [role, { name, email }] of Object.entries(PEOPLE)) console.log(DEMO.account(role, name, email));
  if (demo.mails) console.log(`\n${demo.mails}`);
  console.log(DEMO.password(DEMO_PASSWORD));
  process.send?.({ type: 'ready', url: demo.url });
} catch (error) {
  if (!over.signal.aborted) {
    console.error(failure(error));
    process.exit(1);
  }
}

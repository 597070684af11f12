import type { Front } from '../cache/front.ts';
import type { Watch } from '../cache/watch.ts';
import { asksBackend } from '../health/asks-backend.ts';
import { openHealth } from '../health/health.ts';
import { openBackendNumbers } from '../metrics/backend.ts';
import { numbersOf } from '../metrics/numbers.ts';
import { measure } from '../metrics/site.ts';
import type { Backend } from './backend.ts';
import { openOwnersDoor } from './owners-door.ts';
import type { ProxyCheck } from './proxy-check.ts';
import type { Settings } from './settings.ts';

type Parts = { backend: Backend; front: Front; watch: Watch };

/** What a site answers whoever runs it, from its first moment to its last. */
export function openOwnersDesk({ proxies, metricsToken }: Settings, proxyCheck: ProxyCheck) {
  const health = openHealth();
  let numbers = numbersOf(undefined);
  return {
    answer: openOwnersDoor({
      health,
      proxies,
      metricsToken,
      warning: () => proxyCheck.warning(),
      numbers: () => numbers(),
    }),
    /** All parts are there. */
    begin({ backend, front, watch }: Parts): void {
      measure({ caches: front.sizes, watch: watch.state, proxies: () => proxyCheck.warning() });
      // A project elsewhere has its own.
      if (backend.passOn) numbers = numbersOf(openBackendNumbers(backend));
      health.begin(asksBackend(backend));
    },
    leave: health.leave,
  };
}

import { expect, test } from 'vitest';
import { clientNetwork } from '../../../packages/embedded-supabase/src/gateway/client-network.ts';
import { requestNetwork } from '../../../supabase/functions/_shared/rate-limit.ts';

test.for([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0DB8::1', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['unknown', 'unknown'],
] as const)('%s is counted as %s', ([address, counted]) => {
  expect(clientNetwork(address)).toBe(counted);
  const headers = { 'x-forwarded-for': `${address}, 127.0.0.1` };
  expect(requestNetwork(new Request('http://localhost', { headers }))).toBe(counted);
});

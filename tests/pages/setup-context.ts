import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { TestSite } from '../support/site.ts';

export const PASSWORD = 'correct horse battery';
export const NEWSROOM = { site_name: 'The Courier', time_zone: 'Pacific/Auckland', language: 'en' };
export const OWNER = { ...NEWSROOM, name: 'Marian Askew', email: 'marian@example.com', password: PASSWORD };

/** The code that a site prints at its start. */
export async function codeOf(site: TestSite): Promise<string> {
  return eventually(() => {
    const [, address, code] = /(http\S+\/setup) with the code (\S+)/.exec(site.output()) ?? [];
    expect(address).toBe(`${site.url}/setup`);
    return code as string;
  });
}

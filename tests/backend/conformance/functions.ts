import { randomUUID } from 'node:crypto';
import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
  type SupabaseClient,
} from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import type { Project } from './project.ts';

/** Edge functions as supabase-js calls them: their responses and the three kinds of errors. */
export function functions(project: () => Project): void {
  describe('functions', () => {
    const invoke = (client: SupabaseClient, name: string, body: object) =>
      client.functions.invoke(name, { body });

    test('returns the response of a function', async () => {
      const tip = {
        id: randomUUID(),
        body: 'Conformance: this tip may be deleted.',
        device: randomUUID(),
      };
      const { data, error } = await invoke(project().anon(), 'submit-tip', tip);
      expect(error).toBeNull();
      expect(data).toMatchObject({ receipt: expect.stringMatching(/^[A-Za-z0-9_-]{32,}$/), held: false });
      const again = await invoke(project().anon(), 'submit-tip', tip);
      expect(again.data).toMatchObject({ receipt: data.receipt });
      const { data: told } = await project().anon().rpc('tip_receipt', { receipt: data.receipt });
      expect(told).toMatchObject({ state: 'new', coverage: null });
    });

    test.each<[string, (project: Project) => SupabaseClient, object, number, string]>([
      ['nobody', ({ anon }) => anon(), { url: 'https://example.com/' }, 401, 'signed_out'],
      ['a reader', ({ reader }) => reader.client, { url: 'https://example.com/' }, 403, 'forbidden'],
      ['what is no link', ({ editor }) => editor.client, { url: 'javascript:alert(1)' }, 422, 'invalid'],
      ['this machine', ({ editor }) => editor.client, { url: 'http://127.0.0.1/' }, 422, 'invalid'],
    ])('returns status and code of a refusal: %s', async (_what, who, body, status, code) => {
      const { data, error, response } = await invoke(who(project()), 'unfurl-link', body);
      expect(data).toBeNull();
      expect(error).toBeInstanceOf(FunctionsHttpError);
      expect(response?.status).toBe(status);
      expect(await response?.json()).toMatchObject({ code });
    });

    test('distinguishes a missing function from an unreachable backend', async () => {
      const missing = await invoke(project().anon(), `nothing-${randomUUID()}`, {});
      expect([FunctionsHttpError, FunctionsRelayError]).toContain(missing.error?.constructor);
      expect(missing.response?.status).toBe(404);
      const nowhere = createClient('http://127.0.0.1:9', project().publishableKey);
      expect((await invoke(nowhere, 'submit-tip', {})).error).toBeInstanceOf(FunctionsFetchError);
    });

    test('distinguishes errors of a relay from errors of the function', async () => {
      const relaying = createClient(project().url, project().publishableKey, {
        global: {
          fetch: async (input, init) => {
            const answer = await fetch(input, init);
            const headers = new Headers(answer.headers);
            headers.set('x-relay-error', 'true');
            return new Response(answer.body, { status: answer.status, headers });
          },
        },
      });
      expect((await invoke(relaying, 'unfurl-link', {})).error).toBeInstanceOf(FunctionsRelayError);
    });

    test('answers preflight requests of other origins', async () => {
      const answer = await fetch(`${project().url}/functions/v1/submit-tip`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://news.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, apikey, content-type, x-client-info',
        },
      });
      expect(answer.ok).toBe(true);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-headers')).toMatch(/apikey/i);
    });
  });
}

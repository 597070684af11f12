import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../supabase/database.types.ts';
import { personClient } from '../supabase/person.ts';
import { serviceClient } from '../supabase/service.ts';
import { DEMO_PASSWORD, type DemoRole, PEOPLE } from './people.ts';

type Client = SupabaseClient<Database>;

export type Staff = {
  /** The server's own client. */
  service: Client;
  /** Everybody's client, signed in. */
  clients: Record<DemoRole, Client>;
  ids: Record<DemoRole, string>;
};

type Door = { url: string; publishableKey: string; secretKey: string };

/** Signs the demo's people up, as a visitor would, and gives them their roles, as an owner would. */
export async function hire({ url, publishableKey, secretKey }: Door): Promise<Staff> {
  const service = serviceClient(url, secretKey);
  const clients = {} as Staff['clients'];
  const ids = {} as Staff['ids'];
  for (const role of Object.keys(PEOPLE) as DemoRole[]) {
    const client = personClient(url, publishableKey);
    const { data, error } = await client.auth.signUp({
      email: PEOPLE[role].email,
      password: DEMO_PASSWORD,
      options: { data: { display_name: PEOPLE[role].name } },
    });
    if (error) throw error;
    if (!data.user) throw new Error(`The backend made no account for ${role}.`);
    clients[role] = client;
    ids[role] = data.user.id;
    await service.rpc('set_role', { op: randomUUID(), person_id: data.user.id, role }).throwOnError();
  }
  return { service, clients, ids };
}

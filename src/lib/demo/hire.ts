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

/** Makes the demo's people their accounts and gives them their roles, as an owner would, and signs them in. */
export async function hire({ url, publishableKey, secretKey }: Door): Promise<Staff> {
  const service = serviceClient(url, secretKey);
  const clients = {} as Staff['clients'];
  const ids = {} as Staff['ids'];
  for (const role of Object.keys(PEOPLE) as DemoRole[]) {
    const { name, email } = PEOPLE[role];
    const made = await service.auth.admin.createUser({
      email,
      password: DEMO_PASSWORD,
      // Their addresses lead nowhere.
      email_confirm: true,
      user_metadata: { display_name: name },
    });
    if (made.error) throw made.error;
    const { id } = made.data.user;
    await service.rpc('set_role', { op: randomUUID(), person_id: id, role }).throwOnError();
    const client = personClient(url, publishableKey);
    const { error } = await client.auth.signInWithPassword({ email, password: DEMO_PASSWORD });
    if (error) throw error;
    clients[role] = client;
    ids[role] = id;
  }
  return { service, clients, ids };
}

import { withSupabase } from '@supabase/server';

const people = async (client: {
  from(table: string): { select(columns: string): PromiseLike<{ data: unknown }> };
}) => (await client.from('people').select('id')).data;

/** Returns rows that the caller sees, and all rows. */
export default {
  fetch: withSupabase({ auth: ['user', 'publishable', 'secret'] }, async (_request, ctx) =>
    Response.json({
      mode: ctx.authMode,
      caller: ctx.userClaims?.id ?? null,
      sees: await people(ctx.supabase),
      all: await people(ctx.supabaseAdmin),
    }),
  ),
};

// Its deno.json removes the secret keys.
Deno.serve({ port: 8000 }, () => new Response(Deno.env.get('SUPABASE_SECRET_KEYS') ?? 'in'));

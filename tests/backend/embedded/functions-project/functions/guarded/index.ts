// Its deno.json leaves the secret keys out.
Deno.serve({ port: 8000 }, () => new Response(Deno.env.get('SUPABASE_SECRET_KEYS') ?? 'in'));

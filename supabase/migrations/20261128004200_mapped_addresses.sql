-- Clients with an IPv4 address that is written as an IPv6 address do not share one network.

-- Salted digest of the client's network: an IPv4 address or an IPv6 /64. Null if the address is not known. The
-- gateway names the client in the first entry of `x-forwarded-for`. A socket for both families names an IPv4 client by
-- an IPv6 address (`::ffff:192.0.2.1`).
create or replace function private.client_network_digest() returns text
language plpgsql stable set search_path = '' as $$
declare address inet;
begin
  address := regexp_replace(trim(split_part(current_setting('request.headers', true)::jsonb ->> 'x-forwarded-for', ',', 1)),
    '^::ffff:(?=\d+\.)', '', 'i')::inet;
  return private.sender_digest('network', host(network(set_masklen(address, case family(address) when 4 then 32 else 64 end))));
exception when invalid_text_representation then return null;
end $$;

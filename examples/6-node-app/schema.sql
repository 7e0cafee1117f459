create table if not exists public.orders (
  id uuid primary key default gen_random_uuid(),
  email text not null,
  total integer not null check (total > 0),
  receipt_sent_at timestamptz,
  created_at timestamptz not null default now()
);

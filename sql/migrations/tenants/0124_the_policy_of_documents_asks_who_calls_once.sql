-- A policy calls auth.uid() in a sub-select: evaluated once per statement instead of once per row.
alter policy documents_are_their_owners on public.documents using (owner = (select auth.uid())) with check (owner = (select auth.uid()));

-- A policy calls auth.uid() in a sub-select: evaluated once per statement instead of once per row.
alter policy users_see_their_own on public.active_subscriptions_v2 using (user_id = (select auth.uid()));
alter policy users_end_their_own on public.active_subscriptions_v2 using (user_id = (select auth.uid()));

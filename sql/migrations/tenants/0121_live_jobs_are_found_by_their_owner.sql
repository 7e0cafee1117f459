-- How many live jobs a user has: mill.refuse_depth.
create index job_live_owner on mill.job_live (owner, queue) where owner is not null;

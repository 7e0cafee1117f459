-- Where an operator has set another time, that stays.
update mill.queue q set lease_seconds = 90
where q.served_by = 'worker' and q.lease_seconds = case when q.queue in ('standard', 'fast', 'ai') then 300 else 120 end
  and q.queue in ('standard', 'fast', 'ai', 'exports', 'workflows', 'workflow_pages');

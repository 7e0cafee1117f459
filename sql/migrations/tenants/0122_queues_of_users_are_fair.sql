-- From this version on a queue becomes fair when a kind in it is opened to users. Those that are so already follow. Waiting jobs are put into
-- lanes by the trigger of the table.
update mill.queue q set dequeue = 'fair'
where q.dequeue = 'priority' and exists (select from mill.kind k where k.queue = q.queue and k.open_to_users);

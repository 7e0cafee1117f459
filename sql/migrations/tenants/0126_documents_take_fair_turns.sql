-- What an operator has chosen stays.
update mill.queue set dequeue = 'fair', max_running_per_group = 3
where queue = 'fast' and dequeue = 'priority' and max_running_per_group is null;
update mill.queue set dequeue = 'fair', max_running_per_group = 10
where queue = 'ai' and dequeue = 'priority' and max_running_per_group is null;

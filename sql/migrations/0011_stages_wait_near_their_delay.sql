-- Queues of documents wait about 2, 4, 8, … s. Before, anything below that.
update mill.queue set backoff_jitter = 0.2 where queue in ('fast', 'ai');

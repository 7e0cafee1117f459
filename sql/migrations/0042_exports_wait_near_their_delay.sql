-- A failed export waits about 60, 120, … s. Before, anything below that.
update mill.queue set backoff_jitter = 0.1 where queue = 'exports';

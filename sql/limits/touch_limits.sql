-- Only what an operator sets counts as a change. Refusals are counted in the same row, and none of them fires this.
drop trigger if exists limits_say_when_they_changed on mill.api_rate_limits;
create trigger limits_say_when_they_changed
  before update of provider_name, api_endpoint, requests_per_minute, requests_per_hour, tokens_per_minute, tokens_per_hour, concurrent_requests,
    backpressure_threshold, backpressure_delay_seconds, queue_depth_limit, lease_seconds, status on mill.api_rate_limits
  for each row execute function mill.touch_updated_at();

-- The compatible calls of workers: the service's alone.
insert into rpc_rule (rpc) values ('acquire_api_capacity'), ('release_api_capacity');

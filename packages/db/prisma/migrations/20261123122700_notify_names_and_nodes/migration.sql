-- Realtime nodes keep the names that they show in memory, and know whether another node exists. Every node is notified when a name or
-- the set of nodes changes.

CREATE TRIGGER "Agent_renamed" AFTER UPDATE OF "ref", "name" ON "Agent" FOR EACH ROW
  WHEN (OLD."ref" IS DISTINCT FROM NEW."ref" OR OLD."name" IS DISTINCT FROM NEW."name")
  EXECUTE FUNCTION notify_row_changed('clarion_agent_name');

CREATE TRIGGER "Queue_renamed" AFTER UPDATE OF "ref", "name" ON "Queue" FOR EACH ROW
  WHEN (OLD."ref" IS DISTINCT FROM NEW."ref" OR OLD."name" IS DISTINCT FROM NEW."name")
  EXECUTE FUNCTION notify_row_changed('clarion_queue_name');

CREATE TRIGGER "Queue_removed" AFTER DELETE ON "Queue" FOR EACH ROW
  EXECUTE FUNCTION notify_row_changed('clarion_queue_name');

CREATE TRIGGER "Channel_renamed" AFTER UPDATE OF "address", "displayName" ON "Channel" FOR EACH ROW
  WHEN (OLD."address" IS DISTINCT FROM NEW."address" OR OLD."displayName" IS DISTINCT FROM NEW."displayName")
  EXECUTE FUNCTION notify_row_changed('clarion_channel_name');

CREATE TRIGGER "Channel_removed" AFTER DELETE ON "Channel" FOR EACH ROW
  EXECUTE FUNCTION notify_row_changed('clarion_channel_name');

-- Not on UPDATE: that is the heartbeat.
CREATE FUNCTION notify_table_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], '');
  RETURN NULL;
END $$;

CREATE TRIGGER "RealtimeNode_changed" AFTER INSERT OR DELETE ON "RealtimeNode"
  FOR EACH STATEMENT EXECUTE FUNCTION notify_table_changed('clarion_realtime_node');

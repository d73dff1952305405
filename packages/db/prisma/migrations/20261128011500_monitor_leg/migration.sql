-- The leg of a monitor names the one it is of: a listener without an agent or a device does not have those of the monitor before.

-- The call's participants and legs, its IVR session, transfer and recording, in the order in which the step changed them.
CREATE OR REPLACE FUNCTION commit_step_history(call_id int, happened_at timestamptz, entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry jsonb;
  gone boolean;
BEGIN
  FOR entry IN SELECT * FROM jsonb_array_elements(entries) LOOP
    CASE entry->>'kind'
    WHEN 'join' THEN
      INSERT INTO "CallParticipant" ("callId", "kind", "agentId", "agentRef", "deviceId", "listenerName", "legId", "joinedAt")
      VALUES (call_id, entry->>'participant', (entry->>'agentId')::int, entry->>'agentRef', entry->>'deviceId', entry->>'listenerName',
        entry->>'legId', happened_at);
    WHEN 'leave' THEN
      UPDATE "CallParticipant" SET "leftAt" = happened_at, "leaveReason" = entry->>'reason'
      WHERE "callId" = call_id AND "leftAt" IS NULL
        AND (NOT entry ? 'legId' OR "legId" = entry->>'legId')
        AND (NOT entry ? 'agentId' OR ("agentId" = (entry->>'agentId')::int AND "kind" = 'AGENT'));
      IF NOT entry ? 'legId' AND NOT entry ? 'agentId' THEN
        UPDATE "CallLeg" SET "state" = 'DISCONNECTED', "disconnectedAt" = happened_at
        WHERE "callId" = call_id AND "disconnectedAt" IS NULL;
      END IF;
    WHEN 'leg' THEN
      gone := entry->>'state' IN ('DISCONNECTED', 'FAILED');
      -- If there are several monitors, the row describes the latest one.
      CONTINUE WHEN entry->>'type' = 'MONITOR' AND gone AND entry ? 'legId' AND entry->>'legId' IS DISTINCT FROM (
        SELECT "legId" FROM "CallParticipant" WHERE "callId" = call_id AND "legId" IS NOT NULL ORDER BY "id" DESC LIMIT 1);
      INSERT INTO "CallLeg" AS leg ("callId", "type", "state", "agentId", "deviceId", "legId", "stats", "connectedAt", "disconnectedAt")
      VALUES (call_id, entry->>'type', entry->>'state', (entry->>'agentId')::int, entry->>'deviceId', entry->>'legId', entry->'stats',
          CASE WHEN entry->>'state' = 'CONNECTED' THEN happened_at END, CASE WHEN gone THEN happened_at END)
      ON CONFLICT ("callId", "type") DO UPDATE SET
        "state" = excluded."state",
        "agentId" = CASE WHEN excluded."type" = 'MONITOR' THEN excluded."agentId" ELSE coalesce(excluded."agentId", leg."agentId") END,
        "deviceId" = CASE WHEN excluded."type" = 'MONITOR' THEN excluded."deviceId" ELSE coalesce(excluded."deviceId", leg."deviceId") END,
        "legId" = coalesce(excluded."legId", leg."legId"),
        -- Those of an earlier monitor do not describe this one.
        "stats" = CASE WHEN excluded."type" = 'MONITOR' AND excluded."legId" <> leg."legId" THEN excluded."stats"
          ELSE coalesce(excluded."stats", leg."stats") END,
        "connectedAt" = coalesce(excluded."connectedAt", leg."connectedAt"),
        "disconnectedAt" = CASE
          WHEN gone THEN happened_at
          WHEN excluded."state" NOT IN ('CONNECTED', 'CONNECTING') THEN leg."disconnectedAt"
        END;
    WHEN 'ivr-begin' THEN
      INSERT INTO "IvrSession" ("callId", "ivrFlowId", "startedAt") VALUES (call_id, (entry->>'ivrFlowId')::int, happened_at);
    WHEN 'ivr-input' THEN
      INSERT INTO "IvrInput" ("ivrSessionId", "nodeName", "input", "pressedAt")
      SELECT max("id"), entry->>'nodeName', entry->>'input', happened_at
      FROM "IvrSession" WHERE "callId" = call_id AND "endedAt" IS NULL HAVING max("id") IS NOT NULL;
    WHEN 'ivr-end' THEN
      UPDATE "IvrSession" SET "completed" = (entry->>'completed')::boolean, "outcome" = entry->>'outcome', "endedAt" = happened_at
      WHERE "id" = (SELECT max("id") FROM "IvrSession" WHERE "callId" = call_id AND "endedAt" IS NULL);
    WHEN 'transfer-begin' THEN
      INSERT INTO "CallTransfer" ("callId", "fromAgentId", "toAgentId", "toQueueId", "initiatedByAgentId", "initiatedByType", "transferredAt")
      VALUES (call_id, (entry->>'fromAgentId')::int, (entry->>'toAgentId')::int, (entry->>'toQueueId')::int,
        (entry->>'fromAgentId')::int, 'AGENT', happened_at);
    WHEN 'transfer-accepted' THEN
      UPDATE "CallTransfer" SET "toAgentId" = (entry->>'agentId')::int, "acceptedAt" = happened_at
      WHERE "id" = (SELECT max("id") FROM "CallTransfer" WHERE "callId" = call_id);
    WHEN 'recording-begin' THEN
      INSERT INTO "Recording" ("callId", "storageKey", "mediaNodeId", "channelMap")
      VALUES (call_id, entry->>'storageKey', entry->>'mediaNodeId', '{"left": "CUSTOMER", "right": "AGENT"}')
      ON CONFLICT ("callId") DO NOTHING;
    END CASE;
  END LOOP;
END $$;

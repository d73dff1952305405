-- The concurrent calls of trunks that have a limit. A call counts on every limited trunk that it may use, and once a trunk carries it, on that
-- one only. Calls of other trunks touch none of this.

-- AlterTable
ALTER TABLE "LiveCall" ADD COLUMN     "limitedTrunkIds" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[];

-- CreateTable
CREATE TABLE "TrunkLiveCalls" (
    "trunkId" INTEGER NOT NULL,
    "calls" INTEGER NOT NULL,

    CONSTRAINT "TrunkLiveCalls_pkey" PRIMARY KEY ("trunkId")
);

-- AddForeignKey
ALTER TABLE "TrunkLiveCalls" ADD CONSTRAINT "TrunkLiveCalls_trunkId_fkey" FOREIGN KEY ("trunkId") REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The row is updated for every call: free space keeps the updates on its page, without a change of the index.
ALTER TABLE "TrunkLiveCalls" SET (fillfactor = 50);

-- Trunks in the order of their IDs, so that two calls cannot wait for each other.
CREATE FUNCTION trunk_live_calls_began() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "TrunkLiveCalls" ("trunkId", "calls")
    SELECT t."id", 1 FROM "SipTrunk" t WHERE t."id" = ANY (NEW."limitedTrunkIds") ORDER BY t."id"
    ON CONFLICT ("trunkId") DO UPDATE SET "calls" = "TrunkLiveCalls"."calls" + 1;
  RETURN NULL;
END $$;

-- Also for a call that goes on, when it no longer counts on a trunk.
CREATE FUNCTION trunk_live_calls_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  trunk_id int;
BEGIN
  FOR trunk_id IN SELECT id FROM unnest(OLD."limitedTrunkIds") id
    WHERE TG_OP = 'DELETE' OR NOT id = ANY (NEW."limitedTrunkIds") ORDER BY id LOOP
    UPDATE "TrunkLiveCalls" SET "calls" = "calls" - 1 WHERE "trunkId" = trunk_id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER "LiveCall_trunk_began" AFTER INSERT ON "LiveCall"
  FOR EACH ROW WHEN (cardinality(NEW."limitedTrunkIds") > 0) EXECUTE FUNCTION trunk_live_calls_began();

-- Deferred to the commit, for the same reason as "LiveCall_ended".
CREATE CONSTRAINT TRIGGER "LiveCall_trunk_ended" AFTER DELETE ON "LiveCall" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (cardinality(OLD."limitedTrunkIds") > 0) EXECUTE FUNCTION trunk_live_calls_ended();
CREATE CONSTRAINT TRIGGER "LiveCall_trunk_released" AFTER UPDATE OF "limitedTrunkIds" ON "LiveCall" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD."limitedTrunkIds" IS DISTINCT FROM NEW."limitedTrunkIds") EXECUTE FUNCTION trunk_live_calls_ended();

-- SQLSTATE CL003: a trunk of the call has as many live calls as its carrier allows, so this one does not begin.

-- @returns the outbox row of the step's effects
CREATE OR REPLACE FUNCTION commit_step(step jsonb) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  call_id int := (step->>'callId')::int;
  happened_at timestamptz := (step->>'at')::timestamptz;
  live "LiveCall" := jsonb_populate_record(NULL::"LiveCall", step->'live');
  patch jsonb := step->'patch';
  outbox_id bigint;
BEGIN
  IF step ? 'create' THEN
    -- With what the same step changes, because an update would write every index of the row again. Columns that are not named have their
    -- default, also those that a later version adds.
    INSERT INTO "Call" ("id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt", "overflowed", "ringingAt", "queuedAt",
      "answeredAt", "endedAt", "terminationReason", "terminatedBy", "failureDetails", "eventSequence")
    SELECT "id", "consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "sipTrunkId",
      "queueId", "queueRef", "agentId", "agentRef", "customerAddress", "customerAddressType", "customerWithheld", "customerName",
      "externalRef", "consumerMetadata", "mediaPath", "inviteId", "callbackOf", "createdAt", coalesce("overflowed", false), "ringingAt", "queuedAt",
      "answeredAt", "endedAt", "terminationReason", "terminatedBy", "failureDetails", (step->>'eventSequence')::int
    FROM jsonb_populate_record(NULL::"Call", (step->'create') || coalesce(patch, '{}'));
    IF step ? 'live' THEN
      INSERT INTO "LiveCall" ("callId", "consumerId", "tenantId", "state", "flow", "leaseNodeId", "mediaNodeId", "lastEventAt",
        "nextDeadlineAt", "waitingQueueId", "waitingSince", "activeQueueId", "awaitedOwnerId", "limitedTrunkIds")
      VALUES (call_id, live."consumerId", live."tenantId", live."state", live."flow", live."leaseNodeId", live."mediaNodeId",
        live."lastEventAt", live."nextDeadlineAt", live."waitingQueueId", live."waitingSince", live."activeQueueId",
        live."awaitedOwnerId", coalesce(live."limitedTrunkIds", '{}'));
      -- A trigger has counted the call, and holds the count until the commit.
      IF EXISTS (SELECT FROM "ConsumerLiveCalls" n JOIN "Consumer" c ON c."id" = n."consumerId"
        WHERE n."consumerId" = live."consumerId" AND n."calls" > c."planCallsAtOnce") THEN
        RAISE EXCEPTION 'the limit of concurrent calls is reached' USING ERRCODE = 'CL002';
      END IF;
      IF EXISTS (SELECT FROM "TrunkLiveCalls" n JOIN "SipTrunk" t ON t."id" = n."trunkId"
        WHERE n."trunkId" = ANY (live."limitedTrunkIds") AND n."calls" > t."maxCalls") THEN
        RAISE EXCEPTION 'the limit of concurrent calls of the trunk is reached' USING ERRCODE = 'CL003';
      END IF;
    END IF;
  ELSIF step ? 'live' THEN
    UPDATE "LiveCall" SET "version" = "version" + 1, "state" = live."state", "mediaNodeId" = live."mediaNodeId",
      "lastEventAt" = coalesce(live."lastEventAt", "lastEventAt"), "nextDeadlineAt" = live."nextDeadlineAt",
      "waitingQueueId" = live."waitingQueueId", "waitingSince" = live."waitingSince", "activeQueueId" = live."activeQueueId",
      "awaitedOwnerId" = live."awaitedOwnerId"
    WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  ELSE
    DELETE FROM "LiveCall" WHERE "callId" = call_id AND "version" = (step->>'version')::int;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'call % was changed by another process', call_id USING ERRCODE = 'CL001';
  END IF;
  IF step ? 'remembered' THEN
    PERFORM check_remembered(call_id, step->'remembered');
  END IF;
  IF NOT step ? 'live' THEN
    -- A dial or route command repeated after the release would create the leg again.
    DELETE FROM "EngineOutbox" WHERE "callId" = call_id;
  END IF;

  IF step ? 'history' THEN
    PERFORM commit_step_history(call_id, happened_at, step->'history');
  END IF;
  INSERT INTO "CallLifecycle" ("callId", "type", "agentId", "occurredAt", "durationSeconds", "metadata")
  SELECT call_id, l."type", l."agentId", happened_at, l."durationSeconds", l."metadata"
  FROM jsonb_to_recordset(step->'lifecycle') AS l("type" text, "agentId" int, "durationSeconds" int, "metadata" jsonb);
  IF step ? 'agents' THEN
    PERFORM commit_step_agents(step->'agents', happened_at);
  END IF;

  IF step ? 'patch' AND NOT step ? 'create' THEN
    IF patch ? 'sipTrunkId' THEN
      -- The call no longer counts on the trunks that it might have used.
      UPDATE "LiveCall" SET "limitedTrunkIds" = ARRAY(SELECT id FROM unnest("limitedTrunkIds") id WHERE id = (patch->>'sipTrunkId')::int)
      WHERE "callId" = call_id AND cardinality("limitedTrunkIds") > 0;
    END IF;
    UPDATE "Call" SET
      "status" = coalesce((patch->>'status')::"CallStatus", "status"),
      "agentId" = CASE WHEN patch ? 'agentId' THEN (patch->>'agentId')::int ELSE "agentId" END,
      "agentRef" = CASE WHEN patch ? 'agentId' THEN patch->>'agentRef' ELSE "agentRef" END,
      "queueId" = coalesce((patch->>'queueId')::int, "queueId"),
      "queueRef" = coalesce(patch->>'queueRef', "queueRef"),
      "overflowed" = coalesce((patch->>'overflowed')::boolean, "overflowed"),
      "customerName" = coalesce(patch->>'customerName', "customerName"),
      "externalRef" = coalesce(patch->>'externalRef', "externalRef"),
      "sipTrunkId" = coalesce((patch->>'sipTrunkId')::int, "sipTrunkId"),
      "mediaPath" = coalesce((patch->>'mediaPath')::"MediaPath", "mediaPath"),
      "ringingAt" = coalesce((patch->>'ringingAt')::timestamptz, "ringingAt"),
      "queuedAt" = coalesce((patch->>'queuedAt')::timestamptz, "queuedAt"),
      "answeredAt" = coalesce((patch->>'answeredAt')::timestamptz, "answeredAt"),
      "endedAt" = coalesce((patch->>'endedAt')::timestamptz, "endedAt"),
      "terminationReason" = coalesce(patch->>'terminationReason', "terminationReason"),
      "terminatedBy" = coalesce(patch->>'terminatedBy', "terminatedBy"),
      "failureDetails" = coalesce(patch->'failureDetails', "failureDetails"),
      "eventSequence" = (step->>'eventSequence')::int
    WHERE "id" = call_id AND "eventSequence" = (step->>'previousEventSequence')::int;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'an event of call % was recorded by another process', call_id USING ERRCODE = 'CL001';
    END IF;
  END IF;
  IF step ? 'ended' THEN
    PERFORM record_call_usage(call_id, happened_at);
    UPDATE "Recording" SET "status" = 'PROCESSING' WHERE "callId" = call_id AND "status" = 'RECORDING';
  END IF;

  IF jsonb_array_length(step->'events') > 0 THEN
    PERFORM record_events(step->'events');
  END IF;

  INSERT INTO "EngineOutbox" ("callId", "effects", "claimedUntil")
  VALUES (call_id, step->'effects', clock_timestamp() + (step->>'claimMs')::int * interval '1 millisecond') RETURNING "id" INTO outbox_id;
  RETURN outbox_id;
END $$;

-- Price plans, the decks of trunks, and what a usage record costs.

-- CreateEnum
CREATE TYPE "PriceMethod" AS ENUM ('FLAT', 'DECK', 'DECK_MARKUP');

-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "leastCostRouting" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "marginGuard" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "Consumer" ADD COLUMN     "planBlockedPrefixes" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "planMaxRate" DECIMAL(18,6),
ADD COLUMN     "pricePlanId" INTEGER;

-- AlterTable
ALTER TABLE "RateDeck" ALTER COLUMN "consumerId" DROP NOT NULL;

-- AlterTable
ALTER TABLE "SipTrunk" ADD COLUMN     "buyDeckId" INTEGER,
ADD COLUMN     "inboundBuyDeckId" INTEGER;

-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN     "pricePlanId" INTEGER;

-- AlterTable
ALTER TABLE "UsageRecord" ADD COLUMN     "billedSeconds" INTEGER,
ADD COLUMN     "carrierCost" DECIMAL(18,6),
ADD COLUMN     "carrierCurrency" TEXT,
ADD COLUMN     "carrierEntryId" INTEGER,
ADD COLUMN     "carrierReason" TEXT,
ADD COLUMN     "connectedSeconds" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "day" DATE,
ADD COLUMN     "numberErased" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "platformCost" DECIMAL(18,6),
ADD COLUMN     "platformCurrency" TEXT,
ADD COLUMN     "pricedNumber" TEXT,
ADD COLUMN     "quantity" DECIMAL(18,6),
ADD COLUMN     "startedAt" TIMESTAMPTZ(3),
ADD COLUMN     "tenantCharge" DECIMAL(18,6),
ADD COLUMN     "tenantCurrency" TEXT,
ADD COLUMN     "tenantEntryId" INTEGER,
ADD COLUMN     "tenantMarkup" DECIMAL(12,6),
ADD COLUMN     "tenantMethod" TEXT;

-- CreateTable
CREATE TABLE "PricePlan" (
    "id" SERIAL NOT NULL,
    "consumerId" INTEGER,
    "name" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "description" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PricePlan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "PriceItem" (
    "id" SERIAL NOT NULL,
    "planId" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" "UsageKind" NOT NULL,
    "method" "PriceMethod" NOT NULL,
    "direction" "CallDirection",
    "channelType" "ChannelType",
    "trunkOwner" TEXT,
    "initialSeconds" INTEGER NOT NULL,
    "incrementSeconds" INTEGER NOT NULL,
    "flatRate" DECIMAL(18,6),
    "deckId" INTEGER,
    "markupPercent" DECIMAL(12,6),

    CONSTRAINT "PriceItem_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "PricePlan_consumerId_idx" ON "PricePlan"("consumerId");

-- CreateIndex
CREATE INDEX "PriceItem_deckId_idx" ON "PriceItem"("deckId");

-- CreateIndex
CREATE UNIQUE INDEX "PriceItem_planId_position_key" ON "PriceItem"("planId", "position");

-- CreateIndex
CREATE INDEX "SipTrunk_buyDeckId_idx" ON "SipTrunk"("buyDeckId");

-- CreateIndex
CREATE INDEX "SipTrunk_inboundBuyDeckId_idx" ON "SipTrunk"("inboundBuyDeckId");

-- CreateIndex
CREATE INDEX "Tenant_pricePlanId_idx" ON "Tenant"("pricePlanId");

-- AddForeignKey
ALTER TABLE "Consumer" ADD CONSTRAINT "Consumer_pricePlanId_fkey" FOREIGN KEY ("pricePlanId") REFERENCES "PricePlan"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Tenant" ADD CONSTRAINT "Tenant_pricePlanId_fkey" FOREIGN KEY ("pricePlanId") REFERENCES "PricePlan"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipTrunk" ADD CONSTRAINT "SipTrunk_buyDeckId_fkey" FOREIGN KEY ("buyDeckId") REFERENCES "RateDeck"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipTrunk" ADD CONSTRAINT "SipTrunk_inboundBuyDeckId_fkey" FOREIGN KEY ("inboundBuyDeckId") REFERENCES "RateDeck"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PricePlan" ADD CONSTRAINT "PricePlan_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PriceItem" ADD CONSTRAINT "PriceItem_planId_fkey" FOREIGN KEY ("planId") REFERENCES "PricePlan"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PriceItem" ADD CONSTRAINT "PriceItem_deckId_fkey" FOREIGN KEY ("deckId") REFERENCES "RateDeck"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- One record per tenant, kind and day. Records of calls have no day and are not in the index.
CREATE UNIQUE INDEX "UsageRecord_day_key" ON "UsageRecord"("tenantId", "kind", "day") WHERE "day" IS NOT NULL;

-- Calls before this version: the conversation is the best that is known.
UPDATE "UsageRecord" SET "connectedSeconds" = "seconds", "startedAt" = "createdAt" WHERE "kind" = 'CALL';

-- Processes keep the plans that price calls in memory. Items are replaced with their plan, whose row changes, too.
CREATE TRIGGER "PricePlan_changed" AFTER UPDATE OR DELETE ON "PricePlan"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_price_plan');

-- The usage record of a call that ends. Every ended call has one; an unanswered call has 0 seconds. `usage`: the columns that price it (CallUsage of
-- packages/core), from the state of the call; null if that could not be read.
DROP FUNCTION record_call_usage(int, timestamptz);
CREATE FUNCTION record_call_usage(call_id int, recorded_at timestamptz, usage jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "UsageRecord" ("consumerId", "tenantId", "tenantRef", "callId", "kind", "direction", "channelType", "trunkOwner",
    "sipTrunkId", "seconds", "createdAt", "startedAt", "connectedSeconds", "pricedNumber", "billedSeconds", "carrierCost", "carrierCurrency",
    "carrierEntryId", "carrierReason", "platformCost", "platformCurrency", "tenantCharge", "tenantCurrency", "tenantMethod", "tenantMarkup",
    "tenantEntryId")
  SELECT c."consumerId", c."tenantId", t."ref", c."id", 'CALL', c."direction", c."channelType",
    CASE WHEN s."id" IS NULL THEN NULL WHEN s."consumerId" IS NULL THEN 'PLATFORM' ELSE 'CONSUMER' END, c."sipTrunkId",
    least(coalesce(call_talk_seconds(c."answeredAt", c."endedAt"), 0), 2147483647)::int, recorded_at, c."createdAt",
    coalesce(u."connectedSeconds", (
      SELECT least(ceil(extract(epoch FROM c."endedAt" - l."connectedAt")), 2147483647)::int FROM "CallLeg" l
      WHERE l."callId" = c."id" AND l."type" = 'CUSTOMER' AND l."connectedAt" IS NOT NULL), 0),
    u."pricedNumber", u."billedSeconds", u."carrierCost", u."carrierCurrency", u."carrierEntryId", u."carrierReason", u."platformCost",
    u."platformCurrency", u."tenantCharge", u."tenantCurrency", u."tenantMethod", u."tenantMarkup", u."tenantEntryId"
  FROM jsonb_populate_record(NULL::"UsageRecord", coalesce(usage, '{}')) u, "Call" c
    JOIN "Tenant" t ON t."id" = c."tenantId" LEFT JOIN "SipTrunk" s ON s."id" = c."sipTrunkId"
  WHERE c."id" = call_id
  ON CONFLICT ("callId", "kind") DO NOTHING
$$;

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
    PERFORM record_call_usage(call_id, happened_at, step->'usage');
    UPDATE "Recording" SET "status" = 'PROCESSING' WHERE "callId" = call_id AND "status" = 'RECORDING';
  END IF;

  IF jsonb_array_length(step->'events') > 0 THEN
    PERFORM record_events(step->'events');
  END IF;

  INSERT INTO "EngineOutbox" ("callId", "effects", "claimedUntil")
  VALUES (call_id, step->'effects', clock_timestamp() + (step->>'claimMs')::int * interval '1 millisecond') RETURNING "id" INTO outbox_id;
  RETURN outbox_id;
END $$;

-- With the owner of the trunk and the deck that prices its inbound calls.
CREATE OR REPLACE FUNCTION load_trunks(ingress_label text, source inet) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  trunk_ids int[];
BEGIN
  IF ingress_label IS NOT NULL THEN
    trunk_ids := ARRAY(SELECT "id" FROM "SipTrunk" WHERE "ingressLabel" = ingress_label);
  ELSE
    -- Unknown sources send thousands of INVITEs a minute, so the networks have an index.
    trunk_ids := ARRAY(
      SELECT s."trunkId" FROM "SipTrunkSource" s WHERE s."network" >>= source
      UNION
      SELECT r."trunkId" FROM "SipTrunkState" r WHERE r."registeredAddress" = source);
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', t."id", 'status', t."status", 'ingressHostOnly', t."ingressHostOnly", 'inboundSourceCidrs', t."inboundSourceCidrs",
      'quirks', t."quirks", 'numberRules', t."numberRules", 'techPrefixes', t."techPrefixes", 'codecs', t."codecs", 'srtp', t."srtp",
      'maxCalls', t."maxCalls", 'consumerId', t."consumerId", 'inboundBuyDeckId', t."inboundBuyDeckId", 'ingressLabel', t."ingressLabel", 'registeredAddress', host(r."registeredAddress")) ORDER BY t."id"), '[]')
    FROM "SipTrunk" t LEFT JOIN "SipTrunkState" r ON r."trunkId" = t."id" WHERE t."id" = ANY (trunk_ids));
END $$;

-- With the plans that price the call.
CREATE OR REPLACE FUNCTION load_lines(candidates jsonb) RETURNS json LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', l."id", 'ref', l."ref", 'type', l."type", 'status', l."status", 'tenantId', l."tenantId", 'sipTrunkId', l."sipTrunkId",
      'recordingEnabled', l."recordingEnabled", 'ringTimeoutSeconds', l."ringTimeoutSeconds",
      'newCallId', CASE WHEN l."ownerAgentId" IS NULL THEN nextval(pg_get_serial_sequence('"Call"', 'id')) END,
      'tenant', json_build_object('id', t."id", 'consumerId', t."consumerId", 'ref', t."ref", 'settings', t."settings",
        'rowVersion', t.xmin::text, 'pricePlanId', t."pricePlanId", 'consumer', json_build_object(
        'status', c."status", 'recordingEnabled', c."recordingEnabled", 'planCountries', c."planCountries",
        'planBlockedPrefixes', c."planBlockedPrefixes", 'lookupUrl', c."lookupUrl", 'pricePlanId', c."pricePlanId")),
      'owner', (
        SELECT json_build_object('id', a."id", 'ref', a."ref", 'doNotDisturb', a."doNotDisturb",
          'canRing', a."deletedAt" IS NULL AND EXISTS (SELECT FROM "AgentConnection" s WHERE s."agentId" = a."id"))
        FROM "Agent" a WHERE a."id" = l."ownerAgentId"),
      'flows', (
        SELECT coalesce(json_agg(json_build_object('id', f."id", 'triggerCondition', f."triggerCondition")), '[]')
        FROM "IvrFlow" f WHERE f."channelId" = l."id" AND f."status" = 'ACTIVE'),
      'inboundQueueId', l."inboundQueueId",
      'stops', CASE WHEN l."inboundQueueId" IS NULL THEN '[]' ELSE overflow_chain(l."inboundQueueId") END)), '[]')
    FROM jsonb_to_recordset(candidates) AS wanted("trunkId" int, "number" text)
    JOIN "Channel" l ON l."sipTrunkId" = wanted."trunkId" AND l."address" = wanted."number"
    JOIN "Tenant" t ON t."id" = l."tenantId"
    JOIN "Consumer" c ON c."id" = t."consumerId");
END $$;

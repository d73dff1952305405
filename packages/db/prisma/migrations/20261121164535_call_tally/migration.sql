-- CreateEnum
CREATE TYPE "CallTallyScope" AS ENUM ('TENANT', 'LINE', 'QUEUE', 'ROUTE', 'AGENT');

-- DropIndex
DROP INDEX "Call_tenantId_agentId_idx";

-- DropIndex
DROP INDEX "Call_tenantId_customerAddress_idx";

-- DropIndex
DROP INDEX "Call_tenantId_externalRef_idx";

-- DropIndex
DROP INDEX "Call_tenantId_status_idx";

-- AlterTable
ALTER TABLE "Call" ADD COLUMN     "overflowed" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "CallTally" (
    "tenantId" INTEGER NOT NULL,
    "scope" "CallTallyScope" NOT NULL,
    "key" INTEGER NOT NULL,
    "otherKey" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "direction" "CallDirection" NOT NULL,
    "status" "CallStatus" NOT NULL,
    "reason" TEXT NOT NULL,
    "answered" BOOLEAN NOT NULL,
    "slot" SMALLINT NOT NULL,
    "calls" INTEGER NOT NULL,
    "talkSeconds" BIGINT NOT NULL,
    "waited" INTEGER NOT NULL,
    "waitSeconds" BIGINT NOT NULL,
    "longestWaitSeconds" BIGINT,
    "firstId" INTEGER NOT NULL,
    "lastId" INTEGER NOT NULL,

    CONSTRAINT "CallTally_pkey" PRIMARY KEY ("tenantId","scope","key","otherKey","day","direction","status","reason","answered","slot")
);

-- CreateIndex
CREATE INDEX "Call_tenantId_customerAddress_id_idx" ON "Call"("tenantId", "customerAddress", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_externalRef_id_idx" ON "Call"("tenantId", "externalRef", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_agentId_id_idx" ON "Call"("tenantId", "agentId", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_channelId_id_idx" ON "Call"("tenantId", "channelId", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_queueId_id_idx" ON "Call"("tenantId", "queueId", "id" DESC);

-- CreateIndex
CREATE INDEX "Call_tenantId_direction_id_idx" ON "Call"("tenantId", "direction", "id" DESC);

-- AddForeignKey
ALTER TABLE "CallTally" ADD CONSTRAINT "CallTally_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Lists of live calls, and of the few that failed.
CREATE INDEX "Call_tenantId_id_live_idx" ON "Call"("tenantId", "id" DESC) WHERE "status" IN ('INITIATED', 'RINGING', 'IN_PROGRESS');
CREATE INDEX "Call_tenantId_id_failed_idx" ON "Call"("tenantId", "id" DESC) WHERE "status" = 'FAILED';

-- An agent is on shift once at a time. Agents who are on shift now have been since now, as far as anybody knows.
CREATE UNIQUE INDEX "AgentShift_open_key" ON "AgentShift"("agentId") WHERE "endedAt" IS NULL;
INSERT INTO "AgentShift" ("agentId", "startedAt") SELECT "id", now() FROM "Agent" WHERE "shift" = 'AVAILABLE' AND "deletedAt" IS NULL;

-- Of two flows with the same trigger on one line nobody could say which takes the call.
CREATE UNIQUE INDEX "IvrFlow_active_trigger_key" ON "IvrFlow"("channelId", "triggerCondition") WHERE "status" = 'ACTIVE';

-- Cells of a tally are changed often and no index holds what changes: room on the page keeps those changes there.
ALTER TABLE "CallTally" SET (fillfactor = 50);

-- Whole seconds of conversation and of waiting, never negative; null where there was none. The stats of a list and the tally
-- both count with these.
CREATE FUNCTION call_talk_seconds(answered timestamptz, ended timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN answered IS NULL THEN NULL
    ELSE greatest(0, floor(extract(epoch FROM coalesce(ended, answered) - answered)))::bigint END
$$;

CREATE FUNCTION call_wait_seconds(queued timestamptz, answered timestamptz, ended timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN queued IS NULL THEN NULL
    ELSE greatest(0, floor(extract(epoch FROM coalesce(answered, ended, queued) - queued)))::bigint END
$$;

-- The cells a call counts in: its tenant's, its line's, its queue's, those of the two together, its agent's.
CREATE FUNCTION call_tally_cells(line integer, queue integer, agent integer)
  RETURNS TABLE (scope "CallTallyScope", key integer, other integer) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT s.scope, s.key, s.other
  FROM (VALUES ('TENANT'::"CallTallyScope", 0, 0), ('LINE', line, 0), ('QUEUE', queue, 0), ('ROUTE', line, queue), ('AGENT', agent, 0))
    s(scope, key, other)
  WHERE s.key IS NOT NULL AND s.other IS NOT NULL
$$;

-- Adds an ended call to its cells. Everybody takes the cells in
-- this order, so that two calls that end at once cannot wait for each other.
CREATE FUNCTION call_tally_add(c "Call") RETURNS void LANGUAGE sql AS $$
  INSERT INTO "CallTally" AS t ("tenantId", "scope", "key", "otherKey", "day", "direction", "status", "reason", "answered", "slot",
    "calls", "talkSeconds", "waited", "waitSeconds", "longestWaitSeconds", "firstId", "lastId")
  SELECT c."tenantId", s.scope, s.key, s.other, (c."createdAt" AT TIME ZONE 'UTC')::date, c."direction", c."status",
    coalesce(c."terminationReason", ''), c."answeredAt" IS NOT NULL, c."id" % 4,
    1, coalesce(w.talk, 0), (w.wait IS NOT NULL)::integer, coalesce(w.wait, 0), w.wait, c."id", c."id"
  FROM call_tally_cells(c."channelId", c."queueId", c."agentId") s,
    (SELECT call_talk_seconds(c."answeredAt", c."endedAt") AS talk,
            call_wait_seconds(c."queuedAt", c."answeredAt", c."endedAt") AS wait) w
  ORDER BY s.scope
  ON CONFLICT ("tenantId", "scope", "key", "otherKey", "day", "direction", "status", "reason", "answered", "slot") DO UPDATE SET
    "calls" = t."calls" + 1,
    "talkSeconds" = t."talkSeconds" + excluded."talkSeconds",
    "waited" = t."waited" + excluded."waited",
    "waitSeconds" = t."waitSeconds" + excluded."waitSeconds",
    "longestWaitSeconds" = greatest(t."longestWaitSeconds", excluded."longestWaitSeconds"),
    "firstId" = least(t."firstId", excluded."firstId"),
    "lastId" = greatest(t."lastId", excluded."lastId")
$$;

-- Takes calls out again, cell by cell in the same order. A longest wait that may have been one of theirs is looked for anew among the
-- cell's other calls, while the cell is locked; firstId and lastId stay: they only bound.
CREATE FUNCTION call_tally_remove(calls "Call"[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  removed integer[] := ARRAY(SELECT c."id" FROM unnest(calls) c);
  cell record;
  was record;
BEGIN
  FOR cell IN
    SELECT c."tenantId" AS tenant, s.scope, s.key, s.other, (c."createdAt" AT TIME ZONE 'UTC')::date AS day, c."direction", c."status",
      coalesce(c."terminationReason", '') AS reason, c."answeredAt" IS NOT NULL AS answered, (c."id" % 4)::smallint AS slot,
      count(*) AS calls, coalesce(sum(w.talk), 0) AS talk, count(w.wait) AS waited, coalesce(sum(w.wait), 0) AS wait,
      max(w.wait) AS longest
    FROM unnest(calls) c,
      LATERAL call_tally_cells(c."channelId", c."queueId", c."agentId") s,
      LATERAL (SELECT call_talk_seconds(c."answeredAt", c."endedAt") AS talk,
                      call_wait_seconds(c."queuedAt", c."answeredAt", c."endedAt") AS wait) w
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  LOOP
    UPDATE "CallTally" t SET
      "calls" = t."calls" - cell.calls,
      "talkSeconds" = t."talkSeconds" - cell.talk,
      "waited" = t."waited" - cell.waited,
      "waitSeconds" = t."waitSeconds" - cell.wait
    WHERE t."tenantId" = cell.tenant AND t."scope" = cell.scope AND t."key" = cell.key AND t."otherKey" = cell.other
      AND t."day" = cell.day AND t."direction" = cell."direction" AND t."status" = cell."status" AND t."reason" = cell.reason
      AND t."answered" = cell.answered AND t."slot" = cell.slot
    RETURNING t."waited", t."longestWaitSeconds" INTO was;
    IF FOUND AND cell.longest >= was."longestWaitSeconds" THEN
      UPDATE "CallTally" t SET "longestWaitSeconds" = CASE WHEN was."waited" > 0 THEN (
        SELECT max(call_wait_seconds(o."queuedAt", o."answeredAt", o."endedAt"))
        FROM "Call" o
        WHERE o."tenantId" = cell.tenant AND o."id" <> ALL (removed) AND o."id" % 4 = cell.slot
          AND o."createdAt" >= cell.day::timestamp AT TIME ZONE 'UTC'
          AND o."createdAt" < (cell.day + 1)::timestamp AT TIME ZONE 'UTC'
          AND o."direction" = cell."direction" AND o."status" = cell."status"
          AND coalesce(o."terminationReason", '') = cell.reason AND (o."answeredAt" IS NOT NULL) = cell.answered
          AND (cell.scope, cell.key, cell.other) IN (SELECT * FROM call_tally_cells(o."channelId", o."queueId", o."agentId"))
      ) END
      WHERE t."tenantId" = cell.tenant AND t."scope" = cell.scope AND t."key" = cell.key AND t."otherKey" = cell.other
        AND t."day" = cell.day AND t."direction" = cell."direction" AND t."status" = cell."status" AND t."reason" = cell.reason
        AND t."answered" = cell.answered AND t."slot" = cell.slot;
    END IF;
  END LOOP;
END
$$;

CREATE FUNCTION call_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM call_tally_add(NEW);
  RETURN NULL;
END
$$;

CREATE FUNCTION call_tally_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."status" IN ('TERMINATED', 'FAILED') THEN PERFORM call_tally_remove(ARRAY[OLD]); END IF;
  IF NEW."status" IN ('TERMINATED', 'FAILED') THEN PERFORM call_tally_add(NEW); END IF;
  RETURN NULL;
END
$$;

-- Many at once are one round of cells. A tenant that is being deleted takes its tally along.
CREATE FUNCTION call_tally_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM call_tally_remove(ARRAY(
    SELECT ROW(g.*)::"Call" FROM gone g
    WHERE g."status" IN ('TERMINATED', 'FAILED') AND EXISTS (SELECT 1 FROM "Tenant" t WHERE t."id" = g."tenantId")
  ));
  RETURN NULL;
END
$$;

CREATE TRIGGER "Call_tally_inserted" AFTER INSERT ON "Call" FOR EACH ROW
  WHEN (NEW."status" IN ('TERMINATED', 'FAILED'))
  EXECUTE FUNCTION call_tally_inserted();

CREATE TRIGGER "Call_tally_updated" AFTER UPDATE ON "Call" FOR EACH ROW
  WHEN ((OLD."status" IN ('TERMINATED', 'FAILED') OR NEW."status" IN ('TERMINATED', 'FAILED'))
    AND ROW(OLD."tenantId", OLD."direction", OLD."status", OLD."terminationReason", OLD."channelId", OLD."queueId", OLD."agentId",
            OLD."createdAt", OLD."queuedAt", OLD."answeredAt", OLD."endedAt")
      IS DISTINCT FROM
        ROW(NEW."tenantId", NEW."direction", NEW."status", NEW."terminationReason", NEW."channelId", NEW."queueId", NEW."agentId",
            NEW."createdAt", NEW."queuedAt", NEW."answeredAt", NEW."endedAt"))
  EXECUTE FUNCTION call_tally_updated();

CREATE TRIGGER "Call_tally_deleted" AFTER DELETE ON "Call" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  EXECUTE FUNCTION call_tally_deleted();

-- Counts a tenant's ended calls from their rows: after loading many of them with the triggers off, while nobody else writes.
CREATE FUNCTION call_tally_recount(tenant integer) RETURNS void LANGUAGE sql AS $$
  DELETE FROM "CallTally" WHERE "tenantId" = tenant;
  INSERT INTO "CallTally" ("tenantId", "scope", "key", "otherKey", "day", "direction", "status", "reason", "answered", "slot",
    "calls", "talkSeconds", "waited", "waitSeconds", "longestWaitSeconds", "firstId", "lastId")
  SELECT c."tenantId", s.scope, s.key, s.other, (c."createdAt" AT TIME ZONE 'UTC')::date, c."direction", c."status",
    coalesce(c."terminationReason", ''), c."answeredAt" IS NOT NULL, c."id" % 4,
    count(*), coalesce(sum(w.talk), 0), count(w.wait), coalesce(sum(w.wait), 0), max(w.wait), min(c."id"), max(c."id")
  FROM "Call" c,
    call_tally_cells(c."channelId", c."queueId", c."agentId") s,
    LATERAL (SELECT call_talk_seconds(c."answeredAt", c."endedAt") AS talk,
                    call_wait_seconds(c."queuedAt", c."answeredAt", c."endedAt") AS wait) w
  WHERE c."tenantId" = tenant AND c."status" IN ('TERMINATED', 'FAILED')
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
$$;

SELECT call_tally_recount("id") FROM "Tenant";

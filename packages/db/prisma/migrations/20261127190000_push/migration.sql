-- CreateEnum
CREATE TYPE "PushKind" AS ENUM ('INCOMING', 'WITHDRAWN', 'MISSED');

-- CreateEnum
CREATE TYPE "PushStatus" AS ENUM ('PENDING', 'CLAIMED', 'SENDING', 'SENT', 'FAILED', 'REJECTED', 'EXPIRED', 'CANCELLED', 'UNKNOWN');

-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "wakeable" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "PushToken" ADD COLUMN     "lastPushedAt" TIMESTAMPTZ(3),
ADD COLUMN     "lastResult" TEXT,
ADD COLUMN     "rejectedAt" TIMESTAMPTZ(3),
ADD COLUMN     "sandbox" BOOLEAN;

-- CreateTable
CREATE TABLE "PushNotification" (
    "id" BIGSERIAL NOT NULL,
    "callId" INTEGER NOT NULL,
    "consumerId" INTEGER NOT NULL,
    "agentId" INTEGER NOT NULL,
    "tokenId" INTEGER NOT NULL,
    "deviceId" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "kind" "PushKind" NOT NULL,
    "status" "PushStatus" NOT NULL DEFAULT 'PENDING',
    "assignmentType" TEXT,
    "withdrawReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimedBy" TEXT,
    "claimedUntil" TIMESTAMPTZ(3),
    "finishedAt" TIMESTAMPTZ(3),
    "httpStatus" INTEGER,
    "reason" TEXT,

    CONSTRAINT "PushNotification_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "PushNotification_callId_agentId_idx" ON "PushNotification"("callId", "agentId");

-- CreateIndex
CREATE INDEX "PushNotification_createdAt_idx" ON "PushNotification"("createdAt");

-- AddForeignKey
ALTER TABLE "PushNotification" ADD CONSTRAINT "PushNotification_callId_fkey" FOREIGN KEY ("callId") REFERENCES "Call"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a worker has yet to send.
CREATE INDEX "PushNotification_unfinished" ON "PushNotification"("dueAt") WHERE "status" IN ('PENDING', 'CLAIMED', 'SENDING');

-- Whether a token of this platform and provider can wake a device for a call: iOS is woken by VoIP push alone.
CREATE FUNCTION push_wakes(platform text, provider text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT provider = 'APNS_VOIP' OR (platform IN ('ANDROID', 'WEB') AND provider IN ('FCM', 'ONESIGNAL', 'WEB_PUSH'))
$$;

-- The credentials with which a token of this provider is used.
CREATE FUNCTION push_credential_of(provider text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE provider WHEN 'APNS_VOIP' THEN 'apns' WHEN 'WEB_PUSH' THEN 'webpush' ELSE lower(provider) END
$$;

-- "Agent"."wakeable" of this agent. The row is locked first, so that of two changes the later one sees the earlier.
CREATE FUNCTION update_wakeable(agent_id int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  can_wake boolean;
BEGIN
  PERFORM FROM "Agent" WHERE "id" = agent_id FOR NO KEY UPDATE;
  can_wake := EXISTS (
    SELECT FROM "PushToken" k
    JOIN "Agent" a ON a."id" = k."agentId"
    JOIN "Tenant" t ON t."id" = a."tenantId"
    JOIN "PushCredential" c ON c."consumerId" = t."consumerId" AND c."provider" = push_credential_of(k."provider")
    WHERE k."agentId" = agent_id AND k."rejectedAt" IS NULL AND push_wakes(k."platform", k."provider"));
  UPDATE "Agent" SET "wakeable" = can_wake WHERE "id" = agent_id AND "wakeable" <> can_wake;
END $$;

CREATE FUNCTION push_token_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM update_wakeable(OLD."agentId");
  END IF;
  IF TG_OP <> 'DELETE' AND (TG_OP = 'INSERT' OR NEW."agentId" <> OLD."agentId") THEN
    PERFORM update_wakeable(NEW."agentId");
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "PushToken_changed" AFTER INSERT OR DELETE OR UPDATE OF "agentId", "platform", "provider", "rejectedAt" ON "PushToken"
  FOR EACH ROW EXECUTE FUNCTION push_token_changed();

CREATE FUNCTION push_credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  consumer_id int := CASE WHEN TG_OP = 'DELETE' THEN OLD."consumerId" ELSE NEW."consumerId" END;
BEGIN
  PERFORM update_wakeable(a."id") FROM "Agent" a JOIN "Tenant" t ON t."id" = a."tenantId"
  WHERE t."consumerId" = consumer_id AND EXISTS (SELECT FROM "PushToken" k WHERE k."agentId" = a."id")
  ORDER BY a."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "PushCredential_changed" AFTER INSERT OR DELETE ON "PushCredential"
  FOR EACH ROW EXECUTE FUNCTION push_credential_changed();

-- Tokens of existing agents count from now on.
SELECT update_wakeable(a."id") FROM "Agent" a WHERE EXISTS (SELECT FROM "PushToken" k WHERE k."agentId" = a."id");

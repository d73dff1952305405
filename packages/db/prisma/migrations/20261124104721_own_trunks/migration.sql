-- AlterTable
ALTER TABLE "AuditEntry" ALTER COLUMN "consumerId" DROP NOT NULL;

-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "backupSipTrunkId" INTEGER;

-- AlterTable
ALTER TABLE "Consumer" ADD COLUMN     "planTrunks" INTEGER NOT NULL DEFAULT 20;

-- AlterTable
ALTER TABLE "SipRefusal" ADD COLUMN     "code" TEXT;

-- AlterTable
ALTER TABLE "SipTrunk" ADD COLUMN     "callsPerSecond" INTEGER,
ADD COLUMN     "destinations" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "followTemplate" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "maxCalls" INTEGER,
ADD COLUMN     "register" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "srtp" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "templateId" INTEGER;

-- CreateTable
CREATE TABLE "SipTrunkState" (
    "trunkId" INTEGER NOT NULL,
    "lastInviteAt" TIMESTAMPTZ(3),
    "lastInviteSource" TEXT,
    "lastInviteNumber" TEXT,
    "ping" JSONB,
    "upChangedAt" TIMESTAMPTZ(3),
    "registration" JSONB,
    "testedAt" TIMESTAMPTZ(3),

    CONSTRAINT "SipTrunkState_pkey" PRIMARY KEY ("trunkId")
);

-- CreateTable
CREATE TABLE "CarrierTemplate" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL DEFAULT 5060,
    "transport" "TrunkTransport" NOT NULL DEFAULT 'UDP',
    "inboundSourceCidrs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "numberRules" JSONB,
    "quirks" JSONB NOT NULL DEFAULT '{}',
    "codecs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "destinations" JSONB NOT NULL DEFAULT '[]',
    "register" BOOLEAN NOT NULL DEFAULT false,
    "srtp" BOOLEAN NOT NULL DEFAULT false,
    "notes" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "CarrierTemplate_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "CarrierTemplate_name_key" ON "CarrierTemplate"("name");

-- CreateIndex
CREATE INDEX "Channel_backupSipTrunkId_idx" ON "Channel"("backupSipTrunkId");

-- CreateIndex
CREATE INDEX "SipTrunk_templateId_idx" ON "SipTrunk"("templateId");

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_backupSipTrunkId_fkey" FOREIGN KEY ("backupSipTrunkId") REFERENCES "SipTrunk"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipTrunk" ADD CONSTRAINT "SipTrunk_templateId_fkey" FOREIGN KEY ("templateId") REFERENCES "CarrierTemplate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SipTrunkState" ADD CONSTRAINT "SipTrunkState_trunkId_fkey" FOREIGN KEY ("trunkId") REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A trunk with addresses is matched whatever its status, so that its owner learns why a call was rejected.
CREATE OR REPLACE FUNCTION load_trunks(ingress_label text, source inet) RETURNS json LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  trunk_ids int[];
BEGIN
  IF ingress_label IS NOT NULL THEN
    trunk_ids := ARRAY(SELECT "id" FROM "SipTrunk" WHERE "ingressLabel" = ingress_label);
  ELSE
    -- Unknown sources send thousands of INVITEs a minute, so the networks have an index.
    trunk_ids := ARRAY(SELECT s."trunkId" FROM "SipTrunkSource" s WHERE s."network" >>= source);
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', t."id", 'status', t."status", 'ingressHostOnly', t."ingressHostOnly", 'inboundSourceCidrs', t."inboundSourceCidrs",
      'quirks', t."quirks", 'numberRules', t."numberRules", 'techPrefixes', t."techPrefixes", 'codecs', t."codecs", 'srtp', t."srtp",
      'maxCalls', t."maxCalls") ORDER BY t."id"), '[]')
    FROM "SipTrunk" t WHERE t."id" = ANY (trunk_ids));
END $$;

DROP TRIGGER "SipTrunk_changed" ON "SipTrunk";
CREATE TRIGGER "SipTrunk_changed"
  AFTER INSERT OR DELETE OR UPDATE OF
    "status", "ingressLabel", "ingressHostOnly", "inboundSourceCidrs", "quirks", "numberRules", "techPrefixes", "codecs", "srtp",
    "maxCalls" ON "SipTrunk"
  FOR EACH STATEMENT EXECUTE FUNCTION notify_table_changed('clarion_trunk');

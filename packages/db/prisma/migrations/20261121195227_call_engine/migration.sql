-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "wrapUpUntil" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "Call" ADD COLUMN     "callbackOf" INTEGER;

-- AlterTable
ALTER TABLE "CallParticipant" ADD COLUMN     "legId" TEXT;

-- AlterTable
ALTER TABLE "LiveCall" ADD COLUMN     "flow" JSONB;

-- AlterTable
ALTER TABLE "Queue" ADD COLUMN     "announceEverySeconds" INTEGER NOT NULL DEFAULT 60,
ADD COLUMN     "announcePosition" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "announceWait" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "callbackKey" TEXT,
ADD COLUMN     "skillsWaitSeconds" INTEGER,
ADD COLUMN     "wrapUpSeconds" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "QueueMember" ADD COLUMN     "skills" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "Recording" ADD COLUMN     "mediaNodeId" TEXT;

-- CreateIndex
CREATE INDEX "Agent_wrapUpUntil_idx" ON "Agent"("wrapUpUntil");

-- CreateIndex
CREATE UNIQUE INDEX "Call_callbackOf_key" ON "Call"("callbackOf");

-- AlterTable
ALTER TABLE "CallLeg" ADD COLUMN     "legId" TEXT;

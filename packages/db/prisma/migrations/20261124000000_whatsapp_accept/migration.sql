-- AlterTable
ALTER TABLE "WhatsAppCall" ADD COLUMN     "acceptSentAt" TIMESTAMPTZ(3),
ADD COLUMN     "acceptedAt" TIMESTAMPTZ(3),
ADD COLUMN     "endSentAt" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "PushToken" ADD COLUMN     "tokenHash" TEXT NOT NULL,
ADD COLUMN     "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE UNIQUE INDEX "PushToken_tokenHash_key" ON "PushToken"("tokenHash");

-- One WhatsApp line per number, whether it was written with `+` or without.
DROP INDEX "Channel_whatsapp_address_key";
CREATE UNIQUE INDEX "Channel_whatsapp_address_key" ON "Channel"(ltrim("address", '+')) WHERE "type" = 'WHATSAPP';

-- AlterEnum
ALTER TYPE "StaffTicketKind" ADD VALUE 'SIGN_IN';

-- AlterTable
ALTER TABLE "StaffTicket" ADD COLUMN     "codeTries" INTEGER NOT NULL DEFAULT 0;

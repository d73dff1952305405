-- AlterTable
ALTER TABLE "DashboardSession" ADD COLUMN     "signingKeyId" INTEGER;

-- Two factors that are asked for, or set up, change what somebody may do at once.
DROP TRIGGER "StaffUser_changed" ON "StaffUser";
CREATE TRIGGER "StaffUser_changed"
  AFTER UPDATE OF "role", "disabledAt", "name", "twoFactorRequired", "totpConfirmedAt" OR DELETE ON "StaffUser"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_staff');
